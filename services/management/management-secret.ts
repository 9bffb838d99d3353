// The management secret. A request proves it by header, or by a session that was unlocked with exactly this secret
// (RST-15, WEB-21). It is compared in constant time, for any characters (RST-16).
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';

/** The field of the unlock form, and of every form that a locked browser gets. */
export const unlockField = 'management_secret';

export const managementSecretHeader = 'X-Management-Secret';

/** Whether this request may write: no secret is set, the header has it, or the session was unlocked. */
export async function mayWrite(request: Pick<ParsedRequest, 'headers'>, context: ManagementContext): Promise<boolean> {
  const secret = context.snapshot.managementSecret;
  if (secret === undefined) return true;
  const header = request.headers[managementSecretHeader.toLowerCase()];
  if (typeof header === 'string') return secretsEqual(header, secret);
  return isUnlocked(context);
}

/** Whether this browser's session was unlocked with the active secret. */
export async function isUnlocked(context: ManagementContext): Promise<boolean> {
  const secret = context.snapshot.managementSecret;
  if (secret === undefined) return true;
  const session = await context.managementSession();
  const { unlocked } = session.content;
  return unlocked !== undefined && secretsEqual(unlocked, session.markOf(secret));
}

/** The cookie that unlocks this browser's session. undefined: the typed secret is wrong. */
export async function unlockingCookie(typed: string, context: ManagementContext): Promise<string | undefined> {
  const secret = context.snapshot.managementSecret;
  if (secret === undefined || !secretsEqual(typed, secret)) return undefined;
  const session = await context.managementSession();
  return session.cookie({ unlocked: session.markOf(secret) });
}
