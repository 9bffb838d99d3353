// Dotted paths of a configuration in a YAML document: the node, the keys and the position of a path, as the file writes
// them. Aliases in a path are not followed.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { hasPlaceholder } from './placeholders.ts';

/** A mapping key as it is written (CFG-22): `0123:` is the text 0123. undefined when it is no text. */
export function keyText(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? '');
}

const pairsByName = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** The first pair with that name. Uses an index, because a file with thousands of users may have a finding for each. */
function pairNamed(map: YAMLMap, name: string): Pair | undefined {
  let pairs = pairsByName.get(map);
  if (pairs === undefined) {
    // Backwards, so that the first of several pairs wins.
    pairs = new Map(map.items.map((pair) => [keyText(pair.key) ?? '', pair] as const).reverse());
    pairsByName.set(map, pairs);
  }
  return pairs.get(name);
}

/** The node at a path, or undefined; aliases in the path are not followed. */
export function nodeAt(document: Document.Parsed, path: KeyPath): Node | undefined {
  let node: unknown = document.contents;
  for (const part of path) {
    if (isMap(node)) node = pairNamed(node, String(part))?.value;
    else if (isSeq(node) && typeof part === 'number') node = node.items[part];
    else return undefined;
  }
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node : undefined;
}

/** The keys of the mapping at a path, in order; undefined when none exists (or an alias). */
export function keysAt(document: Document.Parsed, path: KeyPath): readonly string[] | undefined {
  const node = nodeAt(document, path);
  return isMap(node) ? node.items.map((pair) => keyText(pair.key) ?? '') : undefined;
}

/** The position to report for a path: its key, else its value, else the nearest existing ancestor. */
export function offsetOf(document: Document.Parsed, path: KeyPath): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  for (const part of path) {
    if (isMap(node)) {
      const pair = pairNamed(node, String(part));
      if (pair === undefined) return offset;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part];
      if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) offset = node.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/** Whether the text at a path, as the file writes it, contains a placeholder. */
export function writtenWithPlaceholder(document: Document.Parsed, path: KeyPath): boolean {
  const node = nodeAt(document, path);
  return isScalar(node) && typeof node.value === 'string' && hasPlaceholder(node.value);
}
