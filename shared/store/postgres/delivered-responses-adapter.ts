// The last Response to each SAML service provider, in PostgreSQL.
import { isKeptAsDelivered } from '#shared/domain/delivered-response.ts';
import type { DeliveredResponses } from '../ports/coordination.ts';
import { deliveredResponseTexts } from '../statements/delivered-responses.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { prepared } from './statement.ts';

const sql = prepared(deliveredResponseTexts);

export function deliveredResponsesAdapter({ database, ns }: NamespaceContext): DeliveredResponses {
  return {
    remember: async (sp, document) => {
      const isKept = isKeptAsDelivered(document);
      const insertion = [sql.insert.bound({ ns, sp, document }), sql.makeRoom.bound({ ns })];
      await database.change('delivered_responses', [sql.remove.bound({ ns, sp }), ...(isKept ? insertion : [])]);
    },
    last: (sp) => database.read(async (on) => (await sql.find.get(on, { ns, sp }))?.document),
  };
}
