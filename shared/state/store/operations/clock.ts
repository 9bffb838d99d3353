// The clock of a namespace.
import { type Instant, instant } from '#shared/base/clock.ts';
import { endOfDeviceRecord } from '#shared/model/domain/device-grant.ts';
import { type ClockState, moveClock, readClock, realTime } from '#shared/model/domain/movable-clock.ts';
import type { SessionLimits } from '#shared/model/domain/session.ts';
import type { ClockChange, NamespaceClock } from '../ports/clock.ts';
import { clockColumns, clockOf, clockRow } from '../rows/namespace.ts';
import { endingsOf, expiringTables } from '../statements/expiring-tables.ts';
import { deleteAheadTexts } from '../statements/pending.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import { type KnownState, noteTexts } from './known-state.ts';
import type { SessionRows } from './session-rows.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const texts = () =>
  ({
    ...noteTexts,
    find: query(`SELECT ${clockColumns} FROM namespaces WHERE namespace = @ns`, clockRow),
    store: command(
      'UPDATE namespaces SET clock_offset_milliseconds = @offset, clock_frozen_at = @frozen_at WHERE namespace = @ns',
    ),
  }) satisfies StatementTexts;

/** What has expired at `@now` stays expired when the clock moves back to `@then`. */
const endingTexts = ({ either }: Dialect) =>
  ({
    ...endingsOf(expiringTables.filter(({ endsForGood }) => endsForGood)),
    // These rows are kept for later responses to their clients, or for holders of the document. They expire at the new
    // time too.
    device_grants_kept: command(
      `UPDATE device_grants SET expires_at = @then, forgotten_at = @end_of_device_record
       WHERE namespace = @ns AND expires_at <= @now AND expires_at > @then`,
    ),
    metadata_documents_kept: command(
      `UPDATE metadata_documents SET fresh_until = @then
       WHERE namespace = @ns AND fresh_until <= @now AND fresh_until > @then`,
    ),
    // A browser's row contains several requests, and each has its own expiry.
    requests_remembered: either({
      sqlite: command(
        `UPDATE verified_authn_requests SET remembered =
           (SELECT json_group_array(json(value)) FROM json_each(remembered) WHERE value ->> 'until' > @now)
         WHERE namespace = @ns`,
      ),
      postgres: command(
        `UPDATE verified_authn_requests SET remembered =
           (SELECT coalesce(json_agg(value), '[]')::text FROM json_array_elements(remembered::json)
            WHERE (value ->> 'until')::bigint > @now)
         WHERE namespace = @ns`,
      ),
    }),
  }) satisfies StatementTexts;

const aheadTexts = () => deleteAheadTexts;

export function namespaceClock(
  { ns, realClock, prepare, write, record }: OperationContext,
  known: KnownState,
  sessions: Pick<SessionRows, 'endExpired'>,
): NamespaceClock {
  const sql = prepare(texts);
  const endings = Object.values(prepare(endingTexts));
  const endingsAhead = Object.values(prepare(aheadTexts));

  function* stored(): Work<ClockState> {
    const row = yield* sql.find.get({ ns });
    return row === undefined ? realTime : clockOf(row);
  }

  /** Includes what other requests began while this operation waited: it is not ahead of the clock. */
  const latest = (real: Instant) => instant(Math.max(real, realClock.now()));

  const endAhead = (now: Instant) => {
    for (const ending of endingsAhead) ending.put({ ns, now });
  };

  function* store({ from, to }: ClockChange, real: Instant, limits: SessionLimits | undefined): Work<void> {
    const [now, then] = [readClock(from, real), readClock(to, real)];
    if (then < now) {
      const end_of_device_record = endOfDeviceRecord({ expiresAt: then });
      for (const ending of endings) ending.put({ ns, now, then, end_of_device_record });
      if (limits !== undefined) yield* sessions.endExpired(limits, now);
    }
    sql.store.put({ ns, offset: to.offsetMilliseconds, frozen_at: to.frozenAt ?? null });
    sql.noteClockMoved.put({});
  }

  return {
    state: () => known.clock(),
    refresh: () => {
      const glancing = known.glance();
      return glancing === undefined ? known.clock() : glancing.then(() => known.clock());
    },
    move: async (move, real, event, limits) => {
      const change = await write('clock', function* (): Work<ClockChange | 'out_of_range'> {
        const from = yield* stored();
        const to = moveClock(from, move, real);
        if (to === 'out_of_range') return to;
        if (move.to?.by === 'reset') endAhead(readClock(to, latest(real)));
        const isSame = from.offsetMilliseconds === to.offsetMilliseconds && from.frozenAt === to.frozenAt;
        if (isSame) return { from, to };
        yield* store({ from, to }, real, limits);
        if (event !== undefined) record(event({ from, to }));
        return { from, to };
      });
      await known.afterChange();
      return change;
    },
    endAhead: (real) =>
      write('clock', function* () {
        endAhead(readClock(yield* stored(), latest(real)));
      }),
  };
}
