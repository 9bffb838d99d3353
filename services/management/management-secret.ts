// The management secret: how a request proves it, by header or by a session that was unlocked with exactly this secret
// (RST-15, WEB-21). Compared as digests, in constant time and whatever characters were sent (RST-16).
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';

/** The field of the unlock form, and of every form that a locked browser is shown. */
export const unlockField = 'management_secret';

export const managementSecretHeader = 'X-Management-Secret';

/** Whether writes are open to this request: no secret is set, the header brings it, or the session was unlocked. */
export async function mayWrite(request: Pick<ParsedRequest, 'headers'>, context: RequestContext): Promise<boolean> {
  const secret = context.snapshot.managementSecret;
  if (secret === undefined) return true;
  const header = request.headers[managementSecretHeader.toLowerCase()];
  if (typeof header === 'string') return isManagementSecret(header, secret);
  return isUnlocked(context);
}

/** Whether this browser's session was unlocked with the secret in force. */
export async function isUnlocked(context: RequestContext): Promise<boolean> {
  const secret = context.snapshot.managementSecret;
  if (secret === undefined) return true;
  const { unlocked } = (await context.session()).content;
  return unlocked !== undefined && isEqual(Buffer.from(unlocked), Buffer.from(unlockMark(secret)));
}

function isManagementSecret(candidate: string, secret: string): boolean {
  return isEqual(digest(candidate), digest(secret));
}

/** The cookie of this browser's session, unlocked with what was typed; undefined: the secret is wrong. */
export async function unlockingCookie(typed: string, context: RequestContext): Promise<string | undefined> {
  const secret = context.snapshot.managementSecret;
  if (secret === undefined || !isManagementSecret(typed, secret)) return undefined;
  return (await context.session()).cookie({ unlocked: unlockMark(secret) });
}

/** What a session remembers of the secret it was unlocked with: never the secret itself. */
function unlockMark(secret: string): string {
  return digest(secret).toString('hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
