// The clock of a namespace in SQLite: read from the shared look, moved in a transaction.
import * as z from 'zod';
import type { Instant } from '#shared/clock.ts';
import { endOfDeviceRecord } from '#shared/domain/device-grant.ts';
import { type ClockState, moveClock, readClock } from '#shared/domain/movable-clock.ts';
import { instantColumn } from '../json-columns.ts';
import type { ClockChange, NamespaceClock } from '../ports/clock.ts';
import type { CachedState } from './cached-state.ts';
import { asUnavailable, isBusy, type Statements } from './database.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';

const clockRow = z.object({ clock_offset_milliseconds: z.number(), clock_frozen_at: instantColumn.nullable() });

/** What is over at `@now` never lives again, wherever the clock goes. */
const endings = [
  ...['transactions', 'codes', 'second_factors', 'logout_confirmations', 'saml_logouts'].map(
    (table) => `DELETE FROM ${table} WHERE namespace = @ns AND expires_at <= @now`,
  ),
  'DELETE FROM verified_authn_requests WHERE namespace = @ns AND expires_at <= @now',
  // A browser's row remembers several requests, each for its own time.
  `UPDATE verified_authn_requests SET remembered =
     (SELECT json_group_array(json(value)) FROM json_each(remembered) WHERE value ->> 'until' > @now)
   WHERE namespace = @ns`,
  'DELETE FROM device_grants WHERE namespace = @ns AND forgotten_at <= @now',
  // Kept for what their clients hear, or for who still holds them: they are past their time from the new clock on, too.
  `UPDATE device_grants SET expires_at = @then, forgotten_at = @end_of_device_record
   WHERE namespace = @ns AND expires_at <= @now AND expires_at > @then`,
  `UPDATE metadata_documents SET fresh_until = @then
   WHERE namespace = @ns AND fresh_until <= @now AND fresh_until > @then`,
];

const statements = (sql: Statements) => ({
  find: sql.query('SELECT clock_offset_milliseconds, clock_frozen_at FROM namespaces WHERE namespace = @ns', clockRow),
  store: sql.command(
    'UPDATE namespaces SET clock_offset_milliseconds = @offset, clock_frozen_at = @frozen_at WHERE namespace = @ns',
  ),
  endings: endings.map((ending) => sql.command(ending)),
});

export function clockAdapter({ database, ns }: NamespaceContext, cached: CachedState, outbox: Outbox): NamespaceClock {
  const sql = database.prepared(statements);

  const moveInside = (from: ClockState, to: ClockState, real: Instant) => {
    const [now, then] = [readClock(from, real), readClock(to, real)];
    if (then < now) {
      const end_of_device_record = endOfDeviceRecord({ expiresAt: then });
      for (const ending of sql.endings) ending.run({ ns, now, then, end_of_device_record });
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
    move: async (move, real, event) => {
      const change = await outbox.change((): ClockChange | 'out_of_range' => {
        const row = sql.find.get({ ns });
        const from = {
          offsetMilliseconds: row?.clock_offset_milliseconds ?? 0,
          frozenAt: row?.clock_frozen_at ?? undefined,
        };
        const to = moveClock(from, move, real);
        if (to === 'out_of_range') return to;
        const isSame = from.offsetMilliseconds === to.offsetMilliseconds && from.frozenAt === to.frozenAt;
        if (isSame) return { from, to };
        moveInside(from, to, real);
        if (event !== undefined) outbox.put(event({ from, to }));
        return { from, to };
      });
      await database.read(() => cached.look(ns));
      return change;
    },
  };
}
