// GET /api/users and /api/users/{username}: effective users with their origin (RST-02, RST-03). The model of an entry
// defines the members. No surface shows a secret (RST-04).
import * as z from 'zod';
import { json, type Reply, streamedList } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import {
  type EffectiveUser,
  eachEffectiveUser,
  findEffectiveUser,
} from '#shared/engine/identities/effective-identities.ts';
import { authoritiesOf } from '#shared/engine/tokens/authorities.ts';
import { userKind } from '#shared/model/configuration/entry-kinds.ts';
import {
  entryDetail,
  entryDetailShape,
  entrySummary,
  entrySummaryShape,
} from '#shared/model/configuration/projections/api-summary.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';

const origin = z.enum(['declared', 'runtime']);

const userSummaryModel = z.strictObject({ ...entrySummaryShape(userKind), origin }).meta({ id: 'UserSummary' });

const userDetailModel = z
  .strictObject({
    ...entryDetailShape(userKind),
    authorities: z.array(z.string()).describe('The values in tokens and assertions.'),
    origin,
  })
  .meta({ id: 'User' });

export const usersApiRoutes: readonly Route[] = [
  {
    path: '/api/users',
    audience: 'api',
    largeRead: 'streamed',
    methods: { GET: listUsers },
    operations: {
      GET: {
        id: 'listUsers',
        summary: 'Lists the declared users and the runtime users.',
        answers: { 200: z.strictObject({ users: z.array(userSummaryModel), count: z.int().min(0) }) },
      },
    },
  },
  {
    path: '/api/users/:username',
    audience: 'api',
    methods: { GET: showUser },
    operations: {
      GET: {
        id: 'showUser',
        summary: 'Returns a user without secrets.',
        answers: { 200: userDetailModel },
        refusals: [managementRefusals.user_not_found],
      },
    },
  },
];

async function listUsers(_request: ParsedRequest, { snapshot, store }: ProtocolContext): Promise<Reply> {
  return await streamedList('users', summaries(eachEffectiveUser(snapshot, store)));
}

async function* summaries(pieces: AsyncIterable<readonly EffectiveUser[]>) {
  for await (const users of pieces) yield users.map(userSummary);
}

async function showUser(request: ParsedRequest, { snapshot, store }: ProtocolContext): Promise<Reply> {
  const { user, origin } = await requireEffectiveUser(request, { snapshot, store });
  const { authority_prefixes } = snapshot.settings;
  return json(200, { ...entryDetail(userKind, user), authorities: authoritiesOf(user, authority_prefixes), origin });
}

/** The user that the path names. @throws ApiError 404. */
export async function requireEffectiveUser(
  request: ParsedRequest,
  { snapshot, store }: Pick<ProtocolContext, 'snapshot' | 'store'>,
): Promise<EffectiveUser> {
  const found = await findEffectiveUser(snapshot, store, request.pathParameters.username ?? '');
  if (found === undefined) throw apiError(managementRefusals.user_not_found);
  return found;
}

/** An item of GET /api/users. */
function userSummary({ user, origin }: Pick<EffectiveUser, 'user' | 'origin'>) {
  return { ...entrySummary(userKind, user), origin };
}
