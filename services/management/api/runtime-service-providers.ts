// /api/runtime/service-providers: create, list, read and delete runtime service providers (SPM-23). There is no update
// and no promotion.
import * as z from 'zod';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { serviceProviderOfEntry } from '#shared/model/configuration/service-provider.ts';
import { serviceProviderEntryModel } from '#shared/model/configuration/service-provider-entry.ts';
import type { RuntimeServiceProvider } from '#shared/model/domain/runtime-identity.ts';
import { runtimeIdentityRefusals } from '#shared/model/refusals/families/runtime-identities.ts';
import { createRuntimeServiceProvider } from '../runtime-identities/create-runtime-service-provider.ts';
import { creationEndpoint } from './runtime-creation.ts';
import { deleteOne, replacingQuery } from './runtime-object.ts';
import { creationRefusals, notFound } from './runtime-refusals.ts';
import { serviceProviderModel, shownServiceProvider } from './service-providers.ts';

const kind = 'service_provider';

const { runtime_identity_not_found } = runtimeIdentityRefusals;

const { metadata_file: _, ...members } = serviceProviderEntryModel.shape;

const newServiceProviderModel = z
  .strictObject({ ...members, metadata: z.string().optional().describe('Its metadata as XML text.') })
  .meta({ id: 'NewServiceProvider' });

const runtimeServiceProviderModel = serviceProviderModel
  .extend({
    origin: z.literal('runtime'),
    instance_id: z.string().describe('Unique among all runtime objects, even after a deletion.'),
  })
  .meta({ id: 'RuntimeServiceProvider' });

export const runtimeServiceProviderRoutes: readonly Route[] = [
  {
    path: '/api/runtime/service-providers',
    audience: 'api',
    largeRead: 'whole',
    methods: { GET: listAll, POST: creationEndpoint({ kind, create: createRuntimeServiceProvider, shown }) },
    operations: {
      GET: {
        id: 'listRuntimeServiceProviders',
        summary: 'Lists the runtime SAML service providers.',
        answers: {
          200: z.strictObject({ service_providers: z.array(runtimeServiceProviderModel), count: z.int().min(0) }),
        },
      },
      POST: {
        id: 'createRuntimeServiceProvider',
        summary:
          'Creates a runtime SAML service provider. With runtime.store: memory it is deleted when the server stops.',
        query: replacingQuery,
        body: newServiceProviderModel,
        answers: { 201: runtimeServiceProviderModel.extend({ warnings: z.array(z.string()).optional() }) },
        refusals: creationRefusals,
      },
    },
  },
  {
    path: '/api/runtime/service-providers/:name',
    audience: 'api',
    methods: { GET: showOne, DELETE: (request, context) => deleteOne(kind, request, context) },
    operations: {
      GET: {
        id: 'showRuntimeServiceProvider',
        summary: 'Returns a runtime SAML service provider.',
        answers: { 200: runtimeServiceProviderModel },
        refusals: [runtime_identity_not_found],
      },
      DELETE: {
        id: 'deleteRuntimeServiceProvider',
        summary: 'Deletes a runtime SAML service provider.',
        answers: { 200: z.strictObject({ deleted: z.string(), kind: z.literal(kind) }) },
        refusals: [runtime_identity_not_found],
      },
    },
  },
];

function shown({ name, entry, instance_id }: RuntimeServiceProvider, { snapshot }: Pick<ProtocolContext, 'snapshot'>) {
  const serviceProvider = serviceProviderOfEntry(name, entry);
  return { ...shownServiceProvider({ serviceProvider, origin: 'runtime' }, snapshot), instance_id };
}

async function listAll(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const all = await context.store.identities.listServiceProviders();
  return json(200, { service_providers: all.map((each) => shown(each, context)), count: all.length });
}

async function showOne(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const found = await context.store.identities.findServiceProvider(request.pathParameters.name ?? '');
  if (found === undefined) throw notFound(kind);
  return json(200, shown(found, context));
}
