// Brings the value at a path to a target with as few edits as possible. Parts that already have their value,
// placeholders expanded, are not touched, down to single list items and nested keys (WRT-10).
import { isMap, isScalar, isSeq } from 'yaml';
import { isMapping } from '#shared/base/untrusted-values.ts';
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import { keyText } from '../load/document-paths.ts';
import { type Environment, hasPlaceholder } from '../load/placeholders.ts';
import { plainValue } from '../load/yaml-source.ts';
import { sameValue } from './same-value.ts';
import type { YamlText } from './yaml-text.ts';

/** Beyond this many comparisons a list's middle is rewritten. */
const comparisonsMax = 250_000;

/** Sets a key, and adds it and its parent mappings when they are missing; undefined removes it. */
export function setKey(yaml: YamlText, path: KeyPath, target: unknown, environment: Environment): void {
  if (target === undefined) {
    if (yaml.has(path)) yaml.remove(path);
    return;
  }
  const container = path.slice(0, -1);
  if (yaml.has(path)) reconcile(yaml, path, target, environment);
  else if (container.length === 0 || isOpen(yaml, container)) yaml.insertKey(container, String(path.at(-1)), target);
  else setKey(yaml, container, { [String(path.at(-1))]: target }, environment);
}

/** There is a mapping to add to, or a key without a value. */
function isOpen(yaml: YamlText, path: KeyPath): boolean {
  if (!yaml.has(path)) return false;
  const node = yaml.nodeAt(path);
  return node === undefined || isMap(node) || (isScalar(node) && node.value === null);
}

/** Changes the existing value at `path` to the target. */
function reconcile(yaml: YamlText, path: KeyPath, target: unknown, environment: Environment): void {
  const node = yaml.nodeAt(path);
  const present = plainValue(node, yaml.document, environment);
  if (sameValue(present, target)) return;
  if (isScalar(node) && typeof node.value === 'string' && hasPlaceholder(node.value) && present === asText(target))
    return;
  if (isMap(node) && node.items.length > 0 && isMapping(target) && Object.keys(target).length > 0) {
    reconcileMapping(
      yaml,
      path,
      node.items.map((pair) => keyText(pair.key) ?? ''),
      target,
      environment,
    );
  } else if (isSeq(node) && node.items.length > 0 && Array.isArray(target) && target.length > 0) {
    reconcileList(yaml, path, Array.isArray(present) ? present : [], target);
  } else {
    yaml.replaceValue(path, target);
  }
}

/** `${PORT:8000}` is the number 8000 for a key that requires a number (CFG-23). */
function asText(target: unknown): string | undefined {
  return typeof target === 'number' || typeof target === 'boolean' ? String(target) : undefined;
}

function reconcileMapping(
  yaml: YamlText,
  path: KeyPath,
  keys: readonly string[],
  target: Readonly<Record<string, unknown>>,
  environment: Environment,
): void {
  for (const [key, value] of Object.entries(target)) {
    if (value !== undefined) setKey(yaml, [...path, key], value, environment);
  }
  for (const key of keys) {
    if (!Object.hasOwn(target, key) || target[key] === undefined) yaml.remove([...path, key]);
  }
}

/**
 * Items that are in both lists, in order, stay. The other items are removed, inserted, or replaced in their position.
 */
function reconcileList(yaml: YamlText, path: KeyPath, present: readonly unknown[], target: readonly unknown[]): void {
  const kept = commonItems(present, target);
  const ends = [...kept, { before: present.length, after: target.length }];
  // From the end to the beginning, so that earlier indices stay valid.
  for (let index = ends.length - 1; index >= 0; index -= 1) {
    const upper = ends[index] ?? { before: 0, after: 0 };
    const lower = index === 0 ? { before: -1, after: -1 } : (ends[index - 1] ?? { before: -1, after: -1 });
    const gone = upper.before - lower.before - 1;
    const come = upper.after - lower.after - 1;
    const replaced = Math.min(gone, come);
    for (let extra = come - 1; extra >= replaced; extra -= 1) {
      yaml.insertItem(path, lower.before + 1 + gone, target[lower.after + 1 + extra]);
    }
    for (let extra = gone - 1; extra >= replaced; extra -= 1) yaml.remove([...path, lower.before + 1 + extra]);
    for (let item = 0; item < replaced; item += 1) {
      yaml.replaceValue([...path, lower.before + 1 + item], target[lower.after + 1 + item]);
    }
  }
}

interface Kept {
  readonly before: number;
  readonly after: number;
}

/** A longest common subsequence, as pairs of indices. */
function commonItems(present: readonly unknown[], target: readonly unknown[]): Kept[] {
  if (present.length * target.length > comparisonsMax) return commonEnds(present, target);
  const lengths = Array.from({ length: present.length + 1 }, () => new Uint32Array(target.length + 1));
  const same = (before: number, after: number) => sameValue(present[before], target[after]);
  const at = (before: number, after: number) => lengths[before]?.[after] ?? 0;
  for (let before = present.length - 1; before >= 0; before -= 1) {
    const row = lengths[before];
    if (row === undefined) continue;
    for (let after = target.length - 1; after >= 0; after -= 1) {
      row[after] = same(before, after)
        ? at(before + 1, after + 1) + 1
        : Math.max(at(before + 1, after), at(before, after + 1));
    }
  }
  const kept: Kept[] = [];
  for (let before = 0, after = 0; before < present.length && after < target.length; ) {
    if (same(before, after)) {
      kept.push({ before, after });
      before += 1;
      after += 1;
    } else if (at(before + 1, after) >= at(before, after + 1)) before += 1;
    else after += 1;
  }
  return kept;
}

function commonEnds(present: readonly unknown[], target: readonly unknown[]): Kept[] {
  const kept: Kept[] = [];
  const shorter = Math.min(present.length, target.length);
  let front = 0;
  while (front < shorter && sameValue(present[front], target[front])) {
    kept.push({ before: front, after: front });
    front += 1;
  }
  const back: Kept[] = [];
  for (let step = 1; step <= shorter - front; step += 1) {
    const pair = { before: present.length - step, after: target.length - step };
    if (!sameValue(present[pair.before], target[pair.after])) break;
    back.unshift(pair);
  }
  return [...kept, ...back];
}
