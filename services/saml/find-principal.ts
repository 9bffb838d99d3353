// Who a name identifier names (SAM-63): a username, then the address of exactly one user, then the persistent identifier
// made for the service provider that asks.
import type { User } from '#shared/configuration/model/user-entry.ts';
import { findEffectiveUser, listEffectiveUsers } from '#shared/domain/effective-identities.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { persistentNameIdKey } from './persistent-name-id-key.ts';
import { addressOf, persistentIdentifier } from './protocol/name-id.ts';

/** `nameId` without the white space around it; `spIssuer` is undefined when the request names none. */
export async function findPrincipal(
  nameId: string,
  spIssuer: string | undefined,
  context: RequestContext,
): Promise<User | undefined> {
  const named = await findEffectiveUser(context.snapshot, context.store, nameId);
  if (named !== undefined) return named.user;
  const users = (await listEffectiveUsers(context.snapshot, context.store)).map(({ user }) => user);
  const addressed = users.filter((user) => addressOf(user) === nameId);
  if (addressed.length === 1) return addressed[0];
  const key = await persistentNameIdKey({ ...context, paths: context.snapshot.paths });
  return users.find((user) => persistentIdentifier(key, user.username, spIssuer) === nameId);
}
