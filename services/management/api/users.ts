// GET /api/users and /api/users/{username}: effective users with their origin (RST-02, RST-03). What they show
// of an entry is said in its model; a secret is on no surface (RST-04).
import { userKind } from '#shared/configuration/model/entry-kinds.ts';
import { entryDetail, entrySummary } from '#shared/configuration/model/projections/api-summary.ts';
import { type EffectiveUser, eachEffectiveUser, findEffectiveUser } from '#shared/domain/effective-identities.ts';
import { json, type Reply, streamedList } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { apiError, type Route } from '#shared/http/route.ts';
import { authoritiesOf } from '#shared/issuing/authorities.ts';
import { managementRefusals } from '#shared/refusals/families/management.ts';

export const usersApiRoutes: readonly Route[] = [
  { path: '/api/users', surface: 'api', methods: { GET: listUsers } },
  { path: '/api/users/:username', surface: 'api', methods: { GET: showUser } },
];

async function listUsers(_request: ParsedRequest, { snapshot, store }: RequestContext): Promise<Reply> {
  return await streamedList('users', summaries(eachEffectiveUser(snapshot, store)));
}

async function* summaries(pieces: AsyncIterable<readonly EffectiveUser[]>) {
  for await (const users of pieces) yield users.map(userSummary);
}

async function showUser(request: ParsedRequest, { snapshot, store }: RequestContext): Promise<Reply> {
  const { user, origin } = await requireEffectiveUser(request, { snapshot, store });
  const { authority_prefixes } = snapshot.settings;
  return json(200, { ...entryDetail(userKind, user), authorities: authoritiesOf(user, authority_prefixes), origin });
}

/** The user that the path names. @throws ApiError 404. */
export async function requireEffectiveUser(
  request: ParsedRequest,
  { snapshot, store }: Pick<RequestContext, 'snapshot' | 'store'>,
): Promise<EffectiveUser> {
  const found = await findEffectiveUser(snapshot, store, request.pathParameters.username ?? '');
  if (found === undefined) throw apiError(managementRefusals.user_not_found);
  return found;
}

/** An item of GET /api/users. */
export function userSummary({ user, origin }: Pick<EffectiveUser, 'user' | 'origin'>) {
  return { ...entrySummary(userKind, user), origin };
}
