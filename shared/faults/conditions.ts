// Whether a request is one that a fault is for (FLT-04, FLT-05). A request that says nothing of what is asked does not match.

import type { IncomingHttpHeaders } from 'node:http';
import type { FaultCondition, FaultEndpoint, NamedValue } from '#shared/domain/fault.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import type { RequestFacts } from './fault-row.ts';

interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly query: Parameters;
  readonly form: Parameters;
}

/** All but `nth`, which is counted. */
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

/** Why no request at any of these endpoints can meet the condition (FLT-06); undefined: one can. */
export function unmeetable(
  { client_id, username, grant_type, sp, scope }: FaultCondition,
  at: readonly FaultEndpoint[],
): string | undefined {
  const nowhere = (meets: (endpoint: FaultEndpoint) => boolean) => !at.some(meets);
  if (client_id !== undefined && nowhere((each) => !anonymous.includes(each) && !saml.includes(each))) {
    return 'when.client_id can be met at no endpoint of at: requests there name no client';
  }
  if (username !== undefined && nowhere((each) => !anonymous.includes(each))) {
    return 'when.username can be met at no endpoint of at: requests there are about nobody';
  }
  if (grant_type !== undefined && nowhere((each) => each === 'token')) {
    return 'when.grant_type can be met at token alone';
  }
  if (sp !== undefined && nowhere((each) => saml.includes(each) && each !== 'saml_metadata')) {
    return 'when.sp can be met at saml_sso and saml_attribute_query alone';
  }
  if (scope !== undefined && nowhere((each) => !anonymous.includes(each) && !saml.includes(each))) {
    return 'when.scope can be met at no endpoint of at: requests there have no scope';
  }
  return undefined;
}
