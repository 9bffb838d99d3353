// What is encrypted of a Response, and when: identifier and attributes before the Assertion is signed, the Assertion after
// that, and the Response is signed over the encrypted form (ENC-05 to ENC-07).
import type { ServiceProvider } from '#shared/configuration/model/service-provider.ts';
import type { RequestContext } from '#shared/http/request.ts';
import type { SamlAnswer, SamlEncryption } from '#shared/http/saml-answer.ts';
import { compacted, replacing } from '#shared/protocol/saml/edit-tree.ts';
import { isSignedBy } from '#shared/protocol/saml/is-signed-by.ts';
import { assertionNamespace, saml2, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { scopeInside } from '#shared/protocol/saml/xml/write-xml.ts';
import { firstChild, type NamespaceScope, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { signElement } from '#shared/saml/signing/sign-element.ts';
import { encryptedData, type RandomBytes } from './encrypt-element.ts';

export function encryptionFor(serviceProvider: ServiceProvider | undefined): SamlEncryption | undefined {
  const certificatePem = serviceProvider?.encryption_certificate;
  if (serviceProvider === undefined || certificatePem === undefined || serviceProvider.encrypt.length === 0) {
    return undefined;
  }
  return { parts: new Set(serviceProvider.encrypt), certificatePem, methods: serviceProvider.encryption };
}

/** An Assertion that is not signed yet, its identifier and attributes encrypted as far as that is asked for. */
export function withEncryptedParts(
  assertion: XmlElement,
  encryption: SamlEncryption,
  inherited: NamespaceScope,
  random: RandomBytes,
): XmlElement {
  const { parts } = encryption;
  const within = (element: XmlElement, parent: string, local: string, container: string) => {
    const hidden = (found: XmlElement) => saml2(container, {}, [encryptedData(found, inherited, encryption, random)]);
    const inside = (found: XmlElement) => replacing(found, [assertionNamespace, local], hidden) ?? found;
    return replacing(element, [assertionNamespace, parent], inside) ?? element;
  };
  const named = parts.has('name_id') ? within(assertion, 'Subject', 'NameID', 'EncryptedID') : assertion;
  return parts.has('attributes') ? within(named, 'AttributeStatement', 'Attribute', 'EncryptedAttribute') : named;
}

/** The Response with each Assertion encrypted, when that is asked for. */
export function withEncryptedAssertions(
  response: XmlElement,
  encryption: SamlEncryption,
  random: RandomBytes,
): XmlElement {
  if (!encryption.parts.has('assertion')) return response;
  const inherited = scopeInside(response);
  const hidden = (assertion: XmlElement) =>
    saml2('EncryptedAssertion', {}, [encryptedData(assertion, inherited, encryption, random)]);
  return replacing(response, [assertionNamespace, 'Assertion'], hidden) ?? response;
}

/**
 * An answer that was plain and signed while a fault changed it. What was rightly signed is signed anew over the encrypted
 * form; a signature that the fault took away or broke stays so.
 */
export async function encryptedAfterwards(
  answer: SamlAnswer,
  { signer, snapshot, random }: Pick<RequestContext, 'signer' | 'snapshot' | 'random'>,
): Promise<SamlAnswer> {
  const { response, encryption } = answer;
  if (encryption === undefined) return answer;
  const { c14n_algorithm: c14n } = snapshot.settings.saml;
  const key = await signer.signingKey();
  const resealed = async (element: XmlElement, inherited: NamespaceScope, change: (bare: XmlElement) => XmlElement) => {
    const changed = change(element);
    if (changed === element || !isSignedBy(element, [key.certificatePem], inherited)) return changed;
    const bare = replacing(change(element), [signatureNamespace, 'Signature'], () => undefined) ?? changed;
    return signElement(compacted(bare), { key, c14n, inherited, layout: 'compact' });
  };
  const scope = scopeInside(response);
  let whole = response;
  for (const assertion of response.children) {
    if (typeof assertion === 'string' || assertion.local !== 'Assertion') continue;
    const ready = await resealed(assertion, scope, (bare) => withEncryptedParts(bare, encryption, scope, random));
    whole = { ...whole, children: whole.children.map((child) => (child === assertion ? ready : child)) };
  }
  const isRight = firstChild(response, signatureNamespace, 'Signature') && isSignedBy(response, [key.certificatePem]);
  const sealed = withEncryptedAssertions(whole, encryption, random);
  if (isRight !== true || sealed === response) return { ...answer, response: sealed };
  const bare = replacing(sealed, [signatureNamespace, 'Signature'], () => undefined) ?? sealed;
  return { ...answer, response: await signElement(compacted(bare), { key, c14n, layout: 'compact' }) };
}
