// docs/rest.md: the operations of the document for people.

import type { DescribedOperation, OpenApiDocument } from './document-types.ts';
import { answerAt, eachOperation, type PlacedOperation, successOf } from './operations.ts';
import type { Schema } from './schemas.ts';

const opening = `# REST API

Written by \`npm run docs\` from the declared routes. Programs can read the same from \`GET /openapi.json\` of a running
instance, or from \`docs/openapi.json\` (\`test-idp/openapi.json\` in the package). It is an OpenAPI 3.1 document.

The paths of a sandbox are below \`/s/<name>\`. Bodies are JSON. 🔒 marks a write:

- While a management secret is set, it needs the header \`X-Management-Secret\`. Otherwise the status is 401.
- A request from another site is rejected with 403.

Every operation can also return these statuses:

- 400: several Host or Authorization headers, or a body in thousands of tiny pieces
- 400 below \`/api\`: an unknown field of the body, or an unknown or repeated query parameter
- 413: a body above 1 MiB
- 415: a body with \`Content-Encoding\`
- 421: a Host that is not one of the server's own, while it is bound to loopback
- 500: an internal error
- 503, with \`Retry-After\`: the store or the configuration is unavailable

An error response is \`{"error": "a sentence", "kind": "a code for programs"}\`. [errors.md](errors.md) lists all of them.
`;

/** Described once at the top. */
const everywhere: ReadonlySet<string> = new Set(['401', '403', '413', '415', '421', '500', '503']);

export function restReference(document: OpenApiDocument): string {
  const operations = [...eachOperation(document)];
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))].sort();
  const contents = operations.map(
    (placed) => `| ${marked(placed)} | ${placed.operation.operationId} | ${placed.operation.summary} |`,
  );
  const sections = tags.flatMap((tag) => [
    `## ${tag}`,
    '',
    ...operations
      .filter(({ operation }) => operation.tags.includes(tag))
      .flatMap((placed) => described(placed, document)),
  ]);
  const components = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    `### ${name}`,
    '',
    ...members(schema),
    '',
  ]);
  return [
    opening,
    '| Operation | `operationId` | |',
    '| --- | --- | --- |',
    ...contents,
    '',
    ...sections,
    '## Components',
    '',
    ...components,
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

function marked({ method, path, operation }: PlacedOperation): string {
  const gated = (operation.security ?? []).some((scheme) => 'managementSecret' in scheme);
  return `\`${method} ${path}\`${gated ? ' 🔒' : ''}`;
}

function described(placed: PlacedOperation, document: OpenApiDocument): readonly string[] {
  const { operation } = placed;
  const { parameters = [], requestBody, summary } = operation;
  const bearer = (operation.security ?? []).some((scheme) => 'registrationAccessToken' in scheme);
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const success = Object.keys(operation.responses).find((status) => Number(status) < 300) ?? '200';
  return [
    `### ${placed.method} ${placed.path}`,
    '',
    `${summary}${bearer ? ' With the `registration_access_token` as bearer token.' : ''}`,
    '',
    ...(query.length === 0 ? [] : ['Query:', '', ...query.map(parameterLine), '']),
    ...bodyLines('Body', requestBody?.content['application/json'].schema, requestBody?.required === false),
    ...successLines(operation, success),
    ...refusalLines(operation, document),
  ];
}

function parameterLine({
  name,
  schema,
  description = '',
}: {
  name: string;
  schema: Schema;
  description?: string;
}): string {
  return `- \`${name}\` (${typeName(schema)})${description === '' ? '' : `: ${description}`}`;
}

function bodyLines(title: string, schema: Schema | undefined, optional: boolean): readonly string[] {
  if (schema === undefined) return [];
  const head = `${title}${optional ? ', optional' : ''}`;
  if (typeof schema.$ref === 'string') return [`${head}: ${typeName(schema)}`, ''];
  return [`${head}:`, '', ...members(schema), ''];
}

function successLines(operation: DescribedOperation, status: string): readonly string[] {
  const schema = successOf(operation);
  if (schema === 'none') return [`Returns ${status} without a body.`, ''];
  if (schema === 'text') return [`Returns ${status}.`, ''];
  return bodyLines(`Returns ${status}`, schema, false);
}

function refusalLines(operation: DescribedOperation, document: OpenApiDocument): readonly string[] {
  const lines = Object.keys(operation.responses).flatMap((status) => {
    if (Number(status) < 400) return [];
    const kinds = kindsOf(answerAt(operation, Number(status), document)?.content?.['application/json']?.schema);
    const own = operation.responses[status];
    const isGeneral = own !== undefined && '$ref' in own;
    if (isGeneral && (everywhere.has(status) || status === '400')) return [];
    return [`${status}${kinds.length === 0 ? '' : ` ${kinds.map((kind) => `\`${kind}\``).join(' ')}`}`];
  });
  return lines.length === 0 ? [] : [`Errors: ${lines.join('; ')}.`, ''];
}

/** The enumerations of `kind` and `error`, wherever they occur in the alternatives. */
function kindsOf(schema: unknown): readonly string[] {
  const { anyOf, properties, $ref }: Schema = Object(schema);
  if (typeof $ref === 'string') return [];
  if (Array.isArray(anyOf)) return [...new Set(anyOf.flatMap(kindsOf))];
  const { kind, error }: Schema = Object(properties);
  return [kind, error].flatMap((member) => {
    const { enum: values }: Schema = Object(member);
    return Array.isArray(values) ? values.map(String) : [];
  });
}

function members(schema: Schema): readonly string[] {
  const { properties, required, anyOf }: Schema = schema;
  if (Array.isArray(anyOf) && anyOf.every((each) => 'properties' in Object(each))) {
    return anyOf.flatMap((each, index) => [...(index === 0 ? [] : ['', 'or', '']), ...members(each)]);
  }
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const entries = Object.entries(Object(properties));
  if (entries.length === 0) return [[typeName(schema), ...wordsOf(schema)].join(': ')];
  return entries.map(([name, member]) => {
    const optional = needed.includes(name) ? '' : ', optional';
    return [`- \`${name}\` (${typeName(member)}${optional})`, ...wordsOf(member)].join(': ');
  });
}

function wordsOf(schema: unknown): readonly string[] {
  const { description }: Schema = Object(schema);
  return typeof description === 'string' ? [description] : [];
}

function typeName(schema: unknown): string {
  const { $ref, anyOf, type, items, enum: values, ...rest }: Schema = Object(schema);
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/components/schemas/', '');
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (Array.isArray(anyOf)) {
    const types = [...new Set(anyOf.map(typeName))];
    // Otherwise it would read as if the list contained either.
    return types.join(types.some((each) => each.startsWith('list')) ? ', or ' : ' or ');
  }
  if ('const' in rest) return `\`${JSON.stringify(rest.const)}\``;
  if (Array.isArray(values)) {
    return values.length > 12 ? `one of ${values.length} names` : values.map((value) => `\`${value}\``).join(', ');
  }
  if (type === 'array') return `list of ${typeName(items)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'anything';
}
