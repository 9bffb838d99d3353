// The statements about `sandboxes` and the keys of their own.

import * as z from 'zod';
import { countRow, instantColumn } from '../json-columns.ts';
import { sandboxColumns, sandboxKeyRow, sandboxRow, sandboxVersionRow } from '../rows/sandbox.ts';
import { command, query, type StatementTexts } from './text.ts';

export const sandboxTexts = {
  version: query(
    'SELECT instance_id, newest_key FROM sandboxes WHERE name = @name AND expires_at > @real',
    sandboxVersionRow,
  ),
  find: query(`SELECT ${sandboxColumns} FROM sandboxes WHERE name = @name AND expires_at > @real`, sandboxRow),
  list: query(`SELECT ${sandboxColumns} FROM sandboxes WHERE expires_at > @real ORDER BY seq`, sandboxRow),
  expired: query(`SELECT ${sandboxColumns} FROM sandboxes WHERE expires_at <= @real LIMIT @limit`, sandboxRow),
  expiredOfName: query(
    `SELECT ${sandboxColumns} FROM sandboxes WHERE name = @name AND expires_at <= @real`,
    sandboxRow,
  ),
  count: query('SELECT count(*) AS count FROM sandboxes WHERE expires_at > @real', countRow),
  next: query(
    'SELECT expires_at FROM sandboxes WHERE expires_at > @real ORDER BY expires_at LIMIT 1',
    z.object({ expires_at: instantColumn }),
  ),
  insert: command(
    `INSERT INTO sandboxes (namespace, name, instance_id, created_at, expires_at, ttl_seconds, settings, keys)
     VALUES (@ns, @name, @instance_id, @created_at, @expires_at, @ttl_seconds, @settings, @keys)`,
  ),
  rename: command('UPDATE sandboxes SET namespace = @to, instance_id = @instance_id WHERE namespace = @from'),
  renameKeys: command('UPDATE sandbox_keys SET namespace = @to WHERE namespace = @from'),
  keys: query(
    'SELECT kid, public_key, private_key, certificate FROM sandbox_keys WHERE namespace = @ns ORDER BY seq DESC',
    sandboxKeyRow,
  ),
  addKey: command(
    `INSERT INTO sandbox_keys (namespace, kid, public_key, private_key, certificate)
     VALUES (@ns, @kid, @public_key, @private_key, @certificate)`,
  ),
  retireKeys: command('UPDATE sandbox_keys SET private_key = NULL WHERE namespace = @ns'),
  forgetKeys: command(
    `DELETE FROM sandbox_keys WHERE namespace = @ns AND seq NOT IN
       (SELECT seq FROM sandbox_keys WHERE namespace = @ns ORDER BY seq DESC LIMIT @kept)`,
  ),
  noteKey: command(
    `UPDATE sandboxes SET keys = 'own',
       newest_key = (SELECT coalesce(max(seq), 0) FROM sandbox_keys WHERE namespace = @ns) WHERE namespace = @ns`,
  ),
} satisfies StatementTexts;
