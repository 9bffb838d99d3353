// /api/runtime/users: create, list, read, delete and promote runtime users (section RUN). Updates are served only where
// they are allowed (RUN-13, PCL-15).
import { eachRuntimeUser } from '#shared/domain/effective-identities.ts';
import type { RuntimeUser } from '#shared/domain/runtime-identity.ts';
import { parseJsonBody } from '#shared/http/json-body.ts';
import { json, type Reply, streamedList } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { managementRefusals } from '#shared/refusals/families/management.ts';
import { createRuntimeUser } from '../runtime-identities/create-runtime-user.ts';
import { updateRuntimeUser } from '../runtime-identities/update-runtime-user.ts';
import { identityEvent } from './runtime-events.ts';
import { deleteOne, promoteOne } from './runtime-object.ts';
import { creationRefusal, notFound, promotionInProgress, unusableFiles } from './runtime-refusals.ts';
import { runtimeUserSummary } from './runtime-summaries.ts';

export const runtimeUserRoutes: readonly Route[] = [
  { path: '/api/runtime/users', surface: 'api', methods: { GET: listUsers, POST: createUser } },
  {
    path: '/api/runtime/users/:name',
    surface: 'api',
    methods: {
      GET: showUser,
      PATCH: updateUser,
      DELETE: (request, context) => deleteOne('user', request, context),
    },
    servedWhile: { PATCH: ({ settings }) => settings.runtime.updates },
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

async function updateUser(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const name = request.pathParameters.name ?? '';
  const body = parseJsonBody(request);
  const eventOf = (members: readonly string[]) =>
    identityEvent('runtime_identity_updated', 'user', name, request, context, { members });
  const update = await updateRuntimeUser(name, body, eventOf, context);
  switch (update.outcome) {
    case 'updated':
      return json(200, runtimeUserSummary(update.user));
    case 'invalid':
      throw creationRefusal('user', update);
    case 'unknown':
      throw notFound('user');
    case 'promotion_in_progress':
      throw promotionInProgress('user');
  }
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
