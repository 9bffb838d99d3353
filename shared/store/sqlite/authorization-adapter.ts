// Authorization transactions and codes in SQLite. A consumed or ended transaction is deleted; a used code stays until its
// time is over.
import * as z from 'zod';
import type { Instant } from '#shared/clock.ts';
import { type AuthorizationCodeRecord, endOfCode, isCodeLive, redeemCode } from '#shared/domain/authorization-code.ts';
import {
  type AuthorizationTransaction,
  completeTransaction,
  endOfTransaction,
  isPendingFor,
  mayBeginTransaction,
} from '#shared/domain/authorization-transaction.ts';
import { realEndOf } from '#shared/domain/pending-age.ts';
import { codeShape, countRow, encode, encoded, instantColumn, presentRow, transactionShape } from '../json-columns.ts';
import type { TokenMemory } from '../operations/token-memory.ts';
import type { KeepTypedClaims } from '../operations/typed-claims.ts';
import type { AuthorizationCodes, AuthorizationTransactions, CodeOptions } from '../ports/authorization.ts';
import { removeOfCrowdingTransactions, removeStale } from '../statements/pending.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { Statements } from './database.ts';
import { type NamespaceContext, purge } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';
import type { SessionRows } from './session-rows.ts';
import { carryOut } from './steps.ts';

const transactionRow = z.object({ record: encoded(transactionShape) });
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

const statements = (sql: Statements) => ({
  purgeTransactions: purge(sql, 'transactions'),
  purgeCodes: purge(sql, 'codes'),
  countPending: sql.query('SELECT count(*) AS count FROM transactions WHERE namespace = @ns', countRow),
  removeStale: sql.command(removeStale('transactions').sql),
  crowdingClient: sql.command(removeOfCrowdingTransactions.ofClients.sql),
  crowdingAddress: sql.command(removeOfCrowdingTransactions.ofAddresses.sql),
  // Read from the records, since it is asked at the cap alone.
  deleteOldestEmbedded: sql.command(
    `DELETE FROM transactions WHERE seq = (
       SELECT min(seq) FROM transactions WHERE namespace = @ns AND json_extract(record, '$.embedded') = 1)`,
  ),
  insertTransaction: sql.command(
    `INSERT INTO transactions (namespace, transaction_id, browser, client_id, direct, address, expires_at, real_until, record)
     VALUES (@ns, @transaction_id, @browser, @client_id, @direct, @address, @expires_at, @real_until, @record)`,
  ),
  findTransaction: sql.query(
    'SELECT record FROM transactions WHERE namespace = @ns AND transaction_id = @transaction_id',
    transactionRow,
  ),
  transactionsOfBrowser: sql.query(
    'SELECT record FROM transactions WHERE namespace = @ns AND browser = @browser ORDER BY seq',
    transactionRow,
  ),
  replaceTransaction: sql.command(
    'UPDATE transactions SET record = @record WHERE namespace = @ns AND transaction_id = @transaction_id',
  ),
  deleteTransaction: sql.command('DELETE FROM transactions WHERE namespace = @ns AND transaction_id = @transaction_id'),
  deleteSecondFactor: sql.command(
    "DELETE FROM second_factors WHERE namespace = @ns AND id = @purpose AND purpose = @purpose AND surface = '/authorize'",
  ),
  isDocumentCached: sql.query(
    'SELECT 1 AS present FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id',
    presentRow,
  ),
  insertCode: sql.command(
    `INSERT INTO codes (namespace, code, client_id, username, holds_document, expires_at, record)
     VALUES (@ns, @code, @client_id, @username, @holds_document, @expires_at, @record)`,
  ),
  findRecord: sql.query(
    'SELECT client_id, username, expires_at, record FROM codes WHERE namespace = @ns AND code = @code',
    recordRow,
  ),
  findCode: sql.query(
    'SELECT client_id, token_family, expires_at FROM codes WHERE namespace = @ns AND code = @code',
    codeRow,
  ),
  // What a used code stood for is never asked again.
  useCode: sql.command('UPDATE codes SET token_family = @family, record = NULL WHERE namespace = @ns AND code = @code'),
});

interface AuthorizationRows {
  readonly memory: TokenMemory;
  readonly sessions: SessionRows;
  readonly keepTypedClaims: KeepTypedClaims;
}

