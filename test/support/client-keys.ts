// Keys of a client and what it signs with them, by an independent library.
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface ClientKey {
  readonly kid: string;
  /** The public key in the form of a key set. */
  readonly jwk: Readonly<Record<string, unknown>>;
  sign(claims: JWTPayload, header?: Readonly<Record<string, string>>): Promise<string>;
}

export async function clientKey(kid: string, alg: 'RS256' | 'ES256' | 'PS256' = 'RS256'): Promise<ClientKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return {
    kid,
    jwk,
    sign: (claims, header = {}) => new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  };
}

/** The claims of a correct assertion of the client. A change to undefined removes a claim. */
export function assertionClaims(clientId: string, audience: string, changes: JWTPayload = {}): JWTPayload {
  const exp = Math.floor(Date.now() / 1000) + 120;
  const claims = { iss: clientId, sub: clientId, aud: audience, exp, jti: crypto.randomUUID(), ...changes };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}
