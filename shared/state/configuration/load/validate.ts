// Validates a plain value against a model and reports all errors at once (CFG-08, CFG-09, CFG-23, CFG-27). Unknown keys
// are removed and reported. Texts that came from a placeholder, or were written for another YAML parser (D52), are
// converted to the type of their key.

import type { z } from 'zod';
import { isMapping } from '#shared/base/untrusted-values.ts';
import type { KeyPath } from '#shared/model/configuration/finding.ts';

interface ValidationHandlers {
  /** The text at this path, as the file writes it, contains a placeholder. */
  fromPlaceholder(path: KeyPath): boolean;
  unknownKey(path: KeyPath): void;
  /** A text was read as the number or boolean that it spells (D52). Left out: such a text is rejected. */
  otherForm?(path: KeyPath, canonical: string): void;
  broken(path: KeyPath, message: string): void;
}

/** The output of the model, or undefined after `broken` was called. `value` is changed: unknown keys are removed. */
export function validate<Model extends z.ZodType>(
  model: Model,
  value: unknown,
  base: KeyPath,
  handlers: ValidationHandlers,
): z.output<Model> | undefined {
  for (;;) {
    const result = model.safeParse(value);
    if (result.success) return result.data;
    const mended = result.error.issues.filter((issue) => mend(issue, value, base, handlers)).length;
    if (mended === 0) {
      for (const issue of result.error.issues) {
        const path = keys(issue.path);
        handlers.broken([...base, ...path], sentence(issue, valueAt(value, path)));
      }
      return undefined;
    }
  }
}

type Issue = z.core.$ZodIssue;

/** Removes unknown keys, or converts an expanded text; false when neither helps. */
function mend(issue: Issue, root: unknown, base: KeyPath, handlers: ValidationHandlers): boolean {
  const path = keys(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const mapping = valueAt(root, path);
    if (!isMapping(mapping)) return false;
    for (const key of issue.keys) {
      handlers.unknownKey([...base, ...path, key]);
      delete mapping[key];
    }
    return true;
  }
  if (issue.code !== 'invalid_type') return false;
  const value = valueAt(root, path);
  if (typeof value !== 'string') return false;
  const isPlaceholder = handlers.fromPlaceholder([...base, ...path]);
  if (!isPlaceholder && handlers.otherForm === undefined) return false;
  // In a literal text, 1 and 0 are not booleans.
  if (!isPlaceholder && issue.expected === 'boolean' && /\d/.test(value)) return false;
  const converted = convert(isPlaceholder ? value.trim() : value, issue.expected);
  if (converted === undefined || !assign(root, path, converted)) return false;
  if (!isPlaceholder) handlers.otherForm?.([...base, ...path], String(converted));
  return true;
}

function convert(value: string, expected: string): number | boolean | undefined {
  if (expected === 'boolean') return booleans.get(value.toLowerCase());
  if (expected !== 'number' && expected !== 'int') return undefined;
  return /^[+-]?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
]);

function sentence(issue: Issue, value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null) return 'has no value. Write a value, or remove the line';
  return issue.message;
}

function keys(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((part) => (typeof part === 'number' ? part : String(part)));
}

function valueAt(root: unknown, path: KeyPath): unknown {
  let value = root;
  for (const part of path) {
    if (Array.isArray(value) && typeof part === 'number') value = value[part];
    else if (isMapping(value)) value = value[part];
    else return undefined;
  }
  return value;
}

function assign(root: unknown, path: KeyPath, value: unknown): boolean {
  const last = path.at(-1);
  const container = valueAt(root, path.slice(0, -1));
  if (last === undefined) return false;
  if (Array.isArray(container) && typeof last === 'number') container[last] = value;
  else if (isMapping(container)) container[last] = value;
  else return false;
  return true;
}
