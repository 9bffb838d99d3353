// Authorization transactions and codes in PostgreSQL. A consumed or ended transaction is deleted; a used code stays until its
// time is over.
import type { Instant } from '#shared/clock.ts';
import {
  type AuthorizationCodeRecord,
  endOfCode,
  isCodeLive,
  redeemCode,
  type StoredCode,
} from '#shared/domain/authorization-code.ts';
import {
  type AuthorizationTransaction,
  completeTransaction,
  endOfTransaction,
  isPendingFor,
  mayBeginTransaction,
  pendingTransactionsMax,
} from '#shared/domain/authorization-transaction.ts';
import { bytesMax } from '#shared/domain/byte-bounds.ts';
import { realEndOf } from '#shared/domain/pending-age.ts';
import { encode } from '../json-columns.ts';
import type { TokenMemory } from '../operations/token-memory.ts';
import { type KeepTypedClaims, lockOfTypedClaims } from '../operations/typed-claims.ts';
import { writing } from '../operations/work.ts';
import type { AuthorizationCodes, AuthorizationTransactions, CodeOptions } from '../ports/authorization.ts';
import { type CodeRow, statements as sql, type TransactionRow } from './authorization-statements.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { recentlyRead } from './recently-read.ts';
import { locksOfLogin, type SessionRows } from './session-rows.ts';
import type { Runner, Writer } from './statement.ts';
import { carryOut } from './steps.ts';
import type { Transaction } from './transaction.ts';

interface AuthorizationRows {
  readonly memory: TokenMemory;
  readonly sessions: SessionRows;
  readonly keepTypedClaims: KeepTypedClaims;
}

