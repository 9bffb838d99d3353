// GET /saml/metadata: how service providers learn entity id, certificate and addresses (SAM-01 to SAM-07).
import { altered } from '#shared/http/alterations.ts';
import type { Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { entityDescriptor, metadataDocument } from './protocol/metadata-document.ts';

export async function metadata(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { saml } = context.snapshot.settings;
  const { entity_id, sso_url } = effectiveSamlAddresses(saml, context.issuer);
  const key = await context.keys.signingKey();
  const described = entityDescriptor({
    entityId: entity_id,
    ssoUrl: sso_url,
    certificate: certificateBase64(key.certificatePem),
    wantAuthnRequestsSigned: saml.want_authn_requests_signed,
  });
  const body = metadataDocument(await altered(described, context.alterations.samlMetadata));
  return { status: 200, headers: { 'Content-Type': 'application/samlmetadata+xml' }, body };
}
