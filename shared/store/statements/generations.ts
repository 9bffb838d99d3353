// The statements about accepted configurations: `generations`, `declarations`, `texts_once_in_force`.
import { presentRow } from '../json-columns.ts';
import { digestRow, generationRow } from '../rows/generation.ts';
import { command, query, type StatementTexts } from './text.ts';

export const generationTexts = {
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
  lastOf: query('SELECT digest FROM declarations WHERE namespace = @ns AND declarer = @declarer', digestRow),
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
} satisfies StatementTexts;
