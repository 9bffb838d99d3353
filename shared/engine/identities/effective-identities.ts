// The identities that a flow finds: declared ones override runtime ones, which override cached metadata documents
// (CMD-19, RUN-20). The hot path finds a declared name without a query to the store. No function here reads all users
// at once: names are read alone, and callers that need all users get them in pieces.

import type { Instant } from '#shared/base/clock.ts';
import { groupByKey } from '#shared/base/group-by-key.ts';
import { type Client, clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { type ServiceProvider, serviceProviderOfEntry } from '#shared/model/configuration/service-provider.ts';
import { type User, userFromEntry } from '#shared/model/configuration/user-entry.ts';
import type {
  Origin,
  RuntimeClient,
  RuntimeServiceProvider,
  RuntimeUser,
} from '#shared/model/domain/runtime-identity.ts';
import { addressOf } from '#shared/model/domain/user-address.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';

export interface EffectiveUser {
  readonly user: User;
  readonly origin: Exclude<Origin, 'cimd'>;
  /** Set only for a runtime user. */
  readonly instanceId?: string;
}

export interface EffectiveClient {
  readonly client: Client;
  readonly origin: Origin;
  /** It was created by dynamic registration, and the registration still exists. */
  readonly registered?: true;
  /** Set only for a runtime client. */
  readonly instanceId?: string;
}

export interface EffectiveServiceProvider {
  readonly serviceProvider: ServiceProvider;
  readonly origin: Exclude<Origin, 'cimd'>;
}

type Identities = Pick<RuntimeStore, 'identities' | 'metadataDocuments'>;

/** The part of a store that finds a client. */
export interface FindsClients {
  readonly identities: Pick<RuntimeStore['identities'], 'findClient'>;
  readonly metadataDocuments: Pick<RuntimeStore['metadataDocuments'], 'find'>;
}

/** The part of a store that finds a service provider. */
export interface FindsServiceProviders {
  readonly identities: Pick<RuntimeStore['identities'], 'findServiceProvider'>;
}

/** PostgreSQL's texts hold no U+0000: a query for such a name would find another one. */
function isPossibleName(name: string): boolean {
  return !name.includes('\0');
}

/** Finds a service provider by its exact entity ID. */
export async function findEffectiveServiceProvider(
  { serviceProviders }: ConfigurationSnapshot,
  { identities }: FindsServiceProviders,
  entityId: string,
): Promise<EffectiveServiceProvider | undefined> {
  const declared = serviceProviders.get(entityId);
  if (declared !== undefined) return { serviceProvider: declared, origin: 'declared' };
  const runtime = isPossibleName(entityId) ? await identities.findServiceProvider(entityId) : undefined;
  return runtime && serviceProviderInEffect(runtime);
}

/** All of them, the declared ones first. */
export async function effectiveServiceProviders(
  { serviceProviders }: ConfigurationSnapshot,
  { identities }: Pick<RuntimeStore, 'identities'>,
): Promise<readonly EffectiveServiceProvider[]> {
  const runtime = (await identities.listServiceProviders()).filter(({ name }) => !serviceProviders.has(name));
  return [
    ...[...serviceProviders.values()].map((serviceProvider) => ({ serviceProvider, origin: 'declared' as const })),
    ...runtime.map(serviceProviderInEffect),
  ];
}

function serviceProviderInEffect({ name, entry }: RuntimeServiceProvider): EffectiveServiceProvider {
  return { serviceProvider: serviceProviderOfEntry(name, entry), origin: 'runtime' };
}

export async function findEffectiveUser(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  username: string,
): Promise<EffectiveUser | undefined> {
  const declared = snapshot.users.get(username);
  if (declared !== undefined) return { user: declared, origin: 'declared' };
  const runtime = isPossibleName(username) ? await store.identities.findUser(username) : undefined;
  return runtime && { user: effectiveRuntimeUser(runtime), origin: 'runtime', instanceId: runtime.instance_id };
}

/** The existing users with these names, in the order requested. All undeclared names are looked up in one query. */
export async function findEffectiveUsers(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  usernames: readonly string[],
): Promise<readonly User[]> {
  const others = usernames.filter((username) => !snapshot.users.has(username) && isPossibleName(username));
  const found = others.length === 0 ? [] : await store.identities.findUsers(others);
  const runtime = new Map(found.map((user) => [user.name, user]));
  return usernames.flatMap((username) => {
    const made = runtime.get(username);
    return snapshot.users.get(username) ?? (made === undefined ? [] : effectiveRuntimeUser(made));
  });
}

/** A cached document counts while it is fresh or used by a live transaction or code. */
export async function findEffectiveClient(
  snapshot: ConfigurationSnapshot,
  store: FindsClients,
  clientId: string,
  now: Instant,
): Promise<EffectiveClient | undefined> {
  const declared = snapshot.clients.get(clientId);
  if (declared !== undefined) return { client: declared, origin: 'declared' };
  if (!isPossibleName(clientId)) return undefined;
  const runtime = await store.identities.findClient(clientId);
  if (runtime !== undefined) return runtimeClientInEffect(runtime);
  if (!clientId.startsWith('https://')) return undefined;
  if (!usesDocuments(snapshot)) return undefined;
  const document = await store.metadataDocuments.find(clientId, now);
  return document && { client: clientFromEntry(document.entry), origin: 'cimd' };
}

/** All existing names: declared in file order, then runtime in order of creation, then by metadata document. */
export interface EffectiveNames {
  readonly declared: readonly string[];
  readonly runtime: readonly string[];
  readonly documents: readonly string[];
}

export async function effectiveUserNames(snapshot: ConfigurationSnapshot, store: Identities): Promise<EffectiveNames> {
  const runtime = (await store.identities.names('user')).filter((name) => !snapshot.users.has(name));
  return { declared: [...snapshot.users.keys()], runtime, documents: [] };
}

export async function effectiveClientNames(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  now: Instant,
): Promise<EffectiveNames> {
  const runtime = (await store.identities.names('client')).filter((name) => !snapshot.clients.has(name));
  const cached = usesDocuments(snapshot) ? await store.metadataDocuments.list(now) : [];
  const taken = cached.length === 0 ? new Set<string>() : new Set([...snapshot.clients.keys(), ...runtime]);
  const documents = cached.map(({ client_id }) => client_id).filter((name) => !taken.has(name));
  return { declared: [...snapshot.clients.keys()], runtime, documents };
}

/**
 * The first usernames, up to the limit, that a password can log in as. Does not query the store if the files declare
 * enough.
 */
export async function firstNamesWithPassword(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  limit: number,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const user of snapshot.users.values()) {
    if (names.length === limit) return names;
    if (hasPassword(user)) names.push(user.username);
  }
  if (names.length === limit) return names;
  for await (const users of eachUndeclaredUser(snapshot, store, limit - names.length)) {
    names.push(...users.filter(({ user }) => hasPassword(user)).map(({ user }) => user.username));
    if (names.length >= limit) break;
  }
  return names.slice(0, limit);
}

