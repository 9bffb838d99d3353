// The TypeScript types of users, clients and settings as a program hands them over (API-03), from the models by way of
// their JSON Schema: written to api/configuration-types.ts by `npm run docs`.
import { configurationSchema } from '#shared/configuration/model/projections/json-schema.ts';

interface Schema {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly default?: unknown;
  readonly deprecated?: boolean;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

export function configurationTypes(): string {
  const { settings, users }: { readonly settings: Schema; readonly users: Schema } = configurationSchema();
  const user = users.properties?.users?.additionalProperties;
  const client = settings.properties?.oauth?.properties?.clients?.items;
  if (typeof user !== 'object' || client === undefined) throw new Error('the models changed');
  return [
    '// Made by `npm run docs` from the models of the two files. Do not edit.',
    '',
    interfaceOf('UserEntry', 'A user as users.yaml writes it.', user),
    interfaceOf('ClientEntry', 'A client as settings.yaml writes it.', client),
    interfaceOf('SettingsEntry', 'A part of settings.yaml.', settings),
  ].join('\n');
}

function interfaceOf(name: string, says: string, schema: Schema): string {
  return `/** ${says} */\nexport interface ${name} ${objectType(schema, 0)}\n`;
}

function typeOf(schema: Schema, depth: number): string {
  const { anyOf, enum: values, type } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (anyOf !== undefined) {
    return unique(anyOf.filter((each) => !isPlaceholder(each)).map((each) => typeOf(each, depth))).join(' | ');
  }
  if (Array.isArray(type)) return unique(type.map((each) => typeOf({ ...schema, type: each }, depth))).join(' | ');
  if (type === 'object') return objectType(schema, depth);
  if (type === 'array') {
    const item = typeOf(schema.items ?? {}, depth);
    return `readonly ${/ [|]|^readonly /.test(item) ? `(${item})` : item}[]`;
  }
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'unknown';
}

function objectType({ properties = {}, required = [], additionalProperties: others }: Schema, depth: number): string {
  const names = Object.keys(properties);
  const rest = typeof others === 'object' ? typeOf(others, depth) : others === false ? undefined : 'unknown';
  if (names.length === 0) return `Readonly<Record<string, ${rest ?? 'never'}>>`;
  const indent = '  '.repeat(depth + 1);
  const members = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${comment(schema, indent)}${indent}readonly ${name}${optional}: ${typeOf(schema, depth + 1)};\n`;
  });
  const open = rest === undefined ? '' : `${indent}readonly [further: string]: unknown;\n`;
  return `{\n${members.join('')}${open}${'  '.repeat(depth)}}`;
}

function comment({ description, default: usual, deprecated }: Schema, indent: string): string {
  const parts = [
    description,
    usual === undefined ? undefined : `Default: ${JSON.stringify(usual)}.`,
    deprecated === true ? '@deprecated' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `${indent}/** ${parts.join(' ').replaceAll('*/', '*\\/')} */\n`;
}

function isPlaceholder({ pattern }: Schema): boolean {
  return pattern?.startsWith('\\$\\{') === true;
}

function unique(types: readonly string[]): string[] {
  return [...new Set(types)];
}
