// The only XML writer. It writes a tree directly in canonical form, so the octets to digest are never derived from
// other output. Canonical XML 1.0 and 1.1 differ only for attributes with the `xml` prefix (inherited xml:base and
// xml:id), and this program creates no such attributes. Canonical XML 1.0 §2.3, Canonical XML 1.1 §2.3, Exclusive XML
// Canonicalization 1.0 §3.

import { type NamespaceScope, scopeWith, type XmlAttribute, type XmlElement } from '../xml-element.ts';
import { compareCodePoints, escapeAttribute, escapeText } from './xml-characters.ts';

export interface CanonicalForm {
  /**
   * exclusive: a declaration appears where its prefix is used. inclusive: where it was declared, and at the apex all in
   * scope.
   */
  readonly kind: 'exclusive' | 'inclusive';
  /** Namespaces declared by the element's ancestors, when it is a part of a larger document. */
  readonly inherited?: NamespaceScope;
  /** An element that is left out with its content: the signature under the enveloped-signature transform. */
  readonly without?: XmlElement | undefined;
}

const noNamespaces: NamespaceScope = new Map();

/** The canonical form of the element as the apex of a document subset. */
export function writeCanonical(element: XmlElement, form: CanonicalForm): string {
  const inherited = form.inherited ?? noNamespaces;
  return form.kind === 'exclusive'
    ? writeExclusive(element, noNamespaces, form.without)
    : writeInclusive(element, inherited, noNamespaces, form.without);
}

/**
 * Writes a whole document as it is sent: inclusive canonical form, which keeps declarations where the tree has them.
 * Three line separators are written as references, because some parsers treat them as line ends, which XML 1.0 does
 * not. They occur only in text and values, and the signed content is the same.
 */
export function writeDocument(root: XmlElement): string {
  const canonical = writeCanonical(root, { kind: 'inclusive' });
  return canonical.replace(/[\u0085\u2028\u2029]/g, (separator) => lineSeparatorReferences.get(separator) ?? separator);
}

const lineSeparatorReferences = new Map([
  ['\u0085', '&#x85;'],
  ['\u2028', '&#x2028;'],
  ['\u2029', '&#x2029;'],
]);

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The namespaces in scope inside an element whose ancestors declared `outer`. */
export function scopeInside(element: XmlElement, outer: NamespaceScope = noNamespaces): NamespaceScope {
  return scopeWith(element.declarations, outer);
}

function writeExclusive(element: XmlElement, rendered: NamespaceScope, without: XmlElement | undefined): string {
  const used: [string, string][] = [];
  noteUse(used, element.prefix, element.namespace, rendered);
  for (const attribute of element.attributes) {
    if (attribute.prefix !== '') noteUse(used, attribute.prefix, attribute.namespace, rendered);
  }
  const inside = used.length === 0 ? rendered : new Map([...rendered, ...used]);
  let content = '';
  for (const child of element.children) {
    if (typeof child === 'string') content += escapeText(child);
    else if (child !== without) content += writeExclusive(child, inside, without);
  }
  return tag(element, used, content);
}

function noteUse(used: [string, string][], prefix: string, namespace: string, rendered: NamespaceScope): void {
  // The recommendation itself binds the prefix `xml`, and it is never declared.
  if (prefix === 'xml' || (rendered.get(prefix) ?? '') === namespace) return;
  if (!used.some(([noted]) => noted === prefix)) used.push([prefix, namespace]);
}

function writeInclusive(
  element: XmlElement,
  outer: NamespaceScope,
  rendered: NamespaceScope,
  without: XmlElement | undefined,
): string {
  const scope = scopeInside(element, outer);
  const declarations: [string, string][] = [];
  if (scope !== rendered) {
    for (const [prefix, uri] of scope) {
      if (prefix !== 'xml' && (rendered.get(prefix) ?? '') !== uri) declarations.push([prefix, uri]);
    }
  }
  let content = '';
  for (const child of element.children) {
    if (typeof child === 'string') content += escapeText(child);
    else if (child !== without) content += writeInclusive(child, scope, scope, without);
  }
  return tag(element, declarations, content);
}

function tag(element: XmlElement, declarations: [string, string][], content: string): string {
  const name = element.prefix === '' ? element.local : `${element.prefix}:${element.local}`;
  let opening = `<${name}`;
  if (declarations.length > 1) declarations.sort(([left], [right]) => compareCodePoints(left, right));
  for (const [prefix, uri] of declarations) {
    opening += `${prefix === '' ? ' xmlns' : ` xmlns:${prefix}`}="${escapeAttribute(uri)}"`;
  }
  const attributes = element.attributes;
  for (const attribute of attributes.length > 1 ? [...attributes].sort(compareAttributes) : attributes) {
    const { prefix, local, value } = attribute;
    opening += ` ${prefix === '' ? local : `${prefix}:${local}`}="${escapeAttribute(value)}"`;
  }
  return `${opening}>${content}</${name}>`;
}

/** By namespace URI, then by local name. Attributes in no namespace come first (c14n §2.2). */
function compareAttributes(left: XmlAttribute, right: XmlAttribute): number {
  return compareCodePoints(left.namespace, right.namespace) || compareCodePoints(left.local, right.local);
}
