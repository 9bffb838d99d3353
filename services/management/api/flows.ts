// /api/flows: exchanges that belong together, told as one story, and its downloads (REC-14, REC-17 to REC-20).
import * as z from 'zod';
import { flowKinds, flowOutcomes } from '#shared/domain/flow.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { apiError, type Route } from '#shared/http/route.ts';
import { flowHar } from '#shared/recorder/flow-har.ts';
import { flowMermaid } from '#shared/recorder/flow-mermaid.ts';
import { harModel } from '#shared/recorder/har-model.ts';
import { readFlow, readFlows, type WholeFlow } from '#shared/recorder/read-flow.ts';
import { flowModel, numberIn, shownFlow } from '#shared/recorder/show-exchange.ts';
import { recorderRefusals } from '#shared/refusals/families/recorder.ts';
import { shownWholeFlow, wholeFlowModel } from '#shared/verdict/show-flow.ts';
import { invalid, limitOf } from './recorder.ts';

const count = z.int().min(0);
const { flow_not_found, recorder_request_invalid } = recorderRefusals;

export const flowsApiRoutes: readonly Route[] = [
  {
    path: '/api/flows',
    surface: 'api',
    methods: { GET: listFlows, DELETE: deleteFlows },
    operations: {
      GET: {
        id: 'listFlows',
        summary: 'Exchanges that belong together as flows, newest first.',
        query: {
          client_id: z.string(),
          sp: z.string().describe('Issuer of the SAML request.'),
          username: z.string(),
          kind: z.enum(flowKinds),
          outcome: z.enum(flowOutcomes),
          limit: z.int().min(1).max(1000).default(50),
        },
        answers: { 200: z.strictObject({ flows: z.array(flowModel), count }) },
        refusals: [recorder_request_invalid],
      },
      DELETE: {
        id: 'deleteFlows',
        summary: 'Empties the recorder.',
        doesMostWithout: true,
        answers: { 200: z.strictObject({ deleted: count.describe('How many exchanges.') }) },
      },
    },
  },
  {
    path: '/api/flows/:id.har',
    surface: 'api',
    methods: { GET: showHar },
    operations: {
      GET: {
        id: 'showFlowAsHar',
        summary: 'A flow as a HAR 1.2 log.',
        answers: { 200: harModel },
        refusals: [flow_not_found],
      },
    },
  },
  {
    path: '/api/flows/:id.mermaid',
    surface: 'api',
    methods: { GET: showMermaid },
    operations: {
      GET: {
        id: 'showFlowAsMermaid',
        summary: 'A flow as a Mermaid sequence diagram.',
        answers: { 200: { mediaTypes: ['text/plain'] } },
        refusals: [flow_not_found],
      },
    },
  },
  {
    path: '/api/flows/:id',
    surface: 'api',
    methods: { GET: showFlow },
    operations: {
      GET: {
        id: 'showFlow',
        summary: 'A flow with its exchanges, one sentence on how it stands, and what its client did wrong.',
        answers: { 200: wholeFlowModel },
        refusals: [flow_not_found],
      },
    },
  },
];

async function listFlows({ query }: ParsedRequest, { store }: RequestContext): Promise<Reply> {
  const filter = {
    clientId: query.value('client_id'),
    sp: query.value('sp'),
    username: query.value('username'),
    kind: oneOf(flowKinds, 'kind', query.value('kind')),
    outcome: oneOf(flowOutcomes, 'outcome', query.value('outcome')),
  };
  const flows = await readFlows(store.exchanges, filter, limitOf(query, 50));
  return json(200, { flows: flows.map(shownFlow), count: flows.length });
}

async function showFlow(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { store, snapshot, clock } = context;
  const judgedBy = { store, snapshot, now: clock.now(), realNow: clock.real() };
  return json(200, await shownWholeFlow(await found(request, context), judgedBy));
}

async function showHar(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { exchanges } = await found(request, context);
  return json(200, flowHar(exchanges, context.issuer));
}

async function showMermaid(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { exchanges } = await found(request, context);
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return { status: 200, headers, body: flowMermaid(exchanges) };
}

async function deleteFlows(_request: ParsedRequest, { store }: RequestContext): Promise<Reply> {
  return json(200, { deleted: await store.exchanges.clear() });
}

async function found({ pathParameters }: ParsedRequest, { store }: RequestContext): Promise<WholeFlow> {
  const number = numberIn(pathParameters.id ?? '', 'f');
  const flow = number === undefined ? undefined : await readFlow(store.exchanges, number);
  if (flow === undefined) throw apiError(flow_not_found);
  return flow;
}

function oneOf<Name extends string>(names: readonly Name[], parameter: string, sent: string | undefined) {
  const found = names.find((name) => name === sent);
  if (found === undefined && sent !== undefined) throw invalid(`${parameter} must be one of ${names.join(', ')}`);
  return found;
}
