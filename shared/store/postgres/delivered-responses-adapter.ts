// The last Response to each SAML service provider, in PostgreSQL.
import * as z from 'zod';
import type { DeliveredResponses } from '../ports/coordination.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { command, query } from './statement.ts';

const serviceProvidersMax = 200;
const documentCharactersMax = 256 * 1024;

const sql = {
  find: query(
    'SELECT document FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp',
    z.object({ document: z.string() }),
  ),
  remove: command('DELETE FROM delivered_responses WHERE namespace = @ns AND service_provider = @sp'),
  insert: command(
    'INSERT INTO delivered_responses (namespace, service_provider, document) VALUES (@ns, @sp, @document)',
  ),
  makeRoom: command(
    `DELETE FROM delivered_responses WHERE seq IN (
       SELECT seq FROM delivered_responses WHERE namespace = @ns ORDER BY seq DESC OFFSET ${serviceProvidersMax})`,
  ),
};

export function deliveredResponsesAdapter({ database, ns }: NamespaceContext): DeliveredResponses {
  return {
    remember: async (sp, document) => {
      const isKept = document.length <= documentCharactersMax;
      const insertion = [sql.insert.bound({ ns, sp, document }), sql.makeRoom.bound({ ns })];
      await database.change('delivered_responses', [sql.remove.bound({ ns, sp }), ...(isKept ? insertion : [])]);
    },
    last: (sp) => database.read(async (on) => (await sql.find.get(on, { ns, sp }))?.document),
  };
}
