// Authorization transactions and codes in SQLite. A consumed or ended transaction is deleted; a used code is kept until
// its time is over, so that a second redemption can be told from an unknown code (GRT-09).
import * as z from 'zod';
import { plusSeconds } from '#shared/clock.ts';
import {
  type AuthorizationCodeRecord,
  authorizationCodeLifetimeSeconds,
  pendingTransactionsMax,
  transactionLifetimeSeconds,
} from '#shared/domain/authorization-transaction.ts';
import type { AuthorizationCodes, AuthorizationTransactions } from '../ports/authorization.ts';
import type { FamilyRevocation } from './family-revocation.ts';
import { type NamespaceContext, purger } from './namespace.ts';
import { codeShape, countRow, encode, encoded, presentRow, transactionShape } from './records.ts';

const codeRow = z.object({ client_id: z.string(), token_family: z.string().nullable(), record: encoded(codeShape) });
const redemptionRow = z.object({ token_family: z.string().nullable() });
const transactionRow = z.object({ record: encoded(transactionShape) });

export function authorizationAdapter(
  context: NamespaceContext,
  revokeFamily: FamilyRevocation,
): { readonly transactions: AuthorizationTransactions; readonly codes: AuthorizationCodes } {
  const { database, ns } = context;
  const purgeTransactions = purger(context, 'transactions');
  const purgeCodes = purger(context, 'codes');

  const countPending = database.query(
    'SELECT count(*) AS count FROM transactions WHERE namespace = @ns AND expires_at > @now',
    countRow,
  );
  const insertTransaction = database.command(
    `INSERT INTO transactions (namespace, transaction_id, browser, client_id, direct, expires_at, record)
     VALUES (@ns, @transaction_id, @browser, @client_id, @direct, @expires_at, @record)`,
  );
  const findTransaction = database.query(
    `SELECT record FROM transactions
     WHERE namespace = @ns AND transaction_id = @transaction_id AND browser = @browser AND expires_at > @now`,
    transactionRow,
  );
  const transactionsOfBrowser = database.query(
    `SELECT record FROM transactions
     WHERE namespace = @ns AND browser = @browser AND direct = 0 AND expires_at > @now ORDER BY seq`,
    transactionRow,
  );
  const consumeTransaction = database.command(
    `DELETE FROM transactions
     WHERE namespace = @ns AND transaction_id = @transaction_id AND browser = @browser AND expires_at > @now`,
  );
  const endTransaction = database.command(
    'DELETE FROM transactions WHERE namespace = @ns AND transaction_id = @transaction_id',
  );
  const isDocumentCached = database.query(
    'SELECT 1 AS present FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id',
    presentRow,
  );
  const insertCode = database.command(
    `INSERT INTO codes (namespace, code, client_id, holds_document, expires_at, record)
     VALUES (@ns, @code, @client_id, @holds_document, @expires_at, @record)`,
  );
  const findCode = database.query(
    `SELECT client_id, token_family, record FROM codes WHERE namespace = @ns AND code = @code AND expires_at > @now`,
    codeRow,
  );
  const findRedemption = database.query(
    `SELECT token_family FROM codes
     WHERE namespace = @ns AND code = @code AND client_id = @client_id AND expires_at > @now`,
    redemptionRow,
  );
  const useCode = database.command(
    'UPDATE codes SET token_family = @family WHERE namespace = @ns AND code = @code AND token_family IS NULL',
  );

  const holdsNothing = (clientId: string) => isDocumentCached.get({ ns, client_id: clientId }) === undefined;
  const keepCode = (code: AuthorizationCodeRecord, holdDocument: boolean) => {
    insertCode.run({
      ns,
      code: code.code,
      client_id: code.request.client_id,
      holds_document: holdDocument ? 1 : 0,
      expires_at: plusSeconds(code.issuedAt, authorizationCodeLifetimeSeconds),
      record: encode(code),
    });
  };

  return {
    transactions: {
      begin: (transaction, now) =>
        database.write(() => {
          purgeTransactions(now);
          if ((countPending.get({ ns, now })?.count ?? 0) >= pendingTransactionsMax) return 'full';
          insertTransaction.run({
            ns,
            transaction_id: transaction.transaction_id,
            browser: transaction.browser,
            client_id: transaction.request.client_id,
            direct: transaction.direct ? 1 : 0,
            expires_at: plusSeconds(transaction.createdAt, transactionLifetimeSeconds),
            record: encode(transaction),
          });
          return 'begun';
        }),
      find: (transactionId, browser, now) =>
        database.read(() => findTransaction.get({ ns, transaction_id: transactionId, browser, now })?.record),
      pendingOf: (browser, now) =>
        database.read(() => transactionsOfBrowser.all({ ns, browser, now }).map(({ record }) => record)),
      complete: (transactionId, browser, code, now, { holdDocument = false } = {}) =>
        database.write(() => {
          if (findTransaction.get({ ns, transaction_id: transactionId, browser, now }) === undefined) return 'gone';
          if (holdDocument && holdsNothing(code.request.client_id)) return 'client_not_held';
          purgeCodes(now);
          consumeTransaction.run({ ns, transaction_id: transactionId, browser, now });
          keepCode(code, holdDocument);
          return 'completed';
        }),
      end: (transactionId) =>
        database.write(() => {
          endTransaction.run({ ns, transaction_id: transactionId });
        }),
    },
    codes: {
      issue: (code, now, { holdDocument = false } = {}) =>
        database.write(() => {
          if (holdDocument && holdsNothing(code.request.client_id)) return 'client_not_held';
          purgeCodes(now);
          keepCode(code, holdDocument);
          return 'issued';
        }),
      find: (code, now) =>
        database.read(() => {
          const found = findCode.get({ ns, code, now });
          return found && { record: found.record, used: found.token_family !== null };
        }),
      redeem: (code, clientId, tokenFamily, now) =>
        database.write(() => {
          const found = findRedemption.get({ ns, code, client_id: clientId, now });
          if (found === undefined) return { outcome: 'unknown' };
          if (found.token_family !== null) {
            revokeFamily(found.token_family, true, now);
            return { outcome: 'used' };
          }
          useCode.run({ ns, code, family: tokenFamily });
          return { outcome: 'redeemed' };
        }),
    },
  };
}
