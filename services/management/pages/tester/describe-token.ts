// A decoded token for people: header, claims with times in words, and whether its signature is ours.
import type { Instant } from '#shared/base/clock.ts';
import { isNestedDeeperThan, nestingMax } from '#shared/base/untrusted-values.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { decodeToken, verifyToken } from '#shared/engine/tokens/verify-token.ts';
import { distanceText, utcText } from '../instants.tsx';

interface DescribedClaim {
  readonly name: string;
  readonly json: string;
  /** A NumericDate in words (RFC 7519 §2). */
  readonly moment: string | undefined;
}

export type SignatureState = 'valid' | 'expired' | 'invalid';

export interface DescribedToken {
  readonly header: string;
  readonly payload: string;
  readonly claims: readonly DescribedClaim[];
  readonly signature: SignatureState;
  readonly kid: string | undefined;
}

const timeClaims: ReadonlySet<string> = new Set(['iat', 'nbf', 'exp', 'auth_time', 'updated_at']);

/** undefined for text that is not a compact JWS, or is nested too deeply to be serialized again. */
export async function describeToken(
  token: string,
  { keys, clock }: Pick<ProtocolContext, 'keys' | 'clock'>,
): Promise<DescribedToken | undefined> {
  const decoded = decodeToken(token);
  if (decoded === undefined || [decoded.header, decoded.payload].some(isTooDeep)) return undefined;
  const now = clock.now();
  const { kid } = decoded.header;
  return {
    header: JSON.stringify(decoded.header, null, 2),
    payload: JSON.stringify(decoded.payload, null, 2),
    claims: Object.entries(decoded.payload).map(([name, value]) => ({
      name,
      json: typeof value === 'string' ? value : JSON.stringify(value),
      moment: timeClaims.has(name) && typeof value === 'number' ? momentText(value, now) : undefined,
    })),
    signature: await signatureState(token, keys, now),
    kid: typeof kid === 'string' ? kid : undefined,
  };
}

function isTooDeep(part: Readonly<Record<string, unknown>>): boolean {
  return isNestedDeeperThan(nestingMax, part);
}

async function signatureState(token: string, keys: ProtocolContext['keys'], now: Instant): Promise<SignatureState> {
  if ((await verifyToken(token, { keys, now })) !== undefined) return 'valid';
  return (await verifyToken(token, { keys, now, acceptExpired: true })) === undefined ? 'invalid' : 'expired';
}

function momentText(seconds: number, now: Instant): string | undefined {
  const text = utcText(seconds * 1000);
  return text === undefined ? undefined : `${text}, ${distanceText(seconds * 1000, now)}`;
}
