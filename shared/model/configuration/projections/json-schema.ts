// The JSON Schema of settings.yaml and users.yaml, derived from the models (CLI-14, CLI-15). Created on demand, because
// a start does not need it. Every value may also be a placeholder, as in the files (CFG-19, CFG-23).
import * as z from 'zod';
import { anyFaultName } from '../fault-entry.ts';
import { fields } from '../field.ts';
import { settingsModel } from '../settings.ts';
import { usersFileModel } from '../users-file.ts';
import { keyAliases } from './yaml.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

interface ConfigurationSchema {
  readonly config_version: 1;
  readonly settings: JsonSchema;
  readonly users: JsonSchema;
}

const placeholder: Schema = { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*(:[^}]*)?\\}' };

/** The notes that are also JSON Schema keywords. */
const describedKeywords: ReadonlySet<string> = new Set(['description', 'deprecated', 'pattern']);

/** Always literal, never a placeholder (CFG-25, CFG-K02). */
const literalKeys: ReadonlySet<unknown> = new Set(['config_version', 'config_validation']);

/** `faultNames`: the names of the catalogue, which the models do not know. */
export function configurationSchema(faultNames: readonly string[]): ConfigurationSchema {
  const settings = schemaOf(settingsModel, 'settings.yaml of test-idp', faultNames);
  for (const [canonical, alias] of keyAliases) addAlias(settings, canonical, alias);
  return { config_version: 1, settings, users: schemaOf(usersFileModel, 'users.yaml of test-idp', []) };
}

type Schema = z.core.JSONSchema.BaseSchema;

function schemaOf(model: z.ZodType, title: string, faultNames: readonly string[]): Schema {
  const schema = z.toJSONSchema(model, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    metadata: fields,
    override: ({ zodSchema, jsonSchema, path }) => {
      for (const note of Object.keys(fields.get(zodSchema) ?? {}))
        if (!describedKeywords.has(note)) delete jsonSchema[note];
      if (zodSchema === anyFaultName) jsonSchema.enum = [...faultNames];
      patternToText(jsonSchema);
      if (!literalKeys.has(path.at(-1))) allowPlaceholder(jsonSchema);
    },
  });
  return { ...schema, title };
}

/** For a value that may be text or another type, the pattern applies to the text. */
function patternToText(schema: Schema): void {
  const { pattern, anyOf } = schema;
  const text = anyOf?.find((rule) => typeof rule === 'object' && rule.type === 'string');
  if (pattern === undefined || anyOf === undefined || typeof text !== 'object') return;
  text.pattern = pattern;
  anyOf.push(placeholder);
  delete schema.pattern;
}

/** Text may contain placeholders anyway. Every narrower type gets a placeholder as an alternative. */
function allowPlaceholder(schema: Schema): void {
  const { type } = schema;
  const narrow = type === 'boolean' || type === 'integer' || type === 'number' || schema.enum || schema.pattern;
  if (!narrow || schema.const !== undefined) return;
  const { description, default: byDefault, ...rule } = schema;
  for (const key of Object.keys(schema)) delete schema[key];
  if (description !== undefined) schema.description = description;
  if (byDefault !== undefined) schema.default = byDefault;
  schema.anyOf = [rule, placeholder];
}

/** Adds the second spelling of a key (CFG-33). */
function addAlias(settings: Schema, canonical: readonly string[], alias: readonly string[]): void {
  const [name = ''] = canonical;
  const rule = settings.properties?.[name];
  const section = alias.length === 1 ? settings : settings.properties?.[alias[0] ?? ''];
  const key = alias.at(-1) ?? '';
  if (typeof section !== 'object' || section.properties === undefined || typeof rule !== 'object') return;
  section.properties[key] = { ...rule, description: `Another spelling of ${name}.` };
}
