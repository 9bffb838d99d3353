// The end of sessions: one operation of the store, which answers each ended session to exactly one caller. What follows an
// end, such as telling those who took part, is done here and for every door.
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import { auditMoment } from '#shared/domain/movable-clock.ts';
import { type Session, sessionLimits } from '#shared/domain/session.ts';
import { type ParsedRequest, type RequestContext, requestFacts } from '#shared/http/request.ts';
import type { SessionFilter, SessionWithParticipants } from '#shared/store/ports/index.ts';

/** Why a session ended before its time (SSO-46). */
export type EndReason = 'logout' | 'api' | 'user_deleted' | 'credentials_changed';

export type EndContext = Pick<RequestContext, 'store' | 'snapshot' | 'clock'> &
  Partial<Pick<RequestContext, 'clientAddress' | 'userAgent'>>;

/** `request`: the one that ended them; undefined: a change of the configuration or of a user did. */
export async function endSessions(
  filter: SessionFilter,
  reason: EndReason,
  request: ParsedRequest | undefined,
  context: EndContext,
): Promise<readonly SessionWithParticipants[]> {
  const { store, snapshot, clock, clientAddress, userAgent } = context;
  const facts = request && requestFacts(request, { clientAddress, userAgent });
  const event = ({ sid, username }: Session): AuditEvent => ({
    ...{ event_type: 'session_ended', status: 'success', ...auditMoment(clock), ...facts },
    ...(request === undefined ? {} : { endpoint: request.path }),
    ...{ username, details: { sid, reason } },
  });
  return store.sessions.end(filter, sessionLimits(snapshot.settings), clock.now(), event);
}
