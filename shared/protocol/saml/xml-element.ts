// An XML document as an immutable, typed tree, used by the parser, the builders and the writer. It contains no comments
// and no processing instructions: SAML gives them no meaning, and canonical XML without comments drops comments. Every
// name carries its namespace, so code never compares prefixes.

import type { XmlAttribute, XmlElement, XmlNode } from './xml-tree.ts';

export type { XmlAttribute, XmlElement, XmlNode };

/** Prefix to URI. The empty prefix is the default namespace. */
export type NamespaceScope = ReadonlyMap<string, string>;

/** The namespaces in scope inside an element with these declarations, when `outer` is in scope around it. */
export function scopeWith(declarations: XmlElement['declarations'], outer: NamespaceScope): NamespaceScope {
  if (declarations.length === 0) return outer;
  const scope = new Map(outer);
  for (const [prefix, uri] of declarations) scope.set(prefix, uri);
  return scope;
}

/** Values of attributes in no namespace. undefined omits the attribute. */
type AttributeValues = Readonly<Record<string, string | undefined>>;

/** Creates elements of one namespace under one prefix. */
type ElementMaker = (
  local: string,
  attributes?: AttributeValues,
  children?: readonly (XmlNode | undefined)[],
) => XmlElement;

export function vocabulary(prefix: string, namespace: string): ElementMaker {
  return (local, attributes = {}, children = []) => ({
    prefix,
    local,
    namespace,
    declarations: [],
    attributes: plainAttributes(attributes),
    children: children.filter((child) => child !== undefined),
  });
}

function plainAttributes(values: AttributeValues): XmlAttribute[] {
  const attributes: XmlAttribute[] = [];
  for (const local of Object.keys(values)) {
    const value = values[local];
    if (value !== undefined) attributes.push({ prefix: '', local, namespace: '', value });
  }
  return attributes;
}

/** Returns a copy of the element with these namespaces declared on it. */
export function declaring(element: XmlElement, declarations: XmlElement['declarations']): XmlElement {
  return { ...element, declarations: [...element.declarations, ...declarations] };
}

export function isNamed(element: XmlElement, namespace: string, local: string): boolean {
  return element.local === local && element.namespace === namespace;
}

export function childElements(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string');
}

export function firstChild(element: XmlElement, namespace: string, local: string): XmlElement | undefined {
  for (const child of element.children) {
    if (typeof child !== 'string' && isNamed(child, namespace, local)) return child;
  }
  return undefined;
}

/** The value of an attribute in no namespace. */
export function attributeValue(element: XmlElement, local: string): string | undefined {
  for (const attribute of element.attributes) {
    if (attribute.namespace === '' && attribute.local === local) return attribute.value;
  }
  return undefined;
}

/** The element's own character data, joined, without that of child elements. */
export function textOf(element: XmlElement): string {
  let text = '';
  for (const child of element.children) if (typeof child === 'string') text += child;
  return text;
}

/** The element itself and everything below it, in document order. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) if (typeof child !== 'string') yield* elementsOf(child);
}

/** Like `elementsOf`, with the namespaces in scope around each element. */
export function* elementsInScope(
  element: XmlElement,
  around: NamespaceScope = new Map(),
): Generator<{ readonly element: XmlElement; readonly around: NamespaceScope }> {
  yield { element, around };
  const inside = scopeWith(element.declarations, around);
  for (const child of element.children) if (typeof child !== 'string') yield* elementsInScope(child, inside);
}

/** Returns the element as an independent one, with the namespaces that were in scope around it. */
export function withInheritedNamespaces(element: XmlElement, around: NamespaceScope): XmlElement {
  const own = new Set(element.declarations.map(([prefix]) => prefix));
  return declaring(
    element,
    [...around].filter(([prefix]) => !own.has(prefix) && prefix !== 'xml'),
  );
}

/**
 * Puts each child on its own line, indented by two spaces per level. An element that contains text is left unchanged.
 */
export function indented(element: XmlElement, level = 0): XmlElement {
  const children = element.children;
  if (children.length === 0 || children.some((child) => typeof child === 'string')) return element;
  const pause = `\n${'  '.repeat(level + 1)}`;
  const spaced: XmlNode[] = [];
  for (const child of childElements(element)) spaced.push(pause, indented(child, level + 1));
  spaced.push(`\n${'  '.repeat(level)}`);
  return { ...element, children: spaced };
}
