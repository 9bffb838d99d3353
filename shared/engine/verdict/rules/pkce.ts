// PKCE: that it is used, with S256, with a different value for each login (VER-K01 to VER-K04).
import { rfc } from '#shared/model/refusals/references.ts';
import {
  answered,
  authorizationRequests,
  type ClientHistory,
  header,
  parameter,
  partsOf,
  tokenRequests,
} from '../client-history.ts';
import { occasionsAt, type VerdictRule } from '../verdict-rule.ts';
import { repeated } from './repeated.ts';

export const pkceRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K01',
    id: 'pkce_missing',
    severity: 'error',
    title: 'Authorization request without PKCE',
    standard: rfc(9700, '2.1.1'),
    remedy:
      'Generate a code_verifier for each login. Send its S256 code_challenge to /authorize and the verifier to /token. Most libraries have an option for it.',
    occasions: occasionsAt(requestsForCodes, (request, history) => {
      if (parameter(request, 'code_challenge') !== undefined) return undefined;
      const detail = 'The authorization request has no code_challenge, so an attacker can redeem a stolen code.';
      const isGuarded = parameter(request, 'nonce') !== undefined && isConfidential(history);
      return isGuarded ? { detail, severity: 'warning' } : { detail };
    }),
  },
  {
    clause: 'VER-K02',
    id: 'pkce_plain',
    severity: 'error',
    title: 'PKCE without S256',
    standard: rfc(9700, '2.1.1'),
    remedy: 'Send code_challenge_method=S256. The code_challenge is the base64url of the SHA-256 of the code_verifier.',
    occasions: occasionsAt(authorizationRequests, (request) => {
      if (parameter(request, 'code_challenge') === undefined) return 'none';
      const method = parameter(request, 'code_challenge_method');
      if (method !== undefined && method !== 'plain') return undefined;
      const means = method === undefined ? 'is missing, which means plain' : 'is plain';
      return { detail: `code_challenge_method ${means}, so anyone who reads the request can redeem the code.` };
    }),
  },
  {
    clause: 'VER-K03',
    id: 'pkce_challenge_repeated',
    severity: 'error',
    title: 'Reused code_challenge',
    standard: rfc(7636, '7.1'),
    remedy: 'Generate a new code_verifier for each authorization request.',
    occasions: repeated('code_challenge'),
  },
  {
    clause: 'VER-K04',
    id: 'verifier_short',
    severity: 'warning',
    title: 'Malformed code_verifier',
    standard: rfc(7636, '4.1'),
    remedy:
      'Use 43 to 128 characters of A-Z a-z 0-9 - . _ ~ for the code_verifier, such as 32 random bytes in base64url.',
    occasions: occasionsAt(tokenRequests, ({ content: { noticed } }) => {
      const verifier = noticed?.verifier;
      if (verifier === undefined) return 'none';
      const { length, hasOtherCharacters } = verifier;
      if (length < 43 || length > 128) {
        return { detail: `The code_verifier has ${length} characters instead of 43 to 128.` };
      }
      return hasOtherCharacters
        ? { detail: 'The code_verifier has characters other than A-Z a-z 0-9 - . _ ~.' }
        : undefined;
    }),
  },
];

function requestsForCodes(history: ClientHistory) {
  return authorizationRequests(history).filter((request) => {
    const type = parameter(request, 'response_type');
    return type === undefined || type.split(' ').includes('code');
  });
}

/** Whether the client is registered as confidential, or has authenticated. */
function isConfidential(history: ClientHistory): boolean {
  if (history.client !== undefined) return !history.client.isPublic;
  return tokenRequests(history).some(
    (request) =>
      answered(request, 'access_token') !== undefined &&
      (header(request, 'authorization')?.startsWith('Basic ') === true ||
        partsOf(request).body.some(({ name }) => name === 'client_secret')),
  );
}