/** An empty password cannot be typed anywhere (LOG-02, GRT-11). */
function hasPassword({ password }: User): boolean {
  return password !== undefined && password !== '';
}

/** The number of runtime objects that the store reads in one turn of the event loop: a few milliseconds. */
const pieceSize = 200;

/** All users, in the order of EffectiveNames, in pieces. */
export async function* eachEffectiveUser(
  snapshot: ConfigurationSnapshot,
  store: Identities,
): AsyncGenerator<readonly EffectiveUser[]> {
  yield [...snapshot.users.values()].map((user): EffectiveUser => ({ user, origin: 'declared' }));
  yield* eachUndeclaredUser(snapshot, store);
}

async function* eachUndeclaredUser(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  firstPiece?: number,
): AsyncGenerator<readonly EffectiveUser[]> {
  for await (const users of eachRuntimeUser(store, firstPiece)) {
    yield users
      .filter(({ name }) => !snapshot.users.has(name))
      .map((identity): EffectiveUser => ({ user: effectiveRuntimeUser(identity), origin: 'runtime' }));
  }
}

/**
 * Includes users that a declared name hides. `firstPiece`: for callers that probably stop early. Each further piece is
 * twice as large, up to `pieceSize`.
 */
export async function* eachRuntimeUser(
  { identities }: Identities,
  firstPiece = pieceSize,
): AsyncGenerator<readonly RuntimeUser[]> {
  let after: number | undefined = 0;
  for (let size = firstPiece; after !== undefined; size = Math.min(2 * size, pieceSize)) {
    const { users, next }: Awaited<ReturnType<typeof identities.usersAfter>> = await identities.usersAfter(after, size);
    yield users;
    after = next;
  }
}

