// The code flow, and the implicit flow if oauth.response_types offers it (AUT-17, SSO-53).

import type { Parameters } from '#shared/base/parameters.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ResponseType } from '#shared/model/domain/authorization-request.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

type Offering = Pick<ConfigurationSnapshot, 'settings'>;

/** The requested response type, if it is offered. The order of its words is irrelevant. */
export function askedResponseType(query: Parameters, { settings }: Offering): ResponseType | undefined {
  const requested = inOneOrder(query.value('response_type') ?? '');
  return settings.oauth.response_types.find((type) => type === requested);
}

export function checkResponseType(query: Parameters, { settings }: Offering): ResponseType {
  const sent = query.value('response_type');
  if (sent === undefined) throw oauthError(authorizeRefusals.response_type_missing);
  const type = askedResponseType(query, { settings });
  if (type !== undefined) return type;
  const offered = [...new Set(settings.oauth.response_types)];
  throw oauthError(authorizeRefusals.response_type_not_supported, { sent, offered });
}

/** Whether a response of this type carries tokens, which are never part of a query. */
export function isImplicit(type: ResponseType | undefined): type is Exclude<ResponseType, 'code'> {
  return type !== undefined && type !== 'code';
}

function inOneOrder(type: string): string {
  return type.split(' ').sort().join(' ');
}
