// Rows of `exams` as the domain sees them.
import * as z from 'zod';
import type { Exam } from '#shared/domain/exam.ts';
import { encoded, instantColumn } from '../json-columns.ts';

const recordShape = z.object({
  subject: z.object({ kind: z.enum(['client', 'service_provider']), name: z.string() }),
  username: z.string(),
  clock: z
    .object({
      offsetMilliseconds: z.number(),
      frozenAt: instantColumn.nullable().transform((value) => value ?? undefined),
    })
    .nullable()
    .transform((value) => value ?? undefined),
  begunAt: instantColumn,
});

export const examRow = z.object({ id: z.string(), held_until: instantColumn, record: encoded(recordShape) });

export function examOf({ id, held_until, record }: z.output<typeof examRow>): Exam {
  return { id, heldUntil: held_until, ...record };
}

export function examIn(row: z.output<typeof examRow> | undefined): Exam | undefined {
  return row && examOf(row);
}
