// The OpenAPI 3.1 document of a list of routes (section OAS). Made on demand: nothing at boot needs it.
import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import type { DeclaredAnswer, DeclaredRefusal, Operation } from '#shared/http/operation.ts';
import type { HttpMethod, Route } from '#shared/http/route.ts';
import { httpRefusals } from '#shared/refusals/families/http.ts';
import { managementRefusals } from '#shared/refusals/families/management.ts';
import { version } from '#shared/version.ts';
import { type Schema, type Schemas, schemas } from './schemas.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: Schema;
  readonly servers?: readonly { readonly url: string }[];
  readonly security: readonly [];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
    readonly securitySchemes: Readonly<Record<string, Schema>>;
  };
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Schema>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
  readonly security?: readonly Schema[];
}

/** Whether the document tells of this path (OAS-02). */
export function isDescribed(path: string): boolean {
  return /^\/(?:api|register|health|openapi\.json)(?:\/|$)/.test(path) && !path.includes('*');
}

/**
 * @throws Error when a method has no description, or an operationId or component is there twice.
 */
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
      responses: Object.fromEntries(
        Object.entries(everywhere).map(([name, refusals]) => [name, refusalAnswer(refusals)]),
      ),
      securitySchemes,
    },
  };
}

/** Methods that have no operation, each as a sentence. */
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
  return `${method} ${path} has no description: add operations.${method} to its route, as shared/http/operation.ts says`;
}

function methodsOf({ methods }: Route): readonly HttpMethod[] {
  return (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).filter((method) => methods[method] !== undefined);
}

const securitySchemes = {
  managementSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Management-Secret',
    description: 'Demanded while a management secret is set; without one it is not looked at.',
  },
  registrationAccessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The registration_access_token that the registration answered.',
  },
} as const;

const unavailable = [
  httpRefusals.runtime_store_unavailable,
  ...(['lock_timeout', 'freshness_in_progress', 'lock_unsupported'] as const).map((kind) => ({
    ...httpRefusals.configuration_unavailable,
    kind,
  })),
].map((refusal) => ({ ...refusal, headers: { 'Retry-After': '1' } }));

/** Refusals that no route has to name. */
const everywhere = {
  BadRequest: [httpRefusals.several_hosts],
  ManagementSecretWrong: [managementRefusals.management_secret_wrong],
  WriteFromAnotherSite: [managementRefusals.write_from_another_site],
  NothingHere: [{ ...httpRefusals.path_unknown, error: undefined }],
  TooLarge: [httpRefusals.payload_too_large],
  HostNotAllowed: [managementRefusals.host_not_allowed],
  TooManyRequests: [httpRefusals.rate_limit_exceeded],
  UnexpectedFault: [{ ...httpRefusals.server_error, error: undefined }],
  UnexpectedProtocolFault: [httpRefusals.server_error],
  Unavailable: unavailable,
} satisfies Readonly<Record<string, readonly MaybeRefusal[]>>;

type MaybeRefusal = Omit<DeclaredRefusal, 'error'> & { readonly error?: string | undefined };

/** What the pipeline refuses on the way to this method. */
function onTheWay(method: HttpMethod, route: Route): readonly (keyof typeof everywhere)[] {
  const { surface, standsAlone = false, gate, rateBucket, existsWhile } = route;
  return [
    'BadRequest',
    ...(gate !== undefined && method !== 'GET' ? (['ManagementSecretWrong', 'WriteFromAnotherSite'] as const) : []),
    ...(existsWhile === undefined ? [] : (['NothingHere'] as const)),
    'TooLarge',
    ...(surface === 'api' && !standsAlone ? (['HostNotAllowed'] as const) : []),
    ...(rateBucket === undefined || method !== 'POST' ? [] : (['TooManyRequests'] as const)),
    surface === 'api' ? 'UnexpectedFault' : 'UnexpectedProtocolFault',
    ...(standsAlone ? [] : (['Unavailable'] as const)),
  ];
}

