// The statements about `consents`.
import { consentsMax } from '#shared/domain/consent.ts';
import { consentRow } from '../rows/consent.ts';
import { command, query, removeBeyond, removeOldest, type StatementTexts } from './text.ts';

export const consentTexts = {
  find: query(
    `SELECT username, client_id, scope, given_at FROM consents
     WHERE namespace = @ns AND username = @username AND client_id = @client_id`,
    consentRow,
  ),
  insert: command(
    `INSERT INTO consents (namespace, username, client_id, scope, given_at)
     VALUES (@ns, @username, @client_id, @scope, @given_at)`,
  ),
  remove: command('DELETE FROM consents WHERE namespace = @ns AND username = @username AND client_id = @client_id'),
  removeOldest: removeOldest('consents'),
  makeRoom: removeBeyond('consents', consentsMax),
} satisfies StatementTexts;
