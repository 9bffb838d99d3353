// Exams that are under way, in SQLite. One that is over stays until whoever looks first has removed what it made.
import { examsMax, isInTheWay, isUnderWay } from '#shared/domain/exam.ts';
import { encode } from '../json-columns.ts';
import type { Exams } from '../ports/exams.ts';
import { examIn, examOf } from '../rows/exam.ts';
import { examTexts } from '../statements/exams.ts';
import { command } from '../statements/text.ts';
import type { NamespaceContext } from './namespace-context.ts';

const texts = {
  ...examTexts,
  renew: command('UPDATE exams SET held_until = @until WHERE namespace = @ns AND id = @id AND held_until > @real'),
};

export function examsAdapter({ database, ns }: NamespaceContext): Exams {
  const sql = database.prepare(texts);
  const all = () => sql.list.all({ ns }).map(examOf);
  return {
    begin: ({ id, heldUntil, ...record }, real) =>
      database.write(() => {
        const running = all().filter((each) => isUnderWay(each, real));
        const inTheWay = running.find((each) => isInTheWay(each, { id, heldUntil, ...record }));
        if (inTheWay !== undefined) return inTheWay;
        if (running.length >= examsMax) return 'limit';
        sql.insert.run({ ns, id, held_until: heldUntil, record: encode(record) });
        return 'begun';
      }),
    renew: (id, real, until) =>
      database.write(() =>
        sql.renew.run({ ns, id, real, until }) === 0 ? undefined : examIn(sql.find.get({ ns, id })),
      ),
    find: (id) => database.read(() => examIn(sql.find.get({ ns, id }))),
    list: (real) => database.read(() => all().filter((each) => isUnderWay(each, real))),
    end: (id) => database.free(() => sql.remove.run({ ns, id }) === 1),
    over: (real) => database.read(() => all().filter((each) => !isUnderWay(each, real))),
    namespacesWithOver: (real) => database.read(() => sql.namespaces.all({ real }).map(({ namespace }) => namespace)),
  };
}
