// DPoP proofs (RFC 9449 §4): a JWT in which a client proves possession of a key, for one request. The caller stores
// used proofs and checks nonces.
import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, EmbeddedJWK, errors } from 'jose';
import { decodeObject, splitToken } from '#shared/model/domain/decoded-token.ts';
import { dpopAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';

/** The maximum distance of a proof's `iat` from the current time. */
export const proofSecondsMax = 300;

/** The request that a proof has to be made for. */
interface ProvedRequest {
  readonly method: string;
  /** All addresses at which the client may have sent it. */
  readonly addresses: readonly string[];
  /** The token that is presented with it. */
  readonly accessToken?: string | undefined;
  /**
   * The accepted current times, in seconds since the epoch: a client may use real time while a test's clock is moved.
   */
  readonly moments: readonly number[];
}

export interface DpopProof {
  /** The thumbprint of the key (RFC 7638), as in `jkt`. */
  readonly thumbprint: string;
  readonly jti: string;
  readonly nonce: string | undefined;
}

/** Its message ends the sentence "The DPoP proof is of no use: …". */
export class DpopProofError extends Error {}

/** @throws DpopProofError */
export async function readDpopProof(jwt: string, request: ProvedRequest): Promise<DpopProof> {
  const parts = splitToken(jwt);
  const header = parts && decodeObject(parts.header);
  const claims = parts && decodeObject(parts.payload);
  if (header === undefined || claims === undefined) refuse('it is not a single JWT');
  if (header.typ !== 'dpop+jwt') refuse('its typ is not dpop+jwt');
  if (!(dpopAlgorithms as readonly unknown[]).includes(header.alg)) {
    refuse(`its alg is not one of ${dpopAlgorithms.join(', ')}`);
  }
  const thumbprint = await thumbprintOfSigner(jwt);
  const { jti, htm, htu, iat, ath, nonce } = claims;
  if (typeof jti !== 'string' || jti === '') refuse('it has no jti');
  if (htm !== request.method) refuse(`its htm is not ${request.method}`);
  if (typeof htu !== 'string' || !request.addresses.some((address) => isSameAddress(htu, address))) {
    refuse(`its htu is not ${request.addresses.join(' or ')}`);
  }
  const isRecent = (moment: number) => typeof iat === 'number' && Math.abs(moment - iat) <= proofSecondsMax;
  if (!request.moments.some(isRecent)) refuse(`its iat is more than ${proofSecondsMax} seconds from the current time`);
  if (request.accessToken !== undefined && ath !== hashOf(request.accessToken)) {
    refuse('its ath is not the SHA-256 of the access token');
  }
  return { thumbprint, jti, nonce: typeof nonce === 'string' ? nonce : undefined };
}

/** The key is in the header, and must be the public half of an asymmetric one. */
async function thumbprintOfSigner(jwt: string): Promise<string> {
  try {
    const { protectedHeader } = await compactVerify(jwt, EmbeddedJWK, { algorithms: [...dpopAlgorithms] });
    return await calculateJwkThumbprint(protectedHeader.jwk ?? {});
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed)
      refuse('the jwk in its header does not verify its signature');
    // The errors of the library or the platform for an invalid key.
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) {
      throw new DpopProofError('the jwk in its header is not a public key for its alg', { cause: error });
    }
    throw error;
  }
}

/** Compares without query and fragment, after the normalization of addresses (RFC 9449 §4.3, step 9). */
function isSameAddress(one: string, other: string): boolean {
  const [left, right] = [one, other].map((address) => (URL.canParse(address) ? new URL(address) : undefined));
  return left !== undefined && left.origin === right?.origin && left.pathname === right.pathname;
}

function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url');
}

function refuse(problem: string): never {
  throw new DpopProofError(problem);
}
