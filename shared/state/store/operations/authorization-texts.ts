// The rows and statements of authorization transactions and codes.
import * as z from 'zod';
import type { StoredCode } from '#shared/model/domain/authorization-code.ts';
import { codeShape, countRow, encoded, instantColumn, presentRow, transactionShape } from '../json-columns.ts';
import { removeOfLargestTransactionHolder, removeStale } from '../statements/pending.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import { bytesTaken } from './bounded-space.ts';
import type { Dialect } from './work.ts';

const transactionText = encoded(transactionShape);

/** With the stored text of the record: a later statement uses it to check that the record is unchanged. */
const transactionRow = z
  .object({ record: z.string() })
  .transform(({ record }) => ({ record, transaction: transactionText.parse(record) }));

export type TransactionRow = z.output<typeof transactionRow>;

const codeRow = z.object({ client_id: z.string(), token_family: z.string().nullable(), expires_at: instantColumn });

const recordRow = z.object({
  client_id: z.string(),
  username: z.string(),
  expires_at: instantColumn,
  record: encoded(codeShape).nullable(),
});

const countPending = 'SELECT count(*) AS count FROM transactions WHERE namespace = @ns';

const insertTransaction = (condition: string) =>
  `INSERT INTO transactions (namespace, transaction_id, browser, client_id, direct, embedded, address, expires_at,
     real_until, record)
   SELECT CAST(@ns AS text), CAST(@transaction_id AS text), CAST(@browser AS text), CAST(@client_id AS text),
     CAST(@direct AS bigint), CAST(@embedded AS bigint), CAST(@address AS text), CAST(@expires_at AS bigint),
     CAST(@real_until AS bigint), CAST(@record AS text)
   WHERE ${condition} ON CONFLICT (namespace, transaction_id) DO NOTHING`;

const deleteSecondFactor = `DELETE FROM second_factors
  WHERE namespace = @ns AND id = @purpose AND purpose = @purpose AND surface = '/authorize'`;

const insertCode = (source: string) =>
  `INSERT INTO codes (namespace, code, client_id, username, holds_document, expires_at, record)
   SELECT CAST(@ns AS text), CAST(@code AS text), CAST(@client_id AS text), CAST(@username AS text),
     CAST(@holds_document AS bigint), CAST(@expires_at AS bigint), CAST(@record AS text)
   ${source} ON CONFLICT (namespace, code) DO NOTHING`;

// The data of a used code is never needed again.
const useCode = 'UPDATE codes SET token_family = @family, record = NULL WHERE namespace = @ns AND code = @code';

const oneTransaction = 'WHERE namespace = @ns AND transaction_id = @transaction_id';

export const authorizationTexts = ({ purge }: Dialect) =>
  ({
    purgeTransactions: purge('transactions'),
    purgeCodes: purge('codes'),
    countPending: query(countPending, countRow),
    removeStale: removeStale('transactions'),
    removeOfCrowdingClient: removeOfLargestTransactionHolder.ofClients,
    removeOfCrowdingAddress: removeOfLargestTransactionHolder.ofAddresses,
    removeOldestEmbedded: command(
      `DELETE FROM transactions WHERE seq = (
         SELECT min(seq) FROM transactions WHERE namespace = @ns AND embedded = 1)`,
    ),
    insertTransaction: command(insertTransaction('true')),
    /** Inserts only while the bounds leave space for the transaction. */
    insertWithin: command(
      insertTransaction(
        `(${countPending}) < @most AND (${bytesTaken("'transactions'")}) + CAST(@added AS bigint) <= CAST(@room AS bigint)`,
      ),
    ),
    findTransaction: query(`SELECT record FROM transactions ${oneTransaction}`, transactionRow),
    transactionsOfBrowser: query(
      'SELECT record FROM transactions WHERE namespace = @ns AND browser = @browser ORDER BY seq',
      transactionRow,
    ),
    replaceTransaction: command(`UPDATE transactions SET record = @record ${oneTransaction}`),
    deleteTransaction: command(`DELETE FROM transactions ${oneTransaction}`),
    deleteSecondFactor: command(deleteSecondFactor),
    isDocumentCached: query(
      'SELECT 1 AS present FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id',
      presentRow,
    ),
    insertCode: command(insertCode('WHERE true')),
    /**
     * Completes a transaction that is unchanged since its completion was decided. Only PostgreSQL supports this
     * statement.
     */
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
    useCode: command(useCode),
    /** Uses a code that is unchanged since its redemption was decided. */
    useUnused: command(`${useCode} AND token_family IS NULL AND client_id = @client_id AND expires_at = @expires_at`),
  }) satisfies StatementTexts;

export function storedCodeOf(row: z.output<typeof codeRow>): StoredCode {
  return { clientId: row.client_id, tokenFamily: row.token_family ?? undefined, expiresAt: row.expires_at };
}
