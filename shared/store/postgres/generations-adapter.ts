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
  knownDigest,
  mayDeclare,
  wholeDigest,
} from '#shared/domain/configuration-generation.ts';
import type { ConfigurationGenerations } from '../ports/configuration-generations.ts';
import { acceptedOf } from '../rows/generation.ts';
import { generationTexts } from '../statements/generations.ts';
import { command } from '../statements/text.ts';
import type { CachedState } from './cached-state.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { SharedLook } from './shared-look.ts';
import { prepared, type Runner } from './statement.ts';

const sql = prepared({
  ...generationTexts,
  noteDeclaration: command(
    `INSERT INTO declarations (namespace, declarer, digest) VALUES (@ns, @declarer, @digest)
     ON CONFLICT (namespace, declarer) DO UPDATE SET digest = excluded.digest, seq = DEFAULT`,
  ),
});

export function generationsAdapter(
  { database, ns }: NamespaceContext,
  cached: CachedState,
  sharedLook: SharedLook,
): ConfigurationGenerations {
  const read = async (on: Runner, generation: number) => {
    const row = await sql.read.get(on, { ns, generation });
    return row && { ...acceptedOf(row), superseded: row.superseded !== 0 };
  };
  const append = async (on: Runner, generation: number, texts: ConfigurationTexts) => {
    const { settingsText, usersText } = texts;
    await sql.insert.run(on, {
      ns,
      generation,
      settings_text: settingsText ?? null,
      users_text: usersText ?? null,
      shared_digest: texts.sharedDigest ?? null,
    });
    await sql.advance.run(on, { ns, generation });
    await sql.noteInForce.run(on, { ns, digest: digestOfTexts(texts) });
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
  const isBehind = async (on: Runner, texts: ConfigurationTexts, declarer: string, isEdited: boolean) => {
    const newest = await read(on, await cached.look(on, ns));
    if (newest === undefined || isSameTexts(newest, texts)) return false;
    const digest = digestOfTexts(texts);
    const noted = [digest, wholeDigest(texts)];
    const found = await Promise.all(noted.map((each) => sql.wasInForce.get(on, { ns, digest: each })));
    const wasInForce = found.some((row) => row !== undefined);
    const last = knownDigest((await sql.lastOf.get(on, { ns, declarer }))?.digest, [texts, newest]);
    return !mayDeclare({ last, digest, newest: digestOfTexts(newest), wasInForce, isEdited });
  };

  return {
    newest: () => sharedLook.newest(ns),
    read: (generation) =>
      database.read(async (on) => {
        const row = await sql.read.get(on, { ns, generation });
        return row && acceptedOf(row);
      }),
    accept: (settingsText, usersText, declarer, { anew, sharedDigest } = {}) =>
      database.write('generations', (on) => accept(on, { settingsText, usersText, sharedDigest }, declarer, anew)),
    declare: (settingsText, usersText, declarer, { edited = false, sharedDigest } = {}) =>
      database.write('generations', async (on) => {
        const texts = { settingsText, usersText, sharedDigest };
        return (await isBehind(on, texts, declarer, edited)) ? 'behind' : await accept(on, texts, declarer);
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
