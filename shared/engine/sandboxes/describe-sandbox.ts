// A sandbox as REST, tools and pages show it: none of its data is secret (SBX-01, SBX-08).

import { shownOrder } from '#shared/engine/faults/show-fault.ts';
import { type Sandbox, sandboxPrefix } from '#shared/model/domain/sandbox.ts';
import { issuerBelow } from '#shared/protocol/oidc/issuer-address.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';

interface SandboxDescription {
  readonly name: string;
  readonly instance_id: string;
  readonly issuer: string;
  readonly discovery_url: string;
  readonly jwks_url: string;
  readonly saml: { readonly entity_id: string; readonly metadata_url: string; readonly sso_url: string };
  readonly api_url: string;
  readonly keys: Sandbox['keys'];
  readonly settings: Sandbox['settings'];
  readonly ttl_seconds: number;
  readonly created_at: string;
  readonly expires_at: string;
}

/** `home`: the addresses of the default identity provider for the current request. */
export function describeSandbox(
  sandbox: Sandbox,
  home: { readonly issuer: string; readonly baseUrl: string },
): SandboxDescription {
  const { name, settings, keys } = sandbox;
  const prefix = sandboxPrefix(name);
  const issuer = issuerBelow(home.issuer, prefix);
  const baseUrl = home.baseUrl + prefix;
  const { entity_id, sso_url } = effectiveSamlAddresses(declaredAddresses(settings), { issuer, baseUrl });
  return {
    name,
    instance_id: sandbox.instanceId,
    issuer,
    discovery_url: `${baseUrl}/.well-known/openid-configuration`,
    jwks_url: `${baseUrl}/.well-known/jwks.json`,
    saml: { entity_id, metadata_url: `${baseUrl}/saml/metadata`, sso_url },
    api_url: `${baseUrl}/api`,
    keys,
    settings: shownSettings(settings),
    ttl_seconds: sandbox.ttlSeconds,
    created_at: new Date(sandbox.createdAt).toISOString(),
    expires_at: new Date(sandbox.expiresAt).toISOString(),
  };
}

/** The settings as given, without the credentials in the conditions of its faults (FLT-31). */
function shownSettings(settings: Sandbox['settings']): Sandbox['settings'] {
  const { faults } = settings;
  return Array.isArray(faults) ? { ...settings, faults: faults.map(shownOrder) } : settings;
}

function declaredAddresses({ saml }: Sandbox['settings']) {
  const declared: { readonly entity_id?: unknown; readonly sso_url?: unknown } = Object(saml);
  return { entity_id: textOrNothing(declared.entity_id), sso_url: textOrNothing(declared.sso_url) };
}

/** A blank text means the derived address, as in the file. */
function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
