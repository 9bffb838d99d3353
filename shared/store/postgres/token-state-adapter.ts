// Spent refresh tokens and revocations in PostgreSQL. Without rotation a use only looks, so it takes no write lock.
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
import { command } from '../statements/text.ts';
import { isAssertionOver, usedAssertionTexts } from '../statements/used-assertions.ts';
import { purgedAtOnce } from '../store-context.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { prepared, type Runner } from './statement.ts';
import type { TokenMemory } from './token-memory.ts';

const sql = prepared({
  ...usedAssertionTexts,
  purge: command(
    `DELETE FROM used_assertions WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM used_assertions WHERE namespace = @ns AND ${isAssertionOver} LIMIT ${purgedAtOnce}
       FOR UPDATE SKIP LOCKED))`,
  ),
});

export function tokenStateAdapter(
  { database, ns, realClock }: NamespaceContext,
  memory: TokenMemory,
  clock: () => ClockState,
): TokenState {
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
    endCookie: (id, expiresAt) => database.write([], (on) => memory.remember(on, 'cookie', id, 1, expiresAt)),
    isCookieEnded: (id) => database.read(async (on) => (await memory.recall(on, 'cookie', id)) > 0),
    useAssertion: (id, expiresAt) =>
      database.write(`assertion ${id}`, async (on) => {
        const real = realClock.now();
        const moment = { ns, now: readClock(clock(), real), real };
        const digest = digestOf(id);
        if ((await sql.find.get(on, { ...moment, digest })) !== undefined) return false;
        sql.purge.put(on, moment);
        sql.keep.put(on, { ...moment, digest, ...memoryOfAssertion(expiresAt, moment.now, real) });
        return true;
      }),
    isAccessTokenRevoked: (jti, family) =>
      database.read((on) => memory.isAccessRevoked(on, jti, family === undefined ? [] : revokedAs(family))),
    isRefreshTokenSpentOrRevoked: (family, place) =>
      database.read(async (on) => isRefreshTokenOver(await memoryOf(on, family, place), place.number)),
  };
}
