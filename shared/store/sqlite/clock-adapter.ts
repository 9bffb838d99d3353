// The clock of a namespace in SQLite: read from the shared look, moved in a transaction.
import { type Instant, instant } from '#shared/clock.ts';
import { endOfDeviceRecord } from '#shared/domain/device-grant.ts';
import { moveClock, readClock, realTime } from '#shared/domain/movable-clock.ts';
import type { SessionLimits } from '#shared/domain/session.ts';
import type { ClockChange, NamespaceClock } from '../ports/clock.ts';
import { clockOf } from '../rows/namespace.ts';
import { clockTexts, returnTexts } from '../statements/clock.ts';
import { endAheadTexts } from '../statements/pending.ts';
import { command } from '../statements/text.ts';
import type { CachedState } from './cached-state.ts';
import { asUnavailable, isBusy } from './database.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';
import type { SessionRows } from './session-rows.ts';

const endingTexts = {
  ...returnTexts,
  // A browser's row remembers several requests, each for its own time.
  requests_remembered: command(
    `UPDATE verified_authn_requests SET remembered =
       (SELECT json_group_array(json(value)) FROM json_each(remembered) WHERE value ->> 'until' > @now)
     WHERE namespace = @ns`,
  ),
};

export function clockAdapter(
  { database, ns, realClock }: NamespaceContext,
  cached: CachedState,
  outbox: Outbox,
  rows: Pick<SessionRows, 'endOver'>,
): NamespaceClock {
  const sql = database.prepare(clockTexts);
  const endings = Object.values(database.prepare(endingTexts));
  const endingsAhead = Object.values(database.prepare(endAheadTexts));
  const stateInside = () => {
    const row = sql.find.get({ ns });
    return row === undefined ? realTime : clockOf(row);
  };
  /** What others began while this one waited does not lie ahead. */
  const latest = (real: Instant) => instant(Math.max(real, realClock.now()));
  const endAhead = (now: Instant) => {
    for (const ending of endingsAhead) ending.run({ ns, now });
  };

  const moveInside = ({ from, to }: ClockChange, real: Instant, sessions: SessionLimits | undefined) => {
    const [now, then] = [readClock(from, real), readClock(to, real)];
    if (then < now) {
      const end_of_device_record = endOfDeviceRecord({ expiresAt: then });
      for (const ending of endings) ending.run({ ns, now, then, end_of_device_record });
      if (sessions !== undefined) rows.endOver(sessions, now);
    }
    sql.store.run({ ns, offset: to.offsetMilliseconds, frozen_at: to.frozenAt ?? null });
    cached.noteClockMoved();
  };

  return {
    state: () => cached.clockOf(ns),
    look: () => {
      try {
        cached.look(ns);
      } catch (error) {
        if (!isBusy(error) && asUnavailable(error) === error) throw error;
      }
      return cached.clockOf(ns);
    },
    move: async (move, real, event, sessions) => {
      const change = await outbox.change((): ClockChange | 'out_of_range' => {
        const from = stateInside();
        const to = moveClock(from, move, real);
        if (to === 'out_of_range') return to;
        if (move.to?.by === 'reset') endAhead(readClock(to, latest(real)));
        const isSame = from.offsetMilliseconds === to.offsetMilliseconds && from.frozenAt === to.frozenAt;
        if (isSame) return { from, to };
        moveInside({ from, to }, real, sessions);
        if (event !== undefined) outbox.put(event({ from, to }));
        return { from, to };
      });
      await database.read(() => cached.look(ns));
      return change;
    },
    endAhead: (real) => database.write(() => endAhead(readClock(stateInside(), latest(real)))),
  };
}
