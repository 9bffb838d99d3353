// The responses of an operation: its own responses and rejections, and those that any request can get.
import { STATUS_CODES } from 'node:http';
import { addressed } from '#shared/engine/exchange/addressed-route.ts';
import type { DeclaredAnswer, DeclaredRefusal, Operation } from '#shared/engine/exchange/operation.ts';
import type { HttpMethod, Route } from '#shared/engine/exchange/route.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import type { DescribedAnswer, DescribedOperation } from './document-types.ts';
import type { Schema, Schemas } from './schemas.ts';

const unavailable = [
  httpRefusals.runtime_store_unavailable,
  httpRefusals.large_reads_busy,
  ...(['lock_timeout', 'freshness_in_progress', 'lock_unsupported'] as const).map((kind) => ({
    ...httpRefusals.configuration_unavailable,
    kind,
  })),
].map((refusal) => ({ ...refusal, headers: { 'Retry-After': '1' } }));

const doubledHeaders = [httpRefusals.several_hosts, httpRefusals.several_authorizations];
const { query_parameter_wrong, body_member_unknown } = managementRefusals;

/** Rejections that no route has to name. */
const everywhere = {
  BadRequest: doubledHeaders,
  BadApiRead: [query_parameter_wrong, ...doubledHeaders],
  BadApiWrite: [query_parameter_wrong, body_member_unknown, ...doubledHeaders],
  ManagementSecretWrong: [managementRefusals.management_secret_wrong],
  WriteFromAnotherSite: [managementRefusals.write_from_another_site],
  NothingHere: [{ ...httpRefusals.path_unknown, error: undefined }],
  TooLarge: [httpRefusals.payload_too_large],
  CodedBody: [{ ...httpRefusals.body_coded, headers: { 'Accept-Encoding': 'identity' } }],
  HostNotAllowed: [managementRefusals.host_not_allowed, managementRefusals.host_of_a_website],
  TooManyRequests: [{ ...httpRefusals.rate_limit_exceeded, headers: { 'Retry-After': '1' } }],
  MethodOff: [{ ...httpRefusals.method_not_allowed, headers: { Allow: 'GET' } }],
  UnexpectedFault: [{ ...httpRefusals.server_error, error: undefined }],
  UnexpectedProtocolFault: [httpRefusals.server_error],
  Unavailable: unavailable,
} satisfies Readonly<Record<string, readonly MaybeRefusal[]>>;

type MaybeRefusal = Omit<DeclaredRefusal, 'error'> & { readonly error?: string | undefined };

/** The rejections of the pipeline before this method. */
export function onTheWay(method: HttpMethod, route: Route): readonly (keyof typeof everywhere)[] {
  const { path, surface, isIndependent: standsAlone, gate, rateBucket, existsWhile, servedWhile } = addressed(route);
  return [
    badRequest(method, route),
    ...(gate !== undefined && method !== 'GET' ? (['ManagementSecretWrong', 'WriteFromAnotherSite'] as const) : []),
    // A segment that cannot be decoded (`%ff`) names nothing.
    ...(existsWhile === undefined && !path.includes(':') ? [] : (['NothingHere'] as const)),
    ...(Object.hasOwn(servedWhile ?? {}, method) ? (['MethodOff'] as const) : []),
    'TooLarge',
    ...(method === 'GET' ? [] : (['CodedBody'] as const)),
    ...(surface === 'api' && !standsAlone ? (['HostNotAllowed'] as const) : []),
    ...(rateBucket === undefined || method !== 'POST' ? [] : (['TooManyRequests'] as const)),
    surface === 'api' ? 'UnexpectedFault' : 'UnexpectedProtocolFault',
    ...(standsAlone ? [] : (['Unavailable'] as const)),
  ];
}

function badRequest(method: HttpMethod, { gate }: Route): keyof typeof everywhere {
  if (gate === undefined) return 'BadRequest';
  return method === 'GET' ? 'BadApiRead' : 'BadApiWrite';
}

/** The components that operations refer to. */
export function generalResponses(): Readonly<Record<string, DescribedAnswer>> {
  return Object.fromEntries(Object.entries(everywhere).map(([name, refusals]) => [name, refusalAnswer(refusals)]));
}

export function responsesOf(
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
    description: STATUS_CODES[status] ?? 'A response.',
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
    ...refusalBodies(refusals.filter(({ error, kind }) => error === undefined && kind !== undefined)),
    ...refusalBodies(refusals.filter(({ error, kind }) => error === undefined && kind === undefined)),
    ...protocolBodies(refusals.filter(({ error }) => error !== undefined)),
  ];
  return {
    description: words.length === 0 ? 'Rejected.' : `Expected: ${words.join(' ')}`,
    ...(Object.keys(headers).length === 0 ? {} : { headers: headersOf(headers) }),
    content: { 'application/json': { schema: bodies.length === 1 ? (bodies[0] ?? {}) : { anyOf: bodies } } },
  };
}

/** `{error, kind}`: the sentence, and a code for programs. Without kind if one of the rejections has none. */
function refusalBodies(refusals: readonly MaybeRefusal[]): readonly Schema[] {
  if (refusals.length === 0) return [];
  const kinds = [...new Set(refusals.flatMap(({ kind }) => kind ?? []))];
  return [
    {
      type: 'object',
      properties: { error: sentence, ...(kinds.length === 0 ? {} : { kind: { type: 'string', enum: kinds } }) },
      required: kinds.length === 0 ? ['error'] : ['error', 'kind'],
      additionalProperties: false,
    },
  ];
}

/** `{error, error_description}`, and a kind if one code has several reasons. */
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

const sentence = { type: 'string', description: 'For people. The wording may change.' };

function headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { schema: { type: 'string' } }]));
}
