// /api/exchanges, /api/recorder and /api/expect: the recorded exchanges, the state of the recorder, and waiting for
// exchanges (section REC).
import * as z from 'zod';
import type { Parameters } from '#shared/base/parameters.ts';
import { unknownName } from '#shared/base/unknown-name.ts';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { json, notStored, type Reply, streamedList } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { expectationModel, expectExchanges } from '#shared/engine/recorder/expect-exchanges.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import { exchangePieces, shownPieces } from '#shared/engine/recorder/read-flow.ts';
import { exchangeModel, numberIn, revealedExchange, shownExchange } from '#shared/engine/recorder/show-exchange.ts';
import { recordedEndpoints } from '#shared/model/domain/exchange.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { recorderRefusals } from '#shared/model/refusals/families/recorder.ts';

const count = z.int().min(0);
const cursor = z.string().describe('Position of the newest exchange. Pass it as `after` to get only later ones.');
const limitMax = 1000;

const { recorder_request_invalid, exchange_not_found, secrets_not_kept } = recorderRefusals;
const { recorder_off, expect_limit, expect_cut_short } = recorderRefusals;
const { body_not_json } = managementRefusals;

const recorderModel = z
  .strictObject({
    enabled: z.boolean(),
    kept: count,
    bound: count.describe('Maximum number of stored exchanges.'),
    dropped: count.describe('Number of exchanges that the limit removed.'),
    lost: count.describe('Number of exchanges that could not be stored.'),
  })
  .meta({ id: 'Recorder' });
const switchModel = z.strictObject({ enabled: z.boolean('must be true or false') });

const fulfilmentMembers = { count, exchanges: z.array(exchangeModel), cursor };
const heldModel = z.strictObject({ held: z.literal(true), ...fulfilmentMembers }).meta({ id: 'ExpectationHeld' });
const notHeldModel = z
  .strictObject({ held: z.literal(false), kind: z.literal('not_held'), expected: z.string(), ...fulfilmentMembers })
  .meta({ id: 'ExpectationNotHeld' });

export const recorderApiRoutes: readonly Route[] = [
  {
    path: '/api/exchanges',
    audience: 'api',
    largeRead: 'streamed',
    methods: { GET: listExchanges },
    operations: {
      GET: {
        id: 'listExchanges',
        summary: 'Lists the newest requests to protocol endpoints and their responses, in the order recorded.',
        query: {
          endpoint: z.enum(recordedEndpoints),
          client_id: z.string(),
          username: z.string(),
          status: z.int(),
          flow: z.string().describe('The id of a flow.'),
          after: z.string().describe('A cursor. Returns only exchanges recorded later.'),
          limit: z.int().min(1).max(limitMax).default(100),
        },
        answers: { 200: z.strictObject({ exchanges: z.array(exchangeModel), count, cursor }) },
        refusals: [recorder_request_invalid],
      },
    },
  },
  {
    path: '/api/exchanges/:id',
    audience: 'api',
    methods: { GET: showExchange },
    operations: {
      GET: {
        id: 'showExchange',
        summary: 'Returns an exchange.',
        answers: { 200: exchangeModel },
        refusals: [exchange_not_found],
      },
    },
  },
  {
    path: '/api/exchanges/:id/reveal',
    audience: 'api',
    methods: { POST: revealExchange },
    overrides: { origins: 'none' },
    operations: {
      POST: {
        id: 'revealExchange',
        summary: 'Returns an exchange with its secrets, if recorder.secrets keeps them.',
        answers: { 200: exchangeModel },
        refusals: [exchange_not_found, secrets_not_kept],
      },
    },
  },
  {
    path: '/api/recorder',
    audience: 'api',
    methods: { GET: showRecorder, PUT: switchRecorder },
    operations: {
      GET: {
        id: 'showRecorder',
        summary: 'Returns whether requests are recorded, and how many are stored.',
        answers: { 200: recorderModel },
      },
      PUT: {
        id: 'switchRecorder',
        summary: 'Turns the recorder on or off until the stack or sandbox ends.',
        body: switchModel,
        answers: { 200: recorderModel },
        refusals: [body_not_json, recorder_request_invalid],
      },
    },
  },
  {
    path: '/api/expect',
    audience: 'api',
    methods: { POST: expectExchange },
    operations: {
      POST: {
        id: 'expectExchange',
        summary: 'Waits until a number of matching exchanges is recorded.',
        body: expectationModel,
        answers: { 200: heldModel, 409: notHeldModel },
        refusals: [body_not_json, recorder_request_invalid, recorder_off, expect_limit, expect_cut_short],
      },
    },
  },
];

