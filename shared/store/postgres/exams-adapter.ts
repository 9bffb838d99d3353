// Exams that are under way, in PostgreSQL. One that is over stays until whoever looks first has removed what it made.
import { examsMax, isInTheWay, isUnderWay } from '#shared/domain/exam.ts';
import { encode } from '../json-columns.ts';
import type { Exams } from '../ports/exams.ts';
import { examIn, examOf, examRow } from '../rows/exam.ts';
import { examTexts } from '../statements/exams.ts';
import { query } from '../statements/text.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { prepared, type Runner } from './statement.ts';

const sql = prepared({
  ...examTexts,
  renew: query(
    `UPDATE exams SET held_until = @until WHERE namespace = @ns AND id = @id AND held_until > @real
     RETURNING id, held_until, record`,
    examRow,
  ),
});

export function examsAdapter({ database, ns }: NamespaceContext): Exams {
  const all = async (on: Runner) => (await sql.list.all(on, { ns })).map(examOf);
  return {
    begin: ({ id, heldUntil, ...record }, real) =>
      database.write('exams', async (on) => {
        const running = (await all(on)).filter((each) => isUnderWay(each, real));
        const inTheWay = running.find((each) => isInTheWay(each, { id, heldUntil, ...record }));
        if (inTheWay !== undefined) return inTheWay;
        if (running.length >= examsMax) return 'limit';
        await sql.insert.run(on, { ns, id, held_until: heldUntil, record: encode(record) });
        return 'begun';
      }),
    renew: (id, real, until) =>
      database.write('exams', async (on) => examIn(await sql.renew.get(on, { ns, id, real, until }))),
    find: (id) => database.read(async (on) => examIn(await sql.find.get(on, { ns, id }))),
    list: (real) => database.read(async (on) => (await all(on)).filter((each) => isUnderWay(each, real))),
    end: (id) => database.write('exams', async (on) => (await sql.remove.run(on, { ns, id })) === 1),
    over: (real) => database.read(async (on) => (await all(on)).filter((each) => !isUnderWay(each, real))),
    namespacesWithOver: (real) =>
      database.read(async (on) => (await sql.namespaces.all(on, { real })).map(({ namespace }) => namespace)),
  };
}
