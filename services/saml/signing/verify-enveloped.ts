// The enveloped signature of an HTTP-POST message (SAM-26, SAM-27; SAML core §5.4). First the form: one signature in the
// whole document, a child of the root, with one Reference to the root and no transform but enveloped-signature and
// canonicalization. Then xml-crypto verifies, and the caller gets nothing but the element parsed from the octets it
// verified: what was not signed cannot be read. xml-crypto is given the tree as our writer emits it, so that its parser
// has nothing to understand differently from ours.
import type { KeyObject } from 'node:crypto';
import { SignedElement } from '../protocol/verified-authn-request.ts';
import { signatureNamespace } from '../protocol/vocabulary.ts';
import { parseXml } from '../protocol/xml/parse-xml.ts';
import { scopeInside, writeCanonical, writeDocument } from '../protocol/xml/write-xml.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  firstChild,
  isNamed,
  type XmlElement,
} from '../protocol/xml/xml-element.ts';
import { XmlUnreadableError } from '../protocol/xml/xml-unreadable.ts';
import { canonicalizationUris, digestUris, envelopedSignatureUri, signatureDigests } from './algorithms.ts';
import { SignatureRefusedError } from './signature-refused.ts';

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
    refuse('the signature covers another element than the root');
  }
  return new SignedElement(element);
}

function onlySignature(root: XmlElement): XmlElement {
  const signature = firstChild(root, signatureNamespace, 'Signature');
  if (signature === undefined) refuse('the request carries no enveloped signature on its root element');
  const elements = [...elementsOf(root)];
  const parts = elements.reduce((sum, element) => sum + 1 + element.attributes.length + element.declarations.length, 0);
  if (parts > signedPartsMax) refuse(`the request has more than ${signedPartsMax} elements and attributes`);
  // By local name alone: verifiers search that way too.
  for (const local of ['Signature', 'SignedInfo', 'Reference']) {
    if (elements.filter((element) => element.local === local).length !== 1) {
      refuse(`the request must hold exactly one ${local}`);
    }
  }
  return signature;
}

function requireReferenceToRoot(signature: XmlElement, root: XmlElement): void {
  const signedInfo = required(signature, 'SignedInfo');
  if (!canonicalizations.has(algorithmOf(signedInfo, 'CanonicalizationMethod'))) {
    refuse('the canonicalization of the signature is not a supported one');
  }
  if (!signatureDigests.has(algorithmOf(signedInfo, 'SignatureMethod'))) {
    refuse('the signature algorithm is not rsa-sha256, rsa-sha512 or rsa-sha1');
  }
  const reference = required(signedInfo, 'Reference');
  if (!digestUris.has(algorithmOf(reference, 'DigestMethod'))) refuse('the digest is not SHA-256, SHA-512 or SHA-1');

  const id = attributeValue(root, 'ID');
  const uri = attributeValue(reference, 'URI');
  if (id === undefined || id === '' || /['"]/.test(id)) refuse('the signed root element has no usable ID');
  if (uri !== '' && uri !== `#${id}`) refuse('the Reference of the signature is not to the root element');
  requireUniqueId(root, id);

  const transforms = childElements(required(reference, 'Transforms'));
  const algorithms = transforms.map((transform) => attributeValue(transform, 'Algorithm') ?? '');
  const [first, ...others] = algorithms;
  const allowed =
    first === envelopedSignatureUri && others.length <= 1 && others.every((uri) => canonicalizations.has(uri));
  if (!allowed || transforms.some((transform) => !isNamed(transform, signatureNamespace, 'Transform'))) {
    refuse('the signature may use enveloped-signature and one canonicalization as its transforms, nothing else');
  }
}

function requireUniqueId(root: XmlElement, id: string): void {
  for (const element of elementsOf(root)) {
    for (const { local, value } of element.attributes) {
      const isRootId = element === root && local === 'ID';
      if (value === id && local.toLowerCase() === 'id' && !isRootId) refuse('the ID of the root element is not unique');
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
  return refuse('the enveloped signature does not verify with any certificate of saml.sp_certificates');
}

/** Canonical form may be much longer than what was sent: a namespace is declared wherever it is used. */
function readSigned(verified: string): XmlElement {
  try {
    return parseXml(verified);
  } catch (error) {
    if (error instanceof XmlUnreadableError) refuse('what the signature covers cannot be read');
    throw error;
  }
}

function required(parent: XmlElement, local: string): XmlElement {
  return firstChild(parent, signatureNamespace, local) ?? refuse(`the signature has no ${local}`);
}

function algorithmOf(parent: XmlElement, local: string): string {
  return attributeValue(required(parent, local), 'Algorithm') ?? '';
}

function refuse(reason: string): never {
  throw new SignatureRefusedError(reason);
}
