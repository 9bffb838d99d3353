// Which rows of pending records are stale, and which are ahead of their namespace's clock.

import { transactionLifetimeSeconds } from '#shared/model/domain/authorization-transaction.ts';
import { logoutConfirmationLifetimeSeconds } from '#shared/model/domain/logout-confirmation.ts';
import { secondFactorLifetimeSeconds } from '#shared/model/domain/pending-second-factor.ts';
import { takenRequestSeconds } from '#shared/model/domain/pushed-request.ts';
import { samlLogoutSeconds } from '#shared/model/domain/saml-logout.ts';
import { purgedAtOnce } from '../store-context.ts';
import { type CommandText, command } from './text.ts';

/** Another request may have read the clock this much later. */
export const simultaneousMilliseconds = 1000;

const isLaterThanNow = (moment: string) => `${moment} - ${simultaneousMilliseconds} > @now`;

/** A row that expires later than its lifetime from now was written while the clock was further ahead. */
const endsBeyond = (seconds: number) => isLaterThanNow(`expires_at - ${seconds * 1000}`);

/** When a row of each table is ahead of the clock. */
const aheadOfClock = {
  transactions: endsBeyond(transactionLifetimeSeconds),
  pushed_requests: endsBeyond(takenRequestSeconds),
  device_grants: isLaterThanNow('created_at'),
  second_factors: endsBeyond(secondFactorLifetimeSeconds),
  logout_confirmations: endsBeyond(logoutConfirmationLifetimeSeconds),
  saml_logouts: endsBeyond(samlLogoutSeconds),
} as const;

type TableWithRealEnd = 'transactions' | 'pushed_requests' | 'device_grants' | 'second_factors';

/** Whether a row is young by the clock at `@now` and by real time at `@real`. */
export const isYoung = (table: TableWithRealEnd): string => `NOT (${aheadOfClock[table]}) AND real_until > @real`;

/**
 * Deletes the oldest rows of `@ns` that are not young by both clocks, a few at a time: they are evicted at the bound.
 */
export const removeStale = (table: TableWithRealEnd): CommandText =>
  command(
    `DELETE FROM ${table} WHERE seq IN (
       SELECT seq FROM ${table} WHERE namespace = @ns AND NOT (${isYoung(table)}) ORDER BY seq LIMIT ${purgedAtOnce})`,
  );

/** Which rows of a table count together, which of them count, and how much each takes. */
interface Shares {
  readonly holder: string;
  readonly counted: string;
  readonly size: string;
}

/**
 * Deletes the oldest row of the holder with the largest share if `@holder`, including `@added`, has less. It is evicted
 * at the bound, so that one client cannot block the others.
 */
export const removeOfLargestHolder = (table: string, { holder, counted, size }: Shares): CommandText =>
  command(
    `DELETE FROM ${table} WHERE seq = (
       SELECT min(seq) FROM ${table} WHERE namespace = @ns AND ${counted} AND ${holder} = (
         SELECT ${holder} FROM ${table} WHERE namespace = @ns AND ${counted} GROUP BY ${holder}
         HAVING sum(${size}) > CAST(@added AS bigint) + (
           SELECT coalesce(sum(${size}), 0) FROM ${table} WHERE namespace = @ns AND ${counted} AND ${holder} = @holder)
         ORDER BY sum(${size}) DESC, min(seq) LIMIT 1))`,
  );

const ofTransactions = (shares: Omit<Shares, 'size'>) =>
  removeOfLargestHolder('transactions', { ...shares, size: 'length(record)' });

/** Between clients, and between the addresses that the logins of one client come from. */
export const removeOfLargestTransactionHolder = {
  ofClients: ofTransactions({ holder: 'client_id', counted: 'TRUE' }),
  ofAddresses: ofTransactions({ holder: 'address', counted: "client_id = @client_id AND address <> ''" }),
} as const;

/** Deletes everything ahead of `@now`, of every kind that waits for a user. */
export const deleteAheadTexts: Readonly<Record<string, CommandText>> = Object.fromEntries(
  Object.entries(aheadOfClock).map(([table, isAhead]) => [
    `ahead_${table}`,
    command(`DELETE FROM ${table} WHERE namespace = @ns AND ${isAhead}`),
  ]),
);
