// The types of an API client: one for each component of the document, and one for each operation with its parameters, body
// and success. A generated file, so that the package's types need nobody else's, and a change of a route is a change there.

import { schemaTypes } from '../types-of-schema.ts';
import type { DescribedOperation, OpenApiDocument } from './document-types.ts';
import { eachOperation, successOf } from './operations.ts';

const { typeOf, comment } = schemaTypes();

export function operationTypes(document: OpenApiDocument): string {
  const operations = [...eachOperation(document)];
  return [
    '// What the REST API takes and answers, as types. Written by `npm run docs` from the declared routes; change those.',
    '',
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};\n`,
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
