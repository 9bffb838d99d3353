// The types of an API client: one for each component of the document, and one for each operation with its parameters, body
// and success. A generated file, so that the package's types need nobody else's, and a change of a route is a change there.
import type { DescribedOperation, OpenApiDocument } from './document-types.ts';
import { eachOperation, successOf } from './operations.ts';
import type { Schema } from './schemas.ts';

export function operationTypes(document: OpenApiDocument): string {
  const operations = [...eachOperation(document)];
  return [
    '// What the REST API takes and answers, as types. Written by `npm run docs` from the declared routes; change those.',
    '',
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`,
    ),
    '/** By operationId. `parameters` are those of the path; `answer` is the body of the success. */',
    'export interface Operations {',
    ...operations.map(({ operation }) => memberOf(operation)),
    '}',
    '',
    '/** Where each operation is asked; `{name}` stands for a parameter of the path. */',
    'export const operations = {',
    ...operations.map(
      ({ method, path, operation: { operationId } }) => `  ${operationId}: { method: '${method}', path: '${path}' },`,
    ),
    '} as const satisfies Record<keyof Operations, { readonly method: string; readonly path: string }>;',
    '',
  ].join('\n');
}

function memberOf(operation: DescribedOperation): string {
  const { operationId, summary, parameters = [], requestBody } = operation;
  const listed = (place: 'path' | 'query') =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema }) => `readonly ${name}${required ? '' : '?'}: ${typeOf(schema, '    ')}`);
  const record = (members: readonly string[]) =>
    members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
  const body = requestBody === undefined ? 'undefined' : typeOf(requestBody.content['application/json'].schema, '    ');
  const success = successOf(operation);
  return [
    `  /** ${summary} */`,
    `  readonly ${operationId}: {`,
    `    readonly parameters: ${record(listed('path'))};`,
    `    readonly query: ${record(listed('query'))};`,
    `    readonly body: ${body}${requestBody?.required === false ? ' | undefined' : ''};`,
    `    readonly answer: ${success === 'none' ? 'undefined' : success === 'text' ? 'string' : typeOf(success, '    ')};`,
    '  };',
  ].join('\n');
}

/** Of a schema as `schemas.ts` makes them. @throws Error for a form that has no type here. */
function typeOf(schema: unknown, indent: string): string {
  if (schema === true || (typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0)) {
    return 'unknown';
  }
  const { $ref, anyOf, allOf, type, items, ...rest }: Schema = Object(schema);
  if (typeof $ref === 'string') return $ref.replace('#/components/schemas/', '');
  if (Array.isArray(anyOf)) return union(anyOf.map((each) => typeOf(each, indent)));
  if (Array.isArray(allOf)) return allOf.map((each) => typeOf(each, indent)).join(' & ');
  if ('const' in rest) return literal(rest.const);
  if (Array.isArray(rest.enum)) return union(rest.enum.map(literal));
  if (Array.isArray(type)) return union(type.map((each) => typeOf({ ...rest, items, type: each }, indent)));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${inBrackets(typeOf(items ?? {}, indent))}[]`;
    case 'object':
      return objectType(rest, indent);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const inner = `${indent}  `;
  const members = Object.entries(Object(properties)).map(
    ([name, member]) =>
      `${comment(member, inner)}${inner}readonly ${/^\w+$/.test(name) ? name : `'${name}'`}${needed.includes(name) ? '' : '?'}: ${typeOf(member, inner)};`,
  );
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (members.length === 0) {
    return isOpen
      ? `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`
      : 'Readonly<Record<string, unknown>>';
  }
  return `{\n${[...members, ...(isOpen ? [`${inner}readonly [member: string]: unknown;`] : [])].join('\n')}\n${indent}}`;
}

function comment(schema: unknown, indent: string): string {
  const { description }: Schema = Object(schema);
  return typeof description === 'string' ? `${indent}/** ${description.replaceAll('*/', '* /')} */\n` : '';
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  return different.includes('unknown') ? 'unknown' : different.join(' | ');
}

function inBrackets(type: string): string {
  return /^\w+$/.test(type) ? type : `(${type})`;
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}
