// Rejections of DPoP proofs and of tokens that are bound to a key (RFC 9449), at /token and at /userinfo. /userinfo
// adds its own status and challenge.

import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { dpopChallenge } from '#shared/protocol/oauth2/authorization-header.ts';
import { rfc } from '../references.ts';

const proof = { expected: 'A fresh DPoP proof for this very request.', standard: rfc(9449, '4.3') } as const;

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
      'This client is registered with dpop_bound_access_tokens: its token requests need the header DPoP with a proof.',
    standard: rfc(9449, '5.2'),
  },
  dpop_proof_wrong: {
    ...proof,
    error: 'invalid_dpop_proof',
    answer: ({ problem }: { problem: string }) => `The DPoP proof is of no use: ${problem}.`,
    evidence: ({ problem }: { problem: string }) => ({ problem }),
  },
  dpop_proof_used: {
    ...proof,
    error: 'invalid_dpop_proof',
    answer: 'The DPoP proof was used before: every request needs one of its own, with a jti of its own.',
    standard: rfc(9449, '11.1'),
  },
  dpop_nonce_missing: {
    error: 'use_dpop_nonce',
    answer: 'The DPoP proof needs the nonce that stands in the header DPoP-Nonce; make it anew with that one.',
    expected: 'A proof whose nonce is the one that this server gave last.',
    standard: rfc(9449, '8'),
  },
  dpop_jkt_malformed: {
    error: 'invalid_request',
    answer: 'The dpop_jkt must be one SHA-256 thumbprint of a JWK: 43 characters of base64url.',
    expected: 'The thumbprint (RFC 7638) of the key that redeems the code.',
    standard: rfc(9449, '10'),
  },
  dpop_jkt_differs: {
    error: 'invalid_request',
    answer: 'The dpop_jkt is not the thumbprint of the key that made the DPoP proof.',
    expected: 'A proof by the key that dpop_jkt names, or one of the two alone.',
    standard: rfc(9449, '10.1'),
  },
  code_bound_to_another_key: {
    error: 'invalid_grant',
    answer: 'The code is bound by dpop_jkt to a key that this request does not prove to have.',
    expected: 'A DPoP proof by the key that dpop_jkt of the authorization request names.',
    standard: rfc(9449, '10'),
  },
  refresh_token_bound_to_another_key: {
    error: 'invalid_grant',
    answer: 'The refresh token is bound to a key that this request does not prove to have.',
    expected: 'Of a public client: a DPoP proof by the key that the refresh token was issued to.',
    standard: rfc(9449, '5'),
  },
  bound_token_without_proof: {
    ...bound,
    answer: 'The token is bound to a key: send it as Authorization: DPoP <token>, with a proof in the header DPoP.',
    expected: 'The scheme DPoP and a proof by the key of the token.',
    standard: rfc(9449, '7.2'),
  },
  token_not_bound: {
    ...bound,
    answer: 'The token is bound to no key: send it as Authorization: Bearer <token>.',
    expected: 'The scheme DPoP for tokens alone whose cnf has a jkt.',
  },
  token_bound_to_another_key: {
    ...bound,
    answer: 'The token is bound to another key than the one that made the DPoP proof.',
    expected: 'A proof by the key of the token: the thumbprint in its cnf.',
  },
});
