// The nonce of DPoP proofs with `oauth.dpop: nonce` (RFC 9449 §8). It is derived from the time with the signing key. So
// every process of a stack and every stack of a cluster knows it, and clients cannot predict the next one.
import { createHash } from 'node:crypto';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';

const changesAfterMilliseconds = 300_000;
const noncesKeptMax = 64;

const made = new WeakMap<SigningKey, Map<string, string>>();

/** The nonce that clients have to use now. */
export function currentNonce(context: ProtocolContext): Promise<string> {
  return nonceOf(0, context);
}

/** The previous one is still accepted: it may have been issued a moment before its end. */
export async function isNonceInUse(nonce: string | undefined, context: ProtocolContext): Promise<boolean> {
  return nonce === (await nonceOf(0, context)) || nonce === (await nonceOf(-1, context));
}

async function nonceOf(later: number, { clock, issuer, keys }: ProtocolContext): Promise<string> {
  const key = await keys.signingKey();
  const text = `${issuer} ${Math.floor(clock.now() / changesAfterMilliseconds) + later}`;
  let ofKey = made.get(key);
  if (ofKey === undefined) {
    ofKey = new Map();
    made.set(key, ofKey);
  }
  const known = ofKey.get(text);
  if (known !== undefined) return known;
  const signature = await key.algorithm.sign(Buffer.from(`DPoP-Nonce ${text}`), key.privateKey);
  const nonce = createHash('sha256').update(signature).digest('base64url');
  const [oldest] = ofKey.keys();
  if (ofKey.size >= noncesKeptMax && oldest !== undefined) ofKey.delete(oldest);
  ofKey.set(text, nonce);
  return nonce;
}
