// Decodes a compact JWS without verifying anything.
import { isMapping } from '#shared/base/untrusted-values.ts';

type Claims = Readonly<Record<string, unknown>>;

interface DecodedToken {
  readonly header: Claims;
  readonly payload: Claims;
}

/** Header and payload as sent, not verified. undefined: not a compact JWS. */
export function decodeToken(token: string): DecodedToken | undefined {
  const parts = splitToken(token);
  return parts === undefined ? undefined : decodeParts(parts.header, parts.payload);
}

/** Decodes a token whose signature was cut off. */
export function decodeUnsigned(headerAndPayload: string): DecodedToken | undefined {
  return decodeToken(`${headerAndPayload}.`);
}

/** The grant that a token belongs to: `rt_family` of a refresh token, the first part of an access token's jti. */
export function tokenFamilyOf(claims: Claims): string | undefined {
  const { rt_family: family, jti } = claims;
  if (typeof family === 'string') return family;
  if (typeof jti !== 'string') return undefined;
  const dot = jti.lastIndexOf('.');
  return dot > 0 ? jti.slice(0, dot) : undefined;
}

const segment = /^[A-Za-z0-9_-]+$/;
/** Empty for an unsecured JWT (RFC 7519 §6), which can be decoded but never verifies. */
const signatureSegment = /^[A-Za-z0-9_-]*$/;

export interface TokenParts {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

export function splitToken(token: string): TokenParts | undefined {
  const [header, payload, signature, ...rest] = token.split('.', 4);
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0) return undefined;
  return segment.test(header) && segment.test(payload) && signatureSegment.test(signature)
    ? { header, payload, signature }
    : undefined;
}

function decodeParts(encodedHeader: string, encodedPayload: string): DecodedToken | undefined {
  const header = decodeObject(encodedHeader);
  const payload = decodeObject(encodedPayload);
  return header === undefined || payload === undefined ? undefined : { header, payload };
}

/** The payload without a prototype: every claim name is data. */
export function decodeObject(text: string): Claims | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (!isMapping(value)) return undefined;
  const claims: Record<string, unknown> = Object.create(null);
  return Object.assign(claims, value);
}
