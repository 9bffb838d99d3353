// Accepted configurations in SQLite. Which is the newest is asked for at every request, with one look that also learns
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

const texts = {
  ...generationTexts,
  noteDeclaration: command(
    'INSERT OR REPLACE INTO declarations (namespace, declarer, digest) VALUES (@ns, @declarer, @digest)',
  ),
};

export function generationsAdapter({ database, ns }: NamespaceContext, cached: CachedState): ConfigurationGenerations {
  const sql = database.prepare(texts);
  const read = (generation: number) => {
    const row = sql.read.get({ ns, generation });
    return row && { ...acceptedOf(row), superseded: row.superseded !== 0 };
  };
  const append = (generation: number, texts: ConfigurationTexts) => {
    const { settingsText, usersText } = texts;
    sql.insert.run({
      ns,
      generation,
      settings_text: settingsText ?? null,
      users_text: usersText ?? null,
      shared_digest: texts.sharedDigest ?? null,
    });
    sql.advance.run({ ns, generation });
    sql.noteInForce.run({ ns, digest: digestOfTexts(texts) });
    sql.forgetInForce.run({ ns, kept: declarationsKept });
    sql.forget.run({ ns, generation: generation - generationsKept });
    return generation;
  };

  const accept = (texts: ConfigurationTexts, declarer: string | undefined, anew = false) => {
    const newest = cached.look(ns);
    if (declarer !== undefined) {
      sql.noteDeclaration.run({ ns, declarer, digest: digestOfTexts(texts) });
      sql.forgetDeclarations.run({ ns, kept: declarationsKept });
    }
    return anew || isNewGeneration(read(newest), texts) ? append(newest + 1, texts) : newest;
  };
  const isBehind = (texts: ConfigurationTexts, declarer: string, isEdited: boolean) => {
    const newest = read(cached.look(ns));
    if (newest === undefined || isSameTexts(newest, texts)) return false;
    const digest = digestOfTexts(texts);
    const noted = [digest, wholeDigest(texts)];
    const wasInForce = noted.some((each) => sql.wasInForce.get({ ns, digest: each }) !== undefined);
    const last = knownDigest(sql.lastOf.get({ ns, declarer })?.digest, [texts, newest]);
    return !mayDeclare({ last, digest, newest: digestOfTexts(newest), wasInForce, isEdited });
  };

  return {
    newest: () => database.read(() => cached.look(ns)),
    read: (generation) =>
      database.read(() => {
        const row = sql.read.get({ ns, generation });
        return row && acceptedOf(row);
      }),
    accept: (settingsText, usersText, declarer, { anew, sharedDigest } = {}) =>
      database.write(() => accept({ settingsText, usersText, sharedDigest }, declarer, anew)),
    declare: (settingsText, usersText, declarer, { edited = false, sharedDigest } = {}) =>
      database.write(() => {
        const texts = { settingsText, usersText, sharedDigest };
        return isBehind(texts, declarer, edited) ? 'behind' : accept(texts, declarer);
      }),
    acceptOver: (base, texts, declarer, anew) =>
      database.write(() => (isStillNewest(read(cached.look(ns)), base) ? accept(texts, declarer, anew) : 'moved_on')),
    acceptFirst: (settingsText, usersText) =>
      database.write(() => {
        const newest = cached.look(ns);
        const row = sql.read.get({ ns, generation: newest });
        if (row !== undefined) return acceptedOf(row);
        const texts = { settingsText, usersText };
        return { generation: append(newest + 1, texts), ...texts };
      }),
  };
}
