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
  mayDeclare,
} from '#shared/domain/configuration-generation.ts';
import { presentRow } from '../json-columns.ts';
import type { ConfigurationGenerations } from '../ports/configuration-generations.ts';
import { acceptedOf, digestRow, generationRow } from '../rows/generation.ts';
import type { CachedState } from './cached-state.ts';
import type { Statements } from './database.ts';
import type { NamespaceContext } from './namespace-context.ts';

const statements = (sql: Statements) => ({
  read: sql.query(
    `SELECT generation, settings_text, users_text, superseded FROM generations
     WHERE namespace = @ns AND generation = @generation`,
    generationRow,
  ),
  insert: sql.command(
    `INSERT INTO generations (namespace, generation, settings_text, users_text)
     VALUES (@ns, @generation, @settings_text, @users_text)`,
  ),
  advance: sql.command('UPDATE namespaces SET generation = @generation WHERE namespace = @ns'),
  lastOf: sql.query('SELECT digest FROM declarations WHERE namespace = @ns AND declarer = @declarer', digestRow),
  noteDeclaration: sql.command(
    'INSERT OR REPLACE INTO declarations (namespace, declarer, digest) VALUES (@ns, @declarer, @digest)',
  ),
  forgetDeclarations: sql.command(
    'DELETE FROM declarations WHERE namespace = @ns AND seq <= (SELECT max(seq) FROM declarations) - @kept',
  ),
  wasInForce: sql.query(
    'SELECT 1 AS present FROM texts_once_in_force WHERE namespace = @ns AND digest = @digest',
    presentRow,
  ),
  noteInForce: sql.command('INSERT OR IGNORE INTO texts_once_in_force (namespace, digest) VALUES (@ns, @digest)'),
  forgetInForce: sql.command(
    'DELETE FROM texts_once_in_force WHERE namespace = @ns AND seq <= (SELECT max(seq) FROM texts_once_in_force) - @kept',
  ),
  forget: sql.command('DELETE FROM generations WHERE namespace = @ns AND generation <= @generation'),
});

export function generationsAdapter({ database, ns }: NamespaceContext, cached: CachedState): ConfigurationGenerations {
  const sql = database.prepared(statements);
  const read = (generation: number) => {
    const row = sql.read.get({ ns, generation });
    return row && { ...acceptedOf(row), superseded: row.superseded !== 0 };
  };
  const append = (generation: number, { settingsText, usersText }: ConfigurationTexts) => {
    sql.insert.run({ ns, generation, settings_text: settingsText ?? null, users_text: usersText ?? null });
    sql.advance.run({ ns, generation });
    sql.noteInForce.run({ ns, digest: digestOfTexts({ settingsText, usersText }) });
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
  const isBehind = (texts: ConfigurationTexts, declarer: string) => {
    const newest = read(cached.look(ns));
    if (newest === undefined || isSameTexts(newest, texts)) return false;
    const digest = digestOfTexts(texts);
    const wasInForce = sql.wasInForce.get({ ns, digest }) !== undefined;
    return !mayDeclare({ last: sql.lastOf.get({ ns, declarer })?.digest, digest, wasInForce });
  };

  return {
    newest: () => database.read(() => cached.look(ns)),
    read: (generation) =>
      database.read(() => {
        const row = sql.read.get({ ns, generation });
        return row && acceptedOf(row);
      }),
    accept: (settingsText, usersText, declarer, anew) =>
      database.write(() => accept({ settingsText, usersText }, declarer, anew)),
    declare: (settingsText, usersText, declarer) =>
      database.write(() => {
        const texts = { settingsText, usersText };
        return isBehind(texts, declarer) ? 'behind' : accept(texts, declarer);
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
