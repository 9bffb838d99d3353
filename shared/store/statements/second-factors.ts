// The statements about `second_factors`.
import { countRow } from '../json-columns.ts';
import { factorRow } from '../rows/second-factor.ts';
import { removeStale } from './pending.ts';
import { command, query, type StatementTexts } from './text.ts';

export const secondFactorTexts = {
  remove: command('DELETE FROM second_factors WHERE namespace = @ns AND id = @id'),
  count: query('SELECT count(*) AS count FROM second_factors WHERE namespace = @ns', countRow),
  insert: command(
    `INSERT INTO second_factors (namespace, id, browser, surface, purpose, username, password_verified_at, expires_at,
       real_until)
     VALUES (@ns, @id, @browser, @surface, @purpose, @username, @password_verified_at, @expires_at, @real_until)`,
  ),
  removeStale: removeStale('second_factors'),
  find: query(
    `SELECT id, browser, surface, purpose, username, password_verified_at FROM second_factors
     WHERE namespace = @ns AND id = @id`,
    factorRow,
  ),
} satisfies StatementTexts;

/** `users`: a condition for the names of runtime users that are about to be deleted. */
const withdrawn = (users: string) =>
  command(`UPDATE second_factors SET username = '' WHERE namespace = @ns AND ${users}`);

/** Whoever waited for the code of a user that is deleted waits for nobody's any more (LOG-24). */
export const withdrawSecondFactorTexts = {
  ofUser: withdrawn('username = @name'),
  ofFreeUsers: withdrawn(
    `username IN (SELECT name FROM runtime_identities WHERE namespace = @ns AND kind = 'user' AND promotion = 'free')`,
  ),
} satisfies StatementTexts;
