// docs/settings.md, derived from the same models that load the files, so that it cannot be wrong: `npm run docs` writes
// it and a test refuses a stale one. Nothing at run time needs this file.
import * as z from 'zod';
import { securityProfiles, settingsModel } from './model/settings.ts';
import { usersFileModel } from './model/users-file.ts';

type Schema = z.core.JSONSchema.BaseSchema;

const introduction = `# Settings

<!-- Made by \`npm run docs\` from shared/configuration/model; do not edit. -->

The configuration directory is \`--config-dir\`, else \`$IDP_CONFIG_DIR\`, else \`./config\`; without any an
embedded configuration runs in memory. A directory holds two files,
\`settings.yaml\` and \`users.yaml\`. \`test-idp init\` writes a commented pair, \`test-idp validate-config\` explains what is
wrong with one, \`test-idp config-schema\` prints the JSON Schema for editors.

- Values may hold placeholders: \`\${NAME}\` is the environment variable, \`\${NAME:default}\` has a default for a variable that
  is not set. The text is converted to the type of its key. In brackets (\`[a, "\${B}"]\`) a placeholder needs quotes.
  For a literal \`\${NAME}\` write \`\${IDP_DOLLAR:$}{NAME}\`.
- Relative paths are seen from the configuration directory.
- An unknown key is a warning, or an error with \`config_validation: strict\`. A wrong type or a value out of bounds is
  always an error.
- While a file is missing, a start goes on with built-in defaults and a warning. \`validate-config\` fails then when it is
  strict (\`--strict\`, or \`config_validation: strict\`): whoever asks strictly means files that are there.
- \`validate-config\` prints \`level: file:line:column message\` for people, with \`--lines\` \`file:line:column level message\`
  alone for editors and CI logs, with \`--json\` each part by itself.
- A file may have at most 2 MiB, 500 000 words and marks, 64 levels and no merge keys or custom tags.
- **restart**: takes effect at the next start; everything else with a reload (\`POST /api/config/reload\`) or a save.
- **file only**: no form and no tool changes it.
- \`IDP_MANAGEMENT_SECRET\` is the management secret while \`management_secret\` is not in the file.
`;

export function settingsReference(): string {
  const settings = schemaOf(settingsModel);
  const users = schemaOf(usersFileModel);
  const client = itemsOf(property(property(settings, 'oauth'), 'clients'));
  const user = valuesOf(property(users, 'users'));
  return [
    introduction,
    '## settings.yaml\n',
    ...sections(settings, []),
    '### A client: `oauth.clients[]`\n',
    table(client, []),
    'A confidential client (every method but `none`) needs a `client_secret`. A list may be written as one text.\n',
    '## users.yaml\n',
    table(users, [], (name) => name !== 'users'),
    '### A user: `users.<name>`\n',
    table(user, []),
    'Any other key becomes a custom attribute. A `totp_secret` needs a `password` beside it.\n',
    '## Security profiles\n',
    `\`security_profile\` is ${securityProfiles.map((profile) => `\`${profile}\``).join(', ')}; \`--profile\` wins over it for a run.\n`,
  ].join('\n');
}

function schemaOf(model: z.ZodType): Schema {
  return z.toJSONSchema(model, { io: 'input', unrepresentable: 'any' });
}

/** The keys of a section as a table, then its subsections. */
function* sections(schema: Schema, path: readonly string[]): Generator<string> {
  if (path.length > 0) yield `### \`${path.join('.')}\`\n`;
  yield table(schema, path, (name) => !isSection(property(schema, name)));
  for (const name of Object.keys(schema.properties ?? {})) {
    const below = sectionOf(property(schema, name));
    if (below !== undefined) yield* sections(below, [...path, name]);
  }
}

function table(schema: Schema, path: readonly string[], wanted: (name: string) => boolean = () => true): string {
  const rows = Object.keys(schema.properties ?? {})
    .filter(wanted)
    .map((name) => row(property(schema, name), [...path, name].join('.'), schema.required?.includes(name) === true));
  return ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function row(schema: Schema, key: string, required: boolean): string {
  const notes = [
    ...(schema.restart === true ? ['**restart**'] : []),
    ...(schema.fileOnly === true ? ['**file only**'] : []),
    ...(schema.deprecated === true ? ['**deprecated**'] : []),
    ...(typeof schema.alias === 'string' ? [`also read as \`${schema.alias}\``] : []),
  ];
  const meaning = [schema.description ?? descriptionOf(key), ...(notes.length > 0 ? [`(${notes.join(', ')})`] : [])];
  const byDefault = required ? '(required)' : schema.default === undefined ? '' : code(JSON.stringify(schema.default));
  return `| ${code(key)} | ${cell(typeOf(schema))} | ${byDefault} | ${cell(meaning.join(' '))} |`;
}

function descriptionOf(key: string): string {
  return key === 'oauth.clients' ? 'The declared clients; see below.' : '';
}

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined)
    return schema.enum
      .filter((value) => value !== '')
      .map((value) => code(String(value)))
      .join(', ');
  if (schema.const === '') return 'null';
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.anyOf !== undefined) {
    const types = schema.anyOf.map((each) => typeOf(asSchema(each))).filter((type) => type !== 'null');
    return [...new Set(types)].join(' or ');
  }
  if (Array.isArray(schema.type))
    return schema.type
      .filter((type) => type !== 'null')
      .map(nameOfType)
      .join(' or ');
  if (schema.type === 'array') {
    const items = typeOf(itemsOf(schema));
    return items === 'mapping' ? 'list of mappings' : `list of ${items}s`;
  }
  return `${nameOfType(schema.type)}${boundsOf(schema)}`;
}

function nameOfType(type: string | undefined): string {
  const names: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number', object: 'mapping' };
  return type === undefined ? 'anything' : (names[type] ?? type);
}

function boundsOf({ minimum, maximum, exclusiveMinimum, maxLength, minLength }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  if (exclusiveMinimum !== undefined) return `, above ${exclusiveMinimum}`;
  if (maxLength !== undefined) return `, at most ${maxLength} characters`;
  return minLength === undefined ? '' : `, at least ${minLength} character${minLength === 1 ? '' : 's'}`;
}

function property(schema: Schema, name: string): Schema {
  return asSchema(schema.properties?.[name]);
}

function itemsOf({ items }: Schema): Schema {
  return asSchema(Array.isArray(items) ? items[0] : items);
}

function valuesOf({ additionalProperties }: Schema): Schema {
  return asSchema(additionalProperties);
}

function asSchema(schema: z.core.JSONSchema._JSONSchema | undefined): Schema {
  return typeof schema === 'object' ? schema : {};
}

function isSection(schema: Schema): boolean {
  return sectionOf(schema) !== undefined;
}

/** A mapping with keys of its own, also where null may stand for it. */
function sectionOf(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema;
  return schema.anyOf?.map(asSchema).find((each) => each.properties !== undefined);
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
