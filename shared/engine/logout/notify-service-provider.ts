// Notifies a service provider when no browser carries the request: by SOAP where it supports that (SLO-20).

import { findEffectiveServiceProvider } from '#shared/engine/identities/effective-identities.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { ServiceProviderDelivery } from '#shared/model/domain/logout-delivery.ts';
import { logoutRequest } from '#shared/model/saml-rules/logout-messages.ts';
import { documentMoment } from '#shared/protocol/saml/instants.ts';
import type { LogoutContext, NotifiedServiceProvider } from './logout-context.ts';
import { logOutBySoap } from './soap-logout.ts';
import { tryDelivery } from './try-delivery.ts';

/** undefined: it takes no part in logouts (SLO-03). */
export async function notifyServiceProvider(
  delivery: ServiceProviderDelivery,
  context: LogoutContext,
): Promise<NotifiedServiceProvider | undefined> {
  const { store, snapshot, clock } = context;
  const { id, sid, username, entity_id, issuer } = delivery;
  const found = await findEffectiveServiceProvider(snapshot, store, entity_id);
  const address = found && soapAddressOf(found.serviceProvider);
  if (found === undefined || address === undefined) {
    await store.logoutDeliveries.drop(id);
    const needsBrowser = found !== undefined && found.serviceProvider.slo.length > 0;
    const untold = { channel: 'frontchannel', delivered: false, http_status: null, reason: 'needs_a_browser' } as const;
    return needsBrowser ? { entity_id, ...untold } : undefined;
  }
  const head = { id: delivery.request_id, at: documentMoment(clock.now()), entityId: issuer, destination: address };
  const about = { flows: [`session:${sid}`], username } as const;
  const logoutOrder = { serviceProvider: found.serviceProvider, address, about };
  const answer = await logOutBySoap(logoutRequest(head, delivery), logoutOrder, context);
  const delivered = await tryDelivery(delivery, answer, context, ({ attempts, delivered, status, reason }) => ({
    event_type: 'saml_logout',
    details: {
      ...{ sp: entity_id, binding: 'SOAP', outcome: delivered ? 'told' : 'failed', sid, attempts, http_status: status },
      ...(reason === undefined ? {} : { reason }),
    },
  }));
  const reason = delivered ? null : (answer.reason ?? null);
  return { entity_id, channel: 'soap', delivered, http_status: answer.status ?? null, reason };
}

function soapAddressOf({ slo }: Pick<ServiceProvider, 'slo'>): string | undefined {
  return slo.find(({ binding }) => binding === 'SOAP')?.url;
}
