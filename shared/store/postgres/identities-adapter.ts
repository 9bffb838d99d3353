// Runtime users, clients and service providers in PostgreSQL, clients with their registrations. What must leave an audit event puts it into the outbox
// in the same transaction, and answers once the event can be read. Promotions: promotion-adapter.ts.
import * as z from 'zod';
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { Instant } from '#shared/clock.ts';
import type { ClientEntry } from '#shared/configuration/model/client-entry.ts';
import type { ServiceProviderEntry } from '#shared/configuration/model/service-provider-entry.ts';
import { addressMadeOf, type UserEntry } from '#shared/configuration/model/user-entry.ts';
import { refuseRegistration } from '#shared/domain/dynamic-registration.ts';
import { mayReset, removeIdentity, updateIdentity } from '#shared/domain/promotion.ts';
import type { Registration, RuntimeKind } from '#shared/domain/runtime-identity.ts';
import { nextTurn } from '#shared/event-loop-turns.ts';
import { countRow, encode } from '../json-columns.ts';
import { withdrawSecondFactorTexts } from '../operations/second-factors.ts';
import type { RuntimeIdentities } from '../ports/runtime-identities.ts';
import {
  clientOf,
  clientRow,
  identityColumns,
  serviceProviderOf,
  serviceProviderRow,
  userOf,
  userRow,
} from '../rows/identity.ts';
import { RuntimeStoreUnavailableError } from '../runtime-store-unavailable.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import { byteBoundsOf } from './bytes-taken.ts';
import type { NamespaceContext } from './namespace-context.ts';
import { promotionAdapter } from './promotion-adapter.ts';
import type { Owners } from './proof-of-life.ts';
import { command, prepared, query, type Runner } from './statement.ts';
import type { Transaction } from './transaction.ts';

const freeRow = z.object({ promotion: z.enum(['free', 'claimed', 'written']) });
const nameRow = z.object({ name: z.string() });
const place = { seq: z.number() };
const placedUserRow = userRow.extend(place);
const placedClientRow = clientRow.extend(place);
const epochRow = z.object({ registration_epoch: z.number() });

const byName = `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND kind = @kind`;
const after = `SELECT seq, ${identityColumns} FROM runtime_identities
  WHERE namespace = @ns AND kind = @kind AND seq > @after ORDER BY seq LIMIT @limit`;

const withdrawn = prepared(withdrawSecondFactorTexts);
const sql = {
  findUser: query(`${byName} AND name = @name`, userRow),
  findUsers: query(
    `${byName} AND name = ANY (ARRAY(SELECT json_array_elements_text(@names::json))) ORDER BY seq`,
    userRow,
  ),
  findClient: query(`${byName} AND name = @name`, clientRow),
  findServiceProvider: query(`${byName} AND name = @name`, serviceProviderRow),
  listServiceProviders: query(`${byName} ORDER BY seq`, serviceProviderRow),
  listUsers: query(`${byName} ORDER BY seq`, userRow),
  listClients: query(`${byName} ORDER BY seq`, clientRow),
  names: query(
    'SELECT name FROM runtime_identities WHERE namespace = @ns AND kind = @kind ORDER BY seq LIMIT nullif(@limit::bigint, -1)',
    nameRow,
  ),
  usersAfter: query(after, placedUserRow),
  clientsAfter: query(after, placedClientRow),
  findUsersByAddress: query(
    `SELECT ${identityColumns} FROM runtime_identities
     WHERE namespace = @ns AND kind = 'user' AND address = @address ORDER BY seq LIMIT 2`,
    userRow,
  ),
  findRegistration: query(`${byName} AND name = @name AND registration_hash = @hash`, clientRow),
  insert: command(
    `INSERT INTO runtime_identities
       (namespace, kind, name, instance_id, created_at, entry, address, registration_hash, registration)
     VALUES (@ns, @kind, @name, @instance_id, @now, @entry, @address, @registration_hash, @registration) ON CONFLICT DO NOTHING`,
  ),
  updateEntry: command(
    'UPDATE runtime_identities SET entry = @entry, address = @address WHERE namespace = @ns AND kind = @kind AND name = @name',
  ),
  promotionOf: query(
    `SELECT promotion FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name
       AND (@hash::text IS NULL OR registration_hash = @hash)`,
    freeRow,
  ),
  remove: command('DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name'),
  countClaimed: query(
    `SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND promotion = 'claimed'`,
    countRow,
  ),
  removeFree: command(`DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND promotion = 'free'`),
  countOfForeignPages: query(
    `SELECT count(*) AS count FROM runtime_identities
     WHERE namespace = @ns AND registration_hash IS NOT NULL AND registration::json ->> 'byForeignPage' = 'true'`,
    countRow,
  ),
  countRegistrations: query(
    'SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND registration_hash IS NOT NULL',
    countRow,
  ),
  epoch: query('SELECT registration_epoch FROM namespaces WHERE namespace = @ns', epochRow),
  advanceEpoch: command('UPDATE namespaces SET registration_epoch = registration_epoch + 1 WHERE namespace = @ns'),
};

