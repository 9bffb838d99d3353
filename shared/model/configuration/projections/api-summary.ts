// What read-only surfaces show of an entry and of the settings. They never show a secret (RST-04, RUN-12).
import * as z from 'zod';
import type { EntryKind } from '../entry-kinds.ts';
import { type ModelField, valueAt } from '../read-model.ts';

type Members = Readonly<Record<string, unknown>>;

/** Every field except secrets. Absent fields are null. */
export function entryDetail<Entry, Effective>(kind: EntryKind<Entry, Effective>, effective: Effective): Members {
  const view = kind.view(effective);
  const shown = [kind.key, ...kind.fields].filter(({ notes }) => notes.secret !== true);
  return Object.fromEntries(shown.map(({ name }) => [name, view[name] ?? null]));
}

/** The model of what `entryDetail` returns. */
export function entryDetailShape<Entry, Effective>(kind: EntryKind<Entry, Effective>): Record<string, z.ZodType> {
  const shown = [kind.key, ...kind.fields].filter(({ notes }) => notes.secret !== true);
  return Object.fromEntries(shown.map((field) => [field.name, shownModel(field, kind)]));
}

/** The model of what `entrySummary` returns. */
export function entrySummaryShape<Entry, Effective>(kind: EntryKind<Entry, Effective>): Record<string, z.ZodType> {
  const members = [kind.key, ...kind.fields].flatMap((field): (readonly [string, z.ZodType])[] => {
    const { name, notes } = field;
    if (notes.secret === true || notes.api === false) return [];
    if (typeof notes.api === 'object') {
      return [[notes.api.asFlag, z.boolean().describe(`Whether this is set: ${notes.description}`)]];
    }
    return [[name, shownModel(field, kind)]];
  });
  return Object.fromEntries(members);
}

function shownModel<Entry, Effective>(
  { name, written, notes, byDefault }: ModelField,
  { key, filledIn }: Pick<EntryKind<Entry, Effective>, 'key' | 'filledIn'>,
): z.ZodType {
  const isAlwaysThere = name === key.name || filledIn.has(name) || (byDefault !== undefined && byDefault !== null);
  return (isAlwaysThere ? written : written.nullable()).describe(notes.description);
}

/** What a list of the REST API shows. Large fields are a flag that says whether they have a value. */
export function entrySummary<Entry, Effective>(kind: EntryKind<Entry, Effective>, effective: Effective): Members {
  const view = kind.view(effective);
  const members = [kind.key, ...kind.fields].flatMap(({ name, notes }): (readonly [string, unknown])[] => {
    if (notes.secret === true || notes.api === false) return [];
    if (typeof notes.api === 'object') return [[notes.api.asFlag, hasAnything(view[name])]];
    return [[name, view[name] ?? null]];
  });
  return Object.fromEntries(members);
}

/** The settings that GET /api/config shows, in the sections of the file. */
export function settingsSummary(fields: readonly ModelField[], settings: unknown): Members {
  const summary: Record<string, unknown> = {};
  for (const { path, notes } of fields) {
    const isShown = notes.secret !== true && (notes.api ?? notes.fileOnly !== true) === true;
    if (isShown) place(summary, path.split('.'), valueAt(settings, path) ?? null);
  }
  return summary;
}

/** The model of what `settingsSummary` returns, by section. */
export function settingsSummaryShape(fields: readonly ModelField[]): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {};
  const sections = new Map<string, ModelField[]>();
  for (const field of fields) {
    const { path, notes, written, byDefault } = field;
    const isShown = notes.secret !== true && (notes.api ?? notes.fileOnly !== true) === true;
    if (!isShown) continue;
    const [name = '', ...below] = path.split('.');
    if (below.length > 0) {
      sections.set(name, [...(sections.get(name) ?? []), { ...field, path: below.join('.') }]);
      continue;
    }
    const isAlwaysThere = byDefault !== undefined && byDefault !== null;
    shape[name] = (isAlwaysThere ? written : written.nullable()).describe(notes.description);
  }
  for (const [name, below] of sections) shape[name] = z.strictObject(settingsSummaryShape(below));
  return shape;
}

function place(root: Record<string, unknown>, [key = '', ...below]: readonly string[], value: unknown): void {
  if (below.length === 0) {
    root[key] = value;
    return;
  }
  const section: Record<string, unknown> = { ...Object(root[key]) };
  place(section, below, value);
  root[key] = section;
}

function hasAnything(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
}
