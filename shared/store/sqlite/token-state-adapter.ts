// Spent refresh tokens and revocations in SQLite. Without rotation a use only looks, so it takes no write lock.
import type { TokenState } from '../ports/token-state.ts';
import type { FamilyRevocation } from './family-revocation.ts';
import { type NamespaceContext, purger } from './namespace.ts';
import { presentRow } from './records.ts';

export function tokenStateAdapter(context: NamespaceContext, revokeFamily: FamilyRevocation): TokenState {
  const { database, ns } = context;
  const purgeSpent = purger(context, 'spent_refresh_tokens');
  const purgeRevoked = purger(context, 'revoked_access_tokens');

  const isFamilyRevoked = database.query(
    'SELECT 1 AS present FROM revoked_families WHERE namespace = @ns AND family = @family AND expires_at > @now',
    presentRow,
  );
  const isSpent = database.query(
    'SELECT 1 AS present FROM spent_refresh_tokens WHERE namespace = @ns AND jti = @jti AND expires_at > @now',
    presentRow,
  );
  const spend = database.command(
    `INSERT INTO spent_refresh_tokens (namespace, jti, expires_at) VALUES (@ns, @jti, @expires_at)
     ON CONFLICT (namespace, jti) DO UPDATE SET expires_at = excluded.expires_at`,
  );
  const revokeAccessToken = database.command(
    `INSERT INTO revoked_access_tokens (namespace, jti, expires_at) VALUES (@ns, @jti, @expires_at)
     ON CONFLICT (namespace, jti) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)`,
  );
  const isAccessTokenRevoked = database.query(
    `SELECT 1 AS present WHERE EXISTS
       (SELECT 1 FROM revoked_access_tokens WHERE namespace = @ns AND jti = @jti AND expires_at > @now)
     OR EXISTS
       (SELECT 1 FROM revoked_families
        WHERE namespace = @ns AND family = @family AND with_access_tokens = 1 AND expires_at > @now)`,
    presentRow,
  );

  return {
    spendRefreshToken: ({ family, jti, expiresAt, rotate }, now) => {
      const judge = () => {
        if (isFamilyRevoked.get({ ns, family, now }) !== undefined) return 'revoked';
        return isSpent.get({ ns, jti, now }) === undefined ? 'unused' : 'reused';
      };
      if (!rotate) {
        return database.read(() => {
          const verdict = judge();
          return verdict === 'unused' ? 'spent' : verdict;
        });
      }
      return database.write(() => {
        const verdict = judge();
        if (verdict === 'reused') revokeFamily(family, false, now);
        if (verdict !== 'unused') return verdict;
        purgeSpent(now);
        spend.run({ ns, jti, expires_at: expiresAt });
        return 'spent';
      });
    },
    revokeFamily: (family, now) => database.write(() => revokeFamily(family, true, now)),
    revokeAccessToken: (jti, expiresAt, now) =>
      database.write(() => {
        purgeRevoked(now);
        revokeAccessToken.run({ ns, jti, expires_at: expiresAt });
      }),
    isAccessTokenRevoked: (jti, family, now) =>
      database.read(() => isAccessTokenRevoked.get({ ns, jti, family: family ?? null, now }) !== undefined),
    isRefreshTokenSpentOrRevoked: (jti, family, now) =>
      database.read(
        () => isFamilyRevoked.get({ ns, family, now }) !== undefined || isSpent.get({ ns, jti, now }) !== undefined,
      ),
  };
}
