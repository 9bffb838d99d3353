// A program that runs while a newer one migrates its schema (CLU-05). It continues if the schema allows its format, and
// ends its stack otherwise. It learns this from the read that every operation makes (cached-state.ts), without a query
// of its own. When that read fails because a name is missing, the one table that stays unchanged for all later programs
// shows the reason.
import * as z from 'zod';
import { version as programVersion } from '#shared/base/version.ts';
import { RuntimeStoreUnavailableError } from '../../runtime-store-unavailable.ts';
import { StoreRefusedError } from '../../store-refused.ts';
import { isNameMissing, type PostgresDatabase } from '../database.ts';
import { query } from '../statement.ts';
import { firstVersion, schemaSteps } from './steps.ts';

/** The format of this program. */
const presentFormat = firstVersion + schemaSteps.length;

export const schemaFormatQuery = 'SELECT version, oldest_format FROM store_version';
export const schemaFormatRow = z.object({ version: z.number(), oldest_format: z.number() });
type SchemaFormat = z.output<typeof schemaFormatRow>;

/** The schema requires a newer program: no process of this one can work with it. */
export class SchemaAheadError extends StoreRefusedError {}

/** @throws SchemaAheadError if the schema needs a program of a later format than `present` */
export function requireWorkable(schema: string, { version, oldest_format }: SchemaFormat, present: number): void {
  if (oldest_format <= present) return;
  throw new SchemaAheadError(
    `runtime.schema: a newer program migrated the schema ${schema} to the format ${version}, which requires a program of the format ${oldest_format} or newer. This program, test-idp ${programVersion}, has the format ${present}, so it ends. Start the newer program, or name another schema.`,
  );
}

/** Inside the read of the cached state, which includes `oldest_format`. @throws LookedAheadError */
export function requirePresentFormat(oldestFormat: number): void {
  if (oldestFormat > presentFormat) throw new LookedAheadError();
}

class LookedAheadError extends Error {}

const nameIsGone = (error: unknown) => error instanceof RuntimeStoreUnavailableError && isNameMissing(error.cause);

const schemaFormat = query(schemaFormatQuery, schemaFormatRow);

/**
 * Explains why a read failed. When a newer program made the schema incompatible, `onOutgrown` receives one sentence,
 * once, and the caller gets an error that the store is unavailable. Any other error is returned unchanged.
 */
export function schemaAhead(database: PostgresDatabase, schema: string, onOutgrown: (reason: string) => void) {
  let isTold = false;
  return async (error: unknown): Promise<unknown> => {
    if (!(error instanceof LookedAheadError) && !nameIsGone(error)) return error;
    const found = await database.read((on) => schemaFormat.get(on, {}));
    try {
      if (found !== undefined) requireWorkable(schema, found, presentFormat);
      return error;
    } catch (ahead) {
      if (!(ahead instanceof SchemaAheadError)) throw ahead;
      if (!isTold) onOutgrown(ahead.message);
      isTold = true;
      return new RuntimeStoreUnavailableError({ cause: ahead, isLogged: true });
    }
  };
}
