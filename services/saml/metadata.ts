// GET /saml/metadata: entity id, certificate and addresses for service providers (SAM-01 to SAM-07). With `signed=1` it
// is signed with the active key (SPM-29).

import { hooked } from '#shared/engine/exchange/output-hooks.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { recipeOf, signBy } from '#shared/engine/saml-signing/sign-element.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { signingAlgorithms } from '#shared/model/saml-rules/response-form.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import { withAttributes } from '#shared/protocol/saml/edit-tree.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { documentMoment, samlInstantAfter } from '#shared/protocol/saml/instants.ts';
import { indented, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { encryptionKey } from './encryption/encryption-key.ts';
import { sloUrl } from './logout/slo-url.ts';
import { entityDescriptor, metadataDocument } from './protocol/metadata-document.ts';

/** The most recent document of a configuration, and its other inputs. */
interface Made {
  readonly of: readonly (string | undefined)[];
  readonly reply: Reply;
}

const lastMade = new WeakMap<ConfigurationSnapshot, Made>();

export async function metadata(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { snapshot, outputHooks } = context;
  const { saml } = snapshot.settings;
  const { entity_id, sso_url } = effectiveSamlAddresses(saml, context);
  const sloAddress = saml.single_logout ? sloUrl(context) : undefined;
  const certificates = saml.metadata_next_key
    ? await context.keys.announcedCertificates()
    : [(await context.keys.signingKey()).certificatePem];
  const encryptionCertificate = saml.encryption_key ? (await encryptionKey(context)).certificatePem : undefined;
  const validUntil =
    saml.metadata_valid_hours === 0
      ? undefined
      : samlInstantAfter(documentMoment(context.clock.now()), saml.metadata_valid_hours * 3600);
  const describe = () =>
    entityDescriptor({
      entityId: entity_id,
      ssoUrl: sso_url,
      sloUrl: sloAddress,
      certificates: certificates.map(certificateBase64),
      encryptionCertificate: encryptionCertificate && certificateBase64(encryptionCertificate),
      wantAuthnRequestsSigned: saml.want_authn_requests_signed,
      validUntil,
      cacheDuration: saml.metadata_cache_minutes === 0 ? undefined : `PT${saml.metadata_cache_minutes}M`,
    });
  if (outputHooks.samlMetadata !== undefined || request.query.value('signed') === '1') {
    const right = indented(await hooked(describe(), outputHooks.samlMetadata));
    return asReply(request.query.value('signed') === '1' ? await signed(right, context) : right);
  }
  const of = [entity_id, sso_url, sloAddress, encryptionCertificate, validUntil, ...certificates];
  const made = lastMade.get(snapshot);
  if (made?.of.length === of.length && made.of.every((part, at) => part === of[at])) return made.reply;
  const reply: Reply = { ...asReply(indented(describe())), sentOften: true };
  lastMade.set(snapshot, { of, reply });
  return reply;
}

function asReply(document: XmlElement): Reply {
  const body = metadataDocument(document);
  return { status: 200, headers: { 'Content-Type': 'application/samlmetadata+xml' }, body };
}

/** The signature is the first child of the root, as the metadata schema requires. */
async function signed(root: XmlElement, { snapshot, signer, random }: ProtocolContext): Promise<XmlElement> {
  const { saml } = snapshot.settings;
  const c14n = saml.c14n_algorithm;
  const recipe = recipeOf(await signer.signingKey(), signingAlgorithms(saml, undefined));
  const identified = withAttributes(root, { ID: freshIdentifier(random) });
  return signBy(recipe, identified, { c14n, layout: 'compact', place: 'first' });
}
