// The end of sessions: one operation of the store, which returns each ended session to exactly one caller. The
// consequences of an end, such as notifying the participants, are handled here for every surface.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { frontChannelClients } from '#shared/engine/logout/front-channel.ts';
import type { LogoutContext, Notified } from '#shared/engine/logout/logout-context.ts';
import { notificationsOf, notifyParticipants } from '#shared/engine/logout/notify-participants.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { Consent } from '#shared/model/domain/consent.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import { assertionsGiven } from '#shared/model/domain/saml-logout.ts';
import { type Session, sessionLimits } from '#shared/model/domain/session.ts';
import type {
  ConsentFilter,
  RuntimeStore,
  SessionFilter,
  SessionWithParticipants,
} from '#shared/state/store/ports/index.ts';

/** Why a session ended early (SSO-46). */
type EndReason = 'logout' | 'api' | 'user_deleted' | 'credentials_changed';

export interface Ending {
  readonly ended: readonly SessionWithParticipants[];
  readonly notified: readonly Notified[];
}

/**
 * The origin of the end: what its events record of the request or tool. Empty where a change of a user or of the files
 * ended the session.
 */
export type AuditOrigin = Partial<Pick<AuditEvent, 'endpoint' | 'method' | 'ip_address' | 'user_agent'>>;

interface EndContext extends Pick<ProtocolContext, 'clock' | 'random'> {
  readonly snapshot: LogoutContext['snapshot'];
  readonly store: Pick<RuntimeStore, 'sessions' | 'samlLogouts'>;
  /**
   * Notifies the participants; left out: a process that looks for due deliveries notifies them
   * (shared/engine/logout/send-due-notifications.ts).
   */
  readonly teller?: LogoutContext | undefined;
}

export async function endSessions(
  filter: SessionFilter,
  reason: EndReason,
  ender: AuditOrigin,
  context: EndContext,
): Promise<Ending> {
  const { store, snapshot, clock } = context;
  const event = ({ sid, username }: Session): AuditEvent => ({
    ...{ event_type: 'session_ended', status: 'success', ...auditMoment(clock), ...ender },
    ...{ username, details: { sid, reason } },
  });
  const { settings } = snapshot;
  const { teller } = context;
  const telling = notificationsOf(context, { notifiesAtOnce: teller !== undefined, hasBrowser: reason === 'logout' });
  const ended = await store.sessions.end(filter, sessionLimits(settings), clock.now(), event, telling);
  // A service provider that requests the end of a session that has already ended gets a success response (SLO-04).
  const given = settings.saml.single_logout ? assertionsGiven(ended) : [];
  if (given.length > 0) await store.samlLogouts.keepEnded(given, clock.now());
  return { ended, notified: teller === undefined ? [] : await notifyParticipants(telling.begun, teller) };
}

/**
 * Ends sessions without a browser. Clients that only have the front channel are not notified, and the result reports
 * that (LGO-21).
 */
export async function endSessionsFromOutside(
  filter: SessionFilter,
  ender: AuditOrigin,
  context: EndContext & { readonly teller: LogoutContext },
): Promise<Ending> {
  const { ended, notified } = await endSessions(filter, 'api', ender, context);
  const unreached = (await frontChannelClients(ended, context.teller)).map(
    ({ client: { client_id } }): Notified => ({
      ...{ client_id, channel: 'frontchannel', delivered: false, http_status: null },
    }),
  );
  return { ended, notified: [...notified, ...unreached] };
}

/** Returns the number of deleted consents. */
export function deleteConsents(
  filter: ConsentFilter,
  ender: AuditOrigin,
  { store, clock }: Pick<ProtocolContext, 'clock'> & { readonly store: Pick<RuntimeStore, 'consents'> },
): Promise<number> {
  return store.consents.remove(filter, ({ username, client_id, scope }: Consent) => ({
    ...{ event_type: 'consent_deleted', status: 'success', ...auditMoment(clock), ...ender },
    ...{ username, client_id, details: { client_id, scope: scope.join(' ') } },
  }));
}
