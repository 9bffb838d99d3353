// Authorization transactions and codes in PostgreSQL. A consumed or ended transaction is deleted; a used code stays until its
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
import type { AuthorizationCodes, AuthorizationTransactions, CodeOptions } from '../ports/authorization.ts';
import { codeShape, countRow, encode, encoded, instantColumn, presentRow, transactionShape } from '../records.ts';
import type { Transaction } from './database.ts';
import { type NamespaceContext, purge } from './namespace.ts';
import { locksOfLogin, type SessionRows } from './session-rows.ts';
import { command, query, type Runner } from './statement.ts';
import { roomIn } from './taken-room.ts';
import type { TokenMemory } from './token-memory.ts';
import { lockOfTypedClaims, type TypedClaimsRows } from './typed-claims-rows.ts';

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

const sql = {
  purgeTransactions: purge('transactions'),
  purgeCodes: purge('codes'),
  countPending: query(
    'SELECT count(*) AS count FROM transactions WHERE namespace = @ns AND expires_at > @now',
    countRow,
  ),
  deleteOldestEmbedded: command(
    `DELETE FROM transactions WHERE seq = (
       SELECT min(seq) FROM transactions WHERE namespace = @ns AND embedded = 1)`,
  ),
  insertTransaction: command(
    `INSERT INTO transactions (namespace, transaction_id, browser, client_id, direct, embedded, expires_at, record)
     VALUES (@ns, @transaction_id, @browser, @client_id, @direct, @embedded, @expires_at, @record)`,
  ),
  findTransaction: query(
    'SELECT record FROM transactions WHERE namespace = @ns AND transaction_id = @transaction_id',
    transactionRow,
  ),
  transactionsOfBrowser: query(
    'SELECT record FROM transactions WHERE namespace = @ns AND browser = @browser AND direct = 0 ORDER BY seq',
    transactionRow,
  ),
  replaceTransaction: command(
    'UPDATE transactions SET record = @record WHERE namespace = @ns AND transaction_id = @transaction_id',
  ),
  deleteTransaction: command('DELETE FROM transactions WHERE namespace = @ns AND transaction_id = @transaction_id'),
  deleteSecondFactor: command(
    "DELETE FROM second_factors WHERE namespace = @ns AND id = @purpose AND purpose = @purpose AND surface = '/authorize'",
  ),
  isDocumentCached: query(
    'SELECT 1 AS present FROM metadata_documents WHERE namespace = @ns AND client_id = @client_id',
    presentRow,
  ),
  insertCode: command(
    `INSERT INTO codes (namespace, code, client_id, username, holds_document, expires_at, record)
     VALUES (@ns, @code, @client_id, @username, @holds_document, @expires_at, @record)`,
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
  useCode: command('UPDATE codes SET token_family = @family, record = NULL WHERE namespace = @ns AND code = @code'),
};

interface AuthorizationRows {
  readonly memory: TokenMemory;
  readonly sessions: SessionRows;
  readonly typedClaims: TypedClaimsRows;
}

export function authorizationAdapter(
  context: NamespaceContext,
  { memory, sessions, typedClaims }: AuthorizationRows,
): { readonly transactions: AuthorizationTransactions; readonly codes: AuthorizationCodes } {
  const { database, ns } = context;
  const isRoomFor = roomIn(context);
  const find = async (on: Runner, transactionId: string) =>
    (await sql.findTransaction.get(on, { ns, transaction_id: transactionId }))?.record;
  const isHeld = async (on: Runner, clientId: string, holdDocument: boolean) =>
    !holdDocument || (await sql.isDocumentCached.get(on, { ns, client_id: clientId })) !== undefined;
  /** Who decides about the transaction or code, and about the sessions of the browser if there is a login. */
  const write = <Result>(
    what: readonly string[],
    logIn: CodeOptions['logIn'],
    work: (on: Transaction) => Promise<Result>,
  ): Promise<Result> => database.write([...what, ...(logIn === undefined ? [] : locksOfLogin(logIn))], work);
  /** The session of a code that is about to be kept; undefined: it is over. */
  const inSession = async (
    on: Transaction,
    code: AuthorizationCodeRecord,
    logIn: CodeOptions['logIn'],
    now: Instant,
  ): Promise<AuthorizationCodeRecord | undefined> => {
    const sid = logIn === undefined ? code.sid : (await sessions.logIn(on, logIn, now)).sid;
    if (sid === undefined) return code;
    return (await sessions.useByClient(on, sid, code.request.client_id, now)) ? { ...code, sid } : undefined;
  };
  const keepCode = async (on: Runner, code: AuthorizationCodeRecord, holdDocument: boolean) => {
    await sql.insertCode.run(on, {
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
      begin: (transaction, now) =>
        database.write('transactions', async (on) => {
          await sql.purgeTransactions.run(on, { ns, now });
          if (
            !mayBeginTransaction((await sql.countPending.get(on, { ns, now }))?.count ?? 0) &&
            (await sql.deleteOldestEmbedded.run(on, { ns })) === 0
          ) {
            return 'full';
          }
          const record = encode(transaction);
          if (!(await isRoomFor(on, 'transactions', record))) return 'full';
          await sql.insertTransaction.run(on, {
            ns,
            transaction_id: transaction.transaction_id,
            browser: transaction.browser,
            client_id: transaction.request.client_id,
            direct: transaction.direct ? 1 : 0,
            embedded: transaction.embedded ? 1 : 0,
            expires_at: endOfTransaction(transaction),
            record,
          });
          return 'begun';
        }),
      find: (transactionId, browser, now) =>
        database.read(async (on) => {
          const transaction = await find(on, transactionId);
          return transaction && isPendingFor(transaction, browser, now) ? transaction : undefined;
        }),
      pendingOf: (browser, now) =>
        database.read(async (on) => {
          const transactions = (await sql.transactionsOfBrowser.all(on, { ns, browser })).map(({ record }) => record);
          return transactions.filter((transaction) => isPendingFor(transaction, browser, now));
        }),
      complete: (transactionId, browser, code, now, { holdDocument = false, logIn } = {}) =>
        write([lockOfTransaction(transactionId), ...lockOfDocument(holdDocument)], logIn, async (on) => {
          const isClientHeld = await isHeld(on, code.request.client_id, holdDocument);
          const outcome = completeTransaction(await find(on, transactionId), browser, isClientHeld, now);
          if (outcome !== 'completed') return outcome;
          const kept = await inSession(on, code, logIn, now);
          if (kept === undefined) return 'session_over';
          await sql.purgeCodes.run(on, { ns, now });
          await sql.deleteTransaction.run(on, { ns, transaction_id: transactionId });
          await sql.deleteSecondFactor.run(on, { ns, purpose: transactionId });
          await keepCode(on, kept, holdDocument);
          return outcome;
        }),
      advance: (seen, { progress, logIn }, now) =>
        write([lockOfTransaction(seen.transaction_id)], logIn, async (on) => {
          const { transaction_id, browser } = seen;
          const transaction = await find(on, transaction_id);
          if (transaction === undefined || !isPendingFor(transaction, browser, now)) return 'gone';
          if (!isSameProgress(transaction, seen)) return 'gone';
          const sid = logIn === undefined ? progress?.sid : (await sessions.logIn(on, logIn, now)).sid;
          const record = encode({ ...transaction, progress: progress && { ...progress, sid } });
          await sql.replaceTransaction.run(on, { ns, transaction_id, record });
          await sql.deleteSecondFactor.run(on, { ns, purpose: transaction_id });
          return 'advanced';
        }),
      end: (transactionId) =>
        database.write(lockOfTransaction(transactionId), async (on) => {
          await sql.deleteTransaction.run(on, { ns, transaction_id: transactionId });
        }),
    },
    codes: {
      issue: (code, now, { holdDocument = false, logIn } = {}) =>
        write([`code ${code.code}`, ...lockOfDocument(holdDocument)], logIn, async (on) => {
          if (!(await isHeld(on, code.request.client_id, holdDocument))) return 'client_not_held';
          const kept = await inSession(on, code, logIn, now);
          if (kept === undefined) return 'session_over';
          await sql.purgeCodes.run(on, { ns, now });
          await keepCode(on, kept, holdDocument);
          return 'issued';
        }),
      find: (code, now) =>
        database.read(async (on) => {
          const row = await sql.findRecord.get(on, { ns, code });
          if (row === undefined || !isCodeLive({ expiresAt: row.expires_at }, now)) return undefined;
          const { client_id, username, record } = row;
          return { client_id, username, unused: record ?? undefined };
        }),
      redeem: (code, clientId, tokenFamily, now, tokensExpireAt = now, { session, claims } = {}) =>
        database.write([`code ${code}`, ...(claims === undefined ? [] : [lockOfTypedClaims])], async (on) => {
          const row = await sql.findCode.get(on, { ns, code });
          const redemption = redeemCode(row && storedCodeOf(row), clientId, tokenFamily, now);
          if (redemption.outcome === 'used') await memory.remember(on, 'family', redemption.revoke, 2, tokensExpireAt);
          if (redemption.outcome === 'redeemed') {
            await sql.useCode.run(on, { ns, code, family: tokenFamily });
            if (session !== undefined) {
              await sessions.join(on, session.sid, { kind: 'client', client_id: clientId, issuer: session.issuer });
            }
          }
          if (redemption.outcome === 'redeemed' && claims !== undefined) {
            await typedClaims.keep(on, { name: tokenFamily, claims }, tokensExpireAt);
          }
          return { outcome: redemption.outcome };
        }),
    },
  };
}

/** A document that is found held is not evicted or forgotten before its code is there. */
function lockOfDocument(holdDocument: boolean): readonly string[] {
  return holdDocument ? ['metadata_documents'] : [];
}

function lockOfTransaction(transactionId: string): string {
  return `transaction ${transactionId}`;
}

/** Nobody has taken another step since. */
function isSameProgress({ progress }: AuthorizationTransaction, seen: AuthorizationTransaction): boolean {
  return encode(progress) === encode(seen.progress);
}

function storedCodeOf(row: z.output<typeof codeRow>) {
  return { clientId: row.client_id, tokenFamily: row.token_family ?? undefined, expiresAt: row.expires_at };
}
