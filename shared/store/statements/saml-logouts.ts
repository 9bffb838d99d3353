// The statements about `saml_logouts` and `ended_assertions`.
import { endedAssertionsMax, samlLogoutsMax } from '#shared/domain/saml-logout.ts';
import { endedAssertionRow, samlLogoutRow } from '../rows/logout.ts';
import { command, query, removeBeyond, type StatementTexts } from './text.ts';

interface SamlLogoutWords {
  /** Whether a record is of a logout that has come to its end, as 0 or 1. */
  readonly ended: string;
  /** Behind ORDER BY: all but the first rows. */
  beyond(kept: number): string;
  /** What stands behind FROM for the elements of the JSON array `@given`, each called `value`. */
  readonly given: string;
}

/** What has ended gives way before what goes on. */
export const samlLogoutTexts = ({ ended, beyond, given }: SamlLogoutWords) =>
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
    keepEnded: command(
      `INSERT INTO ended_assertions (namespace, mark, session_index, expires_at)
       SELECT @ns, value ->> 0, value ->> 1, @expires_at FROM ${given}`,
    ),
    makeRoomForEnded: removeBeyond('ended_assertions', endedAssertionsMax),
    // What ended later than now has not ended: a clock went back.
    endedUnder: query(
      `SELECT session_index FROM ended_assertions
       WHERE namespace = @ns AND mark = @mark AND expires_at > @now AND expires_at <= @latest`,
      endedAssertionRow,
    ),
  }) satisfies StatementTexts;
