// Single logouts under way in PostgreSQL.
import * as z from 'zod';
import { plusSeconds } from '#shared/clock.ts';
import { isLogoutLive, samlLogoutSeconds, samlLogoutsMax } from '#shared/domain/saml-logout.ts';
import { encode, encoded, samlLogoutShape } from '../json-columns.ts';
import type { SamlLogouts } from '../ports/saml-logouts.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import { type NamespaceContext, purge } from './namespace-context.ts';
import { command, query } from './statement.ts';

const logoutRow = z.object({ record: encoded(samlLogoutShape) });

const sql = {
  purge: purge('saml_logouts'),
  insert: command(
    'INSERT INTO saml_logouts (namespace, id, record, expires_at) VALUES (@ns, @id, @record, @expires_at)',
  ),
  removeOldest: command(
    'DELETE FROM saml_logouts WHERE seq = (SELECT seq FROM saml_logouts WHERE namespace = @ns ORDER BY seq LIMIT 1)',
  ),
  makeRoom: command(
    `DELETE FROM saml_logouts WHERE seq IN (
       SELECT seq FROM saml_logouts WHERE namespace = @ns ORDER BY seq DESC OFFSET ${samlLogoutsMax})`,
  ),
  all: query('SELECT record FROM saml_logouts WHERE namespace = @ns ORDER BY seq DESC', logoutRow),
  find: query('SELECT record FROM saml_logouts WHERE namespace = @ns AND id = @id', logoutRow),
  update: command('UPDATE saml_logouts SET record = @record WHERE namespace = @ns AND id = @id'),
};

export function samlLogoutsAdapter(context: NamespaceContext): SamlLogouts {
  const { database, ns } = context;
  const isRoomFor = byteBoundsOf(context);
  return {
    begin: (logout, now) =>
      database.write('saml_logouts', async (on) => {
        await sql.purge.run(on, { ns, now });
        const expires_at = plusSeconds(logout.begunAt, samlLogoutSeconds);
        const record = encode(logout);
        while (!(await isRoomFor(on, 'saml_logouts', record)))
          if ((await sql.removeOldest.run(on, { ns })) === 0) return;
        await sql.insert.run(on, { ns, id: logout.id, record, expires_at });
        await sql.makeRoom.run(on, { ns });
      }),
    recent: (now) =>
      database.read(async (on) =>
        (await sql.all.all(on, { ns })).map(({ record }) => record).filter((logout) => isLogoutLive(logout, now)),
      ),
    change: (id, now, change) =>
      database.write('saml_logouts', async (on) => {
        const logout = (await sql.find.get(on, { ns, id }))?.record;
        const changed = logout && isLogoutLive(logout, now) ? change(logout) : undefined;
        if (changed !== undefined) await sql.update.run(on, { ns, id, record: encode(changed) });
        return changed;
      }),
  };
}
