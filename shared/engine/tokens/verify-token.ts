// Whether a presented token is one of ours: the key by the kid rule, its own algorithm alone, `exp` required (CLM-04 to
// CLM-08).
// Who may use the token for what (`token_use`, `aud`, revocation) is for the caller to judge. `iss` is not compared, so
// that a token issued under one host name works under another; the namespace is, by the mark of its tokens (SBX-28).
import { type Instant, instant } from '#shared/base/clock.ts';
import { decodeObject, splitToken, type TokenParts } from '#shared/model/domain/decoded-token.ts';
import { bearsMark } from '#shared/model/domain/token-mark.ts';
import type { KeyRing, VerificationKey } from '#shared/state/keys/key-ring.ts';
import { keepProven, provenClaims } from './proven-tokens.ts';

export { decodeToken, tokenFamilyOf } from '#shared/model/domain/decoded-token.ts';

export interface VerifiedToken {
  /** The payload without a prototype: whatever a claim is called, it is data. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Of its header; undefined when it has none. */
  readonly typ: unknown;
  readonly expiresAt: Instant;
}

interface VerificationOptions {
  readonly keys: Pick<KeyRing, 'verificationKey' | 'tokenMark'>;
  readonly now: Instant;
  /** Takes a token past its `exp` too: a hint at logout, for example (OUT-04). */
  readonly acceptExpired?: boolean;
}

/** Why a token is not valid. What an expired one says is as true as it ever was: its signature is right. */
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
      /** The moment that its exp or nbf names. */
      readonly at: Instant;
      readonly claims: Claims;
    };

/** undefined for whatever is not a valid token; never throws on what a stranger sent. */
export async function verifyToken(token: string, options: VerificationOptions): Promise<VerifiedToken | undefined> {
  const judged = await judgeToken(token, options);
  return 'problem' in judged ? undefined : judged;
}

/** The same for whoever tells the reasons apart. */
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
  if (!bearsMark(claims.jti, keys.tokenMark ?? '')) return { problem: 'elsewhere' };
  if (typeof expiry !== 'number' || !Number.isFinite(expiry)) return { problem: 'expiry_missing' };
  const expiresAt = instant(expiry * 1000);
  if (acceptExpired) return { claims, typ, expiresAt };
  if (now >= expiresAt) return { problem: 'expired', at: expiresAt, claims };
  const { nbf } = claims;
  if (typeof nbf === 'number' && now < nbf * 1000) return { problem: 'not_yet_valid', at: instant(nbf * 1000), claims };
  return { claims, typ, expiresAt };
}

const malformed = { problem: 'malformed' } as const;
/** A right signature over something else than claims. */
const notAnObject: Claims = Object.freeze({});

/** undefined: the key has not made this signature. */
function verifiedClaims(token: string, parts: TokenParts, key: VerificationKey): Claims | undefined {
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')));
  const signature = Buffer.from(parts.signature, 'base64url');
  // Its last character has bits to spare: another spelling of the same bytes is a token that somebody changed.
  if (signature.toString('base64url') !== parts.signature) return undefined;
  if (!key.algorithm.verify(signed, signature, key.publicKey)) return undefined;
  const claims = decodeObject(parts.payload);
  if (claims !== undefined) keepProven(token, key, claims);
  return claims ?? notAnObject;
}

type Claims = Readonly<Record<string, unknown>>;
