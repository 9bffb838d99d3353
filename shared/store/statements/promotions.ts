// Where promotions stand: what is asked and told of the rows of `runtime_identities`.
import { presentRow } from '../json-columns.ts';
import { identityColumns, identityRow } from '../rows/identity.ts';
import { generationOfNamespaceRow } from '../rows/namespace.ts';
import { promotionColumns, promotionRow } from '../rows/promotion.ts';
import { command, query, type StatementTexts } from './text.ts';

export const promotionTexts = {
  findIdentity: query(
    `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name`,
    identityRow,
  ),
  find: query(
    `SELECT ${promotionColumns} FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name`,
    promotionRow,
  ),
  findClaim: query(
    `SELECT ${promotionColumns} FROM runtime_identities WHERE namespace = @ns AND claim = @claim`,
    promotionRow,
  ),
  claimed: query(
    `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND promotion = 'claimed' ORDER BY seq`,
    identityRow,
  ),
  anyToReconcile: query(
    `SELECT 1 AS present FROM runtime_identities WHERE namespace = @ns AND promotion <> 'claimed' LIMIT 1`,
    presentRow,
  ),
  all: query(`SELECT ${promotionColumns} FROM runtime_identities WHERE namespace = @ns ORDER BY seq`, promotionRow),
  store: command(
    `UPDATE runtime_identities SET promotion = @promotion, claim = @claim, owner = @owner, promotion_event = @event,
       written_generation = @generation
     WHERE namespace = @ns AND kind = @kind AND name = @name`,
  ),
  remove: command('DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name'),
  supersede: command('UPDATE generations SET superseded = 1 WHERE namespace = @ns AND generation = @generation'),
  newest: query('SELECT generation FROM namespaces WHERE namespace = @ns', generationOfNamespaceRow),
} satisfies StatementTexts;
