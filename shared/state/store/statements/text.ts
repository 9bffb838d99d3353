// Statements as both engines are told them: a text with parameters written `@name` and, where it answers, the shape of a row.
// Each engine prepares a whole table of them in its own way; a statement that only one of them understands stands there.
import type * as z from 'zod';

export interface QueryText<Row> {
  readonly sql: string;
  readonly row: z.ZodType<Row>;
}

export interface CommandText {
  readonly sql: string;
}

/** The statements of one subject, by what they are called. */
export type StatementTexts = Readonly<Record<string, QueryText<unknown> | CommandText>>;

export const query = <Row>(sql: string, row: z.ZodType<Row>): QueryText<Row> => ({ sql, row });
export const command = (sql: string): CommandText => ({ sql });

/** Removes the row of `@ns` that was written first. */
export const removeOldest = (table: string): CommandText =>
  command(`DELETE FROM ${table} WHERE seq = (SELECT seq FROM ${table} WHERE namespace = @ns ORDER BY seq LIMIT 1)`);

/** Removes whatever is more than the `kept` rows of `@ns` that were written last. */
export const removeBeyond = (table: string, kept: number): CommandText =>
  command(
    `DELETE FROM ${table} WHERE namespace = @ns
       AND seq <= (SELECT seq FROM ${table} WHERE namespace = @ns ORDER BY seq DESC LIMIT 1 OFFSET ${kept})`,
  );
