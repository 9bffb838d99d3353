// GET /api/users and /api/users/{username}: effective users with their origin (RST-02, RST-03). The members are listed
// here one by one, so that no secret of an entry can slip into an answer (RST-04).
import type { User } from '#shared/configuration/model/user-entry.ts';
import { type EffectiveUser, eachEffectiveUser, findEffectiveUser } from '#shared/domain/effective-identities.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { ApiError, type Route } from '#shared/http/route.ts';
import { authoritiesOf } from '#shared/issuing/authorities.ts';

export const usersApiRoutes: readonly Route[] = [
  { path: '/api/users', surface: 'api', methods: { GET: listUsers } },
  { path: '/api/users/:username', surface: 'api', methods: { GET: showUser } },
];

async function listUsers(_request: ParsedRequest, { snapshot, store }: RequestContext): Promise<Reply> {
  const users: ReturnType<typeof userSummary>[] = [];
  for await (const piece of eachEffectiveUser(snapshot, store)) users.push(...piece.map(userSummary));
  return json(200, { users, count: users.length });
}

async function showUser(request: ParsedRequest, { snapshot, store }: RequestContext): Promise<Reply> {
  const found = await requireEffectiveUser(request, { snapshot, store });
  return json(200, { ...userDetail(found.user, snapshot.settings.authority_prefixes), origin: found.origin });
}

/** The user that the path names. @throws ApiError 404. */
export async function requireEffectiveUser(
  request: ParsedRequest,
  { snapshot, store }: Pick<RequestContext, 'snapshot' | 'store'>,
): Promise<EffectiveUser> {
  const found = await findEffectiveUser(snapshot, store, request.pathParameters.username ?? '');
  if (found === undefined) throw new ApiError(404, 'There is no user of that name.');
  return found;
}

/** An item of GET /api/users. */
export function userSummary({ user, origin }: Pick<EffectiveUser, 'user' | 'origin'>) {
  return {
    username: user.username,
    origin,
    description: user.description,
    email: user.email,
    identity_class: user.identity_class,
    roles: user.roles,
    groups: user.groups,
    tenant: user.tenant,
    has_acl: user.source_acl.length > 0,
    has_entitlements: user.entitlements.length > 0,
  };
}

function userDetail(user: User, prefixes: Readonly<Record<string, string>>) {
  return {
    username: user.username,
    description: user.description,
    email: user.email,
    identity_class: user.identity_class,
    entitlements: user.entitlements,
    roles: user.roles,
    groups: user.groups,
    tenant: user.tenant,
    source_acl: user.source_acl,
    attributes: user.attributes,
    authorities: authoritiesOf(user, prefixes),
  };
}
