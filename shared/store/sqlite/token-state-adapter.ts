// Spent refresh tokens and revocations in SQLite. Without rotation a use only looks, so it takes no write lock.
import {
  isRefreshTokenOver,
  type RefreshTokenPlace,
  revokedAs,
  useRefreshToken,
} from '#shared/domain/refresh-family.ts';
import type { TokenState } from '../ports/token-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { TokenMemory } from './token-memory.ts';

export function tokenStateAdapter({ database }: NamespaceContext, memory: TokenMemory): TokenState {
  const revocationOf = (family: string) => Math.max(...revokedAs(family).map((name) => memory.recall('family', name)));
  const memoryOf = (family: string, { line }: RefreshTokenPlace) => ({
    familyRevoked: revocationOf(family) > 0,
    current: memory.recall('line', `${family} ${line}`),
  });
  return {
    spendRefreshToken: ({ family, place, expiresAt, rotate }) => {
      const judge = () => useRefreshToken(memoryOf(family, place), place.number, rotate);
      if (!rotate) return database.read(() => judge().outcome);
      return database.write(() => {
        const use = judge();
        if (use.outcome === 'reused' && use.revokesFamily) memory.remember('family', family, 1, expiresAt);
        if (use.outcome === 'spent' && use.successor !== undefined) {
          memory.remember('line', `${family} ${place.line}`, use.successor, expiresAt);
        }
        return use.outcome;
      });
    },
    revokeFamily: (family, expiresAt) => database.write(() => memory.remember('family', family, 2, expiresAt)),
    revokeAccessToken: (jti, expiresAt) => database.write(() => memory.remember('access', jti, 1, expiresAt)),
    useAssertion: (id, expiresAt) =>
      database.write(() => {
        if (memory.recall('assertion', id) > 0) return false;
        memory.remember('assertion', id, 1, expiresAt);
        return true;
      }),
    isAccessTokenRevoked: (jti, family) =>
      database.read(() => memory.isAccessRevoked(jti, family === undefined ? [] : revokedAs(family))),
    isRefreshTokenSpentOrRevoked: (family, place) =>
      database.read(() => isRefreshTokenOver(memoryOf(family, place), place.number)),
  };
}
