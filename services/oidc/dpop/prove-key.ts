// The key that a request proves to have, by its DPoP header (RFC 9449). The header is ignored while `oauth.dpop` is
// off.
import { plusSeconds } from '#shared/base/clock.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type DpopProof, DpopProofError, proofSecondsMax, readDpopProof } from '#shared/engine/tokens/dpop-proof.ts';
import { endpointAddresses } from '#shared/model/oauth-rules/endpoint-addresses.ts';
import { dpopRefusals } from '#shared/model/refusals/families/dpop.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { currentNonce, isNonceInUse } from './nonce.ts';

/** Where a proof is presented. */
interface Place {
  readonly path: '/token' | '/userinfo' | '/par';
  /** The token that is presented with it. */
  readonly accessToken?: string;
  /** The status of a rejection there. Default: 400. */
  readonly status?: number;
}

export function takesDpop({ snapshot }: Pick<ProtocolContext, 'snapshot'>): boolean {
  return snapshot.settings.oauth.dpop !== 'off';
}

/**
 * Whether a request that proves `provenKey` must not use a credential that is bound to `boundTo`. Bindings count only
 * while proofs are accepted.
 */
export function lacksKey(
  boundTo: string | undefined,
  provenKey: string | undefined,
  context: Pick<ProtocolContext, 'snapshot'>,
): boolean {
  return boundTo !== undefined && boundTo !== provenKey && takesDpop(context);
}

/** Additional headers for a client that sent a proof: the next nonce, if nonces are used (RFC 9449 §8.2). */
export async function nonceHeaders(context: ProtocolContext): Promise<Readonly<Record<string, string>>> {
  return context.snapshot.settings.oauth.dpop === 'nonce' ? { 'DPoP-Nonce': await currentNonce(context) } : {};
}

/**
 * The thumbprint of the key. undefined: the request has no proof. A proof counts once.
 * @throws OAuthError invalid_dpop_proof, use_dpop_nonce
 */
export async function proveKey(
  request: ParsedRequest,
  context: ProtocolContext,
  place: Place,
): Promise<string | undefined> {
  const { dpop: header } = request.headers;
  if (header === undefined || !takesDpop(context)) return undefined;
  const { thumbprint, jti, nonce } = await readProof([header].flat().join(', '), request, context, place);
  const about = place.status === undefined ? {} : { status: place.status };
  if (context.snapshot.settings.oauth.dpop === 'nonce' && !(await isNonceInUse(nonce, context))) {
    throw oauthError(dpopRefusals.dpop_nonce_missing, undefined, { ...about, headers: await nonceHeaders(context) });
  }
  // Last, so that a rejected proof is not used up.
  const { clock, store } = context;
  const until = plusSeconds(clock.now(), 2 * proofSecondsMax);
  if (!(await store.tokenState.useAssertion(JSON.stringify(['DPoP', thumbprint, jti]), until))) {
    throw oauthError(dpopRefusals.dpop_proof_used, undefined, about);
  }
  return thumbprint;
}

async function readProof(
  jwt: string,
  { method }: ParsedRequest,
  context: ProtocolContext,
  { path: endpoint, accessToken, status }: Place,
): Promise<DpopProof> {
  const { requestOrigin, path, prefix, clock } = context;
  // Everything is served below the base path and at the root.
  const served = [path(endpoint), prefix + endpoint].map((each) => requestOrigin + each);
  const addresses = [...new Set([...endpointAddresses(endpoint, context), ...served])];
  const moments = [clock.now(), clock.real()].map((moment) => moment / 1000);
  try {
    return await readDpopProof(jwt, { method, addresses, accessToken, moments });
  } catch (error) {
    if (!(error instanceof DpopProofError)) throw error;
    throw oauthError(
      dpopRefusals.dpop_proof_wrong,
      { problem: error.message },
      { ...(status && { status }), cause: error.cause },
    );
  }
}
