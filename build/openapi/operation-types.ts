// The types of an API client: one for each component of the document, and one for each operation with its parameters,
// body and success. They are a generated file, so that the package's types need no other package, and a change of a
// route is visible there.

import { schemaTypes } from '../types-of-schema.ts';
import type { DescribedOperation, OpenApiDocument } from './document-types.ts';
import { eachOperation, mediaTypesOf, successOf } from './operations.ts';

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
    '/** Where each operation is asked, `{name}` standing for a parameter of the path, and in which forms a success comes. */',
    'export const operations = {',
    ...operations.map(
      ({ method, path, operation }) =>
        `  ${operation.operationId}: { method: '${method}', path: '${path}', query: ${listed(queryOf(operation))}, mediaTypes: ${listed(mediaTypesOf(operation))} },`,
    ),
    '} as const satisfies Record<',
    '  keyof Operations,',
    '  {',
    '    readonly method: string;',
    '    readonly path: string;',
    '    readonly query: readonly string[];',
    '    readonly mediaTypes: readonly string[];',
    '  }',
    '>;',
    '',
  ].join('\n');
}

function memberOf(operation: DescribedOperation): string {
  const { operationId, summary, parameters = [], requestBody } = operation;
  const parametersIn = (place: 'path' | 'query') =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema }) => `readonly ${name}${required ? '' : '?'}: ${typeOf(schema, '    ')}`);
  const record = (members: readonly string[]) =>
    members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
  const body = requestBody === undefined ? 'undefined' : typeOf(requestBody.content['application/json'].schema, '    ');
  return [
    `  /** ${summary} */`,
    `  readonly ${operationId}: {`,
    `    readonly parameters: ${record(parametersIn('path'))};`,
    `    readonly query: ${record(parametersIn('query'))};`,
    `    readonly body: ${body}${requestBody?.required === false ? ' | undefined' : ''};`,
    `    readonly answer: ${answerOf(operation)};`,
    '  };',
  ].join('\n');
}

/** A JSON response is a value, any other a string. */
function answerOf(operation: DescribedOperation): string {
  const success = successOf(operation);
  if (success === 'none') return 'undefined';
  if (success === 'text') return 'string';
  const isTextToo = mediaTypesOf(operation).some((type) => type !== 'application/json');
  return `${typeOf(success, '    ')}${isTextToo ? ' | string' : ''}`;
}

function queryOf({ parameters = [] }: DescribedOperation): readonly string[] {
  return parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
}

function listed(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text}'`).join(', ')}]`;
}
