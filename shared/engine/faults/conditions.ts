// Whether a request meets the conditions of a fault (FLT-04, FLT-05). A request that lacks the fact in question does
// not match.

import type { IncomingHttpHeaders } from 'node:http';
import type { Parameters } from '#shared/base/parameters.ts';
import type { FaultCondition, FaultEndpoint, NamedValue } from '#shared/model/domain/fault.ts';
import { findGrant } from '#shared/model/oauth-rules/grants.ts';
import type { RequestFacts } from './fault-row.ts';

interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly query: Parameters;
  readonly form: Parameters;
}

/** All conditions except `nth`, which is counted. */
export function meetsConditions(
  { client_id, sp, username, grant_type, scope, header, parameter }: FaultCondition,
  facts: RequestFacts,
  request: Asked,
): boolean {
  return (
    (client_id === undefined || facts.client_id === client_id) &&
    (sp === undefined || facts.sp === sp) &&
    (username === undefined || facts.username === username) &&
    (grant_type === undefined || facts.grant_type === grant_type) &&
    (scope === undefined || facts.scope?.includes(scope) === true) &&
    (header === undefined || hasHeader(header, request)) &&
    (parameter === undefined || hasParameter(parameter, request))
  );
}

function hasHeader({ name, value }: NamedValue, { headers }: Pick<Asked, 'headers'>): boolean {
  const sent = headers[name.toLowerCase()];
  if (sent === undefined) return false;
  return value === undefined || [sent].flat().includes(value);
}

function hasParameter({ name, value }: NamedValue, { query, form }: Pick<Asked, 'query' | 'form'>): boolean {
  return [query, form].some(({ pairs }) =>
    pairs.some(([key, sent]) => key === name && (value === undefined || sent === value)),
  );
}

const anonymous: readonly FaultEndpoint[] = ['discovery', 'jwks', 'saml_metadata', 'saml_slo'];
const saml: readonly FaultEndpoint[] = ['saml_metadata', 'saml_sso', 'saml_attribute_query'];
/** Requests to these have no user: no login takes place, and the presented values belong to no user. */
const aboutNobody: readonly FaultEndpoint[] = [
  ...anonymous,
  ...(['register', 'device_authorization', 'pushed_authorization_request'] as const),
];

/** The members that requests to some endpoints lack, and why a condition on one cannot be met there. */
const places = {
  client_id: {
    isAt: (endpoint) => !anonymous.includes(endpoint) && !saml.includes(endpoint),
    inVain: 'no request at these endpoints names a client, so when.client_id never matches',
  },
  username: {
    isAt: (endpoint) => !aboutNobody.includes(endpoint),
    inVain: 'no request at these endpoints has a user, so when.username never matches',
  },
  grant_type: { isAt: (endpoint) => endpoint === 'token', inVain: 'when.grant_type matches only at token' },
  sp: {
    isAt: (endpoint) => saml.includes(endpoint) && endpoint !== 'saml_metadata',
    inVain: 'when.sp matches only at saml_sso and saml_attribute_query',
  },
  scope: {
    isAt: (endpoint) => !anonymous.includes(endpoint) && !saml.includes(endpoint),
    inVain: 'no request at these endpoints has a scope, so when.scope never matches',
  },
} as const satisfies Partial<
  Record<keyof FaultCondition, { isAt(endpoint: FaultEndpoint): boolean; readonly inVain: string }>
>;

const placed = Object.keys(places) as (keyof typeof places)[];

/** Why no request at any of these endpoints can meet the condition (FLT-06); undefined: a request can. */
export function impossibleCondition(condition: FaultCondition, at: readonly FaultEndpoint[]): string | undefined {
  const { grant_type, username } = condition;
  if (findGrant(grant_type)?.hasNoUser === true && username !== undefined) {
    return 'no request with this when.grant_type has a user, so when.username never matches';
  }
  const given = placed.filter((member) => condition[member] !== undefined);
  const nowhere = given.find((member) => !at.some(places[member].isAt));
  if (nowhere !== undefined) return places[nowhere].inVain;
  if (at.some((endpoint) => given.every((member) => places[member].isAt(endpoint)))) return undefined;
  return `no request at these endpoints has ${given.join(' and ')} together, so when never matches`;
}
