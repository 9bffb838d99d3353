// Ends the sessions whose users are gone or whose credentials changed, once that came about and not first when the browser
// comes back (SSO-08): those who took part are told at once, and a user or client made anew by that name inherits nothing.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient, findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { sessionLimits } from '#shared/model/domain/session.ts';
import { reasonToEnd } from './browser-sessions.ts';
import { type AuditOrigin, deleteConsents, endSessions } from './end-sessions.ts';

type SettleContext = Pick<ProtocolContext, 'store' | 'snapshot' | 'clock' | 'random'>;

/** Another user has that name from now on: nothing of the one before goes on (SSO-08). */
export async function forgetReplacedUser(context: SettleContext, username: string, ender: AuditOrigin): Promise<void> {
  await endSessions({ username }, 'user_deleted', ender, context);
  await deleteConsents({ username }, ender, context);
}

/** Another client has that name from now on: it asks for consent itself (RUN-14). */
export async function forgetReplacedClient(
  context: SettleContext,
  clientId: string,
  ender: AuditOrigin,
): Promise<void> {
  await deleteConsents({ client_id: clientId }, ender, context);
}

/** After a change of many: sessions, and what users and clients were allowed. */
export async function endAllInvalidSessions(context: SettleContext, ender: AuditOrigin = {}): Promise<void> {
  await endInvalidSessions(context, undefined, ender);
  await settleConsentsToClients(context, ender);
}

/** `username`: only that user's. */
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
  // Of those without a session, too.
  const allowing = new Set((await store.consents.list({ username })).map((consent) => consent.username));
  for (const name of allowing) {
    if ((await findEffectiveUser(snapshot, store, name)) !== undefined) continue;
    await deleteConsents({ username: name }, ender, context);
  }
}

/**
 * Forgets what clients were allowed that are gone: one made anew by such a name asks again (RUN-14). `clientId`: only that one's.
 * Without it those by metadata document are left alone, which are known only while they are cached.
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
