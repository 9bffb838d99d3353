// /api/flows: exchanges that belong together, as one flow, and its downloads (REC-14, REC-17 to REC-20).
import * as z from 'zod';
import { oneAtATime } from '#shared/base/scheduling/one-at-a-time.ts';
import { json, type Reply, streamedWithin } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { mermaidLines, mermaidWith } from '#shared/engine/recorder/flow-diagram.ts';
import { harEntry, harModel, harWith } from '#shared/engine/recorder/flow-har.ts';
import {
  exchangePieces,
  exchangesAtOnce,
  type IndexedFlow,
  indexFlow,
  readFlow,
  readFlows,
  shownPieces,
} from '#shared/engine/recorder/read-flow.ts';
import { flowModel, numberIn, shownExchange, shownFlow } from '#shared/engine/recorder/show-exchange.ts';
import { shownWholeFlow, wholeFlowModel } from '#shared/engine/verdict/show-flow.ts';
import { flowKinds, flowOutcomes } from '#shared/model/domain/flow.ts';
import { recorderRefusals } from '#shared/model/refusals/families/recorder.ts';
import { invalid, limitOf } from './recorder.ts';

const count = z.int().min(0);
const { flow_not_found, recorder_request_invalid } = recorderRefusals;

export const flowsApiRoutes: readonly Route[] = [
  {
    path: '/api/flows',
    audience: 'api',
    largeRead: 'streamed',
    methods: { GET: listFlows, DELETE: deleteFlows },
    operations: {
      GET: {
        id: 'listFlows',
        summary: 'Lists the recorded flows, newest first.',
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
        summary: 'Deletes all recorded exchanges.',
        doesMostWithout: true,
        answers: { 200: z.strictObject({ deleted: count.describe('Number of deleted exchanges.') }) },
      },
    },
  },
  {
    path: '/api/flows/:id.har',
    audience: 'api',
    largeRead: 'streamed',
    methods: { GET: showHar },
    operations: {
      GET: {
        id: 'showFlowAsHar',
        summary: 'Returns a flow as a HAR 1.2 log.',
        answers: { 200: harModel },
        refusals: [flow_not_found],
      },
    },
  },
  {
    path: '/api/flows/:id.mermaid',
    audience: 'api',
    largeRead: 'whole',
    methods: { GET: showMermaid },
    operations: {
      GET: {
        id: 'showFlowAsMermaid',
        summary: 'Returns a flow as a Mermaid sequence diagram.',
        answers: { 200: { mediaTypes: ['text/plain'] } },
        refusals: [flow_not_found],
      },
    },
  },
  {
    path: '/api/flows/:id',
    audience: 'api',
    largeRead: 'streamed',
    methods: { GET: showFlow },
    operations: {
      GET: {
        id: 'showFlow',
        summary: 'Returns a flow with its exchanges, an explanation of its outcome, and the client’s mistakes.',
        answers: { 200: wholeFlowModel },
        refusals: [flow_not_found],
      },
    },
  },
];

async function listFlows({ query }: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
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

async function showFlow(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { store, snapshot, clock } = context;
  const judgedBy = { store, snapshot, now: clock.now(), realNow: clock.real() };
  const { id, entries } = await found(request, context);
  const shown = await oneAtATime(async () => {
    const flow = await readFlow(store.exchanges, id);
    return flow && { ...(await shownWholeFlow(flow, judgedBy)), ...(isLarge(entries) ? { exchanges: [] } : {}) };
  });
  if (shown === undefined) throw apiError(flow_not_found);
  if (!isLarge(entries)) return json(200, shown);
  const pieces = shownPieces(exchangePieces(store.exchanges, entries), shownExchange);
  return streamedWithin(shown, '"exchanges":[]', pieces);
}

async function showHar(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { entries } = await found(request, context);
  const pieces = exchangePieces(context.store.exchanges, entries);
  const har = shownPieces(pieces, (exchange) => harEntry(exchange, context.baseUrl));
  return streamedWithin(harWith([]), '"entries":[]', har);
}

async function showMermaid(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { entries } = await found(request, context);
  const lines: string[] = [];
  for await (const piece of exchangePieces(context.store.exchanges, entries)) lines.push(...mermaidLines(piece));
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return { status: 200, headers, body: mermaidWith(lines) };
}

async function deleteFlows(_request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  return json(200, { deleted: await store.exchanges.clear() });
}

async function found(
  { pathParameters }: ParsedRequest,
  { store }: ProtocolContext,
): Promise<{ id: number; entries: IndexedFlow }> {
  const id = numberIn(pathParameters.id ?? '', 'f');
  const entries = id === undefined ? undefined : await indexFlow(store.exchanges, id);
  if (id === undefined || entries === undefined) throw apiError(flow_not_found);
  return { id, entries };
}

/** Exchanges of a large flow are read again while they are sent, so that they are not all held in memory. */
function isLarge(entries: IndexedFlow): boolean {
  return entries.length > exchangesAtOnce;
}

function oneOf<Name extends string>(names: readonly Name[], parameter: string, sent: string | undefined) {
  const found = names.find((name) => name === sent);
  if (found === undefined && sent !== undefined) throw invalid(`${parameter} must be one of ${names.join(', ')}`);
  return found;
}
