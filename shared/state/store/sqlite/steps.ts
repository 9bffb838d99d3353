// The steps of a store operation in SQLite: each statement runs when its step is created.
import type { Step, Steps, TextsIn } from '../operations/work.ts';
import type { StatementTexts } from '../statements/text.ts';
import type { Statements } from './database.ts';
import { sqliteDialect } from './dialect.ts';
import type { Bindings } from './engine.ts';
import type { NamespaceDatabase } from './namespace-context.ts';

/** A step with its result. It is its own iterator, so that waiting for it costs one call. */
export class Answered<Answer> {
  readonly #answer: Answer;
  constructor(answer: Answer) {
    this.#answer = answer;
  }
  [Symbol.iterator](): this {
    return this;
  }
  next(): IteratorReturnResult<Answer> {
    return { done: true, value: this.#answer };
  }
}

/** A command with its values, and how to run it. */
export class SqliteCommand {
  readonly run: () => number;
  constructor(run: () => number) {
    this.run = run;
  }
}

type Maker = (statements: Statements) => unknown;
const makers = new WeakMap<TextsIn<StatementTexts>, Maker>();

/** Returns the steps of these texts on a connection, created once for all namespaces. */
export function stepsOf<Texts extends StatementTexts>(
  database: Pick<NamespaceDatabase, 'prepared'>,
  texts: TextsIn<Texts>,
): Steps<Texts> {
  let maker = makers.get(texts);
  if (maker === undefined) {
    const own = texts(sqliteDialect);
    maker = (statements) =>
      Object.fromEntries(Object.entries(own).map(([name, text]) => [name, stepOf(statements, text)]));
    makers.set(texts, maker);
  }
  // The entry of a maker was made from that maker's table of texts.
  return database.prepared(maker) as Steps<Texts>;
}

function stepOf(statements: Statements, text: StatementTexts[string]) {
  if ('row' in text) {
    const query = statements.query(text.sql, text.row);
    return {
      get: (bindings: Bindings) => new Answered(query.get(bindings)),
      all: (bindings: Bindings) => new Answered(query.all(bindings)),
    };
  }
  const command = statements.command(text.sql);
  return {
    run: (bindings: Bindings) => new Answered(command.run(bindings)),
    put: (bindings: Bindings) => void command.run(bindings),
    bound: (bindings: Bindings) => new SqliteCommand(() => command.run(bindings)),
  };
}

/** Runs a part of an operation, which never waits. */
export function carryOut<Result>(work: Step<Result>): Result {
  const step = work[Symbol.iterator]().next();
  if (step.done !== true) throw new Error('A store operation waits for something other than its statements.');
  return step.value;
}
