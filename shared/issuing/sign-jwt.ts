// Makes a compact JWS (RFC 7515 §3.1) with RS256 on the thread pool: an RSA signature costs more than everything else of
// a request together, so it never runs on the event loop. What is the same for every token of a key is made once.
import { sign } from 'node:crypto';
import type { SigningKey } from '#shared/keys/key-ring.ts';

/** The encoded header with its dot, for each key that is alive in this process (CLM-01). */
const headerPrefixes = new WeakMap<SigningKey, string>();

export function signJwt(claims: Readonly<Record<string, unknown>>, key: SigningKey): Promise<string> {
  const signingInput = headerPrefix(key) + Buffer.from(JSON.stringify(claims)).toString('base64url');
  return new Promise((resolve, reject) => {
    sign('RSA-SHA256', Buffer.from(signingInput), key.privateKey, (error, signature) => {
      if (error !== null) reject(error);
      else resolve(`${signingInput}.${signature.toString('base64url')}`);
    });
  });
}

function headerPrefix(key: SigningKey): string {
  const known = headerPrefixes.get(key);
  if (known !== undefined) return known;
  const header = JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: key.kid });
  const made = `${Buffer.from(header).toString('base64url')}.`;
  headerPrefixes.set(key, made);
  return made;
}