export function identitiesAdapter(context: NamespaceContext, events: ChangeEvents, owners: Owners): RuntimeIdentities {
  const { database, ns, random, onStep } = context;
  const isRoomFor = byteBoundsOf(context);
  const readEpoch = async (on: Runner) => (await sql.epoch.get(on, { ns }))?.registration_epoch ?? 0;

  const requireRoom = async (on: Runner, ...texts: string[]) => {
    if (await isRoomFor(on, 'runtime_identities', ...texts)) return;
    throw new RuntimeStoreUnavailableError({ trouble: 'full', cause: new Error('The runtime objects take 32 MiB.') });
  };

  const add = async (
    on: Runner,
    kind: RuntimeKind,
    name: string,
    entry: UserEntry | ClientEntry | ServiceProviderEntry,
    now: Instant,
    made?: Registration,
  ) => {
    // Plain JSON: members of an entry that are absent stay absent.
    const text = JSON.stringify(entry);
    const registration = made === undefined ? null : encode(made);
    await requireRoom(on, text, registration ?? '');
    const row = {
      ns,
      kind,
      name,
      instance_id: random.token(16),
      now,
      entry: text,
      address: kind === 'user' ? addressIn(name, entry) : null,
      registration_hash: made?.accessTokenHash ?? null,
      registration,
    };
    return (await sql.insert.run(on, row)) === 1;
  };

  /** With what was pending for it and would go on for whoever bears the name next (RUN-14). */
  const take = async (on: Transaction, kind: RuntimeKind, name: string) => {
    if (kind === 'user') withdrawn.ofUser.put(on, { ns, name });
    await sql.remove.run(on, { ns, kind, name });
  };

  const removeObject = (kind: RuntimeKind, name: string, hash: string | null, event: AuditEvent) =>
    database.write('runtime_identities', async (on) => {
      const outcome = removeIdentity((await sql.promotionOf.get(on, { ns, kind, name, hash }))?.promotion);
      if (outcome !== 'removed') return outcome;
      await take(on, kind, name);
      events.put(on, event);
      return outcome;
    });

  /** For inside the transaction of what comes in its place. */
  const giveWay = async (on: Transaction, kind: RuntimeKind, name: string, replaced: AuditEvent | undefined) => {
    if (replaced === undefined) return;
    if (removeIdentity((await sql.promotionOf.get(on, { ns, kind, name, hash: null }))?.promotion) !== 'removed')
      return;
    await take(on, kind, name);
    events.put(on, replaced);
  };

  return {
    findUser: (name) =>
      database.read(async (on) => {
        const row = await sql.findUser.get(on, { ns, kind: 'user', name });
        return row && userOf(row);
      }),
    findUsers: (usernames) =>
      database.read(async (on) => {
        const names = JSON.stringify(usernames);
        return (await sql.findUsers.all(on, { ns, kind: 'user', names })).map(userOf);
      }),
    findClient: (name) =>
      database.read(async (on) => {
        const row = await sql.findClient.get(on, { ns, kind: 'client', name });
        return row && clientOf(row);
      }),
    findServiceProvider: (name) =>
      database.read(async (on) => {
        const row = await sql.findServiceProvider.get(on, { ns, kind: 'service_provider', name });
        return row && serviceProviderOf(row);
      }),
    listServiceProviders: () =>
      database.read(async (on) =>
        (await sql.listServiceProviders.all(on, { ns, kind: 'service_provider' })).map(serviceProviderOf),
      ),
    listUsers: () => database.read(async (on) => (await sql.listUsers.all(on, { ns, kind: 'user' })).map(userOf)),
    listClients: () =>
      database.read(async (on) => (await sql.listClients.all(on, { ns, kind: 'client' })).map(clientOf)),

    names: (kind, limit = -1) =>
      database.read(async (on) => (await sql.names.all(on, { ns, kind, limit })).map(({ name }) => name)),
    usersAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await database.read((on) => sql.usersAfter.all(on, { ns, kind: 'user', after, limit }));
      return { users: rows.map(userOf), ...nextOf(rows, limit) };
    },
    clientsAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await database.read((on) => sql.clientsAfter.all(on, { ns, kind: 'client', after, limit }));
      return { clients: rows.map(clientOf), ...nextOf(rows, limit) };
    },
    findUsersByAddress: (address) =>
      database.read(async (on) => (await sql.findUsersByAddress.all(on, { ns, address })).map(userOf)),

    createUser: (name, entry, now, event, replaced) =>
      database.write('runtime_identities', async (on) => {
        await giveWay(on, 'user', name, replaced);
        const created = (await add(on, 'user', name, entry, now))
          ? await sql.findUser.get(on, { ns, kind: 'user', name })
          : undefined;
        if (created === undefined) return 'exists';
        events.put(on, event);
        return userOf(created);
      }),
    createClient: (entry, now, event, replaced) =>
      database.write('runtime_identities', async (on) => {
        const name = entry.client_id;
        await giveWay(on, 'client', name, replaced);
        const created = (await add(on, 'client', name, entry, now))
          ? await sql.findClient.get(on, { ns, kind: 'client', name })
          : undefined;
        if (created === undefined) return 'exists';
        events.put(on, event);
        return clientOf(created);
      }),
    createServiceProvider: (name, entry, now, event, replaced) =>
      database.write('runtime_identities', async (on) => {
        const kind = 'service_provider';
        await giveWay(on, kind, name, replaced);
        const created = (await add(on, kind, name, entry, now))
          ? await sql.findServiceProvider.get(on, { ns, kind, name })
          : undefined;
        if (created === undefined) return 'exists';
        events.put(on, event);
        return serviceProviderOf(created);
      }),
    updateUser: (name, changeEntry, event) =>
      database.write('runtime_identities', async (on) => {
        const present = await sql.findUser.get(on, { ns, kind: 'user', name });
        const outcome = updateIdentity(present?.promotion);
        if (present === undefined || outcome !== 'updated') return outcome === 'updated' ? 'unknown' : outcome;
        const entry = changeEntry(present.entry);
        if (entry === undefined) return 'refused';
        const text = JSON.stringify(entry);
        await requireRoom(on, text);
        await sql.updateEntry.run(on, { ns, kind: 'user', name, entry: text, address: addressIn(name, entry) });
        events.put(on, event(present.entry, entry));
        return userOf({ ...present, entry });
      }),
    remove: (kind, name, event) => removeObject(kind, name, null, event),
    reset: (event) =>
      database.write('runtime_identities', async (on) => {
        if (!mayReset((await sql.countClaimed.get(on, { ns }))?.count ?? 0)) return 'promotion_in_progress';
        withdrawn.ofFreeUsers.put(on, { ns });
        const serviceProviders = await sql.removeFree.run(on, { ns, kind: 'service_provider' });
        const counts = {
          users_deleted: await sql.removeFree.run(on, { ns, kind: 'user' }),
          clients_deleted: await sql.removeFree.run(on, { ns, kind: 'client' }),
          ...(serviceProviders > 0 ? { service_providers_deleted: serviceProviders } : {}),
        };
        await sql.advanceEpoch.run(on, { ns });
        events.put(on, event(counts));
        return counts;
      }),

    register: (entry, registration, maxClients, epochBefore, now, event) =>
      database.write('runtime_identities', async (on) => {
        const registrations = (await sql.countRegistrations.get(on, { ns }))?.count ?? 0;
        const ofForeignPages = registration.byForeignPage && (await sql.countOfForeignPages.get(on, { ns }))?.count;
        const asked = { epoch: epochBefore, maxClients };
        const refused = refuseRegistration({ epoch: await readEpoch(on), registrations, ofForeignPages }, asked);
        if (refused !== undefined) return refused;
        onStep?.('registration_slot_found');
        if (!(await add(on, 'client', entry.client_id, entry, now, registration))) return 'exists';
        onStep?.('registration_written');
        events.put(on, event);
        return 'registered';
      }),
    registrationEpoch: () => database.read(readEpoch),
    findRegistration: (name, hash) =>
      database.read(async (on) => {
        const row = await sql.findRegistration.get(on, { ns, kind: 'client', name, hash });
        return row && clientOf(row);
      }),
    unregister: (name, hash, event) => removeObject('client', name, hash, event),

    ...promotionAdapter(context, events, owners),
  };
}

/** The address that names a user (SAM-63), in a column of its own: the server does not read what is in a record. */
function addressIn(name: string, entry: object): string {
  const email = 'email' in entry && typeof entry.email === 'string' ? entry.email : '';
  return email === '' ? addressMadeOf(name) : email;
}

/** A piece that is not full is the last one. */
function nextOf(rows: readonly { readonly seq: number }[], limit: number): { next?: number } {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? {} : { next: last.seq };
}
