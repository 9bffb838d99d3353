// The entity id and single sign-on address that apply to a request. An explicit value always takes precedence and never
// depends on the request. Otherwise the entity id derives from the effective issuer, and the address from the base of
// the published addresses (CFG-K31).
import { baseAddress, issuerPath } from '#shared/protocol/oidc/issuer-address.ts';

interface SamlAddresses {
  readonly entity_id: string;
  readonly sso_url: string;
  readonly entity_id_derived: boolean;
  readonly sso_url_derived: boolean;
}

/**
 * The published address of single logout. An explicit one never follows the request. An explicit address of single
 * sign-on names the host that service providers reach, so logout has its origin (ADR-18).
 */
export function singleLogoutAddress(
  declared: { readonly slo_url?: string | undefined; readonly sso_url?: string | undefined },
  { baseUrl }: { readonly baseUrl: string },
): string {
  const { slo_url, sso_url } = declared;
  if (slo_url !== undefined) return slo_url;
  const origin = sso_url !== undefined && URL.canParse(sso_url) ? new URL(sso_url).origin : 'null';
  return `${origin === 'null' ? baseUrl : origin + issuerPath(baseUrl)}/saml/slo`;
}

export function effectiveSamlAddresses(
  declared: { readonly entity_id?: string | undefined; readonly sso_url?: string | undefined },
  { issuer, baseUrl }: { readonly issuer: string; readonly baseUrl: string },
): SamlAddresses {
  return {
    entity_id: declared.entity_id ?? `${baseAddress(issuer)}/saml`,
    sso_url: declared.sso_url ?? `${baseUrl}/saml/sso`,
    entity_id_derived: declared.entity_id === undefined,
    sso_url_derived: declared.sso_url === undefined,
  };
}
