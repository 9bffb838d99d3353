// Pending second factors in SQLite.

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

const texts = {
  ...secondFactorTexts,
  purge: purgeOf('second_factors'),
};

export function secondFactorsAdapter({ database, ns, realClock }: NamespaceContext): PendingSecondFactors {
  const sql = database.prepare(texts);
  const find = (id: string): PendingSecondFactor | undefined => {
    const row = sql.find.get({ ns, id });
    if (row === undefined) return undefined;
    const { password_verified_at: passwordVerifiedAt, ...factor } = row;
    return { ...factor, passwordVerifiedAt };
  };
  const remove = (id: string) => {
    sql.remove.run({ ns, id });
  };

  return {
    record: (pending, now) =>
      database.write(() => {
        sql.purge.run({ ns, now });
        remove(pending.id);
        const real = realClock.now();
        while (!mayRecordSecondFactor(sql.count.get({ ns })?.count ?? 0)) {
          if (sql.removeStale.run({ ns, now, real }) === 0) return 'full';
        }
        const { passwordVerifiedAt, ...factor } = pending;
        const expires_at = endOfSecondFactor(pending);
        const real_until = realEndOf(expires_at, now, real);
        sql.insert.run({ ns, ...factor, password_verified_at: passwordVerifiedAt, expires_at, real_until });
        return 'recorded';
      }),
    find: (key, now) =>
      database.read(() => {
        const pending = find(key.id);
        return pending && isSecondFactorUsable(pending, key, now) ? pending : undefined;
      }),
    use: (key, now) =>
      database.write(() => {
        const pending = find(key.id);
        if (pending === undefined || !isSecondFactorUsable(pending, key, now)) return false;
        remove(key.id);
        return true;
      }),
    discard: (key) =>
      database.write(() => {
        const pending = find(key.id);
        if (pending !== undefined && isSecondFactorOf(pending, key)) remove(key.id);
      }),
  };
}
