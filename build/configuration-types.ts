// The TypeScript types of users, clients and settings for programs (API-03), generated from the JSON Schema of the
// models. `npm run docs` writes them to api/configuration-types.ts.
import { faultNames } from '#shared/engine/faults/catalogue/index.ts';
import { configurationSchema } from '#shared/model/configuration/projections/json-schema.ts';
import { type Schema, type SchemaTypes, schemaTypes } from './types-of-schema.ts';

interface Declared {
  readonly properties?: Readonly<Record<string, Declared>>;
  readonly additionalProperties?: boolean | Declared;
  readonly items?: Declared;
  readonly [member: string]: unknown;
}

export function configurationTypes(): string {
  const { settings, users }: { readonly settings: Declared; readonly users: Declared } =
    configurationSchema(faultNames);
  const user = users.properties?.users?.additionalProperties;
  const client = settings.properties?.oauth?.properties?.clients?.items;
  if (typeof user !== 'object' || client === undefined) throw new Error('the models changed');
  const types = schemaTypes({
    nameOf: (schema) => (schema === client ? 'ClientEntry' : undefined),
    notesOf,
    isOpenUnlessClosed: true,
  });
  return [
    '// Made by `npm run docs` from the models of the two files. Do not edit.',
    '',
    interfaceOf(types, 'UserEntry', 'A user as users.yaml writes it.', user),
    interfaceOf(types, 'ClientEntry', 'A client as settings.yaml writes it.', client),
    interfaceOf(types, 'SettingsEntry', 'A part of settings.yaml.', settings),
  ].join('\n');
}

function interfaceOf(types: SchemaTypes, name: string, comment: string, schema: Schema): string {
  return `/** ${comment} */\nexport interface ${name} ${types.objectType(schema)}\n`;
}

function notesOf({ default: usual, deprecated }: Schema): string[] {
  return [
    ...(usual === undefined ? [] : [`Default: ${JSON.stringify(usual)}.`]),
    ...(deprecated === true ? ['@deprecated'] : []),
  ];
}
