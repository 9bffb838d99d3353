// Whether this server issued a presented token: the key by the kid rule, only its own algorithm, `exp` required (CLM-04
// to CLM-08).
// The caller checks the permitted use (`token_use`, `aud`, revocation). `iss` is not compared, so that a token issued
// under one host name is valid under another. The namespace is checked by the mark of its tokens (SBX-28).
import { type Instant, instant } from '#shared/base/clock.ts';
import { decodeObject, splitToken, type TokenParts } from '#shared/model/domain/decoded-token.ts';
import { hasMark, markInHeader } from '#shared/model/domain/token-mark.ts';
import type { KeyRing, VerificationKey } from '#shared/state/keys/key-ring.ts';
import { keepProven, provenClaims } from './proven-tokens.ts';

export { decodeToken, tokenFamilyOf } from '#shared/model/domain/decoded-token.ts';

export interface VerifiedToken {
  /** The payload without a prototype, so that every claim name is data. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The header's member; undefined when it has none. */
  readonly typ: unknown;
  readonly expiresAt: Instant;
}

interface VerificationOptions {
  readonly keys: Pick<KeyRing, 'verificationKey' | 'tokenMark'>;
  readonly now: Instant;
  /** Also accepts an expired token: for example as a logout hint (OUT-04). */
  readonly acceptExpired?: boolean;
}

/** Why a token is not valid. The claims of an expired one are still trustworthy, because its signature is valid. */
export type TokenProblem =
  | {
      readonly problem:
        | 'malformed'
        | 'key_unknown'
        | 'algorithm_wrong'
        | 'signature_wrong'
        | 'expiry_missing'
        | 'elsewhere';
    }
  | {
      readonly problem: 'expired' | 'not_yet_valid';
      /** The time of its exp or nbf. */
      readonly at: Instant;
      readonly claims: Claims;
    };

/** undefined for any invalid token; never throws for any input. */
export async function verifyToken(token: string, options: VerificationOptions): Promise<VerifiedToken | undefined> {
  const judged = await judgeToken(token, options);
  return 'problem' in judged ? undefined : judged;
}

/** The same, for callers that distinguish the reasons. */
export async function judgeToken(
  token: string,
  { keys, now, acceptExpired = false }: VerificationOptions,
): Promise<VerifiedToken | TokenProblem> {
  const parts = splitToken(token);
  const header = parts && decodeObject(parts.header);
  if (parts === undefined || header === undefined || header.crit !== undefined) return malformed;
  const { alg, kid, typ } = header;
  if (kid !== undefined && typeof kid !== 'string') return malformed;
  const key = await keys.verificationKey(kid);
  if (key === undefined) return { problem: 'key_unknown' };
  if (alg !== key.algorithm.name) return { problem: 'algorithm_wrong' };
  const claims = provenClaims(token, key) ?? verifiedClaims(token, parts, key);
  if (claims === undefined) return { problem: 'signature_wrong' };
  if (claims === notAnObject) return malformed;
  const expiry = claims.exp;
  if (!hasMark(claims.jti, header[markInHeader], keys.tokenMark ?? '')) return { problem: 'elsewhere' };
  if (typeof expiry !== 'number' || !Number.isFinite(expiry)) return { problem: 'expiry_missing' };
  const expiresAt = instant(expiry * 1000);
  if (acceptExpired) return { claims, typ, expiresAt };
  if (now >= expiresAt) return { problem: 'expired', at: expiresAt, claims };
  const { nbf } = claims;
  if (typeof nbf === 'number' && now < nbf * 1000) return { problem: 'not_yet_valid', at: instant(nbf * 1000), claims };
  return { claims, typ, expiresAt };
}

const malformed = { problem: 'malformed' } as const;
/** A valid signature over a payload that is not an object. */
const notAnObject: Claims = Object.freeze({});

/** undefined: the signature is not from this key. */
function verifiedClaims(token: string, parts: TokenParts, key: VerificationKey): Claims | undefined {
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  const signature = Buffer.from(parts.signature, 'base64url');
  // The last character has unused bits: another encoding of the same bytes means that the token was changed.
  if (signature.toString('base64url') !== parts.signature) return undefined;
  if (!key.algorithm.verify(signed, signature, key.publicKey)) return undefined;
  const claims = decodeObject(parts.payload);
  if (claims !== undefined) keepProven(token, key, claims);
  return claims ?? notAnObject;
}

type Claims = Readonly<Record<string, unknown>>;
