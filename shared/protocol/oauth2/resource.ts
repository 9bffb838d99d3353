// Resource indicators (RFC 8707): what a resource value may be, and which of them a request may name (RES-01 to RES-09).
import type { Client } from '#shared/configuration/model/client-entry.ts';
import { resourceRefusals } from '#shared/refusals/families/scope-and-resource.ts';
import { isAbsoluteUri } from './absolute-uri.ts';
import { oauthError } from './oauth-error.ts';

/**
 * The resources of a request in the order sent, each once: absolute URIs without fragment, and for a client with
 * `allowed_resources` among those, character for character (RES-03, RES-04).
 * @throws OAuthError invalid_target
 */
export function checkResources(values: readonly string[], client: Pick<Client, 'allowed_resources'>): string[] {
  if (values.length === 0) return [];
  const distinct = [...new Set(values)];
  for (const value of distinct) {
    if (!isAbsoluteUri(value)) {
      throw oauthError(resourceRefusals.resource_malformed, { sent: value });
    }
  }
  checkAllowedResources(distinct, client);
  return distinct;
}

/**
 * The resources of a redemption: a subset of the bound ones, or all of them, still allowed for the client at present
 * (RES-06 to RES-08). A grant that bound none cannot gain one.
 * @throws OAuthError invalid_target
 */
export function narrowResources(
  values: readonly string[],
  bound: readonly string[],
  client: Pick<Client, 'allowed_resources'>,
): readonly string[] {
  const wanted = values.length === 0 ? bound : [...new Set(values)];
  for (const value of wanted) {
    if (!bound.includes(value)) {
      throw oauthError(resourceRefusals.resource_not_granted, { sent: value });
    }
  }
  checkAllowedResources(wanted, client);
  return wanted;
}

function checkAllowedResources(values: readonly string[], client: Pick<Client, 'allowed_resources'>): void {
  if (client.allowed_resources.length === 0) return;
  for (const value of values) {
    if (!client.allowed_resources.includes(value)) {
      throw oauthError(resourceRefusals.resource_not_allowed_for_client, { sent: value });
    }
  }
}
