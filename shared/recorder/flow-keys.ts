// By what an exchange belongs to others: what its request names, and what its answer makes (REC-16). A key is a kind and a
// value; secrets among the values are fingerprints.
import type { FlowKeys, RecordedEndpoint } from '#shared/domain/exchange.ts';
import { decodeToken, tokenFamilyOf } from '#shared/issuing/verify-token.ts';
import { bearerCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import type { Fingerprints } from './fingerprints.ts';

export interface KeyedRequest {
  readonly endpoint: RecordedEndpoint;
  readonly path: string;
  readonly authorization: string | undefined;
  value(name: string): string | undefined;
}

export interface SamlKey {
  readonly id: string;
  readonly browser: string;
}

type Members = Readonly<Record<string, unknown>>;

export function flowKeysOf(
  request: KeyedRequest,
  answer: Members,
  saml: SamlKey | undefined,
  fingerprints: Fingerprints,
): FlowKeys {
  const keyed = (kind: string, value: string | undefined) => (value === undefined ? [] : [`${kind}:${value}`]);
  const secret = (kind: string, value: string | undefined) =>
    value === undefined ? [] : [`${kind}:${fingerprints.of(value)}`];
  const member = (name: string) => textIn(answer, name);
  const asksForToken = request.endpoint === 'token';
  const presents = ['userinfo', 'introspect', 'revoke'].includes(request.endpoint);
  const bearer = presents ? bearerCredentials(request.authorization) : undefined;
  const presented = [
    bearer?.kind === 'token' ? bearer.token : undefined,
    ...(presents ? [request.value('token'), request.value('access_token')] : []),
    asksForToken ? request.value('refresh_token') : undefined,
  ];
  return {
    named: [
      ...keyed('transaction', request.value('transaction_id')),
      ...keyed('factor', request.value('pending_second_factor')),
      ...(asksForToken ? secret('code', request.value('code')) : []),
      ...secret('device', request.value('device_code')),
      ...keyed('user_code', asUserCode(request.value('user_code'))),
      ...presented.flatMap(keyOfToken),
      ...keyed('saml', saml && `${saml.browser} ${saml.id}`),
      ...(request.endpoint === 'register' ? keyed('registration', /^\/register\/(.+)$/.exec(request.path)?.[1]) : []),
      ...(request.endpoint === 'logout' ? secret('hint', request.value('id_token_hint')) : []),
    ],
    made: [
      ...keyed('transaction', member('transaction_id')),
      ...keyed('factor', member('pending_second_factor')),
      ...(asksForToken ? [] : secret('code', member('code'))),
      ...secret('device', member('device_code')),
      ...keyed('user_code', asUserCode(member('user_code'))),
      ...(asksForToken ? [member('access_token'), member('refresh_token')].flatMap(keyOfToken) : []),
      ...(asksForToken ? secret('hint', member('id_token')) : []),
      ...(request.endpoint === 'register' ? keyed('registration', member('client_id')) : []),
    ],
  };
}

/** All tokens of a grant have one key; a token without a grant has its own. */
function keyOfToken(token: string | undefined): string[] {
  const claims = token === undefined ? undefined : decodeToken(token)?.payload;
  if (claims === undefined) return [];
  const family = tokenFamilyOf(claims);
  if (family !== undefined) return [`grant:${family}`];
  return typeof claims.jti === 'string' ? [`jti:${claims.jti}`] : [];
}

function asUserCode(typed: string | undefined): string | undefined {
  return typed === undefined ? undefined : normalizeUserCode(typed);
}

function textIn(members: Members, name: string): string | undefined {
  const value = Object.hasOwn(members, name) ? members[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
