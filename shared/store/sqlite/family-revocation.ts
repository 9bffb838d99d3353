// Remembers a revoked token family; shared by the second redemption of a code, reuse of a refresh token and /revoke, so
// it runs inside their transactions (REF-17).
import { type Instant, plusSeconds } from '#shared/clock.ts';
import { revokedFamilyMemorySeconds } from '../ports/token-state.ts';
import { type NamespaceContext, purger } from './namespace.ts';

/** Inside a transaction. `withAccessTokens` is never taken back by a later revocation without them. */
export type FamilyRevocation = (family: string, withAccessTokens: boolean, now: Instant) => void;

export function familyRevocation(context: NamespaceContext): FamilyRevocation {
  const { database, ns } = context;
  const purge = purger(context, 'revoked_families');
  const revoke = database.command(
    `INSERT INTO revoked_families (namespace, family, with_access_tokens, expires_at)
     VALUES (@ns, @family, @with_access_tokens, @expires_at)
     ON CONFLICT (namespace, family) DO UPDATE SET
       with_access_tokens = max(with_access_tokens, excluded.with_access_tokens),
       expires_at = max(expires_at, excluded.expires_at)`,
  );
  return (family, withAccessTokens, now) => {
    purge(now);
    revoke.run({
      ns,
      family,
      with_access_tokens: withAccessTokens ? 1 : 0,
      expires_at: plusSeconds(now, revokedFamilyMemorySeconds),
    });
  };
}
