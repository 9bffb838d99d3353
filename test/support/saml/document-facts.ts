// A SAML document as a list of single facts, so that two documents can be compared fact by fact: the path and value of each
// text and attribute. Values that are new in every document become `fresh`, and a reference becomes the path of its target.
// Parsed by xmldom, independent of the product.
import type { Element } from '@xmldom/xmldom';
import { rootOf } from './service-provider.ts';

const drawn = /^_[0-9a-f]{32}$/;

export function factsOf(xml: string, activeCertificate: string): string[] {
  const root = rootOf(xml);
  const places = new Map<string, string>();
  walk(root, '', (element, path) => {
    const id = element.getAttribute('ID');
    if (id !== null) places.set(id, path);
  });
  const facts: string[] = [];
  walk(root, '', (element, path) => {
    for (const { name, value } of element.attributes) {
      if (name === 'xmlns' || name.startsWith('xmlns:')) continue;
      if (name === 'URI') facts.push(`${path}@URI leads to ${places.get(value.slice(1)) ?? 'nothing'}`);
      else facts.push(`${path}@${name}=${drawn.test(value) ? 'fresh' : value}`);
    }
    const children = [...element.childNodes].filter(({ nodeType }) => nodeType === 1);
    if (children.length > 0) return;
    const text = element.textContent ?? '';
    if (path.endsWith('/DigestValue') || path.endsWith('/SignatureValue')) facts.push(`${path}=…`);
    else if (path.endsWith('/X509Certificate'))
      facts.push(`${path}=${text === activeCertificate ? 'active' : 'other'}`);
    else facts.push(text === '' ? path : `${path}=${text}`);
  });
  return facts;
}

/** What one list contains more often than the other. */
export function missingIn(facts: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return facts.filter((fact) => {
    const at = left.indexOf(fact);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function walk(element: Element, around: string, visit: (element: Element, path: string) => void): void {
  const path = around === '' ? (element.localName ?? '') : `${around}/${element.localName}`;
  visit(element, path);
  for (const child of [...element.childNodes]) if (child.nodeType === 1) walk(child as Element, path, visit);
}
