// docs/settings.md, generated from the models that load the files. `npm run docs` writes it, and a test rejects an
// outdated one.
import * as z from 'zod';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { fieldsOf, type ModelField } from '#shared/model/configuration/read-model.ts';
import { serviceProviderEntryModel } from '#shared/model/configuration/service-provider-entry.ts';
import { securityProfiles } from '#shared/model/configuration/settings.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { userEntryModel } from '#shared/model/configuration/user-entry.ts';
import { usersFileHeadModel } from '#shared/model/configuration/users-file.ts';
import { profileReference } from './profile-reference.ts';

type Schema = z.core.JSONSchema.BaseSchema;

const introduction = `# Settings

<!-- Made by \`npm run docs\` from shared/model/configuration; do not edit. -->

The configuration directory is \`--config-dir\`, else \`$IDP_CONFIG_DIR\`, else \`./config\`; without any an
embedded configuration runs in memory. A directory holds two files,
\`settings.yaml\` and \`users.yaml\`. \`test-idp init\` writes a commented pair, \`test-idp validate-config\` explains what is
wrong with one, \`test-idp config-schema --file settings\` (or \`users\`) prints the JSON Schema of one for editors.

- Values may hold placeholders: \`\${NAME}\` is the environment variable, \`\${NAME:default}\` has a default for a variable that
  is not set. The text is converted to the type of its key. In brackets (\`[a, "\${B}"]\`) a placeholder needs quotes.
  For a literal \`\${NAME}\` write \`\${IDP_DOLLAR:$}{NAME}\`. A default begins right after the colon and ends
  at the first \`}\`: \`\${NAME:-default}\`, as shells have it, begins with a hyphen here, which is a warning.
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
- **machine**: each configuration directory keeps its own value where several share a store (docs/scale.md).
- \`IDP_MANAGEMENT_SECRET\` is the management secret while \`management_secret\` is not in the file.
`;

export function settingsReference(): string {
  return [
    introduction,
    '## settings.yaml\n',
    ...sections(settingsFields),
    '### A client: `oauth.clients[]`\n',
    table(fieldsOf(clientEntryModel)),
    'A confidential client (every method but `none` and `private_key_jwt`) needs a `client_secret`. A list may be written as one text.\n',
    '### A service provider: `saml.service_providers[]`\n',
    table(fieldsOf(serviceProviderEntryModel)),
    'What it leaves out comes from its `metadata_file`, else the default. Paths are seen from the configuration directory.\n',
    '## users.yaml\n',
    table(fieldsOf(usersFileHeadModel)),
    '### A user: `users.<name>`\n',
    table(fieldsOf(userEntryModel)),
    'Any other key becomes a custom attribute. A `totp_secret` needs a `password` beside it.\n',
    '## Security profiles\n',
    `\`security_profile\` is ${securityProfiles.map((profile) => `\`${profile}\``).join(', ')}; \`--profile\` wins over it for a run.\n`,
    `${profileReference()}\n`,
    'A public client needs PKCE with `S256` and has its refresh tokens rotated under each of them.\n',
  ].join('\n');
}

/** One table for each section, the top-level keys first. */
function* sections(all: readonly ModelField[]): Generator<string> {
  const sectionOf = ({ path }: ModelField) => path.split('.').slice(0, -1).join('.');
  for (const section of new Set(['', ...all.map(sectionOf)])) {
    if (section !== '') yield `### \`${section}\`\n`;
    yield table(all.filter((field) => sectionOf(field) === section));
  }
}

function table(fields: readonly ModelField[]): string {
  return ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...fields.map(row), ''].join('\n');
}

/** The alternative spelling of a key, which is shown second. */
const misspelt = ', as findings and `GET /api/config` call it';

function row({ path, model, notes }: ModelField): string {
  const schema = asSchema(z.toJSONSchema(model, { io: 'input', unrepresentable: 'any' }));
  const isMisspelt = notes.showsAlias === true;
  const [name, otherName] = isMisspelt ? [notes.alias ?? path, path] : [path, notes.alias];
  const marks = [
    ...(notes.restart === true ? ['**restart**'] : []),
    ...(notes.fileOnly === true ? ['**file only**'] : []),
    ...(notes.machine === true ? ['**machine**'] : []),
    ...(notes.deprecated === true ? ['**deprecated**'] : []),
    ...(otherName === undefined ? [] : [`also read as \`${otherName}\`${isMisspelt ? misspelt : ''}`]),
  ];
  const meaning = [notes.description, ...(marks.length > 0 ? [`(${marks.join(', ')})`] : [])];
  const required = !model.safeParse(undefined).success;
  const byDefault = required ? '(required)' : schema.default === undefined ? '' : code(JSON.stringify(schema.default));
  return `| ${code(name)} | ${cell(typeOf(schema))} | ${byDefault} | ${cell(meaning.join(' '))} |`;
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
    // Without the comma, it would read as if the list contained either.
    return [...new Set(types)].join(types.some((type) => type.startsWith('list')) ? ', or ' : ' or ');
  }
  if (Array.isArray(schema.type))
    return schema.type
      .filter((type) => type !== 'null')
      .map(nameOfType)
      .join(' or ');
  if (schema.type === 'array') {
    return `list of ${pluralOf(itemsOf(schema))}`;
  }
  return `${nameOfType(schema.type)}${boundsOf(schema)}`;
}

function pluralOf(schema: Schema): string {
  if (schema.enum !== undefined) return typeOf(schema);
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => pluralOf(asSchema(each))).join(' or ');
  return `${typeOf(schema)}s`;
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

function itemsOf({ items }: Schema): Schema {
  return asSchema(Array.isArray(items) ? items[0] : items);
}

function asSchema(schema: z.core.JSONSchema._JSONSchema | undefined): Schema {
  return typeof schema === 'object' ? schema : {};
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
