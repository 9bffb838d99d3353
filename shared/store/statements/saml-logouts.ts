// The statements about `saml_logouts`.
import { samlLogoutsMax } from '#shared/domain/saml-logout.ts';
import { samlLogoutRow } from '../rows/logout.ts';
import { command, query, removeBeyond, removeOldest, type StatementTexts } from './text.ts';

export const samlLogoutTexts = {
  insert: command(
    'INSERT INTO saml_logouts (namespace, id, record, expires_at) VALUES (@ns, @id, @record, @expires_at)',
  ),
  removeOldest: removeOldest('saml_logouts'),
  makeRoom: removeBeyond('saml_logouts', samlLogoutsMax),
  all: query('SELECT record FROM saml_logouts WHERE namespace = @ns ORDER BY seq DESC', samlLogoutRow),
  find: query('SELECT record FROM saml_logouts WHERE namespace = @ns AND id = @id', samlLogoutRow),
  update: command('UPDATE saml_logouts SET record = @record WHERE namespace = @ns AND id = @id'),
} satisfies StatementTexts;
