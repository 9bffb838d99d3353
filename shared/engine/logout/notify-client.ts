// Notifies a client on the back channel: a logout token to its address (section LGO).

import { hooked } from '#shared/engine/exchange/output-hooks.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { type ClientDelivery, isDelivered } from '#shared/model/domain/logout-delivery.ts';
import type { LogoutContext, NotifiedClient } from './logout-context.ts';
import { writeLogoutToken } from './logout-token.ts';
import { postLogoutToken } from './post-logout-token.ts';
import { recordDelivery } from './record-delivery.ts';
import { tryDelivery } from './try-delivery.ts';

/** undefined: the client does not want to be notified. */
export async function notifyClient(
  delivery: ClientDelivery,
  context: LogoutContext,
): Promise<NotifiedClient | undefined> {
  const { store, snapshot, signer, clock, outputHooks } = context;
  const { id, sid, client_id, username } = delivery;
  const found = await findEffectiveClient(snapshot, store, client_id, clock.now());
  const address = found?.client.backchannel_logout_uri;
  if (address === undefined) {
    await store.logoutDeliveries.drop(id);
    return undefined;
  }
  const { delivery_timeout_ms: timeoutMilliseconds, verify_tls: verifyTls } = snapshot.settings.logout;
  const right = await writeLogoutToken(delivery, { signer, now: clock.now() });
  const token = await hooked(right, outputHooks?.logoutToken);
  const begunAt = clock.real();
  const answer = await postLogoutToken(address, token, { timeoutMilliseconds, verifyTls });
  await recordDelivery(
    {
      ...{ endpoint: 'backchannel_logout', flows: [`session:${sid}`], address, begunAt, clientId: client_id, username },
      ...{ contentType: 'application/x-www-form-urlencoded', parameters: [['logout_token', token]] },
      ...{ answer, isDelivered: isDelivered(answer) },
    },
    context,
  );
  const delivered = await tryDelivery(delivery, answer, context, ({ attempts, status, reason }) => ({
    event_type: 'backchannel_logout',
    client_id,
    details: { sid, attempts, http_status: status, ...(reason === undefined ? {} : { reason }) },
  }));
  return { client_id, channel: 'backchannel', delivered, http_status: answer.status ?? null };
}
