// The statements about `saml_logouts`.
import { samlLogoutsMax } from '#shared/domain/saml-logout.ts';
import { samlLogoutRow } from '../rows/logout.ts';
import { command, query, type StatementTexts } from './text.ts';

interface SamlLogoutWords {
  /** Whether a record is of a logout that has come to its end, as 0 or 1. */
  readonly ended: string;
  /** Behind ORDER BY: all but the first rows. */
  beyond(kept: number): string;
}

/** What has ended gives way before what goes on. */
export const samlLogoutTexts = ({ ended, beyond }: SamlLogoutWords) =>
  ({
    insert: command(
      'INSERT INTO saml_logouts (namespace, id, record, expires_at) VALUES (@ns, @id, @record, @expires_at)',
    ),
    removeOldest: command(
      `DELETE FROM saml_logouts WHERE seq = (
       SELECT seq FROM saml_logouts WHERE namespace = @ns ORDER BY ${ended} DESC, seq LIMIT 1)`,
    ),
    makeRoom: command(
      `DELETE FROM saml_logouts WHERE seq IN (
       SELECT seq FROM saml_logouts WHERE namespace = @ns ORDER BY ${ended}, seq DESC ${beyond(samlLogoutsMax)})`,
    ),
    all: query('SELECT record FROM saml_logouts WHERE namespace = @ns ORDER BY seq DESC', samlLogoutRow),
    find: query('SELECT record FROM saml_logouts WHERE namespace = @ns AND id = @id', samlLogoutRow),
    update: command('UPDATE saml_logouts SET record = @record WHERE namespace = @ns AND id = @id'),
  }) satisfies StatementTexts;
