// Who a name identifier names (SAM-63): a username, then the address of exactly one user, then the persistent identifier
// made for the service provider that asks.

import type { User } from '#shared/configuration/model/user-entry.ts';
import { effectiveUserNames, findEffectiveUser, findUserByAddress } from '#shared/domain/effective-identities.ts';
import { nextTurn } from '#shared/event-loop-turns.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { isPersistentIdentifier, persistentIdentifier } from '#shared/protocol/saml/name-id.ts';
import { persistentNameIdKey } from './persistent-name-id-key.ts';

/** `nameId` without the white space around it; `spIssuer` is undefined when the request names none. */
export async function findPrincipal(
  nameId: string,
  spIssuer: string | undefined,
  context: RequestContext,
): Promise<User | undefined> {
  const named = await findEffectiveUser(context.snapshot, context.store, nameId);
  if (named !== undefined) return named.user;
  const addressed = await findUserByAddress(context.snapshot, context.store, nameId);
  if (addressed !== undefined) return addressed;
  return isPersistentIdentifier(nameId) ? await findByPseudonym(nameId, spIssuer, context) : undefined;
}

/** How many pseudonyms are made in one turn of the event loop: a few milliseconds. */
const pseudonymsAtOnce = 500;

/** Nothing leads from a pseudonym to its user: those of all users are made, one name after the other. */
async function findByPseudonym(
  nameId: string,
  spIssuer: string | undefined,
  context: RequestContext,
): Promise<User | undefined> {
  const key = await persistentNameIdKey({ ...context, paths: context.snapshot.paths });
  const { declared, runtime } = await effectiveUserNames(context.snapshot, context.store);
  for (const [index, name] of [...declared, ...runtime].entries()) {
    if (index > 0 && index % pseudonymsAtOnce === 0) await nextTurn();
    if (persistentIdentifier(key, name, spIssuer) !== nameId) continue;
    return (await findEffectiveUser(context.snapshot, context.store, name))?.user;
  }
  return undefined;
}
