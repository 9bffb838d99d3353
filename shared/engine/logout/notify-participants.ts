// Notifies the participants of an ended session: clients on the back channel (section LGO), and service providers by
// SOAP where no browser carries the request (SLO-20). The deliveries are stored together with the end itself
// (`notificationsOf`). The process that ended the session tries them at once (`notifyParticipants`). Deliveries that are due
// again, or whose process died, are taken by the next process that looks for due ones (`sendDueNotifications`).
import type { Clock } from '#shared/base/clock.ts';
import type { Randomness } from '#shared/base/random.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import { type LogoutDelivery, leaseEnd } from '#shared/model/domain/logout-delivery.ts';
import { assertionsOf } from '#shared/model/domain/session.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import type { LogoutTelling, SessionWithParticipants } from '#shared/state/store/ports/index.ts';
import type { LogoutContext, Notified } from './logout-context.ts';
import { notifyClient } from './notify-client.ts';
import { notifyServiceProvider } from './notify-service-provider.ts';

interface Notifier {
  /** The process that ends the sessions notifies the participants itself. */
  readonly notifiesAtOnce: boolean;
  /** A browser carries the requests to the service providers; otherwise they are notified directly. */
  readonly hasBrowser: boolean;
}

/**
 * What is stored with the end of sessions: a delivery for each participant, whether it wants notification or not, and
 * the revocation of refresh tokens where the settings require it.
 */
export function notificationsOf(
  { snapshot, random, clock }: Pick<LogoutContext, 'snapshot' | 'clock'> & { readonly random: Randomness },
  { notifiesAtOnce, hasBrowser }: Notifier,
): LogoutTelling & { readonly begun: readonly LogoutDelivery[] } {
  const begun: LogoutDelivery[] = [];
  const { logout, saml } = snapshot.settings;
  const notifiesServiceProviders = saml.single_logout && !hasBrowser;
  return {
    begun,
    until: notifiesAtOnce ? leaseEnd(clock.real(), logout.delivery_timeout_ms) : clock.real(),
    revokesFamiliesUntil: logout.revoke_refresh_tokens ? latestExpiry(snapshot.settings, clock.now()) : undefined,
    deliveries: (session) => {
      const those = deliveriesFor(session, random).filter(({ kind }) => kind === 'client' || notifiesServiceProviders);
      begun.push(...those);
      return those;
    },
  };
}

function deliveriesFor(
  { sid, username, participants }: SessionWithParticipants,
  random: Randomness,
): readonly LogoutDelivery[] {
  return participants.flatMap((participant): LogoutDelivery[] => {
    const common = { id: random.token(16), sid, username, attempts: 0 };
    if (participant.kind === 'client') {
      const { kind, client_id, issuer } = participant;
      return [{ ...common, kind, client_id, issuer, jti: random.token(16) }];
    }
    const { kind, entity_id, issuer, name_id } = participant;
    const session_indexes = assertionsOf(participant)
      .map(({ session_index }) => session_index)
      .toReversed();
    return [
      { ...common, ...{ kind, entity_id, issuer, name_id, session_indexes }, request_id: freshIdentifier(random) },
    ];
  });
}

/**
 * Runs all deliveries in parallel. Resolves when each was tried once, which takes at most `logout.delivery_timeout_ms`
 * (LGO-15).
 */
export async function notifyParticipants(
  deliveries: readonly LogoutDelivery[],
  context: LogoutContext,
): Promise<readonly Notified[]> {
  const notified = await Promise.all(
    deliveries.map((delivery) =>
      delivery.kind === 'client' ? notifyClient(delivery, context) : notifyServiceProvider(delivery, context),
    ),
  );
  return notified.filter((one) => one !== undefined);
}

/** Takes the due deliveries of a namespace. */
export async function sendDueNotifications(context: LogoutContext, realClock: Clock): Promise<void> {
  const { store, snapshot } = context;
  const now = realClock.now();
  const due = await store.logoutDeliveries.takeUp(now, leaseEnd(now, snapshot.settings.logout.delivery_timeout_ms));
  await notifyParticipants(due, context);
}
