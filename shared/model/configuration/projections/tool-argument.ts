// Derives tool arguments and results from the rows (MCP-18). Type, enum, bounds, length and item type are included.
// Defaults and conversions are not, because an absent argument means "unchanged". The handlers check formats and rules
// over several fields (MCP-19).
import * as z from 'zod';
import type { EntryKind } from '../entry-kinds.ts';
import type { ModelField } from '../read-model.ts';

export function argumentName({ name, notes }: ModelField): string {
  return notes.name ?? name;
}

export function isOfferedToTools({ notes }: ModelField): boolean {
  return notes.fileOnly !== true && notes.tool !== false;
}

/** The argument of one field, even if tools do not offer it. */
function toolArgument({ written, notes }: ModelField): z.ZodType {
  const { description, nullable } = notes.tool || {};
  const example = notes.example === undefined ? '' : ` Example: \`${notes.example}\`.`;
  const model = nullable === true ? written.nullable() : portable(written);
  return model.meta({ description: description ?? `${notes.description}${example}` });
}

/**
 * Members of mappings are checked with the whole value. Their types would use up context of every model that reads the
 * tool.
 */
function portable(written: z.ZodType): z.ZodType {
  if (written instanceof z.ZodObject) return z.record(z.string(), z.unknown(), 'must be a mapping');
  return written instanceof z.ZodArray && written.element instanceof z.ZodObject
    ? z.array(z.record(z.string(), z.unknown()), 'must be a list of mappings')
    : written;
}

/** The argument for a text field. @throws Error for another. */
export function textArgument(field: ModelField): z.ZodString {
  const argument = toolArgument(field);
  if (!(argument instanceof z.ZodString)) throw new Error(`${field.path} is no text.`);
  return argument;
}

/** The arguments of all fields that tools offer, all optional. */
export function toolArguments(fields: readonly ModelField[]): Readonly<Record<string, z.ZodType>> {
  const offered = fields.filter(isOfferedToTools);
  return Object.fromEntries(offered.map((field) => [argumentName(field), toolArgument(field).optional()]));
}

/** An entry as tools return it: its key and every field except secrets. Fields that may be absent are null then. */
export function toolOutput<Entry, Effective>({ key, fields, filledIn }: EntryKind<Entry, Effective>): z.ZodObject {
  const members = fields
    .filter(({ notes }) => notes.secret !== true)
    .map((field) => {
      const isAlwaysThere = filledIn.has(field.name) || (field.byDefault !== undefined && field.byDefault !== null);
      return [field.name, isAlwaysThere ? answered(field) : answered(field).nullable()] as const;
    });
  return z.object({ [key.name]: z.string(), ...Object.fromEntries(members) });
}

/** Input bounds are of no use to the reader of a result. */
function answered({ kind, choices, written, model }: ModelField): z.ZodType {
  switch (kind) {
    case 'text':
      return model.safeParse(1).success ? z.union([z.string(), z.int()]) : z.string();
    case 'list':
      return z.array(z.string());
    case 'choice':
      return z.enum(choices);
    case 'mapping':
      return z.record(z.string(), z.unknown());
    default:
      return portable(written);
  }
}
