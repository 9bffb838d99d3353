// Accepted configurations in SQLite. Which is the newest is asked for at every request, with one look that also learns
// whether a clock was moved (head.ts).
import * as z from 'zod';
import type { AcceptedConfiguration, ConfigurationGenerations } from '../ports/configuration-generations.ts';
import type { Head } from './head.ts';
import type { NamespaceContext } from './namespace.ts';

/** Siblings that are about to follow an older one still find its texts. */
const generationsKept = 8;

const generationRow = z.object({
  generation: z.number(),
  settings_text: z.string().nullable(),
  users_text: z.string().nullable(),
  superseded: z.number(),
});

export function generationsAdapter({ database, ns }: NamespaceContext, head: Head): ConfigurationGenerations {
  const read = database.query(
    `SELECT generation, settings_text, users_text, superseded FROM generations
     WHERE namespace = @ns AND generation = @generation`,
    generationRow,
  );
  const insert = database.command(
    `INSERT INTO generations (namespace, generation, settings_text, users_text)
     VALUES (@ns, @generation, @settings_text, @users_text)`,
  );
  const advance = database.command('UPDATE namespaces SET generation = @generation WHERE namespace = @ns');
  const forget = database.command('DELETE FROM generations WHERE namespace = @ns AND generation <= @generation');

  const newest = () => head.look(ns);
  const append = (generation: number, settingsText: string | undefined, usersText: string | undefined) => {
    insert.run({ ns, generation, settings_text: settingsText ?? null, users_text: usersText ?? null });
    advance.run({ ns, generation });
    forget.run({ ns, generation: generation - generationsKept });
  };

  return {
    newest: () => database.read(newest),
    read: (generation) => database.read(() => acceptedOf(read.get({ ns, generation }))),
    accept: (settingsText, usersText) =>
      database.write(() => {
        const generation = newest();
        const present = read.get({ ns, generation });
        const same =
          present?.superseded === 0 &&
          present.settings_text === (settingsText ?? null) &&
          present.users_text === (usersText ?? null);
        if (same) return generation;
        append(generation + 1, settingsText, usersText);
        return generation + 1;
      }),
    acceptFirst: (settingsText, usersText) =>
      database.write(() => {
        const generation = newest();
        const present = acceptedOf(read.get({ ns, generation }));
        if (present !== undefined) return present;
        append(generation + 1, settingsText, usersText);
        return { generation: generation + 1, settingsText, usersText };
      }),
  };
}

function acceptedOf(row: z.output<typeof generationRow> | undefined): AcceptedConfiguration | undefined {
  return (
    row && {
      generation: row.generation,
      settingsText: row.settings_text ?? undefined,
      usersText: row.users_text ?? undefined,
    }
  );
}
