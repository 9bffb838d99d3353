// The statements about `typed_claims`.
import { typedClaimsMax } from '#shared/domain/typed-claims.ts';
import { typedClaimsRow } from '../rows/typed-claims.ts';
import { purgedAtOnce } from '../store-context.ts';
import { command, query, removeBeyond, removeOldest, type StatementTexts } from './text.ts';

export const typedClaimsTexts = {
  purge: command(
    `DELETE FROM typed_claims WHERE seq IN
       (SELECT seq FROM typed_claims WHERE namespace = @ns AND kept_until <= @real LIMIT ${purgedAtOnce})`,
  ),
  find: query(
    'SELECT kept_until, record FROM typed_claims WHERE namespace = @ns AND name = @name AND kept_until > @real',
    typedClaimsRow,
  ),
  insert: command(
    'INSERT INTO typed_claims (namespace, name, kept_until, record) VALUES (@ns, @name, @until, @record)',
  ),
  remove: command('DELETE FROM typed_claims WHERE namespace = @ns AND name = @name'),
  removeOldest: removeOldest('typed_claims'),
  makeRoom: removeBeyond('typed_claims', typedClaimsMax),
} satisfies StatementTexts;
