// Small changes of a tree, each answering a new one: what a fault does to a Response that was right.
import type { XmlElement, XmlNode } from './xml-element.ts';
import { isNamed } from './xml-element.ts';

/** The element with these attributes in no namespace; undefined takes one away. A new one comes last. */
export function withAttributes(element: XmlElement, values: Readonly<Record<string, string | undefined>>): XmlElement {
  const kept = element.attributes.flatMap((attribute) => {
    if (attribute.namespace !== '' || !(attribute.local in values)) return [attribute];
    const value = values[attribute.local];
    return value === undefined ? [] : [{ ...attribute, value }];
  });
  const added = Object.keys(values).flatMap((local) => {
    const value = values[local];
    const isThere = element.attributes.some((attribute) => attribute.namespace === '' && attribute.local === local);
    return value === undefined || isThere ? [] : [{ prefix: '', local, namespace: '', value }];
  });
  return { ...element, attributes: [...kept, ...added] };
}

export function withChildren(element: XmlElement, children: readonly XmlNode[]): XmlElement {
  return { ...element, children };
}

export function withText(element: XmlElement, text: string): XmlElement {
  return withChildren(element, text === '' ? [] : [text]);
}

/** What a child becomes: nothing, itself, another, or several. */
type Replacement = XmlElement | readonly XmlElement[] | undefined;

/** The element whose children of that name became others; undefined when it has none of that name. */
export function replacing(
  element: XmlElement,
  [namespace, local]: readonly [namespace: string, local: string],
  change: (child: XmlElement) => Replacement,
): XmlElement | undefined {
  let found = false;
  const children = element.children.flatMap((child): readonly XmlNode[] => {
    if (typeof child === 'string' || !isNamed(child, namespace, local)) return [child];
    found = true;
    const becomes = change(child) ?? [];
    return 'children' in becomes ? [becomes] : becomes;
  });
  return found ? withChildren(element, children) : undefined;
}

/** As `replacing`, several levels down: `path` are the local names from a child on, all of one namespace. */
export function replacingAt(
  element: XmlElement,
  namespace: string,
  path: readonly string[],
  change: (child: XmlElement) => Replacement,
): XmlElement | undefined {
  const [local, ...rest] = path;
  if (local === undefined) return undefined;
  if (rest.length === 0) return replacing(element, [namespace, local], change);
  let found = false;
  const changed = replacing(element, [namespace, local], (child) => {
    const inner = replacingAt(child, namespace, rest, change);
    if (inner === undefined) return child;
    found = true;
    return inner;
  });
  return found ? changed : undefined;
}

/**
 * The element without the white space that lays it out; text beside which no element stands is kept. What has none is answered
 * as it is.
 */
export function compacted(element: XmlElement): XmlElement {
  const hasElements = element.children.some((child) => typeof child !== 'string');
  if (!hasElements) return element;
  const children = element.children.flatMap((child): readonly XmlNode[] => {
    if (typeof child !== 'string') return [compacted(child)];
    return child.trim() === '' ? [] : [child];
  });
  const isSame =
    children.length === element.children.length && children.every((child, at) => child === element.children[at]);
  return isSame ? element : withChildren(element, children);
}

/** Changes each element, from the leaves up, the root last. */
export function mapElements(element: XmlElement, change: (element: XmlElement) => XmlElement): XmlElement {
  return change(
    withChildren(
      element,
      element.children.map((child) => (typeof child === 'string' ? child : mapElements(child, change))),
    ),
  );
}
