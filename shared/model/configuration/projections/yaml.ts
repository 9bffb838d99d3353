// What YAML readers and writers derive from the rows: the order of a new entry, which keys are written even at their
// default, and second spellings.
import type { FieldNotes } from '../field.ts';
import { type ModelField, valueAt } from '../read-model.ts';
import { settingsFields } from '../settings-fields.ts';

type Path = readonly string[];

/** The settings that are written only if they differ from their defaults (CFG-34, WRT-11). */
export const absentAtDefault: ReadonlySet<string> = pathsWith(settingsFields, 'unless-default');

/** The fields of an entry that are always written (WRT-12). */
export function alwaysWritten(fields: readonly ModelField[]): ReadonlySet<string> {
  return pathsWith(fields, 'always');
}

/** Keys with a second spelling, each as the path of the canonical key and of its alias (CFG-33). */
export const keyAliases: readonly (readonly [canonical: Path, alias: Path])[] = settingsFields.flatMap(
  ({ path, notes: { alias } }) => (alias === undefined ? [] : [[path.split('.'), alias.split('.')] as const]),
);

/** The settings that each machine keeps for itself where several share a store (CLU-19). */
export const machineSettings: readonly Path[] = settingsFields.flatMap(({ path, notes }) =>
  notes.machine === true ? [path.split('.')] : [],
);

/** The members of `entry` that have a row and differ from their default, in the order of the rows. */
export function writtenMembers(
  fields: readonly ModelField[],
  entry: unknown,
  isSame: (one: unknown, other: unknown) => boolean,
): Record<string, unknown> {
  const always = alwaysWritten(fields);
  const written: Record<string, unknown> = Object.create(null);
  for (const { name, byDefault } of fields) {
    const value = valueAt(entry, name);
    if (always.has(name) || !isSame(value, byDefault)) written[name] = value;
  }
  return written;
}

function pathsWith(fields: readonly ModelField[], yaml: NonNullable<FieldNotes['yaml']>): ReadonlySet<string> {
  return new Set(fields.filter(({ notes }) => notes.yaml === yaml).map(({ path }) => path));
}
