// What is encrypted of a Response, and when. Identifier and attributes are encrypted before the Assertion is signed,
// the Assertion after that. The Response is signed over the encrypted form (ENC-05 to ENC-07).

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { SamlAnswer, SamlEncryption, UnusualSignature } from '#shared/engine/exchange/saml-answer.ts';
import { signBy } from '#shared/engine/saml-signing/sign-element.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import { compacted, replacing } from '#shared/protocol/saml/edit-tree.ts';
import { isSignedBy } from '#shared/protocol/saml/is-signed-by.ts';
import { assertionNamespace, saml2, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { scopeInside } from '#shared/protocol/saml/xml/write-xml.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  isNamed,
  type NamespaceScope,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import { unusualRecipe } from '../signing/unusual-recipe.ts';
import { encryptedData, type RandomBytes } from './encrypt-element.ts';

/**
 * A response, and the unusual signatures that a fault gave its elements. After later encryption, each of these elements
 * is signed in the same way again.
 */
export interface AlteredAnswer {
  readonly answer: SamlAnswer;
  readonly signedAs: ReadonlyMap<XmlElement, UnusualSignature>;
}

export function encryptionFor(serviceProvider: ServiceProvider | undefined): SamlEncryption | undefined {
  const certificatePem = serviceProvider?.encryption_certificate;
  if (serviceProvider === undefined || certificatePem === undefined || serviceProvider.encrypt.length === 0) {
    return undefined;
  }
  const { encrypt, encryption: methods, entity_id: recipient } = serviceProvider;
  return { parts: new Set(encrypt), certificatePem, methods, recipient };
}

/** An unsigned Assertion, with its identifier and attributes encrypted if the settings require it. */
export function withEncryptedParts(
  assertion: XmlElement,
  encryption: SamlEncryption,
  inherited: NamespaceScope,
  random: RandomBytes,
): XmlElement {
  const { parts } = encryption;
  const within = (element: XmlElement, parent: string, local: string, container: string) => {
    const hidden = (found: XmlElement) =>
      inPlaceOf(found, container, encryptedData(found, inherited, encryption, random));
    const inside = (found: XmlElement) => replacing(found, [assertionNamespace, local], hidden) ?? found;
    return replacing(element, [assertionNamespace, parent], inside) ?? element;
  };
  const named = parts.has('name_id') ? within(assertion, 'Subject', 'NameID', 'EncryptedID') : assertion;
  return parts.has('attributes') ? within(named, 'AttributeStatement', 'Attribute', 'EncryptedAttribute') : named;
}

/** The Response with each Assertion encrypted, if the settings require it. */
export function withEncryptedAssertions(
  response: XmlElement,
  encryption: SamlEncryption,
  random: RandomBytes,
): XmlElement {
  if (!encryption.parts.has('assertion')) return response;
  const inherited = scopeInside(response);
  const hidden = (assertion: XmlElement) =>
    inPlaceOf(assertion, 'EncryptedAssertion', encryptedData(assertion, inherited, encryption, random));
  return replacing(response, [assertionNamespace, 'Assertion'], hidden) ?? response;
}

/** With the prefix of the hidden element, which is declared at that position. */
function inPlaceOf({ prefix }: XmlElement, container: string, encrypted: readonly XmlElement[]): XmlElement {
  return { ...saml2(container, {}, encrypted), prefix };
}

/**
 * A response that was plain and signed while a fault changed it. An element with a correct signature, or with one that
 * the fault made in its own way, is signed again in the same way over the encrypted form. A signature that the fault
 * removed or broke stays that way.
 */
export async function encryptedAfterwards(
  { answer, signedAs }: AlteredAnswer,
  { signer, snapshot, random }: Pick<ProtocolContext, 'signer' | 'snapshot' | 'random'>,
): Promise<SamlAnswer> {
  const { response, encryption, algorithms } = answer;
  if (encryption === undefined) return answer;
  const { c14n_algorithm: c14n } = snapshot.settings.saml;
  const key = await signer.signingKey();
  const signatureOf = (element: XmlElement, scope?: NamespaceScope) =>
    signedAs.get(element) ?? (isSignedBy(element, [key.certificatePem], scope) ? {} : undefined);
  const layout = answer.kind === 'attribute_query' ? 'indented' : 'compact';
  const signedAgain = (element: XmlElement, unusual: UnusualSignature, inherited: NamespaceScope = new Map()) => {
    const bare = replacing(element, [signatureNamespace, 'Signature'], () => undefined) ?? element;
    return signBy(unusualRecipe(key, unusual, algorithms), compacted(bare), { c14n, layout, inherited });
  };
  const scope = scopeInside(response);
  const covered = coveredFromElsewhere(response);
  let whole = response;
  for (const assertion of response.children) {
    if (typeof assertion === 'string' || assertion.local !== 'Assertion' || covered.has(assertion)) continue;
    const changed = withEncryptedParts(assertion, encryption, scope, random);
    if (changed === assertion) continue;
    const unusual = signatureOf(assertion, scope);
    const ready = unusual === undefined ? changed : await signedAgain(changed, unusual, scope);
    whole = { ...whole, children: whole.children.map((child) => (child === assertion ? ready : child)) };
  }
  const sealed = withEncryptedAssertions(whole, encryption, random);
  if (sealed === response) return answer;
  const unusual = signatureOf(response);
  return { ...answer, response: unusual === undefined ? sealed : await signedAgain(sealed, unusual) };
}

/**
 * The Assertions that a signature in another element refers to. It was moved there, and matches them only unchanged
 * (FLT-38).
 */
function coveredFromElsewhere(response: XmlElement): ReadonlySet<XmlElement> {
  const assertions = childElements(response).filter((child) => isNamed(child, assertionNamespace, 'Assertion'));
  const others = assertions.flatMap((assertion) => referencesIn(assertion).map((uri) => ({ assertion, uri })));
  return new Set(
    assertions.filter((each) =>
      others.some(({ assertion, uri }) => assertion !== each && uri === `#${attributeValue(each, 'ID')}`),
    ),
  );
}

function referencesIn(element: XmlElement): string[] {
  return [...elementsOf(element)]
    .filter((each) => isNamed(each, signatureNamespace, 'Reference'))
    .flatMap((each) => attributeValue(each, 'URI') ?? []);
}
