// The rows of a model for all projections. Only this file looks behind zod's wrappers (defaults, null, shorthands,
// conversions) for the type that a person writes in full.

import * as z from 'zod';
import { lazy } from '#shared/base/lazy.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { type FieldNotes, fields } from './field.ts';
import { mappingMessage } from './value-kinds.ts';

/** The type as written. Decides the control of a form and the wording of a reference. */
type FieldKind = 'text' | 'number' | 'flag' | 'choice' | 'list' | 'mapping' | 'other';

export interface ModelField {
  /** The last part of its path. */
  readonly name: string;
  /** Dotted, from the top of the model. */
  readonly path: string;
  readonly notes: FieldNotes;
  /** The whole type. Reads a value as the file does. */
  readonly model: z.ZodType;
  readonly kind: FieldKind;
  /** The model written in full: without default, null, shorthand, conversion and format check. */
  readonly written: z.ZodType;
  /** The values of a choice. A file may leave it blank, but blank is not offered as a choice. */
  readonly choices: readonly string[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** The value for an absent key. undefined: none. */
  readonly byDefault: unknown;
}

/** Every field of the model in its order, including those of its sections. */
export function fieldsOf(model: z.ZodType, above: readonly string[] = []): readonly ModelField[] {
  return Object.entries(membersOf(model)).flatMap(([name, member]) => {
    const path = [...above, name];
    const notes = fields.get(member);
    return notes === undefined ? fieldsOf(member, path) : [modelField(member, path, notes)];
  });
}

/** One field by its dotted path. @throws Error for a path that the model does not have. */
export function fieldAt(model: z.ZodType, path: string): ModelField {
  const found = fieldsOf(model).find((field) => field.path === path);
  if (found === undefined) throw new Error(`the model has no key ${path}`);
  return found;
}

/** The value at a dotted path of a value that the model has read. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const key of path.split('.')) {
    value = isMapping(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** A process needs only the names of most fields, so the rest is computed on first access. */
export function modelField(model: z.ZodType, path: readonly string[], notes: FieldNotes): ModelField {
  const read = lazy(() => readOff(model));
  return {
    name: path.at(-1) ?? '',
    path: path.join('.'),
    notes,
    model,
    get kind() {
      return read().kind;
    },
    get written() {
      return read().written;
    },
    get choices() {
      return read().choices;
    },
    get minimum() {
      return read().minimum;
    },
    get maximum() {
      return read().maximum;
    },
    get byDefault() {
      return read().byDefault;
    },
  };
}

type ReadOff = Pick<ModelField, 'kind' | 'written' | 'choices' | 'minimum' | 'maximum' | 'byDefault'>;

function readOff(model: z.ZodType): ReadOff {
  const written = writtenInFull(model);
  const bounds = written instanceof z.ZodNumber ? written : undefined;
  const absent = model.safeParse(undefined);
  return {
    kind: kindOf(written),
    written,
    choices: written instanceof z.ZodEnum ? written.options.map(String) : [],
    minimum: bounds?.minValue ?? undefined,
    maximum: bounds?.maxValue ?? undefined,
    byDefault: absent.success ? absent.data : undefined,
  };
}

function kindOf(written: z.ZodType): FieldKind {
  if (written instanceof z.ZodString) return 'text';
  if (written instanceof z.ZodNumber) return 'number';
  if (written instanceof z.ZodBoolean) return 'flag';
  if (written instanceof z.ZodEnum) return 'choice';
  if (written instanceof z.ZodArray) {
    return written.element instanceof z.ZodString || written.element instanceof z.ZodEnum ? 'list' : 'other';
  }
  return written instanceof z.ZodRecord ? 'mapping' : 'other';
}

/** The members of a section. Empty for everything else. */
function membersOf(model: z.ZodType): Readonly<Record<string, z.ZodType>> {
  const section = writtenInFull(model);
  return section instanceof z.ZodObject ? section.shape : {};
}

function writtenInFull(model: z.core.$ZodType): z.ZodType {
  if (
    model instanceof z.ZodOptional ||
    model instanceof z.ZodNullable ||
    model instanceof z.ZodDefault ||
    model instanceof z.ZodPrefault
  ) {
    return writtenInFull(model.unwrap());
  }
  // A preprocessing step does not define the kind.
  if (model instanceof z.ZodPipe) return writtenInFull(model.in instanceof z.ZodTransform ? model.out : model.in);
  if (model instanceof z.ZodUnion) return writtenInFull(preferredOption(model.options));
  if (model instanceof z.ZodArray) return z.array(writtenInFull(model.element), 'must be a list');
  if (model instanceof z.ZodRecord) return z.record(z.string(), writtenInFull(model.valueType), mappingMessage);
  if (model instanceof z.ZodUnknown) return z.unknown();
  if (model instanceof z.ZodObject && isOpen(model)) return z.record(z.string(), z.unknown(), mappingMessage);
  if (model instanceof z.ZodString) return withoutJudgement(model);
  if (model instanceof z.ZodEnum) return withoutBlank(model);
  if (!(model instanceof z.ZodType)) throw new Error('Not a model that fields can be read from.');
  return model;
}

/** Its members may have any name, and some of them have a declared type. */
function isOpen({ def: { catchall } }: z.ZodObject): boolean {
  return catchall !== undefined && !(catchall instanceof z.ZodNever);
}

/**
 * Prefers a list, then a mapping, to the text that may be written instead. A text with an empty alternative is a text.
 */
function preferredOption(options: readonly z.core.$ZodType[]): z.core.$ZodType {
  const option =
    options.find((each) => each instanceof z.ZodArray) ??
    options.find((each) => each instanceof z.ZodObject) ??
    options.find((each) => writtenInFull(each) instanceof z.ZodString);
  if (option === undefined) throw new Error('Not a union that fields can be read from.');
  return option;
}

/** The code that uses the value checks its format and names the field in its message (MCP-19). */
function withoutJudgement(model: z.ZodString): z.ZodString {
  const checks = (model.def.checks ?? []).filter((check) => check._zod.def.check !== 'custom');
  return z.string('must be a string').check(...checks);
}

/** Some model providers reject every request with a tool that offers an empty string as a choice. */
function withoutBlank(model: z.ZodEnum): z.ZodType {
  const choices = model.options.map(String).filter((choice) => choice !== '');
  return z.enum(choices, `must be one of ${choices.join(', ')}`);
}
