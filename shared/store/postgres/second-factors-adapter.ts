// Pending second factors in PostgreSQL.

import { realEndOf } from '#shared/domain/pending-age.ts';
import {
  endOfSecondFactor,
  isSecondFactorOf,
  isSecondFactorUsable,
  mayRecordSecondFactor,
  type PendingSecondFactor,
} from '#shared/domain/pending-second-factor.ts';
import type { PendingSecondFactors } from '../ports/second-factors.ts';
import { secondFactorTexts } from '../statements/second-factors.ts';
import { type NamespaceContext, purgeOf } from './namespace-context.ts';
import { prepared, type Runner } from './statement.ts';

const sql = prepared({
  ...secondFactorTexts,
  purge: purgeOf('second_factors'),
});

export function secondFactorsAdapter({ database, ns, realClock }: NamespaceContext): PendingSecondFactors {
  const find = async (on: Runner, id: string): Promise<PendingSecondFactor | undefined> => {
    const row = await sql.find.get(on, { ns, id });
    if (row === undefined) return undefined;
    const { password_verified_at: passwordVerifiedAt, ...factor } = row;
    return { ...factor, passwordVerifiedAt };
  };
  const remove = async (on: Runner, id: string) => (await sql.remove.run(on, { ns, id })) === 1;

  return {
    record: (pending, now) =>
      database.write('second_factors', async (on) => {
        sql.purge.put(on, { ns, now });
        await remove(on, pending.id);
        const real = realClock.now();
        while (!mayRecordSecondFactor((await sql.count.get(on, { ns }))?.count ?? 0)) {
          if ((await sql.removeStale.run(on, { ns, now, real })) === 0) return 'full';
        }
        const { passwordVerifiedAt, ...factor } = pending;
        const expires_at = endOfSecondFactor(pending);
        const real_until = realEndOf(expires_at, now, real);
        sql.insert.put(on, { ns, ...factor, password_verified_at: passwordVerifiedAt, expires_at, real_until });
        return 'recorded';
      }),
    find: (key, now) =>
      database.read(async (on) => {
        const pending = await find(on, key.id);
        return pending && isSecondFactorUsable(pending, key, now) ? pending : undefined;
      }),
    use: (key, now) =>
      database.write('second_factors', async (on) => {
        const pending = await find(on, key.id);
        if (pending === undefined || !isSecondFactorUsable(pending, key, now)) return false;
        // A transaction that is completed uses its factor up as well, under a lock of its own.
        return remove(on, key.id);
      }),
    discard: (key) =>
      database.write('second_factors', async (on) => {
        const pending = await find(on, key.id);
        if (pending !== undefined && isSecondFactorOf(pending, key)) await remove(on, key.id);
      }),
  };
}
