// Runtime users, clients with their registrations, and service providers. Promotions: promotions.ts.

import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import { addressMadeOf, type UserEntry } from '#shared/model/configuration/user-entry.ts';
import { bytesMax } from '#shared/model/domain/byte-bounds.ts';
import { refuseRegistration } from '#shared/model/domain/dynamic-registration.ts';
import { mayReset, removeIdentity, updateIdentity } from '#shared/model/domain/promotion.ts';
import type { Registration, RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { bytesText } from '#shared/model/refusals/quantities.ts';
import { countRow, encode } from '../json-columns.ts';
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
import { command, query, type StatementTexts } from '../statements/text.ts';
import { promotions } from './promotions.ts';
import { withdrawSecondFactorTexts } from './second-factors.ts';
import type { Dialect, OperationContext, StoreOwners, Work } from './work.ts';

const place = { seq: z.number() };

// The kind is a literal, not a parameter. SQLite uses a partial index only if it can read the condition. With a
// parameter it would plan the statement again at each run.
const ofKind = (kind: RuntimeKind) =>
  `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND kind = '${kind}'`;

const after = (kind: RuntimeKind) => `SELECT seq, ${identityColumns} FROM runtime_identities
  WHERE namespace = @ns AND kind = '${kind}' AND seq > @after ORDER BY seq LIMIT @limit`;

const texts = ({ isAmong, flag, userAddress, either }: Dialect) =>
  ({
    ...withdrawSecondFactorTexts,
    findUser: query(`${ofKind('user')} AND name = @name`, userRow),
    findUsers: query(`${ofKind('user')} AND ${isAmong('name', '@names')} ORDER BY seq`, userRow),
    findClient: query(`${ofKind('client')} AND name = @name`, clientRow),
    findServiceProvider: query(`${ofKind('service_provider')} AND name = @name`, serviceProviderRow),
    listServiceProviders: query(`${ofKind('service_provider')} ORDER BY seq`, serviceProviderRow),
    listUsers: query(`${ofKind('user')} ORDER BY seq`, userRow),
    listClients: query(`${ofKind('client')} ORDER BY seq`, clientRow),
    names: query(
      'SELECT name FROM runtime_identities WHERE namespace = @ns AND kind = @kind ORDER BY seq LIMIT @limit',
      z.object({ name: z.string() }),
    ),
    usersAfter: query(after('user'), userRow.extend(place)),
    clientsAfter: query(after('client'), clientRow.extend(place)),
    findUsersByAddress: query(`${ofKind('user')} AND ${userAddress} = @address ORDER BY seq LIMIT 2`, userRow),
    findRegistration: query(`${ofKind('client')} AND name = @name AND registration_hash = @hash`, clientRow),
    // SQLite computes the address in its index. PostgreSQL has a column for it, because it does not read the content of
    // a record.
    insert: either({
      sqlite: command(
        `INSERT INTO runtime_identities
           (namespace, kind, name, instance_id, created_at, entry, registration_hash, registration)
         VALUES (@ns, @kind, @name, @instance_id, @now, @entry, @registration_hash, @registration)
         ON CONFLICT DO NOTHING`,
      ),
      postgres: command(
        `INSERT INTO runtime_identities
           (namespace, kind, name, instance_id, created_at, entry, address, registration_hash, registration)
         VALUES (@ns, @kind, @name, @instance_id, @now, @entry, @address, @registration_hash, @registration)
         ON CONFLICT DO NOTHING`,
      ),
    }),
    updateEntry: either({
      sqlite: command(
        'UPDATE runtime_identities SET entry = @entry WHERE namespace = @ns AND kind = @kind AND name = @name',
      ),
      postgres: command(
        `UPDATE runtime_identities SET entry = @entry, address = @address
         WHERE namespace = @ns AND kind = @kind AND name = @name`,
      ),
    }),
    promotionOf: query(
      `SELECT promotion FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name
         AND (CAST(@hash AS text) IS NULL OR registration_hash = @hash)`,
      z.object({ promotion: z.enum(['free', 'claimed', 'written']) }),
    ),
    remove: command('DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name'),
    countClaimed: query(
      `SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND promotion = 'claimed'`,
      countRow,
    ),
    removeFree: command(`DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND promotion = 'free'`),
    countOfForeignPages: query(
      `SELECT count(*) AS count FROM runtime_identities
       WHERE namespace = @ns AND registration_hash IS NOT NULL AND ${flag('registration', 'byForeignPage')} = 1`,
      countRow,
    ),
    countRegistrations: query(
      'SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND registration_hash IS NOT NULL',
      countRow,
    ),
    epoch: query(
      'SELECT registration_epoch FROM namespaces WHERE namespace = @ns',
      z.object({ registration_epoch: z.number() }),
    ),
    advanceEpoch: command('UPDATE namespaces SET registration_epoch = registration_epoch + 1 WHERE namespace = @ns'),
  }) satisfies StatementTexts;

const lock = 'runtime_identities';

export function identities(context: OperationContext, owners: StoreOwners): RuntimeIdentities {
  const { ns, random, onStep, prepare, read, write, release, record, hasRoomFor } = context;
  const sql = prepare(texts);

  function* readEpoch(): Work<number> {
    return (yield* sql.epoch.get({ ns }))?.registration_epoch ?? 0;
  }

  function* requireRoom(...records: string[]): Work<void> {
    if (yield* hasRoomFor('runtime_identities', ...records)) return;
    throw new RuntimeStoreUnavailableError({
      trouble: 'full',
      cause: new Error(`The runtime objects take ${bytesText(bytesMax.runtime_identities)}.`),
    });
  }

  /** Returns false if an object of that name exists. */
  function* add(
    kind: RuntimeKind,
    name: string,
    entry: UserEntry | ClientEntry | ServiceProviderEntry,
    now: Instant,
    made?: Registration,
  ): Work<boolean> {
    // Plain JSON: absent members of an entry stay absent.
    const text = JSON.stringify(entry);
    const registration = made === undefined ? null : encode(made);
    yield* requireRoom(text, registration ?? '');
    const address = kind === 'user' ? addressIn(name, entry) : null;
    const row = { ns, kind, name, instance_id: random.token(16), now, entry: text, address };
    const registered = { registration_hash: made?.accessTokenHash ?? null, registration };
    return (yield* sql.insert.run({ ...row, ...registered })) === 1;
  }

  /** Also deletes its pending state, which would otherwise continue for the next object of that name (RUN-14). */
  const remove = (kind: RuntimeKind, name: string) => {
    if (kind === 'user') sql.ofUser.put({ ns, name });
    sql.remove.put({ ns, kind, name });
  };

  const removeObject = (kind: RuntimeKind, name: string, hash: string | null, event: AuditEvent) =>
    release(lock, function* () {
      const outcome = removeIdentity((yield* sql.promotionOf.get({ ns, kind, name, hash }))?.promotion);
      if (outcome !== 'removed') return outcome;
      remove(kind, name);
      record(event);
      return outcome;
    });

  /** Within the write that creates the replacement. */
  function* giveWay(kind: RuntimeKind, name: string, replaced: AuditEvent | undefined): Work<void> {
    if (replaced === undefined) return;
    const present = yield* sql.promotionOf.get({ ns, kind, name, hash: null });
    if (removeIdentity(present?.promotion) !== 'removed') return;
    remove(kind, name);
    record(replaced);
  }

  return {
    findUser: (name) =>
      read(function* () {
        const row = yield* sql.findUser.get({ ns, name });
        return row && userOf(row);
      }),
    findUsers: (usernames) =>
      read(function* () {
        return (yield* sql.findUsers.all({ ns, names: JSON.stringify(usernames) })).map(userOf);
      }),
    findClient: (name) =>
      read(function* () {
        const row = yield* sql.findClient.get({ ns, name });
        return row && clientOf(row);
      }),
    findServiceProvider: (name) =>
      read(function* () {
        const row = yield* sql.findServiceProvider.get({ ns, name });
        return row && serviceProviderOf(row);
      }),
    listServiceProviders: async () => (await read(() => sql.listServiceProviders.all({ ns }))).map(serviceProviderOf),
    listUsers: async () => (await read(() => sql.listUsers.all({ ns }))).map(userOf),
    listClients: async () => (await read(() => sql.listClients.all({ ns }))).map(clientOf),
    names: async (kind, limit = Number.MAX_SAFE_INTEGER) =>
      (await read(() => sql.names.all({ ns, kind, limit }))).map(({ name }) => name),
    usersAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await read(() => sql.usersAfter.all({ ns, after, limit }));
      return { users: rows.map(userOf), ...nextOf(rows, limit) };
    },
    clientsAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await read(() => sql.clientsAfter.all({ ns, after, limit }));
      return { clients: rows.map(clientOf), ...nextOf(rows, limit) };
    },
    findUsersByAddress: async (address) => (await read(() => sql.findUsersByAddress.all({ ns, address }))).map(userOf),

    createUser: (name, entry, now, event, replaced) =>
      write(lock, function* () {
        yield* giveWay('user', name, replaced);
        const created = (yield* add('user', name, entry, now)) ? yield* sql.findUser.get({ ns, name }) : undefined;
        if (created === undefined) return 'exists';
        record(event);
        return userOf(created);
      }),
    createClient: (entry, now, event, replaced) =>
      write(lock, function* () {
        const name = entry.client_id;
        yield* giveWay('client', name, replaced);
        const created = (yield* add('client', name, entry, now)) ? yield* sql.findClient.get({ ns, name }) : undefined;
        if (created === undefined) return 'exists';
        record(event);
        return clientOf(created);
      }),
    createServiceProvider: (name, entry, now, event, replaced) =>
      write(lock, function* () {
        const kind = 'service_provider';
        yield* giveWay(kind, name, replaced);
        const created = (yield* add(kind, name, entry, now))
          ? yield* sql.findServiceProvider.get({ ns, name })
          : undefined;
        if (created === undefined) return 'exists';
        record(event);
        return serviceProviderOf(created);
      }),
    updateUser: (name, changeEntry, event) =>
      write(lock, function* () {
        const present = yield* sql.findUser.get({ ns, name });
        const outcome = updateIdentity(present?.promotion);
        if (present === undefined || outcome !== 'updated') return outcome === 'updated' ? 'unknown' : outcome;
        const entry = changeEntry(present.entry);
        if (entry === undefined) return 'refused';
        const text = JSON.stringify(entry);
        yield* requireRoom(text);
        sql.updateEntry.put({ ns, kind: 'user', name, entry: text, address: addressIn(name, entry) });
        record(event(present.entry, entry));
        return userOf({ ...present, entry });
      }),
    remove: (kind, name, event) => removeObject(kind, name, null, event),
    reset: (event) =>
      release(lock, function* () {
        if (!mayReset((yield* sql.countClaimed.get({ ns }))?.count ?? 0)) return 'promotion_in_progress';
        sql.ofFreeUsers.put({ ns });
        const serviceProviders = yield* sql.removeFree.run({ ns, kind: 'service_provider' });
        const counts = {
          users_deleted: yield* sql.removeFree.run({ ns, kind: 'user' }),
          clients_deleted: yield* sql.removeFree.run({ ns, kind: 'client' }),
          ...(serviceProviders > 0 ? { service_providers_deleted: serviceProviders } : {}),
        };
        sql.advanceEpoch.put({ ns });
        record(event(counts));
        return counts;
      }),

    register: async (entry, registration, maxClients, epochBefore, now, event) => {
      const { client_id: name } = entry;
      const outcome = await write(lock, function* () {
        const counting = sql.countRegistrations.get({ ns });
        const ofForeignPages = registration.byForeignPage && (yield* sql.countOfForeignPages.get({ ns }))?.count;
        const registrations = (yield* counting)?.count ?? 0;
        const bounds = { epoch: epochBefore, maxClients };
        const refused = refuseRegistration({ epoch: yield* readEpoch(), registrations, ofForeignPages }, bounds);
        if (refused !== undefined) return refused;
        onStep?.('registration_slot_found');
        if (!(yield* add('client', name, entry, now, registration))) return 'exists';
        onStep?.('registration_written');
        record(event);
        return 'registered';
      });
      if (outcome !== 'registered') return outcome;
      // The event may have waited for the audit while the client could already be found and removed.
      const hash = registration.accessTokenHash;
      const isStored = (await read(() => sql.findRegistration.get({ ns, name, hash }))) !== undefined;
      return isStored ? outcome : 'interrupted';
    },
    registrationEpoch: () => read(readEpoch),
    findRegistration: (name, hash) =>
      read(function* () {
        const row = yield* sql.findRegistration.get({ ns, name, hash });
        return row && clientOf(row);
      }),
    unregister: (name, hash, event) => removeObject('client', name, hash, event),

    ...promotions(context, owners),
  };
}

/** The address that identifies a user (SAM-63). */
function addressIn(name: string, entry: object): string {
  const email = 'email' in entry && typeof entry.email === 'string' ? entry.email : '';
  return email === '' ? addressMadeOf(name) : email;
}

/** A piece that is not full is the last one. */
function nextOf(rows: readonly { readonly seq: number }[], limit: number): { next?: number } {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? {} : { next: last.seq };
}
