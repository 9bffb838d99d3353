// Accepted configurations in PostgreSQL. Which is the newest is asked for at every request, with one look that also learns
// whether a clock was moved (cached-state.ts).
import {
  type ConfigurationTexts,
  declarationsKept,
  digestOfTexts,
  generationsKept,
  isNewGeneration,
  isSameTexts,
  isStillNewest,
  mayDeclare,
} from '#shared/domain/configuration-generation.ts';
import { presentRow } from '../json-columns.ts';
import type { ConfigurationGenerations } from '../ports/configuration-generations.ts';
import { acceptedOf, digestRow, generationRow } from '../rows/generation.ts';
import type { CachedState } from './cached-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { SharedLook } from './shared-look.ts';
import { command, query, type Runner } from './statement.ts';

const sql = {
  read: query(
    `SELECT generation, settings_text, users_text, superseded FROM generations
     WHERE namespace = @ns AND generation = @generation`,
    generationRow,
  ),
  insert: command(
    `INSERT INTO generations (namespace, generation, settings_text, users_text)
     VALUES (@ns, @generation, @settings_text, @users_text)`,
  ),
  advance: command('UPDATE namespaces SET generation = @generation WHERE namespace = @ns'),
  lastOf: query('SELECT digest FROM declarations WHERE namespace = @ns AND declarer = @declarer', digestRow),
  noteDeclaration: command(
    `INSERT INTO declarations (namespace, declarer, digest) VALUES (@ns, @declarer, @digest)
     ON CONFLICT (namespace, declarer) DO UPDATE SET digest = excluded.digest, seq = DEFAULT`,
  ),
  forgetDeclarations: command(
    'DELETE FROM declarations WHERE namespace = @ns AND seq <= (SELECT max(seq) FROM declarations) - @kept',
  ),
  wasInForce: query(
    'SELECT 1 AS present FROM texts_once_in_force WHERE namespace = @ns AND digest = @digest',
    presentRow,
  ),
  noteInForce: command(
    'INSERT INTO texts_once_in_force (namespace, digest) VALUES (@ns, @digest) ON CONFLICT DO NOTHING',
  ),
  forgetInForce: command(
    'DELETE FROM texts_once_in_force WHERE namespace = @ns AND seq <= (SELECT max(seq) FROM texts_once_in_force) - @kept',
  ),
  forget: command('DELETE FROM generations WHERE namespace = @ns AND generation <= @generation'),
};

export function generationsAdapter(
  { database, ns }: NamespaceContext,
  cached: CachedState,
  sharedLook: SharedLook,
): ConfigurationGenerations {
  const read = async (on: Runner, generation: number) => {
    const row = await sql.read.get(on, { ns, generation });
    return row && { ...acceptedOf(row), superseded: row.superseded !== 0 };
  };
  const append = async (on: Runner, generation: number, { settingsText, usersText }: ConfigurationTexts) => {
    await sql.insert.run(on, { ns, generation, settings_text: settingsText ?? null, users_text: usersText ?? null });
    await sql.advance.run(on, { ns, generation });
    await sql.noteInForce.run(on, { ns, digest: digestOfTexts({ settingsText, usersText }) });
    await sql.forgetInForce.run(on, { ns, kept: declarationsKept });
    await sql.forget.run(on, { ns, generation: generation - generationsKept });
    return generation;
  };

  const accept = async (on: Runner, texts: ConfigurationTexts, declarer: string | undefined, anew = false) => {
    const newest = await cached.look(on, ns);
    if (declarer !== undefined) {
      await sql.noteDeclaration.run(on, { ns, declarer, digest: digestOfTexts(texts) });
      await sql.forgetDeclarations.run(on, { ns, kept: declarationsKept });
    }
    return anew || isNewGeneration(await read(on, newest), texts) ? await append(on, newest + 1, texts) : newest;
  };
  const isBehind = async (on: Runner, texts: ConfigurationTexts, declarer: string) => {
    const newest = await read(on, await cached.look(on, ns));
    if (newest === undefined || isSameTexts(newest, texts)) return false;
    const digest = digestOfTexts(texts);
    const wasInForce = (await sql.wasInForce.get(on, { ns, digest })) !== undefined;
    return !mayDeclare({ last: (await sql.lastOf.get(on, { ns, declarer }))?.digest, digest, wasInForce });
  };

  return {
    newest: () => sharedLook.newest(ns),
    read: (generation) =>
      database.read(async (on) => {
        const row = await sql.read.get(on, { ns, generation });
        return row && acceptedOf(row);
      }),
    accept: (settingsText, usersText, declarer, anew) =>
      database.write('generations', (on) => accept(on, { settingsText, usersText }, declarer, anew)),
    declare: (settingsText, usersText, declarer) =>
      database.write('generations', async (on) => {
        const texts = { settingsText, usersText };
        return (await isBehind(on, texts, declarer)) ? 'behind' : await accept(on, texts, declarer);
      }),
    acceptOver: (base, texts, declarer, anew) =>
      database.write('generations', async (on) => {
        const newest = await read(on, await cached.look(on, ns));
        return isStillNewest(newest, base) ? await accept(on, texts, declarer, anew) : 'moved_on';
      }),
    acceptFirst: (settingsText, usersText) =>
      database.write('generations', async (on) => {
        const newest = await cached.look(on, ns);
        const row = await sql.read.get(on, { ns, generation: newest });
        if (row !== undefined) return acceptedOf(row);
        const texts = { settingsText, usersText };
        return { generation: await append(on, newest + 1, texts), ...texts };
      }),
  };
}
