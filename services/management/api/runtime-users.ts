// /api/runtime/users: create, list, read, delete and promote runtime users (section RUN). There is no update (RUN-13).
import { eachRuntimeUser } from '#shared/domain/effective-identities.ts';
import type { RuntimeUser } from '#shared/domain/runtime-identity.ts';
import { parseJsonBody } from '#shared/http/json-body.ts';
import { json, type Reply, streamedList } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { managementRefusals } from '#shared/refusals/families/management.ts';
import { createRuntimeUser } from '../runtime-identities/create-runtime-user.ts';
import { identityEvent } from './runtime-events.ts';
import { deleteOne, promoteOne } from './runtime-object.ts';
import { creationRefusal, notFound, unusableFiles } from './runtime-refusals.ts';
import { runtimeUserSummary } from './runtime-summaries.ts';

export const runtimeUserRoutes: readonly Route[] = [
  { path: '/api/runtime/users', surface: 'api', methods: { GET: listUsers, POST: createUser } },
  {
    path: '/api/runtime/users/:name',
    surface: 'api',
    methods: { GET: showUser, DELETE: (request, context) => deleteOne('user', request, context) },
  },
  {
    path: '/api/runtime/users/:name/promote',
    surface: 'api',
    methods: { POST: (request, context) => promoteOne('user', request, context) },
    inSandbox: managementRefusals.promotion_in_sandbox,
  },
];

async function createUser(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const body = parseJsonBody(request);
  const eventOf = (username: string) => identityEvent('runtime_identity_created', 'user', username, request, context);
  let creation: Awaited<ReturnType<typeof createRuntimeUser>>;
  try {
    creation = await createRuntimeUser(body, eventOf, context);
  } catch (error) {
    return unusableFiles(error, context);
  }
  if (creation.outcome !== 'created') throw creationRefusal('user', creation);
  const { user, warnings } = creation;
  return json(201, { ...runtimeUserSummary(user), ...(warnings.length > 0 ? { warnings } : {}) });
}

async function listUsers(_request: ParsedRequest, { store }: RequestContext): Promise<Reply> {
  return await streamedList('users', summaries(eachRuntimeUser(store)));
}

async function* summaries(pieces: AsyncIterable<readonly RuntimeUser[]>) {
  for await (const users of pieces) yield users.map(runtimeUserSummary);
}

async function showUser(request: ParsedRequest, { store }: RequestContext): Promise<Reply> {
  const user = await store.identities.findUser(request.pathParameters.name ?? '');
  if (user === undefined) throw notFound('user');
  return json(200, runtimeUserSummary(user));
}
