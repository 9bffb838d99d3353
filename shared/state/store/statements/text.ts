// Statements for both engines: a text with parameters written `@name` and, if it returns rows, the shape of a row. Each
// engine prepares a whole table of them in its own way. A statement for one engine only is defined in that engine.
import type * as z from 'zod';

export interface QueryText<Row> {
  readonly sql: string;
  readonly row: z.ZodType<Row>;
}

export interface CommandText {
  readonly sql: string;
}

/** The statements of one subject, by name. */
export type StatementTexts = Readonly<Record<string, QueryText<unknown> | CommandText>>;

export const query = <Row>(sql: string, row: z.ZodType<Row>): QueryText<Row> => ({ sql, row });
export const command = (sql: string): CommandText => ({ sql });

/** Deletes the oldest row of `@ns`. */
export const removeOldest = (table: string): CommandText =>
  command(`DELETE FROM ${table} WHERE seq = (SELECT seq FROM ${table} WHERE namespace = @ns ORDER BY seq LIMIT 1)`);

/** Deletes all rows of `@ns` except the `kept` newest. */
export const removeBeyond = (table: string, kept: number): CommandText =>
  command(
    `DELETE FROM ${table} WHERE namespace = @ns
       AND seq <= (SELECT seq FROM ${table} WHERE namespace = @ns ORDER BY seq DESC LIMIT 1 OFFSET ${kept})`,
  );
