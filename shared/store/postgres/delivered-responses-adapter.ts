// The last Response to each SAML service provider, in PostgreSQL.
import * as z from 'zod';
import type { DeliveredResponses } from '../ports/coordination.ts';
import type { NamespaceContext } from './namespace.ts';
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
    remember: (sp, document) =>
      database.write('delivered_responses', async (on) => {
        await sql.remove.run(on, { ns, sp });
        if (document.length > documentCharactersMax) return;
        await sql.insert.run(on, { ns, sp, document });
        await sql.makeRoom.run(on, { ns });
      }),
    last: (sp) => database.read(async (on) => (await sql.find.get(on, { ns, sp }))?.document),
  };
}
