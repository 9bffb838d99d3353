// Statements with named parameters and checked results. The text is translated once. They belong to no connection: each
// call passes the runner.
import type { z } from 'zod';
import type { QueryText, StatementTexts } from '../statements/text.ts';
import type { Answer, Bindings, PreparedText, Value } from './connection.ts';

/** What statements run on: a session, inside a transaction or not. Simultaneous statements share one round trip. */
export interface Runner {
  ask(prepared: PreparedText): Promise<Answer>;
}

/** Inside a transaction. */
export interface Writer extends Runner {
  /** Runs with the next statement or with the commit, and fails with it. */
  put(prepared: PreparedText): void;
}

export interface Query<Row> {
  get(on: Runner, bindings: Bindings): Promise<Row | undefined>;
  all(on: Runner, bindings: Bindings): Promise<Row[]>;
}

export interface Command {
  /** Returns how many rows it changed. */
  run(on: Runner, bindings: Bindings): Promise<number>;
  /** Changes rows without returning their number. */
  put(on: Writer, bindings: Bindings): void;
  /** For a message of several statements. */
  bound(bindings: Bindings): PreparedText;
}

/** Parameters are written `@name`. Members of the bindings that a statement does not name are left out. */
export function query<Row>(sql: string, row: z.ZodType<Row>): Query<Row> {
  const prepared = translated(sql);
  const ask = (on: Runner, bindings: Bindings) => on.ask(prepared(bindings));
  return {
    get: async (on, bindings) => {
      const [found] = (await ask(on, bindings)).rows;
      return found === undefined ? undefined : row.parse(found);
    },
    all: async (on, bindings) => (await ask(on, bindings)).rows.map((found) => row.parse(found)),
  };
}

export function command(sql: string): Command {
  const prepared = translated(sql);
  return {
    run: async (on, bindings) => (await on.ask(prepared(bindings))).count,
    put: (on, bindings) => on.put(prepared(bindings)),
    bound: prepared,
  };
}

/** A table of texts as statements of this engine. */
export type Prepared<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends QueryText<infer Row> ? Query<Row> : Command;
};

export function prepared<Texts extends StatementTexts>(texts: Texts): Prepared<Texts> {
  // Each name has the statement that was made from its own text.
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, 'row' in text ? query(text.sql, text.row) : command(text.sql)]),
  ) as Prepared<Texts>;
}

let named = 0;

function translated(sql: string): (bindings: Bindings) => PreparedText {
  const names: string[] = [];
  const text = sql.replace(/(?<![@\w])@(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  named += 1;
  const name = `t${named}`;
  return (bindings) => ({ text, name, values: names.map((parameter) => sentValue(bindings, parameter)) });
}

/** PostgreSQL's texts cannot hold U+0000. Its symbol is stored and matched instead. */
function sentValue(bindings: Bindings, name: string): Value {
  const value = bindings[name];
  if (value === undefined) throw new Error(`The statement has no value for ${name}.`);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : value;
}
