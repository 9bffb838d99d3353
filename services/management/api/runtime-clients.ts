// /api/runtime/clients: create, list, read, delete and promote runtime clients, registered ones included (section RUN).
// There is no update (RUN-13).
import * as z from 'zod';
import { json, type Reply, streamedList } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { eachRuntimeClient } from '#shared/engine/identities/effective-identities.ts';
import { forgetReplacedClient } from '#shared/engine/login/end-invalid-sessions.ts';
import type { RuntimeClient } from '#shared/model/domain/runtime-identity.ts';
import { runtimeIdentityRefusals } from '#shared/model/refusals/families/runtime-identities.ts';
import { createRuntimeClient } from '../runtime-identities/create-runtime-client.ts';
import { creationEndpoint } from './runtime-creation.ts';
import { deleteOne, deletion, promotionRoute, replacingQuery } from './runtime-object.ts';
import { creationRefusals, notFound } from './runtime-refusals.ts';
import { newClientModel, runtimeClientModel, runtimeClientSummary } from './runtime-summaries.ts';
import { auditOriginOf } from './sessions.ts';

const { runtime_identity_not_found } = runtimeIdentityRefusals;

export const runtimeClientRoutes: readonly Route[] = [
  {
    path: '/api/runtime/clients',
    audience: 'api',
    largeRead: 'streamed',
    methods: {
      GET: listClients,
      POST: creationEndpoint({
        ...{ kind: 'client', create: createRuntimeClient, shown: runtimeClientSummary },
        onReplaced: ({ name }, request, context) =>
          forgetReplacedClient(context, name, auditOriginOf(request, context)),
      }),
    },
    operations: {
      GET: {
        id: 'listRuntimeClients',
        summary: 'Lists the runtime clients, including registered ones.',
        answers: { 200: z.strictObject({ clients: z.array(runtimeClientModel), count: z.int().min(0) }) },
      },
      POST: {
        id: 'createRuntimeClient',
        summary: 'Creates a runtime client. With runtime.store: memory it is deleted when the server stops.',
        query: replacingQuery,
        body: newClientModel,
        answers: { 201: runtimeClientModel.extend({ warnings: z.array(z.string()).optional() }) },
        refusals: creationRefusals,
      },
    },
  },
  {
    path: '/api/runtime/clients/:name',
    audience: 'api',
    methods: { GET: showClient, DELETE: (request, context) => deleteOne('client', request, context) },
    operations: {
      GET: {
        id: 'showRuntimeClient',
        summary: 'Returns a runtime client.',
        answers: { 200: runtimeClientModel },
        refusals: [runtime_identity_not_found],
      },
      DELETE: deletion('client', 'deleteRuntimeClient'),
    },
  },
  promotionRoute('client', 'promoteRuntimeClient'),
];

async function listClients(_request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  return await streamedList('clients', summaries(eachRuntimeClient(store)));
}

async function* summaries(pieces: AsyncIterable<readonly RuntimeClient[]>) {
  for await (const clients of pieces) yield clients.map(runtimeClientSummary);
}

async function showClient(request: ParsedRequest, { store }: ManagementContext): Promise<Reply> {
  const client = await store.identities.findClient(request.pathParameters.name ?? '');
  if (client === undefined) throw notFound('client');
  return json(200, runtimeClientSummary(client));
}
