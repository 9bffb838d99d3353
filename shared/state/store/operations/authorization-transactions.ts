// Authorization transactions. A consumed or ended one is deleted.
import type { Instant } from '#shared/base/clock.ts';
import type { AuthorizationCodeRecord } from '#shared/model/domain/authorization-code.ts';
import {
  type AuthorizationTransaction,
  completeTransaction,
  endOfTransaction,
  isPendingFor,
  mayBeginTransaction,
  pendingTransactionsMax,
} from '#shared/model/domain/authorization-transaction.ts';
import { bytesMax } from '#shared/model/domain/byte-bounds.ts';
import { realEndOf } from '#shared/model/domain/pending-age.ts';
import { encode } from '../json-columns.ts';
import type { AuthorizationTransactions } from '../ports/authorization-transactions.ts';
import type { CodeRows } from './authorization-codes.ts';
import { authorizationTexts, type TransactionRow } from './authorization-texts.ts';
import { recentlyRead } from './recently-read.ts';
import { loginLocks, type SessionRows } from './session-rows.ts';
import type { OperationContext, Work } from './work.ts';

export function authorizationTransactions(
  context: OperationContext,
  codes: CodeRows,
  sessions: SessionRows,
): AuthorizationTransactions {
  const { ns, realClock, isFarAway, prepare, read, write, batch, hasRoomFor } = context;
  const sql = prepare(authorizationTexts);
  const pending = recentlyRead<TransactionRow>();

  function* find(transaction_id: string): Work<AuthorizationTransaction | undefined> {
    return (yield* sql.findTransaction.get({ ns, transaction_id }))?.transaction;
  }

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
  type Columns = ReturnType<typeof columnsOf>;

  /** Succeeds only while the bounds leave space for the transaction. */
  const beginWithin = async (columns: Columns, now: Instant) => {
    const added = Buffer.byteLength(columns.record);
    const bounds = { most: pendingTransactionsMax, room: bytesMax.transactions, added };
    const [, begun] = await batch('transactions', () => [
      sql.purgeTransactions.bound({ ns, now }),
      sql.insertWithin.bound({ ...columns, ...bounds }),
    ]);
    return begun === 1;
  };

  /** Evicts other transactions to free space. */
  function* beginInstead(columns: Columns, now: Instant): Work<'begun' | 'full'> {
    const { client_id, address, record } = columns;
    // The response to a first attempt was lost.
    if ((yield* find(columns.transaction_id)) !== undefined) return 'begun';
    sql.purgeTransactions.put({ ns, now });
    const added = record.length;
    for (;;) {
      const isNumberFree = mayBeginTransaction((yield* sql.countPending.get({ ns }))?.count ?? 0);
      if (isNumberFree && (yield* hasRoomFor('transactions', record))) break;
      const removed =
        (yield* sql.removeStale.run({ ns, now, real: realClock.now() })) ||
        (yield* sql.removeOldestEmbedded.run({ ns })) ||
        (yield* sql.removeOfCrowdingClient.run({ ns, holder: client_id, added })) ||
        (yield* sql.removeOfCrowdingAddress.run({ ns, client_id, holder: address, added }));
      if (removed === 0) return 'full';
    }
    sql.insertTransaction.put(columns);
    return 'begun';
  }

  /** Sends one message. Possible when the transaction was just read and its code needs nothing else. */
  const completeAtOnce = async (
    transactionId: string,
    browser: string,
    code: AuthorizationCodeRecord,
    now: Instant,
  ) => {
    const known = isFarAway ? pending.take(transactionId) : undefined;
    if (known === undefined || completeTransaction(known.transaction, browser, true, now) !== 'completed') {
      return 'unknown';
    }
    const columns = { ...codes.columnsOf(code, false), purpose: transactionId, seen: known.record };
    const [, completed] = await batch(lockOfTransaction(transactionId), () => [
      sql.purgeCodes.bound({ ns, now }),
      sql.complete.bound(columns),
    ]);
    return completed === 1 ? 'completed' : 'tried';
  };

  return {
    begin: async (transaction, now, address = '') => {
      const columns = columnsOf(transaction, now, address);
      if (await beginWithin(columns, now)) return 'begun';
      return write('transactions', () => beginInstead(columns, now));
    },
    find: async (transaction_id, browser, now) => {
      const found = await read(() => sql.findTransaction.get({ ns, transaction_id }));
      if (found === undefined || !isPendingFor(found.transaction, browser, now)) return undefined;
      if (isFarAway) pending.note(transaction_id, found);
      return found.transaction;
    },
    pendingOf: async (browser, now) => {
      const found = await read(() => sql.transactionsOfBrowser.all({ ns, browser }));
      return found
        .map(({ transaction }) => transaction)
        .filter((transaction) => isPendingFor(transaction, browser, now));
    },
    complete: async (transaction_id, browser, code, now, { holdDocument = false, logIn } = {}) => {
      const needsMore = holdDocument || logIn !== undefined || code.sid !== undefined;
      const atOnce = needsMore ? 'unknown' : await completeAtOnce(transaction_id, browser, code, now);
      if (atOnce === 'completed') return atOnce;
      const locks = [lockOfTransaction(transaction_id), ...codes.locksOf({ holdDocument, logIn })];
      return write(locks, function* () {
        const holding = codes.isClientHeld(code, holdDocument);
        const finding = sql.findTransaction.get({ ns, transaction_id });
        // The response to a first attempt was lost.
        if (atOnce === 'tried' && (yield* codes.isStored(code))) return 'completed';
        const transaction = (yield* finding)?.transaction;
        const outcome = completeTransaction(transaction, browser, yield* holding, now);
        if (outcome !== 'completed') return outcome;
        const kept = yield* codes.inSession(code, logIn, now);
        if (kept === undefined) return 'session_over';
        sql.deleteTransaction.put({ ns, transaction_id });
        sql.deleteSecondFactor.put({ ns, purpose: transaction_id });
        codes.store(kept, holdDocument, now);
        return outcome;
      });
    },
    advance: (seen, { progress, logIn }, now) => {
      const { transaction_id, browser } = seen;
      const locks = logIn === undefined ? [] : loginLocks(logIn);
      return write([lockOfTransaction(transaction_id), ...locks], function* () {
        const transaction = yield* find(transaction_id);
        if (transaction === undefined || !isPendingFor(transaction, browser, now)) return 'gone';
        if (!isSameProgress(transaction, seen)) return 'gone';
        const sid = logIn === undefined ? progress?.sid : (yield* sessions.logIn(logIn, now)).sid;
        const record = encode({ ...transaction, progress: progress && { ...progress, sid } });
        sql.replaceTransaction.put({ ns, transaction_id, record });
        sql.deleteSecondFactor.put({ ns, purpose: transaction_id });
        return 'advanced';
      });
    },
    end: async (transaction_id) => {
      await batch(lockOfTransaction(transaction_id), () => [sql.deleteTransaction.bound({ ns, transaction_id })]);
    },
  };
}

function lockOfTransaction(transactionId: string): string {
  return `transaction ${transactionId}`;
}

/** Whether no other request has advanced the login since. */
function isSameProgress({ progress }: AuthorizationTransaction, seen: AuthorizationTransaction): boolean {
  return encode(progress) === encode(seen.progress);
}
