// The statements on `namespaces`: whether one is live, and the state of all of them that a process caches (decision 4).
import * as z from 'zod';
import { presentRow } from '../json-columns.ts';
import { clockColumns, movedClockRow, switchedRecorderRow } from '../rows/namespace.ts';
import { query, type StatementTexts } from './text.ts';

export const namespaceLifeTexts = {
  life: query('SELECT 1 AS present FROM namespaces WHERE namespace = @ns', presentRow),
} satisfies StatementTexts;

/** Each counter of `head` counts the changes of one kind, so that the state is read again only after a change. */
export const cachedStateTexts = {
  movedClocks: query(
    `SELECT namespace, ${clockColumns} FROM namespaces
     WHERE clock_offset_milliseconds <> 0 OR clock_frozen_at IS NOT NULL`,
    movedClockRow,
  ),
  switchedRecorders: query(
    'SELECT namespace, recorder_enabled FROM namespaces WHERE recorder_enabled IS NOT NULL',
    switchedRecorderRow,
  ),
} satisfies StatementTexts;

/** How far real time is proved to have passed (`proved-time.ts`). */
export const headTexts = {
  proved: query('SELECT proved_real FROM head', z.object({ proved_real: z.number() })),
} satisfies StatementTexts;
