// The entity id and single sign-on address that apply to a request. An explicit value always takes precedence and never
// depends on the request. Otherwise the entity id derives from the effective issuer, and the address from the base of
// the published addresses (CFG-K31).
import { baseAddress } from '#shared/protocol/oidc/issuer-address.ts';

interface SamlAddresses {
  readonly entity_id: string;
  readonly sso_url: string;
  readonly entity_id_derived: boolean;
  readonly sso_url_derived: boolean;
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
