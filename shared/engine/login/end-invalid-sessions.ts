// Ends sessions as soon as their user is deleted or gets new credentials, not only at the browser's next request
// (SSO-08). Participants are notified at once, and a new user or client with the same name inherits nothing.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient, findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { sessionLimits } from '#shared/model/domain/session.ts';
import { reasonToEnd } from './browser-sessions.ts';
import { type AuditOrigin, deleteConsents, endSessions } from './end-sessions.ts';

type SettleContext = Pick<ProtocolContext, 'store' | 'snapshot' | 'clock' | 'random'>;

/** Another user has that name now, so all sessions and consents of the previous one end (SSO-08). */
export async function forgetReplacedUser(context: SettleContext, username: string, ender: AuditOrigin): Promise<void> {
  await endSessions({ username }, 'user_deleted', ender, context);
  await deleteConsents({ username }, ender, context);
}

/** Another client has that name now, so it needs its own consent (RUN-14). */
export async function forgetReplacedClient(
  context: SettleContext,
  clientId: string,
  ender: AuditOrigin,
): Promise<void> {
  await deleteConsents({ client_id: clientId }, ender, context);
}

/** After a change of many: checks all sessions, and the consents of users and clients. */
export async function endAllInvalidSessions(context: SettleContext, ender: AuditOrigin = {}): Promise<void> {
  await endInvalidSessions(context, undefined, ender);
  await settleConsentsToClients(context, ender);
}

/** `username`: checks only that user's sessions. */
export async function endInvalidSessions(
  context: SettleContext,
  username?: string,
  ender: AuditOrigin = {},
): Promise<void> {
  const { store, snapshot, clock } = context;
  const sessions = await store.sessions.list({ username }, sessionLimits(snapshot.settings), clock.now());
  for (const session of sessions) {
    const user = (await findEffectiveUser(snapshot, store, session.username))?.user;
    const reason = await reasonToEnd(session, user, context);
    if (reason !== undefined) await endSessions({ sid: session.sid }, reason, ender, context);
  }
  // Includes users without a session.
  const allowing = new Set((await store.consents.list({ username })).map((consent) => consent.username));
  for (const name of allowing) {
    if ((await findEffectiveUser(snapshot, store, name)) !== undefined) continue;
    await deleteConsents({ username: name }, ender, context);
  }
}

/**
 * Deletes the consents to deleted clients, so that a new client with the same name requests consent again (RUN-14).
 * `clientId`: checks only that client's. Without it, clients by metadata document are skipped, because they are known
 * only while they are cached.
 */
export async function settleConsentsToClients(
  context: SettleContext,
  ender: AuditOrigin,
  clientId?: string,
): Promise<void> {
  const { store, snapshot, clock } = context;
  const allowed = new Set((await store.consents.list({ client_id: clientId })).map((consent) => consent.client_id));
  for (const name of allowed) {
    if (clientId === undefined && name.startsWith('https://')) continue;
    if ((await findEffectiveClient(snapshot, store, name, clock.now())) !== undefined) continue;
    await deleteConsents({ client_id: name }, ender, context);
  }
}
