// A program that runs while a newer one migrates its schema (CLU-05): it goes on where the schema says that it can, and ends its
// stack where it cannot. It learns of it by the look that every operation needs (cached-state.ts), without asking anything of its own; a
// look that fails because a name is gone is explained by the one table that stays as it is for all programs to come.
import * as z from 'zod';
import { version as programVersion } from '#shared/base/version.ts';
import { RuntimeStoreUnavailableError } from '../../runtime-store-unavailable.ts';
import { StoreRefusedError } from '../../store-refused.ts';
import { isNameGone, type PostgresDatabase } from '../database.ts';
import { query } from '../statement.ts';
import { firstVersion, schemaSteps } from './steps.ts';

/** The format of this program. */
const presentFormat = firstVersion + schemaSteps.length;

export const schemaFormatQuery = 'SELECT version, oldest_format FROM store_version';
export const schemaFormatRow = z.object({ version: z.number(), oldest_format: z.number() });
type SchemaFormat = z.output<typeof schemaFormatRow>;

/** The schema asks for a newer program: no process of this one can work with it. */
export class SchemaAheadError extends StoreRefusedError {}

/** @throws SchemaAheadError where the schema needs a program of a later format than `present` */
export function requireWorkable(schema: string, { version, oldest_format }: SchemaFormat, present: number): void {
  if (oldest_format <= present) return;
  throw new SchemaAheadError(
    `runtime.schema: a newer program migrated the schema ${schema} to the format ${version}, which needs a program of the format ${oldest_format} or newer; this one, test-idp ${programVersion}, has the format ${present} and ends: start the newer program here as well, or name another schema.`,
  );
}

/** Inside a look, which reads `oldest_format` along. @throws LookedAheadError */
export function requirePresentFormat(oldestFormat: number): void {
  if (oldestFormat > presentFormat) throw new LookedAheadError();
}

class LookedAheadError extends Error {}

const nameIsGone = (error: unknown) => error instanceof RuntimeStoreUnavailableError && isNameGone(error.cause);

const schemaFormat = query(schemaFormatQuery, schemaFormatRow);

/**
 * Why a look failed: where a newer program left this one behind, `onOutgrown` is told in one sentence, once, and whoever asked
 * hears that the store is unavailable; any other error stays what it is.
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
