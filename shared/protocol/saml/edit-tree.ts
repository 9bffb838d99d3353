// Small changes of a tree. Each function returns a new tree. Faults use them to change a correct Response.
import type { XmlElement, XmlNode } from './xml-element.ts';
import { isNamed } from './xml-element.ts';

/**
 * Returns the element with these attributes in no namespace. undefined removes an attribute. New attributes come last.
 */
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

/** The replacement of a child: nothing, itself, another element, or several. */
type Replacement = XmlElement | readonly XmlElement[] | undefined;

/** Returns the element with its children of that name replaced. undefined when it has no such children. */
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

/** Like `replacing`, several levels down. `path` holds the local names from a child on, all in one namespace. */
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
 * Returns the element without layout white space. Text is kept where it has no sibling elements. An element without
 * layout white space is returned unchanged.
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

/** Changes every element, from the leaves up, the root last. */
export function mapElements(element: XmlElement, change: (element: XmlElement) => XmlElement): XmlElement {
  return change(
    withChildren(
      element,
      element.children.map((child) => (typeof child === 'string' ? child : mapElements(child, change))),
    ),
  );
}
