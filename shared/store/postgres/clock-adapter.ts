// The clock of a namespace in PostgreSQL: read from the shared look, moved in a transaction.
import { setTimeout as pause } from 'node:timers/promises';
import { type Instant, instant } from '#shared/clock.ts';
import { endOfDeviceRecord } from '#shared/domain/device-grant.ts';
import { moveClock, readClock, realTime } from '#shared/domain/movable-clock.ts';
import type { SessionLimits } from '#shared/domain/session.ts';
import type { ClockChange, NamespaceClock } from '../ports/clock.ts';
import { clockOf } from '../rows/namespace.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import { clockTexts, returnTexts } from '../statements/clock.ts';
import { endAheadTexts } from '../statements/pending.ts';
import { command } from '../statements/text.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import type { CachedState } from './cached-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { SessionRows } from './session-rows.ts';
import type { SharedLook } from './shared-look.ts';
import { prepared, type Runner, type Writer } from './statement.ts';

/** A request that needs nothing else of the store waits so long at most (PGS-30). */
const patienceMilliseconds = 250;

const endingTexts = {
  ...returnTexts,
  // A browser's row remembers several requests, each for its own time.
  requests_remembered: command(
    `UPDATE verified_authn_requests SET remembered =
       (SELECT coalesce(json_agg(value), '[]')::text FROM json_array_elements(remembered::json)
        WHERE (value ->> 'until')::bigint > @now)
     WHERE namespace = @ns`,
  ),
};

const sql = prepared(clockTexts);
const endings = Object.values(prepared(endingTexts));
const endingsAhead = Object.values(prepared(endAheadTexts));

export function clockAdapter(
  { database, ns, realClock }: NamespaceContext,
  cached: CachedState,
  sharedLook: SharedLook,
  events: ChangeEvents,
  rows: Pick<SessionRows, 'endOver'>,
): NamespaceClock {
  const looked = withoutPatience(() => sharedLook.newest(ns));
  const stateInside = async (on: Runner) => {
    const row = await sql.find.get(on, { ns });
    return row === undefined ? realTime : clockOf(row);
  };
  /** What others began while this one waited does not lie ahead. */
  const latest = (real: Instant) => instant(Math.max(real, realClock.now()));
  const endAhead = (on: Writer, now: Instant) => {
    for (const ending of endingsAhead) ending.put(on, { ns, now });
  };
  const moveInside = async (
    on: Writer,
    { from, to }: ClockChange,
    real: Instant,
    sessions: SessionLimits | undefined,
  ) => {
    const [now, then] = [readClock(from, real), readClock(to, real)];
    if (then < now) {
      const end_of_device_record = endOfDeviceRecord({ expiresAt: then });
      for (const ending of endings) await ending.run(on, { ns, now, then, end_of_device_record });
      if (sessions !== undefined) await rows.endOver(on, sessions, now);
    }
    await sql.store.run(on, { ns, offset: to.offsetMilliseconds, frozen_at: to.frozenAt ?? null });
    await cached.noteClockMoved(on);
  };

  return {
    state: () => cached.clockOf(ns),
    look: async () => {
      await looked();
      return cached.clockOf(ns);
    },
    move: async (move, real, event, sessions) => {
      const change = await database.write('clock', async (on): Promise<ClockChange | 'out_of_range'> => {
        const from = await stateInside(on);
        const to = moveClock(from, move, real);
        if (to === 'out_of_range') return to;
        if (move.to?.by === 'reset') endAhead(on, readClock(to, latest(real)));
        const isSame = from.offsetMilliseconds === to.offsetMilliseconds && from.frozenAt === to.frozenAt;
        if (isSame) return { from, to };
        await moveInside(on, { from, to }, real, sessions);
        if (event !== undefined) events.put(on, event({ from, to }));
        return { from, to };
      });
      await sharedLook.afterChange(ns);
      return change;
    },
    endAhead: (real) =>
      database.write('clock', async (on) => endAhead(on, readClock(await stateInside(on), latest(real)))),
  };
}

/** While a look is overdue nobody waits for another. @throws nothing that a store causes that is away */
function withoutPatience(look: () => Promise<unknown>): () => Promise<void> {
  let isOverdue = false;
  return async () => {
    if (isOverdue) return;
    const patience = new AbortController();
    const looking = look().catch((error: unknown) => {
      if (!(error instanceof RuntimeStoreUnavailableError)) throw error;
    });
    const overdue = pause(patienceMilliseconds, true, { signal: patience.signal }).catch(() => false);
    isOverdue = await Promise.race([looking.then(() => false), overdue]).finally(() => patience.abort());
    if (!isOverdue) return;
    const answered = () => {
      isOverdue = false;
    };
    looking.then(answered, answered);
  };
}
