// Whether an element's enveloped signature verifies. Only for decisions without security impact: a warning about
// metadata (SPM-07), and whether a fault broke a response of this server. A signature that uses unsupported features
// counts as not verified. Messages from outside are verified elsewhere.
import { createHash, X509Certificate } from 'node:crypto';
import { digestAlgorithmOf, signatureAlgorithmOf, verifyWith } from './signature-algorithms.ts';
import { signatureNamespace } from './vocabulary.ts';
import { scopeInside, writeCanonical } from './xml/write-xml.ts';
import {
  attributeValue,
  childElements,
  firstChild,
  type NamespaceScope,
  textOf,
  type XmlElement,
} from './xml-element.ts';

const kinds: ReadonlyMap<string, 'exclusive' | 'inclusive'> = new Map([
  ['http://www.w3.org/2001/10/xml-exc-c14n#', 'exclusive'],
  ['http://www.w3.org/TR/2001/REC-xml-c14n-20010315', 'inclusive'],
  ['http://www.w3.org/2006/12/xml-c14n11', 'inclusive'],
]);
const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

/** `certificates` as PEM. `scope`: the namespaces in scope around the element, none around a root. */
export function isSignedBy(
  root: XmlElement,
  certificates: readonly string[],
  scope: NamespaceScope = new Map(),
): boolean {
  const signature = firstChild(root, signatureNamespace, 'Signature');
  const info = signature && below(signature, 'SignedInfo');
  const reference = info && below(info, 'Reference');
  if (signature === undefined || info === undefined || reference === undefined) return false;
  const uri = attributeValue(reference, 'URI') ?? '';
  if (uri !== '' && uri !== `#${attributeValue(root, 'ID')}`) return false;
  const transforms = below(reference, 'Transforms');
  const [first, second, ...others] = transforms === undefined ? [] : childElements(transforms).map(algorithm);
  const kind = second === undefined ? 'inclusive' : kinds.get(second);
  const digest = digestAlgorithmOf(algorithm(below(reference, 'DigestMethod')));
  const method = signatureAlgorithmOf(algorithm(below(info, 'SignatureMethod')));
  const infoKind = kinds.get(algorithm(below(info, 'CanonicalizationMethod')));
  if (first !== enveloped || others.length > 0) return false;
  if (kind === undefined || digest === undefined || method === undefined || infoKind === undefined) return false;
  const content = writeCanonical(root, { kind, inherited: scope, without: signature });
  const digested = createHash(digest).update(content, 'utf8').digest('base64');
  if (digested !== bare(below(reference, 'DigestValue'))) return false;
  const inherited = scopeInside(signature, scopeInside(root, scope));
  const signed = Buffer.from(writeCanonical(info, { kind: infoKind, inherited }), 'utf8');
  const value = Buffer.from(bare(below(signature, 'SignatureValue')), 'base64');
  return certificates.some((pem) => verifyWith(method, signed, new X509Certificate(pem).publicKey, value));
}

function below(parent: XmlElement, local: string): XmlElement | undefined {
  return firstChild(parent, signatureNamespace, local);
}

function algorithm(element: XmlElement | undefined): string {
  return (element && attributeValue(element, 'Algorithm')) ?? '';
}

function bare(element: XmlElement | undefined): string {
  return element === undefined ? '' : textOf(element).replace(/\s+/g, '');
}
