// Resource indicators (RFC 8707): valid resource values, and which ones a request may name (RES-01 to RES-09).
import type { Client } from '#shared/model/configuration/client-entry.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { resourceRefusals } from '#shared/model/refusals/families/scope-and-resource.ts';
import { isAbsoluteUri } from '#shared/protocol/oauth2/absolute-uri.ts';
import { oauthError } from '../refusals/oauth-error.ts';

/** The resources that a request names. */
interface NamedResources {
  readonly resource: readonly string[];
  /** Names that need not be URIs, where they are read (CAM-05). */
  readonly audience: readonly string[];
}

interface Parameters {
  values(name: string): readonly string[];
}

export function namedResources(parameters: Parameters, { oauth }: Pick<Settings, 'oauth'>): NamedResources {
  return {
    resource: parameters.values('resource'),
    audience: oauth.audience_parameter ? parameters.values('audience') : [],
  };
}

/** For the audit: sent parameters that have a meaning elsewhere, but none here (CAM-05). */
export function ignoredParameters(
  parameters: Parameters,
  { oauth }: Pick<Settings, 'oauth'>,
): { readonly ignored_parameters?: readonly string[] } {
  return !oauth.audience_parameter && parameters.values('audience').length > 0
    ? { ignored_parameters: ['audience'] }
    : {};
}

/**
 * The resources of a request in the order sent, without duplicates. They must be absolute URIs without fragment. For a
 * client with `allowed_resources` each must equal one of those exactly (RES-03, RES-04).
 * @throws OAuthError invalid_target
 */
export function checkResources(named: NamedResources, client: Pick<Client, 'allowed_resources'>): string[] {
  const { resource, audience } = named;
  if (resource.length === 0 && audience.length === 0) return [];
  const distinct = [...new Set([...resource, ...audience])];
  for (const value of resource) {
    if (!isAbsoluteUri(value)) {
      throw oauthError(resourceRefusals.resource_malformed, { sent: value });
    }
  }
  checkAllowedResources(distinct, named, client);
  return distinct;
}

/**
 * The resources of a redemption: a subset of the bound ones, or all of them, if the client is still allowed them
 * (RES-06 to RES-08). A grant without bound resources cannot gain one.
 * @throws OAuthError invalid_target
 */
export function narrowResources(
  named: NamedResources,
  bound: readonly string[],
  client: Pick<Client, 'allowed_resources'>,
): readonly string[] {
  const distinct = [...new Set([...named.resource, ...named.audience])];
  const requested = distinct.length === 0 ? bound : distinct;
  for (const value of requested) {
    if (!bound.includes(value)) {
      throw oauthError(resourceRefusals.resource_not_granted, { sent: value, parameter: parameterOf(value, named) });
    }
  }
  checkAllowedResources(requested, named, client);
  return requested;
}

function checkAllowedResources(
  values: readonly string[],
  named: NamedResources,
  client: Pick<Client, 'allowed_resources'>,
): void {
  if (client.allowed_resources.length === 0) return;
  for (const value of values) {
    if (!client.allowed_resources.includes(value)) {
      const parameter = parameterOf(value, named);
      throw oauthError(resourceRefusals.resource_not_allowed_for_client, { sent: value, parameter });
    }
  }
}

/** The parameter that named it. For a resource that comes only from the grant, `resource`. */
function parameterOf(value: string, { resource, audience }: NamedResources): 'resource' | 'audience' {
  return audience.includes(value) && !resource.includes(value) ? 'audience' : 'resource';
}
