// Accepted configurations in SQLite. Which is the newest is asked for at every request, with one look that also learns
// whether a clock was moved (head.ts).
import * as z from 'zod';
import { type ConfigurationTexts, generationsKept, isNewGeneration } from '#shared/domain/configuration-generation.ts';
import type { AcceptedConfiguration, ConfigurationGenerations } from '../ports/configuration-generations.ts';
import type { Statements } from './database.ts';
import type { Head } from './head.ts';
import type { NamespaceContext } from './namespace.ts';

const generationRow = z.object({
  generation: z.number(),
  settings_text: z.string().nullable(),
  users_text: z.string().nullable(),
  superseded: z.number(),
});

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
  forget: sql.command('DELETE FROM generations WHERE namespace = @ns AND generation <= @generation'),
});

export function generationsAdapter({ database, ns }: NamespaceContext, head: Head): ConfigurationGenerations {
  const sql = database.prepared(statements);
  const read = (generation: number) => {
    const row = sql.read.get({ ns, generation });
    return row && { ...acceptedOf(row), superseded: row.superseded !== 0 };
  };
  const append = (generation: number, { settingsText, usersText }: ConfigurationTexts) => {
    sql.insert.run({ ns, generation, settings_text: settingsText ?? null, users_text: usersText ?? null });
    sql.advance.run({ ns, generation });
    sql.forget.run({ ns, generation: generation - generationsKept });
    return generation;
  };

  return {
    newest: () => database.read(() => head.look(ns)),
    read: (generation) =>
      database.read(() => {
        const row = sql.read.get({ ns, generation });
        return row && acceptedOf(row);
      }),
    accept: (settingsText, usersText) =>
      database.write(() => {
        const newest = head.look(ns);
        const texts = { settingsText, usersText };
        return isNewGeneration(read(newest), texts) ? append(newest + 1, texts) : newest;
      }),
    acceptFirst: (settingsText, usersText) =>
      database.write(() => {
        const newest = head.look(ns);
        const row = sql.read.get({ ns, generation: newest });
        if (row !== undefined) return acceptedOf(row);
        const texts = { settingsText, usersText };
        return { generation: append(newest + 1, texts), ...texts };
      }),
  };
}

function acceptedOf(row: z.output<typeof generationRow>): AcceptedConfiguration {
  return {
    generation: row.generation,
    settingsText: row.settings_text ?? undefined,
    usersText: row.users_text ?? undefined,
  };
}
