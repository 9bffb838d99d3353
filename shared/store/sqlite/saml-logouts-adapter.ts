// Single logouts under way in SQLite.
import * as z from 'zod';
import { plusSeconds } from '#shared/clock.ts';
import { isLogoutLive, samlLogoutSeconds, samlLogoutsMax } from '#shared/domain/saml-logout.ts';
import { encode, encoded, samlLogoutShape } from '../json-columns.ts';
import type { SamlLogouts } from '../ports/saml-logouts.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { Statements } from './database.ts';
import { type NamespaceContext, purge } from './namespace-context.ts';

const logoutRow = z.object({ record: encoded(samlLogoutShape) });

const statements = (sql: Statements) => ({
  purge: purge(sql, 'saml_logouts'),
  insert: sql.command(
    'INSERT INTO saml_logouts (namespace, id, record, expires_at) VALUES (@ns, @id, @record, @expires_at)',
  ),
  removeOldest: sql.command(
    'DELETE FROM saml_logouts WHERE seq = (SELECT seq FROM saml_logouts WHERE namespace = @ns ORDER BY seq LIMIT 1)',
  ),
  makeRoom: sql.command(
    `DELETE FROM saml_logouts WHERE seq IN (
       SELECT seq FROM saml_logouts WHERE namespace = @ns ORDER BY seq DESC LIMIT -1 OFFSET ${samlLogoutsMax})`,
  ),
  all: sql.query('SELECT record FROM saml_logouts WHERE namespace = @ns ORDER BY seq DESC', logoutRow),
  find: sql.query('SELECT record FROM saml_logouts WHERE namespace = @ns AND id = @id', logoutRow),
  update: sql.command('UPDATE saml_logouts SET record = @record WHERE namespace = @ns AND id = @id'),
});

export function samlLogoutsAdapter(context: NamespaceContext): SamlLogouts {
  const { database, ns } = context;
  const sql = database.prepared(statements);
  const isRoomFor = byteBoundsOf(context);
  return {
    begin: (logout, now) =>
      database.write(() => {
        sql.purge.run({ ns, now });
        const expires_at = plusSeconds(logout.begunAt, samlLogoutSeconds);
        const record = encode(logout);
        while (!isRoomFor('saml_logouts', record)) if (sql.removeOldest.run({ ns }) === 0) return;
        sql.insert.run({ ns, id: logout.id, record, expires_at });
        sql.makeRoom.run({ ns });
      }),
    recent: (now) =>
      database.read(() =>
        sql.all
          .all({ ns })
          .map(({ record }) => record)
          .filter((logout) => isLogoutLive(logout, now)),
      ),
    change: (id, now, change) =>
      database.write(() => {
        const logout = sql.find.get({ ns, id })?.record;
        const changed = logout && isLogoutLive(logout, now) ? change(logout) : undefined;
        if (changed !== undefined) sql.update.run({ ns, id, record: encode(changed) });
        return changed;
      }),
  };
}
