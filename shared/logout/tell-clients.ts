// The back channel: the clients of a session that ended are told (section LGO). What is to be told is kept with the end itself
// (`tellingOf`); whoever ended the session tries at once (`tellClients`), and what is due again, or was left by a process that
// died, is taken up by whichever process looks first (`tellDue`).
import { type Clock, instant } from '#shared/clock.ts';
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { type FindsClients, findEffectiveClient } from '#shared/domain/effective-identities.ts';
import { type DeliveryAnswer, judgeDelivery, type LogoutDelivery, leaseEnd } from '#shared/domain/logout-delivery.ts';
import { auditMoment, type MovableClock } from '#shared/domain/movable-clock.ts';
import { latestExpiry } from '#shared/issuing/latest-expiry.ts';
import type { Signer } from '#shared/issuing/signer.ts';
import type { Logger } from '#shared/logger.ts';
import type { Randomness } from '#shared/random.ts';
import type { LogoutTelling, RuntimeStore, SessionWithParticipants } from '#shared/store/ports/index.ts';
import { writeLogoutToken } from './logout-token.ts';
import { postLogoutToken } from './post-logout-token.ts';

/** What telling needs of the namespace in which a session ended. */
export interface TellingContext {
  readonly snapshot: ConfigurationSnapshot;
  readonly store: Pick<RuntimeStore, 'logoutDeliveries'> & FindsClients;
  readonly signer: Signer;
  readonly clock: MovableClock;
  readonly log: Logger;
}

/** As the REST API and the tools show it (SSO-42, LGO-21). */
export interface NotifiedClient {
  readonly client_id: string;
  readonly channel: 'backchannel' | 'frontchannel';
  readonly delivered: boolean;
  readonly http_status: number | null;
}

/**
 * What goes along with the end of sessions: a delivery for each client that took part, whether it wants to be told or not, and
 * the revocation of refresh tokens where the settings want it.
 */
export function tellingOf(
  { snapshot, random, clock }: Pick<TellingContext, 'snapshot' | 'clock'> & { readonly random: Randomness },
  /** Whoever ends the sessions tells their clients, too. */
  tellsItself: boolean,
): LogoutTelling & { readonly begun: readonly LogoutDelivery[] } {
  const begun: LogoutDelivery[] = [];
  const { logout } = snapshot.settings;
  return {
    begun,
    until: tellsItself ? leaseEnd(clock.real(), logout.delivery_timeout_ms) : clock.real(),
    revokesFamiliesUntil: logout.revoke_refresh_tokens ? latestExpiry(snapshot.settings, clock.now()) : undefined,
    deliveries: (session) => {
      const those = deliveriesFor(session, random);
      begun.push(...those);
      return those;
    },
  };
}

function deliveriesFor(
  { sid, username, participants }: SessionWithParticipants,
  random: Randomness,
): readonly LogoutDelivery[] {
  return participants.flatMap((participant) => {
    if (participant.kind !== 'client') return [];
    const { client_id, issuer } = participant;
    return [{ id: random.token(16), jti: random.token(16), attempts: 0, ...{ sid, username, client_id, issuer } }];
  });
}

/** All at the same time; resolves when each was tried once, which takes no longer than `logout.delivery_timeout_ms` (LGO-15). */
export async function tellClients(
  deliveries: readonly LogoutDelivery[],
  context: TellingContext,
): Promise<readonly NotifiedClient[]> {
  const told = await Promise.all(deliveries.map((delivery) => tell(delivery, context)));
  return told.filter((one) => one !== undefined);
}

/** Takes up what is due in a namespace. */
export async function tellDue(context: TellingContext, realClock: Clock): Promise<void> {
  const { store, snapshot } = context;
  const now = realClock.now();
  const due = await store.logoutDeliveries.takeUp(now, leaseEnd(now, snapshot.settings.logout.delivery_timeout_ms));
  await tellClients(due, context);
}

/** undefined: the client does not want to be told. */
async function tell(delivery: LogoutDelivery, context: TellingContext): Promise<NotifiedClient | undefined> {
  const { store, snapshot, signer, clock, log } = context;
  const { id, client_id } = delivery;
  const found = await findEffectiveClient(snapshot, store, client_id, clock.now());
  const address = found?.client.backchannel_logout_uri;
  if (address === undefined) {
    await store.logoutDeliveries.drop(id);
    return undefined;
  }
  const {
    delivery_timeout_ms: timeoutMilliseconds,
    verify_tls: verifyTls,
    delivery_retries,
  } = snapshot.settings.logout;
  const token = await writeLogoutToken(delivery, { signer, now: clock.now() });
  const answer = await postLogoutToken(address, token, { timeoutMilliseconds, verifyTls });
  const attempts = delivery.attempts + 1;
  const verdict = judgeDelivery(answer, attempts, delivery_retries);
  if (verdict.outcome === 'again') {
    await store.logoutDeliveries.postpone(id, instant(clock.real() + verdict.afterMilliseconds));
    log.debug({ client_id, attempts, reason: answer.reason }, 'a logout token is sent again');
  } else {
    await settle(delivery, answer, { attempts, delivered: verdict.outcome === 'delivered' }, context);
  }
  const delivered = verdict.outcome === 'delivered';
  return { client_id, channel: 'backchannel', delivered, http_status: answer.status ?? null };
}

async function settle(
  { id, sid, username, client_id }: LogoutDelivery,
  { status, reason }: DeliveryAnswer,
  { attempts, delivered }: { readonly attempts: number; readonly delivered: boolean },
  { store, clock }: TellingContext,
): Promise<void> {
  await store.logoutDeliveries.settle(id, {
    event_type: 'backchannel_logout',
    status: delivered ? 'success' : 'failed',
    ...auditMoment(clock),
    username,
    client_id,
    details: { sid, attempts, http_status: status ?? null, ...(delivered ? {} : { reason }) },
  });
}
