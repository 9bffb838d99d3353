// The statements about authorization transactions and codes in PostgreSQL.
import * as z from 'zod';
import { codeShape, countRow, encoded, instantColumn, presentRow, transactionShape } from '../json-columns.ts';
import { removeOfCrowdingTransactions, removeStale } from '../statements/pending.ts';
import { takenRoom } from './bytes-taken.ts';
import { purge } from './namespace-context.ts';
import { command, query } from './statement.ts';

const transactionText = encoded(transactionShape);
const transactionRow = z
  .object({ record: z.string() })
  .transform(({ record }) => ({ record, transaction: transactionText.parse(record) }));
const codeRow = z.object({
  client_id: z.string(),
  token_family: z.string().nullable(),
  expires_at: instantColumn,
});

const recordRow = z.object({
  client_id: z.string(),
  username: z.string(),
  expires_at: instantColumn,
  record: encoded(codeShape).nullable(),
});

export type TransactionRow = z.output<typeof transactionRow>;
export type CodeRow = z.output<typeof codeRow>;

const pending = 'SELECT count(*) AS count FROM transactions WHERE namespace = @ns';
const insertTransaction = (where: string) =>
  `INSERT INTO transactions (namespace, transaction_id, browser, client_id, direct, embedded, address, expires_at,
       real_until, record)
     SELECT @ns::text, @transaction_id::text, @browser::text, @client_id::text, @direct::bigint, @embedded::bigint,
       @address::text, @expires_at::bigint, @real_until::bigint, @record::text ${where} ON CONFLICT (namespace, transaction_id) DO NOTHING`;
const deleteSecondFactor = `DELETE FROM second_factors
     WHERE namespace = @ns AND id = @purpose AND purpose = @purpose AND surface = '/authorize'`;
const insertCode = (from: string) =>
  `INSERT INTO codes (namespace, code, client_id, username, holds_document, expires_at, record)
     SELECT @ns::text, @code::text, @client_id::text, @username::text, @holds_document::bigint, @expires_at::bigint,
       @record::text ${from} ON CONFLICT (namespace, code) DO NOTHING`;

const useCode = 'UPDATE codes SET token_family = @family, record = NULL WHERE namespace = @ns AND code = @code';

export const statements = {
  purgeTransactions: purge('transactions'),
  purgeCodes: purge('codes'),
  countPending: query(pending, countRow),
  removeStale: command(removeStale('transactions').sql),
  crowdingClient: command(removeOfCrowdingTransactions.ofClients.sql),
  crowdingAddress: command(removeOfCrowdingTransactions.ofAddresses.sql),
  deleteOldestEmbedded: command(
    `DELETE FROM transactions WHERE seq = (
       SELECT min(seq) FROM transactions WHERE namespace = @ns AND embedded = 1)`,
  ),
  insertTransaction: command(insertTransaction('')),
  insertWithin: command(
    insertTransaction(`WHERE (${pending}) < @most AND ${takenRoom('transactions')} + @added::bigint <= @room::bigint`),
  ),
  findTransaction: query(
    'SELECT record FROM transactions WHERE namespace = @ns AND transaction_id = @transaction_id',
    transactionRow,
  ),
  transactionsOfBrowser: query(
    'SELECT record FROM transactions WHERE namespace = @ns AND browser = @browser ORDER BY seq',
    transactionRow,
  ),
  replaceTransaction: command(
    'UPDATE transactions SET record = @record WHERE namespace = @ns AND transaction_id = @transaction_id',
  ),
  deleteTransaction: command('DELETE FROM transactions WHERE namespace = @ns AND transaction_id = @transaction_id'),
  deleteSecondFactor: command(deleteSecondFactor),
  isDocumentCached: query(
    'SELECT 1 AS present FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id',
    presentRow,
  ),
  insertCode: command(insertCode('')),
  /** Of a transaction that is still what it was when its completion was judged. */
  complete: command(
    `WITH taken AS (
       DELETE FROM transactions WHERE namespace = @ns AND transaction_id = @purpose AND record = @seen RETURNING seq),
     used_up AS (${deleteSecondFactor} AND EXISTS (SELECT FROM taken))
     ${insertCode('FROM taken')}`,
  ),
  findRecord: query(
    'SELECT client_id, username, expires_at, record FROM codes WHERE namespace = @ns AND code = @code',
    recordRow,
  ),
  findCode: query(
    'SELECT client_id, token_family, expires_at FROM codes WHERE namespace = @ns AND code = @code',
    codeRow,
  ),
  // What a used code stood for is never asked again.
  useCode: command(useCode),
  /** On condition that it is what it was when its redemption was judged. */
  useUnused: command(`${useCode} AND token_family IS NULL AND client_id = @client_id AND expires_at = @expires_at`),
};
