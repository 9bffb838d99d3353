// An ID token of ours, presented as a hint at /authorize and /logout. Expired tokens and those of any client are
// accepted (SSO-22, OUT-04). undefined for everything else, which identifies no user (OUT-05, D50).
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { verifyToken } from '#shared/engine/tokens/verify-token.ts';

export interface IdTokenHint {
  readonly clientId: string | undefined;
  readonly username: string | undefined;
  /** The session in which it was issued. */
  readonly sid: string | undefined;
}

export async function readIdTokenHint(
  token: string,
  { keys, clock }: Pick<ProtocolContext, 'keys' | 'clock'>,
): Promise<IdTokenHint | undefined> {
  const verified = await verifyToken(token, { keys, now: clock.now(), acceptExpired: true });
  if (verified === undefined) return undefined;
  const { aud, azp, sub, sid, token_use, events } = verified.claims;
  if (token_use === 'access' || token_use === 'refresh' || events !== undefined) return undefined;
  // With several audiences, azp names the client it was issued to (OIDC Core §2).
  return { clientId: text(azp) ?? text(aud), username: text(sub), sid: text(sid) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
