// Spent refresh tokens and revocations in SQLite. Without rotation a use only looks, so it takes no write lock.
import { type ClockState, readClock } from '#shared/domain/movable-clock.ts';
import { memoryOfAssertion } from '#shared/domain/pending-age.ts';
import {
  isRefreshTokenOver,
  type RefreshTokenPlace,
  revokedAs,
  useRefreshToken,
} from '#shared/domain/refresh-family.ts';
import type { TokenState } from '../ports/token-state.ts';
import { digestOf } from '../rows/token-memory.ts';
import { usedAssertionTexts } from '../statements/used-assertions.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { TokenMemory } from './token-memory.ts';

export function tokenStateAdapter(
  { database, ns, realClock }: NamespaceContext,
  memory: TokenMemory,
  clock: () => ClockState,
): TokenState {
  const sql = database.prepare(usedAssertionTexts);
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
    endCookie: (id, expiresAt) => database.write(() => memory.remember('cookie', id, 1, expiresAt)),
    isCookieEnded: (id) => database.read(() => memory.recall('cookie', id) > 0),
    useAssertion: (id, expiresAt) =>
      database.write(() => {
        const real = realClock.now();
        const moment = { ns, now: readClock(clock(), real), real };
        const digest = digestOf(id);
        if (sql.find.get({ ...moment, digest }) !== undefined) return false;
        sql.purge.run(moment);
        sql.keep.run({ ...moment, digest, ...memoryOfAssertion(expiresAt, moment.now, real) });
        return true;
      }),
    isAccessTokenRevoked: (jti, family) =>
      database.read(() => memory.isAccessRevoked(jti, family === undefined ? [] : revokedAs(family))),
    isRefreshTokenSpentOrRevoked: (family, place) =>
      database.read(() => isRefreshTokenOver(memoryOf(family, place), place.number)),
  };
}