async function listExchanges({ query }: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  const endpoint = recordedEndpoints.find((name) => name === query.value('endpoint'));
  if (endpoint === undefined && query.value('endpoint') !== undefined) {
    throw invalid(`endpoint must be one of ${recordedEndpoints.join(', ')}`);
  }
  const status = query.value('status');
  if (status !== undefined && !/^[1-5][0-9][0-9]$/.test(status)) throw invalid('status must be an HTTP status');
  const filter = {
    endpoint,
    clientId: query.value('client_id'),
    username: query.value('username'),
    status: status === undefined ? undefined : Number(status),
    flow: numbered(query, 'flow', 'f', 'the id of a flow'),
    after: numbered(query, 'after', '', 'a cursor'),
  };
  const { entries, cursor } = await store.exchanges.index(filter, limitOf(query, 100));
  const pieces = shownPieces(exchangePieces(store.exchanges, entries), shownExchange);
  return streamedList('exchanges', pieces, { cursor: String(cursor) });
}

async function showExchange(request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  return json(200, shownExchange(await found(request, store)));
}

async function revealExchange(request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  const exchange = await found(request, store);
  const secrets = await store.exchanges.secrets(exchange.id);
  if (secrets === undefined) throw apiError(secrets_not_kept);
  return notStored(json(200, revealedExchange(shownExchange(exchange), secrets)));
}

async function found({ pathParameters }: ParsedRequest, store: ProtocolContext['store']) {
  const number = numberIn(pathParameters.id ?? '', 'x');
  const exchange = number === undefined ? undefined : await store.exchanges.find(number);
  if (exchange === undefined) throw apiError(exchange_not_found);
  return exchange;
}

async function showRecorder(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  return json(200, { enabled: isRecorderOn(context), ...(await context.store.exchanges.state()) });
}

async function switchRecorder(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { enabled } = read(switchModel, request);
  await context.store.recorderSwitch.set(enabled);
  return json(200, { enabled, ...(await context.store.exchanges.state()) });
}

async function expectExchange(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const expectation = read(expectationModel, request);
  const { store, stopwatch, clock, held } = context;
  const fulfilment = await expectExchanges(expectation, {
    ...{ store, stopwatch },
    realNow: () => clock.real(),
    isRecorderOn: () => isRecorderOn(context),
    wait: (milliseconds) => held.wait(milliseconds),
    disconnected: context.disconnected(),
  });
  context.disconnected().throwIfAborted();
  if (typeof fulfilment === 'string') throw apiError(recorderRefusals[fulfilment]);
  const { outcome, expected, exchanges, cursor, ...rest } = fulfilment;
  const members = { ...rest, exchanges: exchanges.map(shownExchange), cursor: String(cursor) };
  return outcome === 'held'
    ? json(200, { held: true, ...members })
    : json(409, { held: false, kind: 'not_held', expected, ...members });
}

function read<Model extends z.ZodObject>(model: Model, request: ParsedRequest): z.output<Model> {
  const reading = model.safeParse(parseJsonBody(request));
  if (reading.success) return reading.data;
  const [issue] = reading.error.issues;
  const place = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys')
    throw invalid(unknownName('field', issue.keys[0] ?? '', Object.keys(model.shape)));
  if (issue?.code === 'invalid_type' && place === '') throw invalid('The body must be a JSON object.');
  throw invalid(`${place === '' ? '' : `${place} `}${issue?.message ?? 'is invalid'}`);
}

/** The `limit` of the request. Default: `usual`. */
export function limitOf(query: Parameters, usual: number): number {
  const sent = query.value('limit');
  if (sent === undefined) return usual;
  const limit = /^[0-9]{1,4}$/.test(sent) ? Number(sent) : 0;
  if (limit < 1 || limit > limitMax) throw invalid(`limit must be a whole number from 1 to ${limitMax}`);
  return limit;
}

export function numbered(query: Parameters, name: string, prefix: 'f' | '', what: string): number | undefined {
  const sent = query.value(name);
  if (sent === undefined) return undefined;
  const number = numberIn(sent, prefix);
  if (number === undefined) throw invalid(`${name} must be ${what}`);
  return number;
}

export function invalid(problem: string) {
  return apiError(recorder_request_invalid, { problem });
}
