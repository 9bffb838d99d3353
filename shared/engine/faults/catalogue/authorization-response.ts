// Faults in the response of /authorize to the client (FLT-K023 to FLT-K036).

import * as z from 'zod';
import type { AuthorizationResponse } from '#shared/engine/exchange/output-hooks.ts';
import { withOtherSlash } from '#shared/protocol/oidc/issuer-address.ts';
import { type FaultRow, type FaultSite, type FaultTransform, faultRow } from '../fault-row.ts';

type Parameters = AuthorizationResponse['parameters'];

const attacker = 'https://attacker.example';
const common = { at: ['authorize'], phase: 'after' } as const;

export const authorizationResponseFaults: readonly FaultRow[] = [
  faultRow({
    ...common,
    id: 'FLT-K023',
    name: 'state_missing',
    effect: 'The response has no state.',
    client: 'reject',
    source: 'RFC 6749 §4.1.2',
    make: () => changing('state', () => []),
  }),
  faultRow({
    ...common,
    id: 'FLT-K024',
    name: 'state_wrong',
    effect: 'The response has a wrong state.',
    client: 'reject',
    source: 'RFC 6749 §10.12',
    make: () => changing('state', (_, { random }) => [random.token(16)]),
  }),
  faultRow({
    ...common,
    id: 'FLT-K025',
    name: 'state_duplicated',
    effect: 'The response has state twice, the correct one first.',
    client: 'reject',
    source: 'RFC 6749 §3.1',
    make: () => changing('state', (state, { random }) => [state, random.token(16)]),
  }),
  faultRow({
    ...common,
    id: 'FLT-K026',
    name: 'iss_missing',
    effect: 'The response has no iss, although it normally does.',
    client: 'reject',
    source: 'RFC 9207 §2.4',
    make: () => changing('iss', () => []),
  }),
  faultRow({
    ...common,
    id: 'FLT-K027',
    name: 'iss_wrong',
    effect: 'iss is https://attacker.example, even if the issuer uses http.',
    client: 'reject',
    source: 'RFC 9207 §2.4',
    make: () => withParameters((parameters) => set(parameters, 'iss', attacker)),
  }),
  faultRow({
    ...common,
    id: 'FLT-K028',
    name: 'iss_normalized',
    effect: 'iss is the issuer with a slash appended, or without its slash, even if the issuer uses http.',
    client: 'reject',
    source: 'RFC 9207 §2.4',
    make: () => withParameters((parameters, { issuer }) => set(parameters, 'iss', withOtherSlash(issuer))),
  }),
  faultRow({
    ...common,
    id: 'FLT-K029',
    name: 'mix_up',
    effect: 'iss is https://attacker.example, and the code was never issued.',
    client: 'reject',
    source: 'RFC 9700 §4.4',
    make: () =>
      withParameters((parameters, { random }) =>
        has(parameters, 'code') ? set(set(parameters, 'iss', attacker), 'code', random.token()) : undefined,
      ),
  }),
  faultRow({
    ...common,
    id: 'FLT-K030',
    name: 'code_missing',
    effect: 'The response has neither code nor error.',
    client: 'reject',
    source: 'RFC 6749 §4.1.2',
    make: () => changing('code', () => []),
  }),
  faultRow({
    ...common,
    id: 'FLT-K031',
    name: 'code_and_error',
    effect: 'The response has both error=access_denied and a valid code.',
    refuses: true,
    client: 'reject',
    source: 'RFC 6749 §4.1.2.1',
    make: () =>
      withParameters((parameters) =>
        has(parameters, 'code') ? [...parameters, ['error', 'access_denied']] : undefined,
      ),
  }),
  faultRow({
    ...common,
    id: 'FLT-K032',
    name: 'code_wrong',
    effect: 'The code was never issued.',
    client: 'reject',
    source: 'RFC 6749 §5.2',
    make: () => changing('code', (_, { random }) => [random.token()]),
  }),
  faultRow({
    ...common,
    id: 'FLT-K033',
    name: 'code_duplicated',
    effect: 'The response has code twice, the correct one first.',
    client: 'reject',
    source: 'RFC 6749 §3.1',
    make: () => changing('code', (code, { random }) => [code, random.token()]),
  }),
  faultRow({
    ...common,
    id: 'FLT-K034',
    name: 'code_injected',
    effect:
      'The code is valid, but belongs to a login as `username` with a different nonce and, if the request had one, a different PKCE challenge.',
    client: 'reject',
    source: 'RFC 9700 §4.5',
    parameters: {
      username: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('The user whose code it is. Default: the first other user.'),
    },
    make: ({ username }) => ({
      hookPoint: 'authorization_response',
      change: async (response, site) => {
        const code = response.parameters.find(([name]) => name === 'code')?.[1];
        const injected = code === undefined ? undefined : await codeOfAnother(code, username, site);
        return injected === undefined
          ? undefined
          : { ...response, parameters: set(response.parameters, 'code', injected) };
      },
    }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K035',
    name: 'response_in_fragment',
    effect: 'The parameters are in the fragment of the redirect URI.',
    client: 'reject',
    source: 'OAuth 2.0 Multiple Response Types §2.1',
    make: () => ({
      hookPoint: 'authorization_response',
      change: ({ redirectUri, mode, parameters }) => {
        if (mode !== 'query') return undefined;
        const fragment = new URLSearchParams(parameters.map(([name, value]) => [name, value]));
        return { mode, redirectUri: `${redirectUri}#${fragment}`, parameters: [] };
      },
    }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K036',
    name: 'response_extra_parameters',
    effect: 'The response also has session_state and x_unknown.',
    client: 'accept',
    source: 'RFC 6749 §4.1.2',
    make: () =>
      withParameters((parameters) => [
        ...parameters,
        ['session_state', 'of-no-meaning'],
        ['x_unknown', 'of-no-meaning'],
      ]),
  }),
];

/**
 * A code for the same request by another user, as an attacker would get it in their own login; undefined: there is no
 * other user.
 */
async function codeOfAnother(
  code: string,
  username: string | undefined,
  { store, usernames, hasUser, now, random }: FaultSite,
): Promise<string | undefined> {
  const record = (await store.codes.find(code, now))?.unused;
  if (record === undefined) return undefined;
  const other = username ?? usernames.find((each) => each !== record.username);
  if (other === undefined || !(await hasUser(other))) return undefined;
  // A request without PKCE has none in the attacker's login either. Then only its nonce protects it.
  const challenge =
    record.request.code_challenge === undefined
      ? {}
      : ({ code_challenge: random.token(32), code_challenge_method: 'S256' } as const);
  const injected = random.token();
  const request = { ...record.request, nonce: random.token(16), ...challenge };
  const issued = await store.codes.issue({ ...record, code: injected, username: other, request }, now);
  return issued === 'issued' ? injected : undefined;
}

/** Replaces a parameter by another list of values; does nothing where it is not sent. */
function changing(name: string, valuesFor: (value: string, site: FaultSite) => readonly string[]): FaultTransform {
  return withParameters((parameters, site) =>
    has(parameters, name)
      ? parameters.flatMap((pair) =>
          pair[0] === name ? valuesFor(pair[1], site).map((value): [string, string] => [name, value]) : [pair],
        )
      : undefined,
  );
}

function withParameters(change: (parameters: Parameters, site: FaultSite) => Parameters | undefined): FaultTransform {
  return {
    hookPoint: 'authorization_response',
    change: (response, site) => {
      const parameters = change(response.parameters, site);
      return parameters && { ...response, parameters };
    },
  };
}

function has(parameters: Parameters, name: string): boolean {
  return parameters.some(([each]) => each === name);
}

/** Replaces the value, or appends the parameter. */
function set(parameters: Parameters, name: string, value: string): Parameters {
  return has(parameters, name)
    ? parameters.map((pair) => (pair[0] === name ? [name, value] : pair))
    : [...parameters, [name, value]];
}