export function authorizationAdapter(
  context: NamespaceContext,
  { memory, sessions, keepTypedClaims }: AuthorizationRows,
): { readonly transactions: AuthorizationTransactions; readonly codes: AuthorizationCodes } {
  const { database, ns, realClock } = context;
  const isRoomFor = byteBoundsOf(context);
  const find = async (on: Runner, transactionId: string) =>
    (await sql.findTransaction.get(on, { ns, transaction_id: transactionId }))?.transaction;
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
  const codeColumns = (code: AuthorizationCodeRecord, holdDocument: boolean) => ({
    ns,
    code: code.code,
    client_id: code.request.client_id,
    username: code.username,
    holds_document: holdDocument ? 1 : 0,
    expires_at: endOfCode(code),
    record: encode(code),
  });
  const keepCode = (on: Writer, code: AuthorizationCodeRecord, holdDocument: boolean, now: Instant) => {
    sql.purgeCodes.put(on, { ns, now });
    sql.insertCode.put(on, codeColumns(code, holdDocument));
  };
  const columnsOf = (transaction: AuthorizationTransaction, now: Instant, address: string) => ({
    ns,
    transaction_id: transaction.transaction_id,
    browser: transaction.browser,
    client_id: transaction.request.client_id,
    direct: transaction.direct ? 1 : 0,
    embedded: transaction.embedded ? 1 : 0,
    address,
    expires_at: endOfTransaction(transaction),
    real_until: realEndOf(endOfTransaction(transaction), now, realClock.now()),
    record: encode(transaction),
  });
  const pending = recentlyRead<TransactionRow>();
  const unused = recentlyRead<StoredCode>();

  /** In one round trip, where there is room beside the others and nobody has to make it. */
  const beginAtOnce = async (columns: ReturnType<typeof columnsOf>, now: Instant) => {
    const bounds = {
      most: pendingTransactionsMax,
      room: bytesMax.transactions,
      added: Buffer.byteLength(columns.record),
    };
    const [, begun] = await database.change('transactions', [
      sql.purgeTransactions.bound({ ns, now }),
      sql.insertWithin.bound({ ...columns, ...bounds }),
    ]);
    return begun === 1;
  };
  /** In one round trip, where a transaction that was found is to yield a code that needs nothing else. */
  const completeAtOnce = async (
    transactionId: string,
    browser: string,
    code: AuthorizationCodeRecord,
    now: Instant,
  ) => {
    const known = pending.take(transactionId);
    if (known === undefined || completeTransaction(known.transaction, browser, true, now) !== 'completed')
      return 'unknown';
    const columns = { ...codeColumns(code, false), purpose: transactionId, seen: known.record };
    const [, completed] = await database.change(lockOfTransaction(transactionId), [
      sql.purgeCodes.bound({ ns, now }),
      sql.complete.bound(columns),
    ]);
    return completed === 1 ? 'completed' : 'tried';
  };
  /** The same for the redemption of one. */
  const redeemAtOnce = async (code: string, clientId: string, family: string, now: Instant) => {
    const known = unused.take(code);
    if (known === undefined || redeemCode(known, clientId, family, now).outcome !== 'redeemed') return 'unknown';
    const columns = { ns, code, family, client_id: clientId, expires_at: known.expiresAt };
    const [redeemed] = await database.change(lockOfCode(code), [sql.useUnused.bound(columns)]);
    return redeemed === 1 ? 'redeemed' : 'tried';
  };

  return {
    transactions: {
      begin: async (transaction, now, address = '') => {
        const columns = columnsOf(transaction, now, address);
        if (await beginAtOnce(columns, now)) return 'begun';
        return database.write('transactions', async (on) => {
          // The answer to a first try was lost.
          if ((await find(on, transaction.transaction_id)) !== undefined) return 'begun';
          sql.purgeTransactions.put(on, { ns, now });
          const { client_id, record } = columns;
          const added = record.length;
          const makeRoom = async () =>
            (await sql.removeStale.run(on, { ns, now, real: realClock.now() })) ||
            (await sql.deleteOldestEmbedded.run(on, { ns })) ||
            (await sql.crowdingClient.run(on, { ns, holder: client_id, added })) ||
            (await sql.crowdingAddress.run(on, { ns, client_id, holder: address, added }));
          const isFull = async () =>
            !mayBeginTransaction((await sql.countPending.get(on, { ns }))?.count ?? 0) ||
            !(await isRoomFor(on, 'transactions', record));
          while (await isFull()) if ((await makeRoom()) === 0) return 'full';
          sql.insertTransaction.put(on, columns);
          return 'begun';
        });
      },
      find: (transactionId, browser, now) =>
        database.read(async (on) => {
          const found = await sql.findTransaction.get(on, { ns, transaction_id: transactionId });
          if (found === undefined || !isPendingFor(found.transaction, browser, now)) return undefined;
          pending.note(transactionId, found);
          return found.transaction;
        }),
      pendingOf: (browser, now) =>
        database.read(async (on) => {
          const found = await sql.transactionsOfBrowser.all(on, { ns, browser });
          return found
            .map(({ transaction }) => transaction)
            .filter((transaction) => isPendingFor(transaction, browser, now));
        }),
      complete: async (transactionId, browser, code, now, { holdDocument = false, logIn } = {}) => {
        const needsMore = holdDocument || logIn !== undefined || code.sid !== undefined;
        const atOnce = needsMore ? 'unknown' : await completeAtOnce(transactionId, browser, code, now);
        if (atOnce === 'completed') return atOnce;
        return write([lockOfTransaction(transactionId), ...lockOfDocument(holdDocument)], logIn, async (on) => {
          const [isClientHeld, transaction, own] = await Promise.all([
            isHeld(on, code.request.client_id, holdDocument),
            find(on, transactionId),
            atOnce === 'tried' ? sql.findCode.get(on, { ns, code: code.code }) : undefined,
          ]);
          if (own !== undefined) return 'completed';
          const outcome = completeTransaction(transaction, browser, isClientHeld, now);
          if (outcome !== 'completed') return outcome;
          const kept = await inSession(on, code, logIn, now);
          if (kept === undefined) return 'session_over';
          sql.deleteTransaction.put(on, { ns, transaction_id: transactionId });
          sql.deleteSecondFactor.put(on, { ns, purpose: transactionId });
          keepCode(on, kept, holdDocument, now);
          return outcome;
        });
      },
      advance: (seen, { progress, logIn }, now) =>
        write([lockOfTransaction(seen.transaction_id)], logIn, async (on) => {
          const { transaction_id, browser } = seen;
          const transaction = await find(on, transaction_id);
          if (transaction === undefined || !isPendingFor(transaction, browser, now)) return 'gone';
          if (!isSameProgress(transaction, seen)) return 'gone';
          const sid = logIn === undefined ? progress?.sid : (await sessions.logIn(on, logIn, now)).sid;
          const record = encode({ ...transaction, progress: progress && { ...progress, sid } });
          sql.replaceTransaction.put(on, { ns, transaction_id, record });
          sql.deleteSecondFactor.put(on, { ns, purpose: transaction_id });
          return 'advanced';
        }),
      end: async (transactionId) => {
        await database.change(lockOfTransaction(transactionId), [
          sql.deleteTransaction.bound({ ns, transaction_id: transactionId }),
        ]);
      },
    },
    codes: {
      issue: async (code, now, { holdDocument = false, logIn } = {}) => {
        if (!holdDocument && logIn === undefined && code.sid === undefined) {
          await database.change(lockOfCode(code.code), [
            sql.purgeCodes.bound({ ns, now }),
            sql.insertCode.bound(codeColumns(code, false)),
          ]);
          return 'issued';
        }
        return write([lockOfCode(code.code), ...lockOfDocument(holdDocument)], logIn, async (on) => {
          if (!(await isHeld(on, code.request.client_id, holdDocument))) return 'client_not_held';
          const kept = await inSession(on, code, logIn, now);
          if (kept === undefined) return 'session_over';
          keepCode(on, kept, holdDocument, now);
          return 'issued';
        });
      },
      find: (code, now) =>
        database.read(async (on) => {
          const row = await sql.findRecord.get(on, { ns, code });
          if (row === undefined || !isCodeLive({ expiresAt: row.expires_at }, now)) return undefined;
          const { client_id, username, record } = row;
          if (record !== null) unused.note(code, storedCodeOf({ ...row, token_family: null }));
          return { client_id, username, unused: record ?? undefined };
        }),
      redeem: async (code, clientId, tokenFamily, now, tokensExpireAt = now, { session, claims } = {}) => {
        const needsMore = session !== undefined || claims !== undefined;
        const atOnce = needsMore ? 'unknown' : await redeemAtOnce(code, clientId, tokenFamily, now);
        if (atOnce === 'redeemed') return { outcome: atOnce };
        const locks = [lockOfCode(code), ...(claims === undefined ? [] : [lockOfTypedClaims])];
        return database.write(locks, async (on) => {
          const row = await sql.findCode.get(on, { ns, code });
          // The answer to a first try was lost.
          if (atOnce === 'tried' && row?.token_family === tokenFamily) return { outcome: 'redeemed' };
          const redemption = redeemCode(row && storedCodeOf(row), clientId, tokenFamily, now);
          if (redemption.outcome === 'used')
            await carryOut(on, () => writing(() => memory.remember('family', redemption.revoke, 2, tokensExpireAt)));
          if (redemption.outcome === 'redeemed') {
            if (session !== undefined) {
              const { sid, issuer, mayBeOver } = session;
              const joined = await sessions.join(on, sid, { kind: 'client', client_id: clientId, issuer });
              if (joined === 'session_over' && !mayBeOver) return { outcome: joined };
            }
            sql.useCode.put(on, { ns, code, family: tokenFamily });
            if (claims !== undefined)
              await carryOut(on, () => keepTypedClaims({ name: tokenFamily, claims }, tokensExpireAt));
          }
          return { outcome: redemption.outcome };
        });
      },
    },
  };
}

/** A document that is found held is not evicted or forgotten before its code is there. */
function lockOfDocument(holdDocument: boolean): readonly string[] {
  return holdDocument ? ['metadata_documents'] : [];
}

function lockOfCode(code: string): string {
  return `code ${code}`;
}

function lockOfTransaction(transactionId: string): string {
  return `transaction ${transactionId}`;
}

/** Nobody has taken another step since. */
function isSameProgress({ progress }: AuthorizationTransaction, seen: AuthorizationTransaction): boolean {
  return encode(progress) === encode(seen.progress);
}

function storedCodeOf(row: CodeRow): StoredCode {
  return { clientId: row.client_id, tokenFamily: row.token_family ?? undefined, expiresAt: row.expires_at };
}
