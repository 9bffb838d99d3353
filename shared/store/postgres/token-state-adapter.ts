// Spent refresh tokens and revocations in PostgreSQL. Without rotation a use only looks, so it takes no write lock.
import {
  isRefreshTokenOver,
  type RefreshTokenPlace,
  revokedAs,
  useRefreshToken,
} from '#shared/domain/refresh-family.ts';
import type { TokenState } from '../ports/token-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Runner } from './statement.ts';
import type { TokenMemory } from './token-memory.ts';

export function tokenStateAdapter({ database }: NamespaceContext, memory: TokenMemory): TokenState {
  const revocationOf = async (on: Runner, family: string) => {
    const found = await Promise.all(revokedAs(family).map((name) => memory.recall(on, 'family', name)));
    return Math.max(0, ...found);
  };
  const memoryOf = async (on: Runner, family: string, { line }: RefreshTokenPlace) => {
    const [revocation, current] = await Promise.all([
      revocationOf(on, family),
      memory.recall(on, 'line', `${family} ${line}`),
    ]);
    return { familyRevoked: revocation > 0, current };
  };
  return {
    spendRefreshToken: ({ family, place, expiresAt, rotate }) => {
      const judge = async (on: Runner) => useRefreshToken(await memoryOf(on, family, place), place.number, rotate);
      if (!rotate) return database.read(async (on) => (await judge(on)).outcome);
      return database.write(`family ${family}`, async (on) => {
        const use = await judge(on);
        if (use.outcome === 'reused' && use.revokesFamily) await memory.remember(on, 'family', family, 1, expiresAt);
        if (use.outcome === 'spent' && use.successor !== undefined) {
          await memory.remember(on, 'line', `${family} ${place.line}`, use.successor, expiresAt);
        }
        return use.outcome;
      });
    },
    revokeFamily: (family, expiresAt) =>
      database.write(`family ${family}`, (on) => memory.remember(on, 'family', family, 2, expiresAt)),
    revokeAccessToken: (jti, expiresAt) => database.write([], (on) => memory.remember(on, 'access', jti, 1, expiresAt)),
    useAssertion: (id, expiresAt) =>
      database.write(`assertion ${id}`, async (on) => {
        if ((await memory.recall(on, 'assertion', id)) > 0) return false;
        await memory.remember(on, 'assertion', id, 1, expiresAt);
        return true;
      }),
    isAccessTokenRevoked: (jti, family) =>
      database.read((on) => memory.isAccessRevoked(on, jti, family === undefined ? [] : revokedAs(family))),
    isRefreshTokenSpentOrRevoked: (family, place) =>
      database.read(async (on) => isRefreshTokenOver(await memoryOf(on, family, place), place.number)),
  };
}
