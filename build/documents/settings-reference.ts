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

<!-- Written by \`npm run docs\` from shared/model/configuration. Do not edit. -->

The configuration directory is \`--config-dir\`, else \`$IDP_CONFIG_DIR\`, else \`./config\`. If none exists, an embedded
configuration runs in memory. The directory holds two files, \`settings.yaml\` and \`users.yaml\`:

- \`test-idp init\` writes both with comments.
- \`test-idp validate-config\` reports errors in them.
- \`test-idp config-schema --file settings\` (or \`users\`) prints the JSON Schema for editors.

Rules for both files:

- Relative paths start at the configuration directory.
- An unknown key is a warning. With \`config_validation: strict\` it is an error. A wrong type or a value out of bounds is
  always an error.
- If a file is missing, the server starts with built-in defaults and a warning. \`validate-config\` fails if it is strict
  (\`--strict\`, or \`config_validation: strict\`).
- A file may have at most 2 MiB, 500 000 YAML tokens, and 64 levels. Merge keys and custom tags are not allowed.
- \`IDP_MANAGEMENT_SECRET\` is the management secret if the file has no \`management_secret\`.

Placeholders:

- \`\${NAME}\` is replaced by the environment variable. \`\${NAME:default}\` has a default for an unset variable.
- The value is converted to the type of its key.
- In brackets (\`[a, "\${B}"]\`) a placeholder needs quotes.
- For a literal \`\${NAME}\` write \`\${IDP_DOLLAR:$}{NAME}\`.
- A default starts directly after the colon and ends at the first \`}\`. So \`\${NAME:-default}\`, the form of shells, has
  a default with a hyphen, which is a warning.

Output of \`validate-config\`:

- by default \`level: file:line:column message\`
- with \`--lines\` only \`file:line:column level message\`, for editors and CI logs
- with \`--json\` each part as a member

Marks in the tables:

- **restart**: takes effect after a restart. Everything else takes effect with a reload (\`POST /api/config/reload\`) or a
  save.
- **file only**: forms and tools cannot change it.
- **machine**: each configuration directory keeps its own value, even if several share a store (docs/scale.md).
`;

export function settingsReference(): string {
  return [
    introduction,
    '## settings.yaml\n',
    ...sections(settingsFields),
    '### A client: `oauth.clients[]`\n',
    table(fieldsOf(clientEntryModel)),
    'A confidential client (every method but `none` and `private_key_jwt`) needs a `client_secret`. A list can also be written as one string.\n\nA pattern such as `https://preview-*.example.org/callback` has at most one `*` in a host label or path segment. `*` matches no period and no slash. The last host label, scheme, port and query have none. A client with patterns and no `redirect_uris` accepts only matches. Each pattern causes a warning, because other providers compare exactly.\n',
    '### A service provider: `saml.service_providers[]`\n',
    table(fieldsOf(serviceProviderEntryModel)),
    'Missing values come from its `metadata_file`, else from the default. Paths start at the configuration directory.\n',
    '## users.yaml\n',
    table(fieldsOf(usersFileHeadModel)),
    '### A user: `users.<name>`\n',
    table(fieldsOf(userEntryModel)),
    'Any other key becomes a custom attribute. A `totp_secret` also needs a `password`.\n',
    '## Security profiles\n',
    `\`security_profile\` is ${securityProfiles.map((profile) => `\`${profile}\``).join(', ')}. \`--profile\` overrides it for one run.\n`,
    `${profileReference()}\n`,
    'Under every profile, a public client needs PKCE with `S256`, and its refresh tokens are rotated.\n',
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

/** Of a canonical key that is shown second. */
const misspelt = ', the name in findings and `GET /api/config`';

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
  const names: Readonly<Record<string, string>> = { string: 'string', integer: 'whole number', object: 'mapping' };
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
