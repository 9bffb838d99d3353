// What surfaces that are read show of an entry and of the settings. A secret is on none of them (RST-04, RUN-12).
import type { EntryKind } from '../entry-kinds.ts';
import { type ModelField, valueAt } from '../read-model.ts';

type Members = Readonly<Record<string, unknown>>;

/** Every field but secrets; what is absent is null. */
export function entryDetail<Entry, Effective>(kind: EntryKind<Entry, Effective>, effective: Effective): Members {
  const view = kind.view(effective);
  const shown = [kind.key, ...kind.fields].filter(({ notes }) => notes.secret !== true);
  return Object.fromEntries(shown.map(({ name }) => [name, view[name] ?? null]));
}

/** What a list of the REST API shows: large fields as a flag that says whether there is anything. */
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
