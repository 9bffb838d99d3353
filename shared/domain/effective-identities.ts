// Who exists, seen from a flow: declared over runtime over cached metadata document (CMD-19, RUN-20). The hot path finds
// a declared name without asking the store.
import type { Instant } from '#shared/clock.ts';
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { type Client, clientFromEntry } from '#shared/configuration/model/client-entry.ts';
import { type User, userFromEntry } from '#shared/configuration/model/user-entry.ts';
import type { RuntimeStore } from '#shared/store/ports/index.ts';
import type { Origin, RuntimeClient, RuntimeUser } from './runtime-identity.ts';

export interface EffectiveUser {
  readonly user: User;
  readonly origin: Exclude<Origin, 'cimd'>;
}

export interface EffectiveClient {
  readonly client: Client;
  readonly origin: Origin;
}

type Identities = Pick<RuntimeStore, 'identities' | 'metadataDocuments'>;

export async function findEffectiveUser(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  username: string,
): Promise<EffectiveUser | undefined> {
  const declared = snapshot.users.get(username);
  if (declared !== undefined) return { user: declared, origin: 'declared' };
  const runtime = await store.identities.findUser(username);
  return runtime && { user: effectiveRuntimeUser(runtime), origin: 'runtime' };
}

/** A cached document counts while it is fresh or held by a live transaction or code. */
export async function findEffectiveClient(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  clientId: string,
  now: Instant,
): Promise<EffectiveClient | undefined> {
  const declared = snapshot.clients.get(clientId);
  if (declared !== undefined) return { client: declared, origin: 'declared' };
  const runtime = await store.identities.findClient(clientId);
  if (runtime !== undefined) return { client: effectiveRuntimeClient(runtime), origin: 'runtime' };
  if (!clientId.startsWith('https://')) return undefined;
  if (!usesDocuments(snapshot)) return undefined;
  const document = await store.metadataDocuments.find(clientId, now);
  return document && { client: clientFromEntry(document.entry), origin: 'cimd' };
}

/** Declared users in file order, then runtime ones in order of creation. */
export async function listEffectiveUsers(
  snapshot: ConfigurationSnapshot,
  store: Identities,
): Promise<readonly EffectiveUser[]> {
  const runtime = (await store.identities.listUsers()).filter(({ name }) => !snapshot.users.has(name));
  return [
    ...[...snapshot.users.values()].map((user): EffectiveUser => ({ user, origin: 'declared' })),
    ...runtime.map((identity): EffectiveUser => ({ user: effectiveRuntimeUser(identity), origin: 'runtime' })),
  ];
}

export async function listEffectiveClients(
  snapshot: ConfigurationSnapshot,
  store: Identities,
  now: Instant,
): Promise<readonly EffectiveClient[]> {
  const runtime = (await store.identities.listClients()).filter(({ name }) => !snapshot.clients.has(name));
  const taken = new Set([...snapshot.clients.keys(), ...runtime.map(({ name }) => name)]);
  const cached = usesDocuments(snapshot) ? await store.metadataDocuments.list(now) : [];
  const documents = cached.filter(({ client_id }) => !taken.has(client_id));
  return [
    ...[...snapshot.clients.values()].map((client): EffectiveClient => ({ client, origin: 'declared' })),
    ...runtime.map((identity): EffectiveClient => ({ client: effectiveRuntimeClient(identity), origin: 'runtime' })),
    ...documents.map((document): EffectiveClient => ({ client: clientFromEntry(document.entry), origin: 'cimd' })),
  ];
}

function effectiveRuntimeUser(identity: RuntimeUser): User {
  return userFromEntry(identity.name, identity.entry);
}

function effectiveRuntimeClient(identity: RuntimeClient): Client {
  return clientFromEntry(identity.entry);
}

function usesDocuments({ settings }: ConfigurationSnapshot): boolean {
  return settings.oauth.client_id_metadata_documents.enabled;
}
