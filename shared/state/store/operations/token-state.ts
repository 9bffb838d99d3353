// Used refresh tokens and revocations. Without rotation a use only reads, so it takes no write lock.
import { readClock } from '#shared/model/domain/movable-clock.ts';
import { memoryOfAssertion } from '#shared/model/domain/pending-age.ts';
import {
  isRefreshTokenOver,
  type RefreshTokenPlace,
  revokedAs,
  useRefreshToken,
} from '#shared/model/domain/refresh-family.ts';
import { presentRow } from '../json-columns.ts';
import type { TokenState } from '../ports/token-state.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { KnownState } from './known-state.ts';
import { digestOf, type TokenMemory } from './token-memory.ts';
import { type Dialect, type OperationContext, type Work, writing } from './work.ts';

/**
 * A used assertion is deleted once it has expired by real time and cannot be used again. That is the case when it has
 * also expired by the clock of the namespace, or was used while that clock was further ahead.
 */
const isAssertionOver = 'real_until <= @real AND (expires_at <= @now OR used_at > @now)';

/** Deletes all expired ones of a namespace, for when there is no space left. */
export const forgetUsedAssertions = command(`DELETE FROM used_assertions WHERE namespace = @ns AND ${isAssertionOver}`);

const texts = ({ purgeWhere }: Dialect) =>
  ({
    purge: purgeWhere('used_assertions', 'namespace, digest', `namespace = @ns AND ${isAssertionOver}`),
    find: query(
      `SELECT 1 AS present FROM used_assertions WHERE namespace = @ns AND digest = @digest AND NOT (${isAssertionOver})`,
      presentRow,
    ),
    keep: command(
      `INSERT INTO used_assertions (namespace, digest, used_at, expires_at, real_until)
       VALUES (@ns, @digest, @now, @expires_at, @real_until)
       ON CONFLICT (namespace, digest) DO UPDATE SET
         used_at = excluded.used_at, expires_at = excluded.expires_at, real_until = excluded.real_until`,
    ),
  }) satisfies StatementTexts;

export function tokenState(
  { ns, realClock, prepare, read, write, together }: OperationContext,
  memory: TokenMemory,
  known: Pick<KnownState, 'clock'>,
): TokenState {
  const sql = prepare(texts);

  function* memoryOf(family: string, { line }: RefreshTokenPlace): Work<Parameters<typeof useRefreshToken>[0]> {
    const recalled = yield* together<readonly number[]>(
      memory.recall('line', `${family} ${line}`),
      ...revokedAs(family).map((name) => memory.recall('family', name)),
    );
    const [current = 0, ...revocations] = recalled;
    return { familyRevoked: revocations.some((revocation) => revocation > 0), current };
  }

  return {
    spendRefreshToken: ({ family, place, expiresAt, rotate }) => {
      function* judge() {
        return useRefreshToken(yield* memoryOf(family, place), place.number, rotate);
      }
      if (!rotate) {
        return read(function* () {
          return (yield* judge()).outcome;
        });
      }
      return write(`family ${family}`, function* () {
        const use = yield* judge();
        if (use.outcome === 'reused' && use.revokesFamily) memory.remember('family', family, 1, expiresAt);
        if (use.outcome === 'spent' && use.successor !== undefined) {
          memory.remember('line', `${family} ${place.line}`, use.successor, expiresAt);
        }
        return use.outcome;
      });
    },
    revokeFamily: (family, expiresAt) =>
      write(`family ${family}`, () => writing(() => memory.remember('family', family, 2, expiresAt))),
    revokeAccessToken: (jti, expiresAt) => write([], () => writing(() => memory.remember('access', jti, 1, expiresAt))),
    endCookie: (id, expiresAt) => write([], () => writing(() => memory.remember('cookie', id, 1, expiresAt))),
    isCookieEnded: (id) =>
      read(function* () {
        return (yield* memory.recall('cookie', id)) > 0;
      }),
    useAssertion: (id, expiresAt) =>
      write(`assertion ${id}`, function* () {
        const real = realClock.now();
        const moment = { ns, now: readClock(known.clock(), real), real };
        const digest = digestOf(id);
        if ((yield* sql.find.get({ ...moment, digest })) !== undefined) return false;
        sql.purge.put(moment);
        sql.keep.put({ ...moment, digest, ...memoryOfAssertion(expiresAt, moment.now, real) });
        return true;
      }),
    isAccessTokenRevoked: (jti, family) =>
      read(() => memory.isAccessRevoked(jti, family === undefined ? [] : revokedAs(family))),
    isRefreshTokenSpentOrRevoked: (family, place) =>
      read(function* () {
        return isRefreshTokenOver(yield* memoryOf(family, place), place.number);
      }),
  };
}
