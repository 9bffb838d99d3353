// Ends the sessions whose users are gone or whose credentials changed, once that came about and not first when the browser
// comes back (SSO-08): those who took part are told at once, and a user made anew by that name inherits nothing.
import { findEffectiveUser } from '#shared/domain/effective-identities.ts';
import { sessionLimits } from '#shared/domain/session.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { reasonToEnd } from './browser-sessions.ts';
import { deleteConsents, type Ender, endSessions } from './end-sessions.ts';

type SettleContext = Pick<RequestContext, 'store' | 'snapshot' | 'clock' | 'random'>;

/** Another user has that name from now on: nothing of the one before goes on (SSO-08). */
export async function forgetReplacedUser(context: SettleContext, username: string, ender: Ender): Promise<void> {
  await endSessions({ username }, 'user_deleted', ender, context);
  await deleteConsents({ username }, ender, context);
}

/** `username`: only that user's. */
export async function settleSessions(context: SettleContext, username?: string, ender: Ender = {}): Promise<void> {
  const { store, snapshot, clock } = context;
  const sessions = await store.sessions.list({ username }, sessionLimits(snapshot.settings), clock.now());
  const gone = new Set<string>();
  for (const session of sessions) {
    const user = (await findEffectiveUser(snapshot, store, session.username))?.user;
    const reason = await reasonToEnd(session, user, context);
    if (reason === undefined) continue;
    await endSessions({ sid: session.sid }, reason, ender, context);
    if (reason === 'user_deleted') gone.add(session.username);
  }
  for (const name of gone) await deleteConsents({ username: name }, ender, context);
}