function describe(method: HttpMethod, operation: Operation, route: Route, models: Schemas): DescribedOperation {
  const { id, summary, body, answers, credential } = operation;
  const parameters = parametersOf(operation, route.path, models);
  // One document tells of both: a sandbox answers this row, the default identity provider never does.
  const own = [...(operation.refusals ?? []), ...(typeof route.inSandbox === 'object' ? [route.inSandbox] : [])];
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

function responsesOf(
  answers: Operation['answers'],
  own: readonly MaybeRefusal[],
  onTheWay: readonly (keyof typeof everywhere)[],
  { headers }: Operation,
  models: Schemas,
): DescribedOperation['responses'] {
  const responses: Record<string, DescribedAnswer | { $ref: string }> = {};
  const refusals = [...own, ...onTheWay.flatMap((name): readonly MaybeRefusal[] => everywhere[name])];
  const statuses = [...Object.keys(answers).map(Number), ...refusals.map(statusOf)];
  for (const status of [...new Set(statuses)].sort((a, b) => a - b)) {
    const answer = answers[status];
    const general = onTheWay.find((name) => everywhere[name].some((refusal) => statusOf(refusal) === status));
    const here = refusals.filter((refusal) => statusOf(refusal) === status);
    const isGeneral = answer === undefined && !own.some((refusal) => statusOf(refusal) === status);
    if (isGeneral && general !== undefined) responses[status] = { $ref: `#/components/responses/${general}` };
    else if (answer === undefined) responses[status] = refusalAnswer(here);
    else responses[status] = withRefusals(answerOf(status, answer, headers, models), here);
  }
  return responses;
}

function statusOf({ status = 400 }: MaybeRefusal): number {
  return status;
}

function answerOf(
  status: number,
  answer: DeclaredAnswer,
  headers: Operation['headers'],
  models: Schemas,
): DescribedAnswer {
  const described = {
    description: STATUS_CODES[status] ?? 'An answer.',
    ...(headers === undefined || status >= 400 ? {} : { headers: headersOf(headers) }),
  };
  if (answer === 'empty') return described;
  if ('mediaTypes' in answer) {
    const json = answer.model && { 'application/json': { schema: models.of(answer.model, 'output') } };
    return { ...described, content: { ...json, ...Object.fromEntries(answer.mediaTypes.map((type) => [type, {}])) } };
  }
  return { ...described, content: { 'application/json': { schema: models.of(answer, 'output') } } };
}

function withRefusals(answer: DescribedAnswer, refusals: readonly MaybeRefusal[]): DescribedAnswer {
  if (refusals.length === 0) return answer;
  const { content, ...rest } = refusalAnswer(refusals);
  const schema = { anyOf: [answer.content?.['application/json']?.schema, content?.['application/json']?.schema] };
  return { ...rest, ...answer, content: { ...answer.content, 'application/json': { schema } } };
}

function refusalAnswer(refusals: readonly MaybeRefusal[]): DescribedAnswer {
  const headers = Object.assign({}, ...refusals.map(({ headers: own = {} }) => own));
  const words = [...new Set(refusals.flatMap(({ expected }) => expected ?? []))];
  const bodies = [
    ...refusalBodies(refusals.filter(({ error }) => error === undefined)),
    ...protocolBodies(refusals.filter(({ error }) => error !== undefined)),
  ];
  return {
    description: words.length === 0 ? 'Refused.' : `Expected instead: ${words.join(' ')}`,
    ...(Object.keys(headers).length === 0 ? {} : { headers: headersOf(headers) }),
    content: { 'application/json': { schema: bodies.length === 1 ? (bodies[0] ?? {}) : { anyOf: bodies } } },
  };
}

/** `{error, kind}`: the sentence, and what programs decide by. */
function refusalBodies(refusals: readonly MaybeRefusal[]): readonly Schema[] {
  if (refusals.length === 0) return [];
  const kinds = [...new Set(refusals.flatMap(({ kind }) => kind ?? []))];
  const always = refusals.every(({ kind }) => kind !== undefined);
  return [
    {
      type: 'object',
      properties: { error: sentence, ...(kinds.length === 0 ? {} : { kind: { type: 'string', enum: kinds } }) },
      required: always ? ['error', 'kind'] : ['error'],
      additionalProperties: false,
    },
  ];
}

/** `{error, error_description}`, and a kind where one code stands for several reasons. */
function protocolBodies(refusals: readonly MaybeRefusal[]): readonly Schema[] {
  if (refusals.length === 0) return [];
  const kinds = [...new Set(refusals.flatMap(({ kind }) => kind ?? []))];
  return [
    {
      type: 'object',
      properties: {
        error: { type: 'string', enum: [...new Set(refusals.flatMap(({ error }) => error ?? []))] },
        error_description: sentence,
        ...(kinds.length === 0 ? {} : { kind: { type: 'string', enum: kinds } }),
      },
      required: ['error', 'error_description'],
      additionalProperties: false,
    },
  ];
}

const sentence = { type: 'string', description: 'For people; it may be worded differently tomorrow.' };

function headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { schema: { type: 'string' } }]));
}

/** What comes behind /api, or the path's first part. */
function tagOf(path: string): string {
  const [first = '', second = ''] = path.slice(1).split('/');
  return first === 'api' ? second : first;
}
