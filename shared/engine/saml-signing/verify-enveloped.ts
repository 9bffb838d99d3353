// The enveloped signature of an HTTP-POST message (SAM-26, SAM-27; SAML core §5.4). The form is checked first: one
// signature in the whole document, a child of the root, with one Reference to the root and no transform except
// enveloped-signature and canonicalization. Then xml-crypto verifies. The caller gets only the element parsed from the
// verified octets, so unsigned content cannot be read. xml-crypto gets the tree as our writer writes it, so that its
// parser cannot read it differently from ours.
import type { KeyObject } from 'node:crypto';
import { digestAlgorithmOf, signatureAlgorithmOf } from '#shared/protocol/saml/signature-algorithms.ts';
import { signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { scopeInside, writeCanonical, writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  firstChild,
  isNamed,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import { canonicalizationUris, envelopedSignatureUri } from './algorithms.ts';
import { signatureRefused } from './signature-refused.ts';
import { SignedElement } from './signed-element.ts';

const canonicalizations: ReadonlySet<string> = new Set(Object.values(canonicalizationUris));
/** Elements, attributes and declarations. An honest AuthnRequest has some dozens; verifying takes time for each. */
const signedPartsMax = 2000;

/** @throws SignatureRefusedError */
export async function verifyEnvelopedSignature(root: XmlElement, keys: readonly KeyObject[]): Promise<SignedElement> {
  const signature = onlySignature(root);
  requireReferenceToRoot(signature, root);
  const verified = await signedText(root, signature, keys);
  const element = readSigned(verified);
  if (!isNamed(element, root.namespace, root.local) || attributeValue(element, 'ID') !== attributeValue(root, 'ID')) {
    throw signatureRefused('saml_signature_of_another_element');
  }
  return new SignedElement(element);
}

function onlySignature(root: XmlElement): XmlElement {
  const signature = firstChild(root, signatureNamespace, 'Signature');
  if (signature === undefined) throw signatureRefused('saml_signature_missing');
  const elements = [...elementsOf(root)];
  const parts = elements.reduce((sum, element) => sum + 1 + element.attributes.length + element.declarations.length, 0);
  if (parts > signedPartsMax) throw signatureRefused('saml_signed_request_too_large', { partsMax: signedPartsMax });
  // By local name alone, because verifiers search that way too.
  for (const local of ['Signature', 'SignedInfo', 'Reference']) {
    if (elements.filter((element) => element.local === local).length !== 1) {
      throw signatureRefused('saml_signature_parts_not_single', { local });
    }
  }
  return signature;
}

function requireReferenceToRoot(signature: XmlElement, root: XmlElement): void {
  const signedInfo = required(signature, 'SignedInfo');
  if (!canonicalizations.has(algorithmOf(signedInfo, 'CanonicalizationMethod'))) {
    throw signatureRefused('saml_canonicalization_not_supported');
  }
  requireReadablePrefixLists(signedInfo);
  if (signatureAlgorithmOf(algorithmOf(signedInfo, 'SignatureMethod')) === undefined) {
    throw signatureRefused('saml_signature_algorithm_not_supported');
  }
  const reference = required(signedInfo, 'Reference');
  if (digestAlgorithmOf(algorithmOf(reference, 'DigestMethod')) === undefined) {
    throw signatureRefused('saml_digest_not_supported');
  }

  const id = attributeValue(root, 'ID');
  const uri = attributeValue(reference, 'URI');
  if (id === undefined || id === '' || /['"]/.test(id)) throw signatureRefused('saml_signed_id_unusable');
  if (uri !== '' && uri !== `#${id}`) throw signatureRefused('saml_reference_of_another_element');
  requireUniqueId(root, id);

  const transforms = childElements(required(reference, 'Transforms'));
  const algorithms = transforms.map((transform) => attributeValue(transform, 'Algorithm') ?? '');
  const [first, ...others] = algorithms;
  const allowed =
    first === envelopedSignatureUri && others.length <= 1 && others.every((uri) => canonicalizations.has(uri));
  if (!allowed || transforms.some((transform) => !isNamed(transform, signatureNamespace, 'Transform'))) {
    throw signatureRefused('saml_transforms_not_supported');
  }
}

/**
 * xml-crypto splits a PrefixList at single spaces, and does not support `#default` for SignedInfo. It would report a
 * correct signature as wrong, and the sender would search for the error in the key.
 */
function requireReadablePrefixLists(signedInfo: XmlElement): void {
  const method = required(signedInfo, 'CanonicalizationMethod');
  const ofMethod = childElements(method);
  for (const element of elementsOf(signedInfo)) {
    const prefixes = attributeValue(element, 'PrefixList')?.split(' ') ?? [];
    if (!isNamed(element, canonicalizationUris.exc_c14n, 'InclusiveNamespaces') || prefixes.join('') === '') continue;
    const isUnreadable = prefixes.some((prefix) => prefix === '' || /\s/.test(prefix));
    if (isUnreadable || (ofMethod.includes(element) && prefixes.includes('#default'))) {
      throw signatureRefused('saml_prefix_list_not_supported');
    }
  }
}

function requireUniqueId(root: XmlElement, id: string): void {
  for (const element of elementsOf(root)) {
    for (const { local, value } of element.attributes) {
      const isRootId = element === root && local === 'ID';
      if (value === id && local.toLowerCase() === 'id' && !isRootId)
        throw signatureRefused('saml_signed_id_not_unique');
    }
  }
}

async function signedText(root: XmlElement, signature: XmlElement, keys: readonly KeyObject[]): Promise<string> {
  const { coveredBySignature } = await import('./check-xml-signature.ts');
  const document = writeDocument(root);
  const signatureText = writeCanonical(signature, { kind: 'inclusive', inherited: scopeInside(root) });
  for (const key of keys) {
    const text = coveredBySignature(document, signatureText, key);
    if (text !== undefined) return text;
  }
  throw signatureRefused('saml_signature_wrong');
}

/** The canonical form may be much longer than the sent one, because a namespace is declared wherever it is used. */
function readSigned(verified: string): XmlElement {
  try {
    return parseXml(verified);
  } catch (error) {
    if (error instanceof XmlUnreadableError) throw signatureRefused('saml_signed_text_unreadable');
    throw error;
  }
}

function required(parent: XmlElement, local: string): XmlElement {
  const child = firstChild(parent, signatureNamespace, local);
  if (child === undefined) throw signatureRefused('saml_signature_incomplete', { local });
  return child;
}

function algorithmOf(parent: XmlElement, local: string): string {
  return attributeValue(required(parent, local), 'Algorithm') ?? '';
}
