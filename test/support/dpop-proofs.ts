// DPoP proofs as a client creates them, and invalid ones (RFC 9449 §4).
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface ProvingKey {
  /** The RFC 7638 thumbprint, as in `jkt`. */
  readonly thumbprint: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  /** A correct proof with these changes of its claims and its header. undefined removes a member. */
  proof(
    method: string,
    address: string,
    claims?: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
  ): Promise<string>;
}

export async function provingKey(alg = 'ES256'): Promise<ProvingKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const [publicJwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
  return {
    thumbprint: await calculateJwkThumbprint(publicJwk),
    publicJwk,
    privateJwk,
    proof: (htm, htu, claims = {}, header = {}) => {
      const payload = { jti: crypto.randomUUID(), htm, htu, iat: Math.floor(Date.now() / 1000), ...claims };
      return new SignJWT(present(payload))
        .setProtectedHeader({ alg, ...present({ typ: 'dpop+jwt', jwk: publicJwk, ...header }) })
        .sign(privateKey);
    },
  };
}

/** The value of the claim `ath`. */
export function accessTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
