// The steps of a store operation in PostgreSQL: a statement is sent when its step is created, and the operation waits
// for the response.
import type { Step, Steps, TextsIn } from '../operations/work.ts';
import type { StatementTexts } from '../statements/text.ts';
import type { Bindings, PreparedText } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { command, query, type Runner } from './statement.ts';
import type { Transaction } from './transaction.ts';

/** The runner of the resumed operation. It is set only while the operation's code runs, within one event-loop turn. */
let running: Runner | undefined;

/** Runs a part of an operation on a session or in a transaction. */
export async function carryOut<Result>(on: Runner, work: () => Step<Result>): Promise<Result> {
  const steps = runningOn(on, () => work()[Symbol.iterator]());
  let resume = () => steps.next();
  for (;;) {
    const step = runningOn(on, resume);
    if (step.done === true) return step.value;
    try {
      const answer = await step.value;
      resume = () => steps.next(answer);
    } catch (error) {
      resume = () => {
        if (steps.throw === undefined) throw error;
        return steps.throw(error);
      };
    }
  }
}

function runningOn<Result>(on: Runner, resume: () => Result): Result {
  const outer = running;
  running = on;
  try {
    return resume();
  } finally {
    running = outer;
  }
}

export function runner(): Runner {
  if (running === undefined) throw new Error('A statement belongs to no store operation.');
  return running;
}

export function transaction(): Transaction {
  const on = runner();
  if (!('put' in on)) throw new Error('A reading operation changes rows.');
  // A runner that allows writes is a transaction (database.ts).
  return on as Transaction;
}

/** A step that waits for a promise. */
export function awaited<Answer>(promise: Promise<Answer>): Step<Answer> {
  // Suppresses the rejection of a step that nothing waits for, because another step failed first.
  promise.catch(() => undefined);
  return {
    *[Symbol.iterator]() {
      // The generator is resumed with the resolved value.
      return (yield promise) as Answer;
    },
  };
}

/** A command with its values. */
export class PostgresCommand {
  readonly prepared: PreparedText;
  constructor(prepared: PreparedText) {
    this.prepared = prepared;
  }
}

const made = new WeakMap<TextsIn<StatementTexts>, unknown>();

/** Returns the steps of these texts, created once for all connections. */
export function stepsOf<Texts extends StatementTexts>(texts: TextsIn<Texts>): Steps<Texts> {
  let steps = made.get(texts);
  if (steps === undefined) {
    steps = Object.fromEntries(Object.entries(texts(postgresDialect)).map(([name, text]) => [name, stepOf(text)]));
    made.set(texts, steps);
  }
  // The entry of a function was made from that function's texts.
  return steps as Steps<Texts>;
}

function stepOf(text: StatementTexts[string]) {
  if ('row' in text) {
    const statement = query(text.sql, text.row);
    return {
      get: (bindings: Bindings) => awaited(statement.get(runner(), bindings)),
      all: (bindings: Bindings) => awaited(statement.all(runner(), bindings)),
    };
  }
  const statement = command(text.sql);
  return {
    run: (bindings: Bindings) => awaited(statement.run(runner(), bindings)),
    put: (bindings: Bindings) => statement.put(transaction(), bindings),
    bound: (bindings: Bindings) => new PostgresCommand(statement.bound(bindings)),
  };
}
