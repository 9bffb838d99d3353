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
import { signBy } from '#shared/saml/signing/sign-element.ts';
import { unusualRecipe } from '../signing/unusual-recipe.ts';
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
    const hidden = (found: XmlElement) => around(found, container, encryptedData(found, inherited, encryption, random));
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
    around(assertion, 'EncryptedAssertion', encryptedData(assertion, inherited, encryption, random));
  return replacing(response, [assertionNamespace, 'Assertion'], hidden) ?? response;
}

/** With the prefix of what it hides, which is the one that is declared there. */
function around({ prefix }: XmlElement, container: string, data: XmlElement): XmlElement {
  return { ...saml2(container, {}, [data]), prefix };
}

/**
 * An answer that was plain and signed while a fault changed it. What was rightly signed is signed anew over the encrypted
 * form, and what a fault signs in another way in that way again; a signature that the fault took away or broke stays so.
 */
export async function encryptedAfterwards(
  answer: SamlAnswer,
  { signer, snapshot, random }: Pick<RequestContext, 'signer' | 'snapshot' | 'random'>,
): Promise<SamlAnswer> {
  const { response, encryption, signature } = answer;
  if (encryption === undefined) return answer;
  const { c14n_algorithm: c14n } = snapshot.settings.saml;
  const key = await signer.signingKey();
  const recipe = unusualRecipe(key, signature ?? {});
  const resealed = async (
    element: XmlElement,
    inherited: NamespaceScope,
    change: (element: XmlElement) => XmlElement,
  ): Promise<XmlElement> => {
    const changed = change(element);
    if (changed === element || firstChild(element, signatureNamespace, 'Signature') === undefined) return changed;
    if (signature === undefined && !isSignedBy(element, [key.certificatePem], inherited)) return changed;
    const bare = replacing(changed, [signatureNamespace, 'Signature'], () => undefined) ?? changed;
    return signBy(recipe, compacted(bare), { c14n, inherited, layout: 'compact' });
  };
  const scope = scopeInside(response);
  const inParts = (assertion: XmlElement) => withEncryptedParts(assertion, encryption, scope, random);
  let whole = response;
  for (const assertion of response.children) {
    if (typeof assertion === 'string' || assertion.local !== 'Assertion') continue;
    const ready = await resealed(assertion, scope, inParts);
    whole = { ...whole, children: whole.children.map((child) => (child === assertion ? ready : child)) };
  }
  const sealed = withEncryptedAssertions(whole, encryption, random);
  return { ...answer, response: await resealed(response, new Map(), () => sealed) };
}
