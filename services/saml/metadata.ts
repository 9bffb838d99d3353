// GET /saml/metadata: how service providers learn entity id, certificate and addresses (SAM-01 to SAM-07); with `signed=1`
// under a signature of the active key (SPM-29).
import { altered } from '#shared/http/alterations.ts';
import type { Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import { withAttributes } from '#shared/protocol/saml/edit-tree.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { documentMoment, samlInstantAfter } from '#shared/protocol/saml/instants.ts';
import { indented, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { recipeOf, signBy } from '#shared/saml/signing/sign-element.ts';
import { encryptionKey } from './encryption/encryption-key.ts';
import { sloUrl } from './logout/slo-url.ts';
import { entityDescriptor, metadataDocument } from './protocol/metadata-document.ts';

export async function metadata(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { saml } = context.snapshot.settings;
  const { entity_id, sso_url } = effectiveSamlAddresses(saml, context.issuer);
  const certificates = saml.metadata_next_key
    ? await context.keys.announcedCertificates()
    : [(await context.keys.signingKey()).certificatePem];
  const described = entityDescriptor({
    entityId: entity_id,
    ssoUrl: sso_url,
    sloUrl: saml.single_logout ? sloUrl(context) : undefined,
    certificates: certificates.map(certificateBase64),
    encryptionCertificate: saml.encryption_key
      ? certificateBase64((await encryptionKey(context)).certificatePem)
      : undefined,
    wantAuthnRequestsSigned: saml.want_authn_requests_signed,
    validUntil:
      saml.metadata_valid_hours === 0
        ? undefined
        : samlInstantAfter(documentMoment(context.clock.now()), saml.metadata_valid_hours * 3600),
    cacheDuration: saml.metadata_cache_minutes === 0 ? undefined : `PT${saml.metadata_cache_minutes}M`,
  });
  const right = indented(await altered(described, context.alterations.samlMetadata));
  const isSigned = request.query.value('signed') === '1';
  const body = metadataDocument(isSigned ? await signed(right, context) : right);
  return { status: 200, headers: { 'Content-Type': 'application/samlmetadata+xml' }, body };
}

/** The signature is the first child of the root, as the schema of metadata has it. */
async function signed(root: XmlElement, { snapshot, signer, random }: RequestContext): Promise<XmlElement> {
  const { c14n_algorithm: c14n } = snapshot.settings.saml;
  const recipe = recipeOf(await signer.signingKey());
  const identified = withAttributes(root, { ID: freshIdentifier(random) });
  return signBy(recipe, identified, { c14n, layout: 'compact', place: 'first' });
}
