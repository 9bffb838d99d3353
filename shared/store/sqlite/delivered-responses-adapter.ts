// The last Response to each SAML service provider, in SQLite.
import { isKeptAsDelivered } from '#shared/domain/delivered-response.ts';
import type { DeliveredResponses } from '../ports/coordination.ts';
import { deliveredResponseTexts } from '../statements/delivered-responses.ts';
import type { NamespaceContext } from './namespace-context.ts';

export function deliveredResponsesAdapter({ database, ns }: NamespaceContext): DeliveredResponses {
  const sql = database.prepare(deliveredResponseTexts);
  return {
    remember: (sp, document) =>
      database.write(() => {
        sql.remove.run({ ns, sp });
        if (!isKeptAsDelivered(document)) return;
        sql.insert.run({ ns, sp, document });
        sql.makeRoom.run({ ns });
      }),
    last: (sp) => database.read(() => sql.find.get({ ns, sp })?.document),
  };
}
