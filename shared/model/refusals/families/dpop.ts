// Rejections of DPoP proofs and of tokens that are bound to a key (RFC 9449), at /token and at /userinfo. /userinfo
// adds its own status and challenge.

import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { dpopChallenge } from '#shared/protocol/oauth2/authorization-header.ts';
import { rfc } from '../references.ts';

const proof = { expected: 'A new DPoP proof for this request.', standard: rfc(9449, '4.3') } as const;

const bound = {
  error: 'invalid_token',
  status: 401,
  headers: { 'WWW-Authenticate': dpopChallenge('invalid_token') },
  standard: rfc(9449, '7.1'),
} as const;

export const dpopRefusals = declareOAuthRefusals({
  dpop_proof_missing: {
    ...proof,
    error: 'invalid_request',
    answer:
      'The DPoP header is missing. This client is registered with dpop_bound_access_tokens, so its token requests need a proof.',
    standard: rfc(9449, '5.2'),
  },
  dpop_proof_wrong: {
    ...proof,
    error: 'invalid_dpop_proof',
    answer: ({ problem }: { problem: string }) => `The DPoP proof is invalid: ${problem}.`,
    evidence: ({ problem }: { problem: string }) => ({ problem }),
  },
  dpop_proof_used: {
    ...proof,
    error: 'invalid_dpop_proof',
    answer: 'The DPoP proof was already used. Create a new proof with a new jti for each request.',
    standard: rfc(9449, '11.1'),
  },
  dpop_nonce_missing: {
    error: 'use_dpop_nonce',
    answer: 'The DPoP proof lacks the current nonce. Create a new proof with the nonce in the DPoP-Nonce header.',
    expected: 'A proof with the latest nonce from this server.',
    standard: rfc(9449, '8'),
  },
  dpop_jkt_malformed: {
    error: 'invalid_request',
    answer: 'dpop_jkt must be one SHA-256 thumbprint of a JWK: 43 base64url characters.',
    expected: 'The thumbprint (RFC 7638) of the key that redeems the code.',
    standard: rfc(9449, '10'),
  },
  dpop_jkt_differs: {
    error: 'invalid_request',
    answer: 'dpop_jkt is not the thumbprint of the key that signed the DPoP proof.',
    expected: 'A proof by the key that dpop_jkt names, or only one of the two.',
    standard: rfc(9449, '10.1'),
  },
  code_bound_to_another_key: {
    error: 'invalid_grant',
    answer: 'The code is bound to a key by dpop_jkt, and the request has no proof by that key.',
    expected: 'A DPoP proof by the key that dpop_jkt named in the authorization request.',
    standard: rfc(9449, '10'),
  },
  refresh_token_bound_to_another_key: {
    error: 'invalid_grant',
    answer: 'The refresh token is bound to a key, and the request has no proof by that key.',
    expected: 'A DPoP proof by the key that the refresh token is bound to.',
    standard: rfc(9449, '5'),
  },
  bound_token_without_proof: {
    ...bound,
    answer: 'The token is bound to a key. Send it as Authorization: DPoP <token>, with a proof in the DPoP header.',
    expected: 'The scheme DPoP, and a proof by the key of the token.',
    standard: rfc(9449, '7.2'),
  },
  token_not_bound: {
    ...bound,
    answer: 'The token is not bound to a key. Send it as Authorization: Bearer <token>.',
    expected: 'The scheme DPoP only for tokens whose cnf contains a jkt.',
  },
  token_bound_to_another_key: {
    ...bound,
    answer: 'The token is bound to a key that did not sign the DPoP proof.',
    expected: 'A proof by the key whose thumbprint is in the cnf of the token.',
  },
});
