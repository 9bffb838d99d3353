// The OpenAPI 3.1 document of a list of routes (section OAS). Generated on demand, because no start needs it.
import * as z from 'zod';
import { version } from '#shared/base/version.ts';
import type { Operation } from '#shared/engine/exchange/operation.ts';
import type { HttpMethod, Route } from '#shared/engine/exchange/route.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { generalResponses, onTheWay, responsesOf } from './answers.ts';
import type { DescribedOperation, DescribedParameter, OpenApiDocument } from './document-types.ts';
import { type Schemas, schemas } from './schemas.ts';

/** Whether the document describes this path (OAS-02). */
function isDescribed(path: string): boolean {
  return /^\/(?:api|register|health|openapi\.json)(?:\/|$)/.test(path) && !path.includes('*');
}

/** @throws Error when a method has no description, or an operationId or component exists twice. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const models = schemas();
  const ids = new Set<string>();
  const paths: Record<string, Record<string, DescribedOperation>> = {};
  for (const route of routes.filter(({ path }) => isDescribed(path))) {
    for (const method of methodsOf(route)) {
      const operation = route.operations?.[method];
      if (operation === undefined) throw new Error(undescribed(method, route));
      if (ids.has(operation.id)) throw new Error(`two operations are called ${operation.id}`);
      ids.add(operation.id);
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [method.toLowerCase()]: describe(method, operation, route, models) };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'test-idp',
      version,
      description:
        'The REST API of test-idp, an identity provider for tests, and its dynamic registration of clients. OAuth 2.0, OpenID Connect and SAML describe themselves in their own metadata.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(models.components).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: generalResponses(),
      securitySchemes,
    },
  };
}

/** Methods without an operation, each as a sentence. */
export function undescribedMethods(routes: readonly Route[]): readonly string[] {
  return routes
    .filter(({ path }) => isDescribed(path))
    .flatMap((route) =>
      methodsOf(route)
        .filter((method) => route.operations?.[method] === undefined)
        .map((method) => undescribed(method, route)),
    );
}

function undescribed(method: HttpMethod, { path }: Route): string {
  return `${method} ${path} has no description: add operations.${method} to its route, as shared/engine/exchange/operation.ts says`;
}

function methodsOf({ methods }: Route): readonly HttpMethod[] {
  return (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((method) => methods[method] !== undefined);
}

const securitySchemes = {
  managementSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Management-Secret',
    description: 'Required while a management secret is set, otherwise ignored.',
  },
  registrationAccessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The registration_access_token that the registration returned.',
  },
} as const;

function describe(method: HttpMethod, operation: Operation, route: Route, models: Schemas): DescribedOperation {
  const { id, summary, body, answers, credential } = operation;
  const parameters = parametersOf(operation, route.path, models);
  // One document describes both: a sandbox responds with this row, the default identity provider never does.
  const own = [
    ...(operation.doesMostWithout === true ? [managementRefusals.removal_filter_wrong] : []),
    ...(operation.refusals ?? []),
    ...(typeof route.inSandbox === 'object' ? [route.inSandbox] : []),
  ];
  const security = [
    ...(route.gate !== undefined && method !== 'GET' ? [{ managementSecret: [] }] : []),
    ...(credential === undefined ? [] : [{ registrationAccessToken: [] }]),
  ];
  return {
    operationId: id,
    tags: [tagOf(route.path)],
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, models) }),
    responses: responsesOf(answers, own, onTheWay(method, route), operation, models),
    ...(security.length === 0 ? {} : { security }),
  };
}

function parametersOf(
  { path: notes = {}, query = {} }: Operation,
  path: string,
  models: Schemas,
): DescribedParameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']): DescribedParameter => {
    const description = notes[name];
    return {
      ...{ name, in: 'path', required: true },
      ...(description === undefined ? {} : { description }),
      schema: { type: 'string' },
    };
  });
  const inQuery = Object.entries(query).map(([name, model]): DescribedParameter => {
    const { description, ...schema } = models.of(model, 'input');
    return {
      ...{ name, in: 'query', required: false },
      ...(typeof description === 'string' ? { description } : {}),
      schema,
    };
  });
  return [...inPath, ...inQuery];
}

function requestBody(body: z.ZodType, models: Schemas): NonNullable<DescribedOperation['requestBody']> {
  const required = !(body instanceof z.ZodOptional);
  return { required, content: { 'application/json': { schema: models.of(body, 'input') } } };
}

/** The part of the path after /api, or else its first part. */
function tagOf(path: string): string {
  const [first = '', second = ''] = path.slice(1).split('/');
  return first === 'api' ? second : first;
}
