// Pending second factors.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { realEndOf } from '#shared/model/domain/pending-age.ts';
import {
  endOfSecondFactor,
  isSecondFactorOf,
  isSecondFactorUsable,
  loginSurfaces,
  mayRecordSecondFactor,
  type PendingSecondFactor,
  type SecondFactorKey,
} from '#shared/model/domain/pending-second-factor.ts';
import { countRow, instantColumn } from '../json-columns.ts';
import type { PendingSecondFactors } from '../ports/second-factors.ts';
import { removeStale } from '../statements/pending.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const row = z.object({
  id: z.string(),
  browser: z.string(),
  surface: z.enum(loginSurfaces),
  purpose: z.string(),
  username: z.string(),
  password_verified_at: instantColumn,
});

const texts = ({ purge }: Dialect) =>
  ({
    purge: purge('second_factors'),
    remove: command('DELETE FROM second_factors WHERE namespace = @ns AND id = @id'),
    count: query('SELECT count(*) AS count FROM second_factors WHERE namespace = @ns', countRow),
    insert: command(
      `INSERT INTO second_factors (namespace, id, browser, surface, purpose, username, password_verified_at, expires_at,
         real_until)
       VALUES (@ns, @id, @browser, @surface, @purpose, @username, @password_verified_at, @expires_at, @real_until)`,
    ),
    removeStale: removeStale('second_factors'),
    find: query(
      `SELECT id, browser, surface, purpose, username, password_verified_at FROM second_factors
       WHERE namespace = @ns AND id = @id`,
      row,
    ),
  }) satisfies StatementTexts;

/** `users`: a condition for the names of runtime users that are about to be deleted. */
const withdrawn = (users: string) =>
  command(`UPDATE second_factors SET username = '' WHERE namespace = @ns AND ${users}`);

/** The pending second factor of a deleted user no longer belongs to any user (LOG-24). */
export const withdrawSecondFactorTexts = {
  ofUser: withdrawn('username = @name'),
  ofFreeUsers: withdrawn(
    `username IN (SELECT name FROM runtime_identities WHERE namespace = @ns AND kind = 'user' AND promotion = 'free')`,
  ),
} satisfies StatementTexts;

export function secondFactors({ ns, realClock, prepare, read, write }: OperationContext): PendingSecondFactors {
  const sql = prepare(texts);

  function* find(id: string): Work<PendingSecondFactor | undefined> {
    const found = yield* sql.find.get({ ns, id });
    if (found === undefined) return undefined;
    const { password_verified_at: passwordVerifiedAt, ...factor } = found;
    return { ...factor, passwordVerifiedAt };
  }

  function* usable(key: SecondFactorKey, now: Instant): Work<PendingSecondFactor | undefined> {
    const pending = yield* find(key.id);
    return pending !== undefined && isSecondFactorUsable(pending, key, now) ? pending : undefined;
  }

  return {
    record: (pending, now) =>
      write('second_factors', function* () {
        const { id, passwordVerifiedAt, ...factor } = pending;
        sql.purge.put({ ns, now });
        sql.remove.put({ ns, id });
        const real = realClock.now();
        while (!mayRecordSecondFactor((yield* sql.count.get({ ns }))?.count ?? 0)) {
          if ((yield* sql.removeStale.run({ ns, now, real })) === 0) return 'full';
        }
        const expires_at = endOfSecondFactor(pending);
        const real_until = realEndOf(expires_at, now, real);
        sql.insert.put({ ns, id, ...factor, password_verified_at: passwordVerifiedAt, expires_at, real_until });
        return 'recorded';
      }),
    find: (key, now) => read(() => usable(key, now)),
    use: (key, now) =>
      write('second_factors', function* () {
        if ((yield* usable(key, now)) === undefined) return false;
        // Completing a transaction also uses its factor, under a different lock.
        return (yield* sql.remove.run({ ns, id: key.id })) === 1;
      }),
    discard: (key) =>
      write('second_factors', function* () {
        const pending = yield* find(key.id);
        if (pending !== undefined && isSecondFactorOf(pending, key)) sql.remove.put({ ns, id: key.id });
      }),
  };
}
