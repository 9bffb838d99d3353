// Active exams. An expired one stays stored until the process that finds it has removed what the exam created.
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { conflictsWith, type Exam, examsMax, isRunning } from '#shared/model/domain/exam.ts';
import { encode, encoded, instantColumn } from '../json-columns.ts';
import type { Exams } from '../ports/exams.ts';
import { namespaceRow } from '../rows/namespace.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { OperationContext, Work } from './work.ts';

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

const examRow = z
  .object({ id: z.string(), held_until: instantColumn, record: encoded(recordShape) })
  .transform(({ id, held_until, record }): Exam => ({ id, heldUntil: held_until, ...record }));

const columns = 'id, held_until, record';

const texts = () =>
  ({
    list: query(`SELECT ${columns} FROM exams WHERE namespace = @ns ORDER BY seq`, examRow),
    find: query(`SELECT ${columns} FROM exams WHERE namespace = @ns AND id = @id`, examRow),
    insert: command('INSERT INTO exams (namespace, id, held_until, record) VALUES (@ns, @id, @held_until, @record)'),
    renew: query(
      `UPDATE exams SET held_until = @until WHERE namespace = @ns AND id = @id AND held_until > @real
       RETURNING ${columns}`,
      examRow,
    ),
    remove: command('DELETE FROM exams WHERE namespace = @ns AND id = @id'),
    namespaces: query('SELECT DISTINCT namespace FROM exams WHERE held_until <= @real', namespaceRow),
  }) satisfies StatementTexts;

export function exams({ ns, prepare, read, write, release }: OperationContext): Exams {
  const sql = prepare(texts);

  function* underWay(real: Instant): Work<readonly Exam[]> {
    return (yield* sql.list.all({ ns })).filter((exam) => isRunning(exam, real));
  }

  return {
    begin: (exam, real) =>
      write('exams', function* () {
        const running = yield* underWay(real);
        const inTheWay = running.find((each) => conflictsWith(each, exam));
        if (inTheWay !== undefined) return inTheWay;
        if (running.length >= examsMax) return 'limit';
        const { id, heldUntil, ...record } = exam;
        sql.insert.put({ ns, id, held_until: heldUntil, record: encode(record) });
        return 'begun';
      }),
    renew: (id, real, until) => write('exams', () => sql.renew.get({ ns, id, real, until })),
    find: (id) => read(() => sql.find.get({ ns, id })),
    list: (real) => read(() => underWay(real)),
    end: (id) =>
      release('exams', function* () {
        return (yield* sql.remove.run({ ns, id })) === 1;
      }),
    expired: (real) =>
      read(function* () {
        return (yield* sql.list.all({ ns })).filter((exam) => !isRunning(exam, real));
      }),
    namespacesWithOver: (real) =>
      read(function* () {
        return (yield* sql.namespaces.all({ real })).map(({ namespace }) => namespace);
      }),
  };
}