export function authorizationAdapter(
  context: NamespaceContext,
  { memory, sessions, keepTypedClaims }: AuthorizationRows,
  outbox: Outbox,
): { readonly transactions: AuthorizationTransactions; readonly codes: AuthorizationCodes } {
  const { database, ns, realClock } = context;
  const sql = database.prepared(statements);
  const isRoomFor = byteBoundsOf(context);
  const find = (transactionId: string) => sql.findTransaction.get({ ns, transaction_id: transactionId })?.record;
  const isHeld = (clientId: string, holdDocument: boolean) =>
    !holdDocument || sql.isDocumentCached.get({ ns, client_id: clientId }) !== undefined;
  /** A login puts an event in. */
  const write = <Result>(logIn: CodeOptions['logIn'], work: () => Result) =>
    logIn === undefined ? database.write(work) : outbox.change(work);
  /** The session of a code that is about to be kept; undefined: it is over. */
  const inSession = (
    code: AuthorizationCodeRecord,
    logIn: CodeOptions['logIn'],
    now: Instant,
  ): AuthorizationCodeRecord | undefined => {
    const sid = logIn === undefined ? code.sid : sessions.logIn(logIn, now).sid;
    if (sid === undefined) return code;
    return sessions.useByClient(sid, code.request.client_id, now) ? { ...code, sid } : undefined;
  };
  const keepCode = (code: AuthorizationCodeRecord, holdDocument: boolean) => {
    sql.insertCode.run({
      ns,
      code: code.code,
      client_id: code.request.client_id,
      username: code.username,
      holds_document: holdDocument ? 1 : 0,
      expires_at: endOfCode(code),
      record: encode(code),
    });
  };

  return {
    transactions: {
      begin: (transaction, now, address = '') =>
        database.write(() => {
          sql.purgeTransactions.run({ ns, now });
          const record = encode(transaction);
          const real = realClock.now();
          const { client_id } = transaction.request;
          const added = record.length;
          const makeRoom = () =>
            sql.removeStale.run({ ns, now, real }) ||
            sql.deleteOldestEmbedded.run({ ns }) ||
            sql.crowdingClient.run({ ns, holder: client_id, added }) ||
            sql.crowdingAddress.run({ ns, client_id, holder: address, added });
          const isFull = () =>
            !mayBeginTransaction(sql.countPending.get({ ns })?.count ?? 0) || !isRoomFor('transactions', record);
          while (isFull()) if (makeRoom() === 0) return 'full';
          const expires_at = endOfTransaction(transaction);
          sql.insertTransaction.run({
            ns,
            transaction_id: transaction.transaction_id,
            browser: transaction.browser,
            client_id,
            direct: transaction.direct ? 1 : 0,
            address,
            expires_at,
            real_until: realEndOf(expires_at, now, real),
            record,
          });
          return 'begun';
        }),
      find: (transactionId, browser, now) =>
        database.read(() => {
          const transaction = find(transactionId);
          return transaction && isPendingFor(transaction, browser, now) ? transaction : undefined;
        }),
      pendingOf: (browser, now) =>
        database.read(() => {
          const transactions = sql.transactionsOfBrowser.all({ ns, browser }).map(({ record }) => record);
          return transactions.filter((transaction) => isPendingFor(transaction, browser, now));
        }),
      complete: (transactionId, browser, code, now, { holdDocument = false, logIn } = {}) =>
        write(logIn, () => {
          const isClientHeld = isHeld(code.request.client_id, holdDocument);
          const outcome = completeTransaction(find(transactionId), browser, isClientHeld, now);
          if (outcome !== 'completed') return outcome;
          const kept = inSession(code, logIn, now);
          if (kept === undefined) return 'session_over';
          sql.purgeCodes.run({ ns, now });
          sql.deleteTransaction.run({ ns, transaction_id: transactionId });
          sql.deleteSecondFactor.run({ ns, purpose: transactionId });
          keepCode(kept, holdDocument);
          return outcome;
        }),
      advance: (seen, { progress, logIn }, now) =>
        write(logIn, () => {
          const { transaction_id, browser } = seen;
          const transaction = find(transaction_id);
          if (transaction === undefined || !isPendingFor(transaction, browser, now)) return 'gone';
          if (!isSameProgress(transaction, seen)) return 'gone';
          const sid = logIn === undefined ? progress?.sid : sessions.logIn(logIn, now).sid;
          const record = encode({ ...transaction, progress: progress && { ...progress, sid } });
          sql.replaceTransaction.run({ ns, transaction_id, record });
          sql.deleteSecondFactor.run({ ns, purpose: transaction_id });
          return 'advanced';
        }),
      end: (transactionId) =>
        database.write(() => {
          sql.deleteTransaction.run({ ns, transaction_id: transactionId });
        }),
    },
    codes: {
      issue: (code, now, { holdDocument = false, logIn } = {}) =>
        write(logIn, () => {
          if (!isHeld(code.request.client_id, holdDocument)) return 'client_not_held';
          const kept = inSession(code, logIn, now);
          if (kept === undefined) return 'session_over';
          sql.purgeCodes.run({ ns, now });
          keepCode(kept, holdDocument);
          return 'issued';
        }),
      find: (code, now) =>
        database.read(() => {
          const row = sql.findRecord.get({ ns, code });
          if (row === undefined || !isCodeLive({ expiresAt: row.expires_at }, now)) return undefined;
          const { client_id, username, record } = row;
          return { client_id, username, unused: record ?? undefined };
        }),
      redeem: (code, clientId, tokenFamily, now, tokensExpireAt = now, { session, claims } = {}) =>
        database.write(() => {
          const row = sql.findCode.get({ ns, code });
          const redemption = redeemCode(row && storedCodeOf(row), clientId, tokenFamily, now);
          if (redemption.outcome === 'used') memory.remember('family', redemption.revoke, 2, tokensExpireAt);
          if (redemption.outcome === 'redeemed') {
            if (session !== undefined) {
              const { sid, issuer, mayBeOver } = session;
              const joined = sessions.join(sid, { kind: 'client', client_id: clientId, issuer });
              if (joined === 'session_over' && !mayBeOver) return { outcome: joined };
            }
            sql.useCode.run({ ns, code, family: tokenFamily });
            if (claims !== undefined) carryOut(keepTypedClaims({ name: tokenFamily, claims }, tokensExpireAt));
          }
          return { outcome: redemption.outcome };
        }),
    },
  };
}

/** Nobody has taken another step since. */
function isSameProgress({ progress }: AuthorizationTransaction, seen: AuthorizationTransaction): boolean {
  return encode(progress) === encode(seen.progress);
}

function storedCodeOf(row: z.output<typeof codeRow>) {
  return { clientId: row.client_id, tokenFamily: row.token_family ?? undefined, expiresAt: row.expires_at };
}
