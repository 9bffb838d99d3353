// The contents of an authorization request (VER-K05 to VER-K10), and the scope of any request (SHV-02).
import { oidc, rfc } from '#shared/model/refusals/references.ts';
import {
  authorizationRequests,
  type ClientHistory,
  ofEndpoints,
  parameter,
  shown,
  tokenRequests,
} from '../client-history.ts';
import { occasionsAt, type VerdictRule } from '../verdict-rule.ts';
import { repeated } from './repeated.ts';

const openIdParameters = ['nonce', 'claims', 'max_age', 'login_hint'] as const;
const stateCharactersMin = 16;

export const authorizationRequestRules: readonly VerdictRule[] = [
  {
    clause: 'VER-K05',
    id: 'state_missing',
    severity: 'error',
    title: 'Authorization request without state',
    standard: rfc(9700, '4.7.1'),
    remedy: 'Send a random state, store it in the browser session, and compare it with the response.',
    occasions: occasionsAt(authorizationRequests, (request) => {
      if (parameter(request, 'state') !== undefined) return undefined;
      const detail = 'The authorization request has no state.';
      const isGuarded =
        parameter(request, 'code_challenge') !== undefined && parameter(request, 'code_challenge_method') === 'S256';
      return isGuarded
        ? {
            detail: `${detail} PKCE can replace it if this is the client's only authorization server, and if it enforces PKCE.`,
            severity: 'warning',
          }
        : { detail: `${detail} An attacker can make a browser accept the attacker's login.` };
    }),
  },
  {
    clause: 'VER-K06',
    id: 'state_repeated',
    severity: 'error',
    title: 'Reused state',
    standard: rfc(6749, '10.12'),
    remedy: 'Generate a new state for each authorization request.',
    occasions: repeated('state'),
  },
  {
    clause: 'VER-K07',
    id: 'state_short',
    severity: 'warning',
    title: 'Guessable state',
    standard: rfc(6749, '10.10'),
    remedy: 'Use at least 128 random bits for the state. That is 22 characters of base64url.',
    occasions: occasionsAt(authorizationRequests, (request) => {
      const state = parameter(request, 'state');
      if (state === undefined) return 'none';
      // A token as state is stored as a fingerprint, and is never short.
      if (/^fp:[0-9a-f]{12}$/.test(state)) return undefined;
      const { length } = state;
      return length < stateCharactersMin
        ? {
            detail: `The state has ${length} character${length === 1 ? '' : 's'}. A state of fewer than ${stateCharactersMin} can be guessed.`,
          }
        : undefined;
    }),
  },
  {
    clause: 'VER-K08',
    id: 'nonce_missing',
    severity: 'warning',
    title: 'OpenID Connect request without nonce',
    standard: oidc('3.1.2.1'),
    remedy: 'Send a random nonce, and compare it with the nonce in the ID token.',
    occasions: occasionsAt(authorizationRequests, (request) => {
      if (!asksForOpenId(request)) return 'none';
      return parameter(request, 'nonce') === undefined
        ? { detail: 'The request has scope openid without nonce, so the client cannot detect an injected ID token.' }
        : undefined;
    }),
  },
  {
    clause: 'VER-K09',
    id: 'nonce_repeated',
    severity: 'error',
    title: 'Reused nonce',
    standard: oidc('15.5.2'),
    remedy: 'Generate a new nonce for each authorization request.',
    occasions: repeated('nonce'),
  },
  {
    clause: 'VER-K10',
    id: 'scope_openid_missing',
    severity: 'advice',
    title: 'OpenID Connect parameters without scope openid',
    standard: oidc('3.1.2.1'),
    remedy: 'Add openid to scope to get an ID token, or leave these parameters out.',
    occasions: occasionsAt(authorizationRequests, (request) => {
      const sent = openIdParameters.filter((name) => parameter(request, name) !== undefined);
      if (sent.length === 0) return 'none';
      return asksForOpenId(request)
        ? undefined
        : { detail: `The request has ${sent.join(', ')} but no scope openid, so there is no ID token.` };
    }),
  },
  {
    clause: 'SHV-02',
    id: 'scope_unknown',
    severity: 'advice',
    title: 'Scope that discovery does not list',
    standard: rfc(8414, '2'),
    remedy: 'Request the scopes that discovery lists as scopes_supported. Other servers reject unknown ones.',
    occasions: occasionsAt(requestsWithScope, (request) => {
      const supported = request.content.noticed?.scopesSupported;
      const names =
        parameter(request, 'scope')
          ?.split(' ')
          .filter((name) => name !== '') ?? [];
      if (supported === undefined || names.length === 0 || request.decision === 'refused') return 'none';
      const unknown = [...new Set(names)].filter((name) => !supported.includes(name));
      return unknown.length === 0
        ? undefined
        : {
            detail: `The request to ${request.path} has a scope that discovery does not list: ${shown(unknown.join(' '))}.`,
          };
    }),
  },
];

function requestsWithScope(history: ClientHistory) {
  return [
    ...authorizationRequests(history),
    ...ofEndpoints('device_authorization')(history),
    ...tokenRequests(history),
  ];
}

function asksForOpenId(request: Parameters<typeof parameter>[0]): boolean {
  return parameter(request, 'scope')?.split(' ').includes('openid') === true;
}
