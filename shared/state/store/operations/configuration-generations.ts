// Accepted configurations. Every request queries the newest generation, with the same read that detects a moved clock
// (known-state.ts).
import * as z from 'zod';
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
} from '#shared/model/domain/configuration-generation.ts';
import { presentRow } from '../json-columns.ts';
import type { AcceptedConfiguration, ConfigurationGenerations } from '../ports/configuration-generations.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { KnownState } from './known-state.ts';
import type { Dialect, OperationContext, Work } from './work.ts';

const generationRow = z.object({
  generation: z.number(),
  settings_text: z.string().nullable(),
  users_text: z.string().nullable(),
  superseded: z.number(),
  shared_digest: z.string().nullable(),
});

const texts = ({ either }: Dialect) =>
  ({
    read: query(
      `SELECT generation, settings_text, users_text, superseded, shared_digest FROM generations
       WHERE namespace = @ns AND generation = @generation`,
      generationRow,
    ),
    insert: command(
      `INSERT INTO generations (namespace, generation, settings_text, users_text, shared_digest)
       VALUES (@ns, @generation, @settings_text, @users_text, @shared_digest)`,
    ),
    advance: command('UPDATE namespaces SET generation = @generation WHERE namespace = @ns'),
    removeUpTo: command('DELETE FROM generations WHERE namespace = @ns AND generation <= @generation'),
    lastOf: query(
      'SELECT digest FROM declarations WHERE namespace = @ns AND declarer = @declarer',
      z.object({ digest: z.string() }),
    ),
    // A declarer that declares again gets the newest number.
    noteDeclaration: either({
      sqlite: command(
        'INSERT OR REPLACE INTO declarations (namespace, declarer, digest) VALUES (@ns, @declarer, @digest)',
      ),
      postgres: command(
        `INSERT INTO declarations (namespace, declarer, digest) VALUES (@ns, @declarer, @digest)
         ON CONFLICT (namespace, declarer) DO UPDATE SET digest = excluded.digest, seq = DEFAULT`,
      ),
    }),
    forgetDeclarations: command(
      'DELETE FROM declarations WHERE namespace = @ns AND seq <= (SELECT max(seq) FROM declarations) - @kept',
    ),
    wasActive: query(
      'SELECT 1 AS present FROM texts_once_in_force WHERE namespace = @ns AND digest = @digest',
      presentRow,
    ),
    noteActive: command(
      'INSERT INTO texts_once_in_force (namespace, digest) VALUES (@ns, @digest) ON CONFLICT DO NOTHING',
    ),
    forgetActive: command(
      `DELETE FROM texts_once_in_force
       WHERE namespace = @ns AND seq <= (SELECT max(seq) FROM texts_once_in_force) - @kept`,
    ),
  }) satisfies StatementTexts;

const lock = 'generations';

type StoredGeneration = AcceptedConfiguration & { readonly superseded: boolean };

export function generations(
  { ns, prepare, read, write }: OperationContext,
  known: KnownState,
): ConfigurationGenerations {
  const sql = prepare(texts);

  function* find(generation: number): Work<StoredGeneration | undefined> {
    const row = yield* sql.read.get({ ns, generation });
    return row && { ...acceptedOf(row), superseded: row.superseded !== 0 };
  }

  const append = (generation: number, accepted: ConfigurationTexts): number => {
    const { settingsText, usersText, sharedDigest } = accepted;
    sql.insert.put({
      ...{ ns, generation, settings_text: settingsText ?? null, users_text: usersText ?? null },
      shared_digest: sharedDigest ?? null,
    });
    sql.advance.put({ ns, generation });
    sql.noteActive.put({ ns, digest: digestOfTexts(accepted) });
    sql.forgetActive.put({ ns, kept: declarationsKept });
    sql.removeUpTo.put({ ns, generation: generation - generationsKept });
    return generation;
  };

  function* accept(given: ConfigurationTexts, declarer: string | undefined, anew = false): Work<number> {
    const newest = yield* known.refresh();
    if (declarer !== undefined) {
      sql.noteDeclaration.put({ ns, declarer, digest: digestOfTexts(given) });
      sql.forgetDeclarations.put({ ns, kept: declarationsKept });
    }
    return anew || isNewGeneration(yield* find(newest), given) ? append(newest + 1, given) : newest;
  }

  function* isBehind(given: ConfigurationTexts, declarer: string, isEdited: boolean): Work<boolean> {
    const newest = yield* find(yield* known.refresh());
    if (newest === undefined || isSameTexts(newest, given)) return false;
    const digest = digestOfTexts(given);
    const finding = sql.lastOf.get({ ns, declarer });
    const searching = [digest, wholeDigest(given)].map((each) => sql.wasActive.get({ ns, digest: each }));
    let wasInForce = false;
    for (const search of searching) if ((yield* search) !== undefined) wasInForce = true;
    const last = knownDigest((yield* finding)?.digest, [given, newest]);
    return !mayDeclare({ last, digest, newest: digestOfTexts(newest), wasInForce, isEdited });
  }

  return {
    newest: () => known.newestGeneration(),
    read: async (generation) => {
      const row = await read(() => sql.read.get({ ns, generation }));
      return row && acceptedOf(row);
    },
    accept: (settingsText, usersText, declarer, { anew, sharedDigest } = {}) =>
      write(lock, () => accept({ settingsText, usersText, sharedDigest }, declarer, anew)),
    declare: (settingsText, usersText, declarer, { edited = false, sharedDigest } = {}) =>
      write(lock, function* () {
        const given = { settingsText, usersText, sharedDigest };
        return (yield* isBehind(given, declarer, edited)) ? 'behind' : yield* accept(given, declarer);
      }),
    acceptOver: (base, given, declarer, anew) =>
      write(lock, function* () {
        const newest = yield* find(yield* known.refresh());
        return isStillNewest(newest, base) ? yield* accept(given, declarer, anew) : 'moved_on';
      }),
    acceptFirst: (settingsText, usersText) =>
      write(lock, function* () {
        const newest = yield* known.refresh();
        const row = yield* sql.read.get({ ns, generation: newest });
        if (row !== undefined) return acceptedOf(row);
        const given = { settingsText, usersText };
        return { generation: append(newest + 1, given), ...given };
      }),
  };
}

function acceptedOf(row: z.output<typeof generationRow>): AcceptedConfiguration {
  return {
    generation: row.generation,
    settingsText: row.settings_text ?? undefined,
    usersText: row.users_text ?? undefined,
    ...(row.shared_digest === null ? {} : { sharedDigest: row.shared_digest }),
  };
}
