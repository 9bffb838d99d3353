// /api/runtime/users: create, list, read, delete and promote runtime users (section RUN). Updates are served only where
// they are allowed (RUN-13, PCL-15).

import * as z from 'zod';
import { json, type Reply, streamedList } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { eachRuntimeUser } from '#shared/engine/identities/effective-identities.ts';
import { endInvalidSessions, forgetReplacedUser } from '#shared/engine/login/end-invalid-sessions.ts';
import type { RuntimeUser } from '#shared/model/domain/runtime-identity.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { runtimeIdentityRefusals } from '#shared/model/refusals/families/runtime-identities.ts';
import { createRuntimeUser } from '../runtime-identities/create-runtime-user.ts';
import { updateRuntimeUser } from '../runtime-identities/update-runtime-user.ts';
import { creationEndpoint } from './runtime-creation.ts';
import { identityEvent } from './runtime-events.ts';
import { deleteOne, deletion, promotionRoute, replacingQuery } from './runtime-object.ts';
import { creationRefusal, creationRefusals, entryOf, notFound, promotionInProgress } from './runtime-refusals.ts';
import { newUserModel, runtimeUserModel, runtimeUserSummary } from './runtime-summaries.ts';
import { auditOriginOf } from './sessions.ts';

const { runtime_identity_not_found, runtime_identity_being_promoted, runtime_identity_invalid } =
  runtimeIdentityRefusals;

export const runtimeUserRoutes: readonly Route[] = [
  {
    path: '/api/runtime/users',
    audience: 'api',
    largeRead: 'streamed',
    methods: {
      GET: listUsers,
      POST: creationEndpoint({
        kind: 'user',
        create: createRuntimeUser,
        shown: runtimeUserSummary,
        onReplaced: forgetReplaced,
      }),
    },
    operations: {
      GET: {
        id: 'listRuntimeUsers',
        summary: 'Lists the runtime users.',
        answers: { 200: z.strictObject({ users: z.array(runtimeUserModel), count: z.int().min(0) }) },
      },
      POST: {
        id: 'createRuntimeUser',
        summary: 'Creates a runtime user. With runtime.store: memory it is deleted when the server stops.',
        query: replacingQuery,
        body: newUserModel,
        answers: { 201: runtimeUserModel.extend({ warnings: z.array(z.string()).optional() }) },
        refusals: creationRefusals,
      },
    },
  },
  {
    path: '/api/runtime/users/:name',
    audience: 'api',
    methods: {
      GET: showUser,
      PATCH: updateUser,
      DELETE: (request, context) => deleteOne('user', request, context),
    },
    servedWhile: { PATCH: { setting: 'runtime.updates', isOn: ({ settings }) => settings.runtime.updates } },
    operations: {
      GET: {
        id: 'showRuntimeUser',
        summary: 'Returns a runtime user.',
        answers: { 200: runtimeUserModel },
        refusals: [runtime_identity_not_found],
      },
      PATCH: {
        id: 'updateRuntimeUser',
        summary: 'Changes a runtime user, if runtime.updates is true.',
        body: z
          .record(z.string(), z.unknown())
          .describe('A merge patch (RFC 7396) of the entry. null removes a member.'),
        answers: { 200: runtimeUserModel.extend({ warnings: z.array(z.string()).optional() }) },
        refusals: [
          managementRefusals.body_not_json,
          runtime_identity_invalid,
          runtime_identity_not_found,
          runtime_identity_being_promoted,
        ],
      },
      DELETE: deletion('user', 'deleteRuntimeUser'),
    },
  },
  promotionRoute('user', 'promoteRuntimeUser'),
];

/** Ends the sessions and deletes the consents of the user that was replaced. */
async function forgetReplaced({ name }: RuntimeUser, request: ParsedRequest, context: ProtocolContext): Promise<void> {
  await forgetReplacedUser(context, name, auditOriginOf(request, context));
}

async function updateUser(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const name = request.pathParameters.name ?? '';
  const patch = entryOf('user', request);
  const eventOf = (members: readonly string[]) =>
    identityEvent('runtime_identity_updated', 'user', name, request, context, { members });
  const update = await updateRuntimeUser(name, patch, eventOf, context);
  switch (update.outcome) {
    case 'updated':
      await endInvalidSessions(context, name, auditOriginOf(request, context));
      return json(200, {
        ...runtimeUserSummary(update.user),
        ...(update.warnings.length > 0 ? { warnings: update.warnings } : {}),
      });
    case 'invalid':
      throw creationRefusal('user', update);
    case 'unknown':
      throw notFound('user');
    case 'promotion_in_progress':
      throw promotionInProgress('user');
  }
}

async function listUsers(_request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  return await streamedList('users', summaries(eachRuntimeUser(store)));
}

async function* summaries(pieces: AsyncIterable<readonly RuntimeUser[]>) {
  for await (const users of pieces) yield users.map(runtimeUserSummary);
}

async function showUser(request: ParsedRequest, { store }: ProtocolContext): Promise<Reply> {
  const user = await store.identities.findUser(request.pathParameters.name ?? '');
  if (user === undefined) throw notFound('user');
  return json(200, runtimeUserSummary(user));
}
