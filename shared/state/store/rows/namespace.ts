// Rows of `namespaces`: the clock and the recorder's switch of each.
import * as z from 'zod';
import type { ClockState } from '#shared/model/domain/movable-clock.ts';
import { instantColumn } from '../json-columns.ts';

export const namespaceRow = z.object({ namespace: z.string() });
export const generationOfNamespaceRow = z.object({ generation: z.number() });
export const clockColumns = 'clock_offset_milliseconds, clock_frozen_at';

export const clockRow = z.object({ clock_offset_milliseconds: z.number(), clock_frozen_at: instantColumn.nullable() });

export const movedClockRow = clockRow.extend({ namespace: z.string() });
export const switchedRecorderRow = z.object({ namespace: z.string(), recorder_enabled: z.number() });

export function clockOf(row: z.output<typeof clockRow>): ClockState {
  return { offsetMilliseconds: row.clock_offset_milliseconds, frozenAt: row.clock_frozen_at ?? undefined };
}
