// Finds the user of a name identifier (SAM-63). A service provider with its own NameID source gets the only user who has
// that name there (SPM-12). If it finds none, and for all other service providers, the name is a username, then the
// e-mail address of exactly one user, then the persistent identifier made for the requesting service provider.

import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import {
  eachEffectiveUser,
  effectiveUserNames,
  findEffectiveServiceProvider,
  findEffectiveUser,
  findUserByAddress,
} from '#shared/engine/identities/effective-identities.ts';
import type { ClaimSource } from '#shared/model/configuration/claim-source.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { isPersistentIdentifier, persistentIdentifier } from '#shared/model/saml-rules/name-id.ts';
import { persistentNameIdKey } from './persistent-name-id-key.ts';
import { nameIdValueOf } from './registered-service-provider.ts';

/** `nameId` without surrounding white space. `spIssuer` is undefined when the request names none. */
export async function findUserByNameId(
  nameId: string,
  spIssuer: string | undefined,
  context: ProtocolContext,
): Promise<User | undefined> {
  const usual = await findUsually(nameId, spIssuer, context);
  const found = spIssuer && (await findEffectiveServiceProvider(context.snapshot, context.store, spIssuer));
  const source = found ? found.serviceProvider.name_id_from : undefined;
  if (source === undefined || (usual && nameIdValueOf({ user: usual }, source, context) === nameId)) return usual;
  return (await findAtSource(nameId, source, context)) ?? usual;
}

/** The only user with that name at the source. */
async function findAtSource(nameId: string, source: ClaimSource, context: ProtocolContext): Promise<User | undefined> {
  const found: User[] = [];
  for await (const piece of eachEffectiveUser(context.snapshot, context.store)) {
    found.push(...piece.flatMap(({ user }) => (nameIdValueOf({ user }, source, context) === nameId ? user : [])));
  }
  return found.length === 1 ? found[0] : undefined;
}

async function findUsually(
  nameId: string,
  spIssuer: string | undefined,
  context: ProtocolContext,
): Promise<User | undefined> {
  const named = await findEffectiveUser(context.snapshot, context.store, nameId);
  if (named !== undefined) return named.user;
  const addressed = await findUserByAddress(context.snapshot, context.store, nameId);
  if (addressed !== undefined) return addressed;
  return isPersistentIdentifier(nameId) ? await findByPseudonym(nameId, spIssuer, context) : undefined;
}

/** How many pseudonyms are computed in one turn of the event loop: a few milliseconds. */
const pseudonymsAtOnce = 500;

/** A pseudonym cannot be reversed, so those of all users are computed, one name after the other. */
async function findByPseudonym(
  nameId: string,
  spIssuer: string | undefined,
  context: ProtocolContext,
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
