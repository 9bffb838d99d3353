// The last Response to each SAML service provider, in SQLite.
import * as z from 'zod';
import type { DeliveredResponses } from '../ports/coordination.ts';
import type { Statements } from './database.ts';
import type { NamespaceContext } from './namespace-context.ts';

const serviceProvidersMax = 200;
const documentCharactersMax = 256 * 1024;

const statements = (sql: Statements) => ({
  find: sql.query(
    'SELECT document FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp',
    z.object({ document: z.string() }),
  ),
  remove: sql.command('DELETE FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp'),
  insert: sql.command(
    'INSERT INTO delivered_responses (namespace, service_provider, document) VALUES (@ns, @sp, @document)',
  ),
  makeRoom: sql.command(
    `DELETE FROM delivered_responses WHERE seq IN (
       SELECT seq FROM delivered_responses WHERE namespace = @ns ORDER BY seq DESC LIMIT -1 OFFSET ${serviceProvidersMax})`,
  ),
});

export function deliveredResponsesAdapter({ database, ns }: NamespaceContext): DeliveredResponses {
  const sql = database.prepared(statements);
  return {
    remember: (sp, document) =>
      database.write(() => {
        sql.remove.run({ ns, sp });
        if (document.length > documentCharactersMax) return;
        sql.insert.run({ ns, sp, document });
        sql.makeRoom.run({ ns });
      }),
    last: (sp) => database.read(() => sql.find.get({ ns, sp })?.document),
  };
}
