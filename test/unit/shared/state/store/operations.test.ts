// How each engine runs a store operation that is written once.
import { expect } from 'chai';
import * as z from 'zod';
import { type Work, writing } from '#shared/state/store/operations/work.ts';
import type { Answer, PreparedText } from '#shared/state/store/postgres/connection.ts';
import type { Runner } from '#shared/state/store/postgres/statement.ts';
import { carryOut, stepsOf } from '#shared/state/store/postgres/steps.ts';
import { Answered, carryOut as carryOutInSqlite } from '#shared/state/store/sqlite/steps.ts';
import { command, query, type StatementTexts } from '#shared/state/store/statements/text.ts';

const texts = () =>
  ({
    read: query('SELECT @name AS name', z.object({ name: z.string() })),
    change: command('UPDATE things SET name = @name'),
  }) satisfies StatementTexts;

/** A session that responds when the test lets it. */
class ManualRunner implements Runner {
  readonly asked: { readonly values: PreparedText['values']; answer(name: string): void; fail(error: Error): void }[] =
    [];

  ask({ values }: PreparedText): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.asked.push({ values, answer: (name) => resolve({ rows: [{ name }], count: 1 }), fail: reject });
    });
  }
}

describe('a store operation on PostgreSQL', () => {
  const sql = stepsOf(texts);

  it('sends several statements before it waits for one of them', async () => {
    const on = new ManualRunner();
    const result = carryOut(on, function* (): Work<string> {
      const [first, second] = [sql.read.get({ name: 'a' }), sql.read.get({ name: 'b' })];
      return `${(yield* first)?.name}${(yield* second)?.name}`;
    });
    expect(on.asked.map(({ values }) => values)).to.deep.equal([['a'], ['b']]);
    on.asked[1]?.answer('2');
    on.asked[0]?.answer('1');
    expect(await result).to.equal('12');
  });

  it('belongs to the session on which it began, in parallel with others', async () => {
    const sessions = [new ManualRunner(), new ManualRunner()];
    const results = sessions.map((on) =>
      carryOut(on, function* (): Work<string | undefined> {
        yield* sql.read.get({ name: 'first' });
        return (yield* sql.read.get({ name: 'second' }))?.name;
      }),
    );
    for (const name of ['one', 'two']) {
      for (const on of sessions.toReversed()) on.asked.at(-1)?.answer(name);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(results)).to.deep.equal(['two', 'two']);
    for (const on of sessions) expect(on.asked.map(({ values }) => values)).to.deep.equal([['first'], ['second']]);
  });

  it('receives an error where it waits, and no later error ends the process', async () => {
    const on = new ManualRunner();
    const result = carryOut(on, function* (): Work<string> {
      const [first, second] = [sql.read.get({ name: 'a' }), sql.read.get({ name: 'b' })];
      try {
        yield* first;
      } catch {
        return 'failed';
      }
      return String(yield* second);
    });
    on.asked[0]?.fail(new Error('the first'));
    on.asked[1]?.fail(new Error('the second'));
    expect(await result).to.equal('failed');
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('changes no row and takes no step outside while it reads', async () => {
    const reading = carryOut(new ManualRunner(), () => writing(() => sql.change.put({ name: 'a' })));
    const failure = await reading.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error).with.property('message', 'A reading operation changes rows.');
    expect(() => sql.read.get({ name: 'a' })).to.throw('A statement belongs to no store operation.');
  });
});

describe('a store operation on SQLite', () => {
  it('waits only for its statements', () => {
    const answered = carryOutInSqlite(
      (function* (): Work<number> {
        return (yield* new Answered(1)) + (yield* new Answered(2));
      })(),
    );
    expect(answered).to.equal(3);
    const waiting = (function* (): Work<void> {
      yield Promise.resolve();
    })();
    expect(() => carryOutInSqlite(waiting)).to.throw('waits for something other than its statements');
  });
});