export async function* eachRuntimeClient({ identities }: Identities): AsyncGenerator<readonly RuntimeClient[]> {
  let after: number | undefined = 0;
  while (after !== undefined) {
    const { clients, next }: Awaited<ReturnType<typeof identities.clientsAfter>> = await identities.clientsAfter(
      after,
      pieceSize,
    );
    yield clients;
    after = next;
  }
}

export async function* eachEffectiveClient(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  now: Instant,
): AsyncGenerator<readonly EffectiveClient[]> {
  yield [...snapshot.clients.values()].map((client): EffectiveClient => ({ client, origin: 'declared' }));
  const taken = new Set(snapshot.clients.keys());
  for await (const clients of eachRuntimeClient(store)) {
    const runtime = clients.filter(({ name }) => !snapshot.clients.has(name));
    for (const { name } of runtime) taken.add(name);
    yield runtime.map(runtimeClientInEffect);
  }
  const cached = usesDocuments(snapshot) ? await store.metadataDocuments.list(now) : [];
  yield cached
    .filter(({ client_id }) => !taken.has(client_id))
    .map((document): EffectiveClient => ({ client: clientFromEntry(document.entry), origin: 'cimd' }));
}

/** The user with an e-mail address: the only one who has it, or who has none and whose name makes it (SAM-63). */
export async function findUserByAddress(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  address: string,
): Promise<User | undefined> {
  const declared = addressesOf(snapshot).get(address) ?? [];
  if (declared.length > 1) return undefined;
  // Beside one declared user a second one is enough to decide. Two that declared names hide are none.
  const runtime = (await store.identities.findUsersByAddress(address)).filter(({ name }) => !snapshot.users.has(name));
  const [found, ...others] = [...declared, ...runtime.map(effectiveRuntimeUser)];
  return others.length === 0 ? found : undefined;
}

const declaredAddresses = new WeakMap<ConfigurationSnapshot['users'], ReadonlyMap<string, readonly User[]>>();

function addressesOf({ users }: ConfigurationSnapshot): ReadonlyMap<string, readonly User[]> {
  const known = declaredAddresses.get(users);
  if (known !== undefined) return known;
  const made = groupByKey([...users.values()], addressOf);
  declaredAddresses.set(users, made);
  return made;
}

function effectiveRuntimeUser(identity: RuntimeUser): User {
  return userFromEntry(identity.name, identity.entry);
}

function effectiveRuntimeClient(identity: RuntimeClient): Client {
  return clientFromEntry(identity.entry);
}

/** A client of the store as flows use it. */
function runtimeClientInEffect(identity: RuntimeClient): EffectiveClient {
  const isRegistered = identity.registration !== undefined;
  return {
    client: effectiveRuntimeClient(identity),
    origin: 'runtime',
    instanceId: identity.instance_id,
    ...(isRegistered ? { registered: true as const } : {}),
  };
}

function usesDocuments({ settings }: ConfigurationSnapshot): boolean {
  return settings.oauth.client_id_metadata_documents.enabled;
}
