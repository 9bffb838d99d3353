// Pending second factors in SQLite: a record is found and used only with browser, surface and purpose of its making.
import * as z from 'zod';
import { plusSeconds } from '#shared/clock.ts';
import { pendingSecondFactorsMax, secondFactorLifetimeSeconds } from '#shared/domain/pending-second-factor.ts';
import type { PendingSecondFactors } from '../ports/second-factors.ts';
import { type NamespaceContext, purger } from './namespace.ts';
import { countRow, instantColumn } from './records.ts';

const factorRow = z.object({
  id: z.string(),
  browser: z.string(),
  surface: z.enum(['/login', '/authorize', '/saml/sso', '/device']),
  purpose: z.string(),
  username: z.string(),
  password_verified_at: instantColumn,
});

const ofKey = 'namespace = @ns AND id = @id AND browser = @browser AND surface = @surface AND purpose = @purpose';

export function secondFactorsAdapter(context: NamespaceContext): PendingSecondFactors {
  const { database, ns } = context;
  const purge = purger(context, 'second_factors');
  const remove = database.command('DELETE FROM second_factors WHERE namespace = @ns AND id = @id');
  const countLive = database.query(
    'SELECT count(*) AS count FROM second_factors WHERE namespace = @ns AND expires_at > @now',
    countRow,
  );
  const insert = database.command(
    `INSERT INTO second_factors (namespace, id, browser, surface, purpose, username, password_verified_at, expires_at)
     VALUES (@ns, @id, @browser, @surface, @purpose, @username, @password_verified_at, @expires_at)`,
  );
  const find = database.query(
    `SELECT id, browser, surface, purpose, username, password_verified_at FROM second_factors
     WHERE ${ofKey} AND expires_at > @now`,
    factorRow,
  );
  const use = database.command(`DELETE FROM second_factors WHERE ${ofKey} AND expires_at > @now`);
  const discard = database.command(`DELETE FROM second_factors WHERE ${ofKey}`);
  return {
    record: ({ id, browser, surface, purpose, username, passwordVerifiedAt }, now) =>
      database.write(() => {
        purge(now);
        remove.run({ ns, id });
        if ((countLive.get({ ns, now })?.count ?? 0) >= pendingSecondFactorsMax) return 'full';
        insert.run({
          ns,
          id,
          browser,
          surface,
          purpose,
          username,
          password_verified_at: passwordVerifiedAt,
          expires_at: plusSeconds(passwordVerifiedAt, secondFactorLifetimeSeconds),
        });
        return 'recorded';
      }),
    find: ({ id, browser, surface, purpose }, now) =>
      database.read(() => {
        const row = find.get({ ns, id, browser, surface, purpose, now });
        if (row === undefined) return undefined;
        const { password_verified_at: passwordVerifiedAt, ...factor } = row;
        return { ...factor, passwordVerifiedAt };
      }),
    use: ({ id, browser, surface, purpose }, now) =>
      database.write(() => use.run({ ns, id, browser, surface, purpose, now }) === 1),
    discard: ({ id, browser, surface, purpose }) =>
      database.write(() => {
        discard.run({ ns, id, browser, surface, purpose });
      }),
  };
}
