// Runtime users, clients and service providers in SQLite, clients with their registrations. What must leave an audit event puts it into the outbox
// in the same transaction, and answers once the event can be read. Promotions: promotion-adapter.ts.
import * as z from 'zod';
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { Instant } from '#shared/clock.ts';
import type { ClientEntry } from '#shared/configuration/model/client-entry.ts';
import type { ServiceProviderEntry } from '#shared/configuration/model/service-provider-entry.ts';
import type { UserEntry } from '#shared/configuration/model/user-entry.ts';
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
import { byteBoundsOf } from './bytes-taken.ts';
import type { Statements } from './database.ts';
import type { NamespaceContext } from './namespace-context.ts';
import type { Outbox } from './outbox.ts';
import { promotionAdapter } from './promotion-adapter.ts';
import type { ProcessOwners } from './proof-of-life.ts';
import { addressExpression } from './schema/identities.ts';

const freeRow = z.object({ promotion: z.enum(['free', 'claimed', 'written']) });
const nameRow = z.object({ name: z.string() });
const place = { seq: z.number() };
const placedUserRow = userRow.extend(place);
const placedClientRow = clientRow.extend(place);
const epochRow = z.object({ registration_epoch: z.number() });

// The kind is written out: SQLite takes a partial index only where it can read its condition, and where a parameter may
// meet that condition or not it plans the statement anew at each run.
const ofKind = (kind: RuntimeKind) =>
  `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND kind = '${kind}'`;
const after = (kind: RuntimeKind) => `SELECT seq, ${identityColumns} FROM runtime_identities
  WHERE namespace = @ns AND kind = '${kind}' AND seq > @after ORDER BY seq LIMIT @limit`;

const statements = (sql: Statements) => ({
  findUser: sql.query(`${ofKind('user')} AND name = @name`, userRow),
  findUsers: sql.query(`${ofKind('user')} AND name IN (SELECT value FROM json_each(@names)) ORDER BY seq`, userRow),
  findClient: sql.query(`${ofKind('client')} AND name = @name`, clientRow),
  findServiceProvider: sql.query(`${ofKind('service_provider')} AND name = @name`, serviceProviderRow),
  listServiceProviders: sql.query(`${ofKind('service_provider')} ORDER BY seq`, serviceProviderRow),
  listUsers: sql.query(`${ofKind('user')} ORDER BY seq`, userRow),
  listClients: sql.query(`${ofKind('client')} ORDER BY seq`, clientRow),
  names: sql.query(
    'SELECT name FROM runtime_identities WHERE namespace = @ns AND kind = @kind ORDER BY seq LIMIT @limit',
    nameRow,
  ),
  usersAfter: sql.query(after('user'), placedUserRow),
  clientsAfter: sql.query(after('client'), placedClientRow),
  findUsersByAddress: sql.query(`${ofKind('user')} AND ${addressExpression} = @address ORDER BY seq LIMIT 2`, userRow),
  findRegistration: sql.query(`${ofKind('client')} AND name = @name AND registration_hash = @hash`, clientRow),
  insert: sql.command(
    `INSERT OR IGNORE INTO runtime_identities
       (namespace, kind, name, instance_id, created_at, entry, registration_hash, registration)
     VALUES (@ns, @kind, @name, @instance_id, @now, @entry, @registration_hash, @registration)`,
  ),
  updateEntry: sql.command(
    'UPDATE runtime_identities SET entry = @entry WHERE namespace = @ns AND kind = @kind AND name = @name',
  ),
  promotionOf: sql.query(
    `SELECT promotion FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name
       AND (@hash IS NULL OR registration_hash = @hash)`,
    freeRow,
  ),
  remove: sql.command('DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name'),
  countClaimed: sql.query(
    `SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND promotion = 'claimed'`,
    countRow,
  ),
  removeFree: sql.command(
    `DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND promotion = 'free'`,
  ),
  countOfForeignPages: sql.query(
    `SELECT count(*) AS count FROM runtime_identities
     WHERE namespace = @ns AND registration_hash IS NOT NULL AND json_extract(registration, '$.byForeignPage') = 1`,
    countRow,
  ),
  countRegistrations: sql.query(
    'SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND registration_hash IS NOT NULL',
    countRow,
  ),
  epoch: sql.query('SELECT registration_epoch FROM namespaces WHERE namespace = @ns', epochRow),
  advanceEpoch: sql.command('UPDATE namespaces SET registration_epoch = registration_epoch + 1 WHERE namespace = @ns'),
});

export function identitiesAdapter(context: NamespaceContext, outbox: Outbox, owners: ProcessOwners): RuntimeIdentities {
  const { database, ns, random, onStep } = context;
  const { change } = outbox;
  const sql = database.prepared(statements);
  const withdrawn = database.prepare(withdrawSecondFactorTexts);
  const isRoomFor = byteBoundsOf(context);
  const readEpoch = () => sql.epoch.get({ ns })?.registration_epoch ?? 0;

  const requireRoom = (...texts: string[]) => {
    if (isRoomFor('runtime_identities', ...texts)) return;
    throw new RuntimeStoreUnavailableError({ trouble: 'full', cause: new Error('The runtime objects take 32 MiB.') });
  };

  const add = (
    kind: RuntimeKind,
    name: string,
    entry: UserEntry | ClientEntry | ServiceProviderEntry,
    now: Instant,
    made?: Registration,
  ) => {
    // Plain JSON: members of an entry that are absent stay absent.
    const text = JSON.stringify(entry);
    const registration = made === undefined ? null : encode(made);
    requireRoom(text, registration ?? '');
    const row = {
      ns,
      kind,
      name,
      instance_id: random.token(16),
      now,
      entry: text,
      registration_hash: made?.accessTokenHash ?? null,
      registration,
    };
    return sql.insert.run(row) === 1;
  };

  /** With what was pending for it and would go on for whoever bears the name next (RUN-14). */
  const take = (kind: RuntimeKind, name: string) => {
    sql.remove.run({ ns, kind, name });
    if (kind === 'user') withdrawn.ofUser.run({ ns, name });
  };

  const removeObject = (kind: RuntimeKind, name: string, hash: string | null, event: AuditEvent) =>
    outbox.release(() => {
      const outcome = removeIdentity(sql.promotionOf.get({ ns, kind, name, hash })?.promotion);
      if (outcome !== 'removed') return outcome;
      take(kind, name);
      outbox.put(event);
      return outcome;
    });

  /** For inside the transaction of what comes in its place. */
  const giveWay = (kind: RuntimeKind, name: string, replaced: AuditEvent | undefined) => {
    if (replaced === undefined) return;
    if (removeIdentity(sql.promotionOf.get({ ns, kind, name, hash: null })?.promotion) !== 'removed') return;
    take(kind, name);
    outbox.put(replaced);
  };

  return {
    findUser: (name) =>
      database.read(() => {
        const row = sql.findUser.get({ ns, name });
        return row && userOf(row);
      }),
    findUsers: (usernames) =>
      database.read(() => sql.findUsers.all({ ns, names: JSON.stringify(usernames) }).map(userOf)),
    findClient: (name) =>
      database.read(() => {
        const row = sql.findClient.get({ ns, name });
        return row && clientOf(row);
      }),
    findServiceProvider: (name) =>
      database.read(() => {
        const row = sql.findServiceProvider.get({ ns, name });
        return row && serviceProviderOf(row);
      }),
    listServiceProviders: () => database.read(() => sql.listServiceProviders.all({ ns }).map(serviceProviderOf)),
    listUsers: () => database.read(() => sql.listUsers.all({ ns }).map(userOf)),
    listClients: () => database.read(() => sql.listClients.all({ ns }).map(clientOf)),

    names: (kind, limit = -1) => database.read(() => sql.names.all({ ns, kind, limit }).map(({ name }) => name)),
    usersAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await database.read(() => sql.usersAfter.all({ ns, after, limit }));
      return { users: rows.map(userOf), ...nextOf(rows, limit) };
    },
    clientsAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await database.read(() => sql.clientsAfter.all({ ns, after, limit }));
      return { clients: rows.map(clientOf), ...nextOf(rows, limit) };
    },
    findUsersByAddress: (address) => database.read(() => sql.findUsersByAddress.all({ ns, address }).map(userOf)),

    createUser: (name, entry, now, event, replaced) =>
      change(() => {
        giveWay('user', name, replaced);
        const created = add('user', name, entry, now) ? sql.findUser.get({ ns, name }) : undefined;
        if (created === undefined) return 'exists';
        outbox.put(event);
        return userOf(created);
      }),
    createClient: (entry, now, event, replaced) =>
      change(() => {
        const name = entry.client_id;
        giveWay('client', name, replaced);
        const created = add('client', name, entry, now) ? sql.findClient.get({ ns, name }) : undefined;
        if (created === undefined) return 'exists';
        outbox.put(event);
        return clientOf(created);
      }),
    createServiceProvider: (name, entry, now, event, replaced) =>
      change(() => {
        const kind = 'service_provider';
        giveWay(kind, name, replaced);
        const created = add(kind, name, entry, now) ? sql.findServiceProvider.get({ ns, name }) : undefined;
        if (created === undefined) return 'exists';
        outbox.put(event);
        return serviceProviderOf(created);
      }),
    updateUser: (name, changeEntry, event) =>
      change(() => {
        const present = sql.findUser.get({ ns, name });
        const outcome = updateIdentity(present?.promotion);
        if (present === undefined || outcome !== 'updated') return outcome === 'updated' ? 'unknown' : outcome;
        const entry = changeEntry(present.entry);
        if (entry === undefined) return 'refused';
        const text = JSON.stringify(entry);
        requireRoom(text);
        sql.updateEntry.run({ ns, kind: 'user', name, entry: text });
        outbox.put(event(present.entry, entry));
        return userOf({ ...present, entry });
      }),
    remove: (kind, name, event) => removeObject(kind, name, null, event),
    reset: (event) =>
      outbox.release(() => {
        if (!mayReset(sql.countClaimed.get({ ns })?.count ?? 0)) return 'promotion_in_progress';
        withdrawn.ofFreeUsers.run({ ns });
        const serviceProviders = sql.removeFree.run({ ns, kind: 'service_provider' });
        const counts = {
          users_deleted: sql.removeFree.run({ ns, kind: 'user' }),
          clients_deleted: sql.removeFree.run({ ns, kind: 'client' }),
          ...(serviceProviders > 0 ? { service_providers_deleted: serviceProviders } : {}),
        };
        sql.advanceEpoch.run({ ns });
        outbox.put(event(counts));
        return counts;
      }),

    register: async (entry, registration, maxClients, epochBefore, now, event) => {
      const outcome = await change(() => {
        const registrations = sql.countRegistrations.get({ ns })?.count ?? 0;
        const ofForeignPages = registration.byForeignPage && sql.countOfForeignPages.get({ ns })?.count;
        const asked = { epoch: epochBefore, maxClients };
        const refused = refuseRegistration({ epoch: readEpoch(), registrations, ofForeignPages }, asked);
        if (refused !== undefined) return refused;
        onStep?.('registration_slot_found');
        if (!add('client', entry.client_id, entry, now, registration)) return 'exists';
        onStep?.('registration_written');
        outbox.put(event);
        return 'registered';
      });
      if (outcome !== 'registered') return outcome;
      // Its event may have waited for the audit while others could see, and remove, the client already.
      const { name, hash } = { name: entry.client_id, hash: registration.accessTokenHash };
      const lives = await database.read(() => sql.findRegistration.get({ ns, name, hash }));
      return lives === undefined ? 'interrupted' : outcome;
    },
    registrationEpoch: () => database.read(readEpoch),
    findRegistration: (name, hash) =>
      database.read(() => {
        const row = sql.findRegistration.get({ ns, name, hash });
        return row && clientOf(row);
      }),
    unregister: (name, hash, event) => removeObject('client', name, hash, event),

    ...promotionAdapter(context, outbox, owners),
  };
}

/** A piece that is not full is the last one. */
function nextOf(rows: readonly { readonly seq: number }[], limit: number): { next?: number } {
  const last = rows.at(-1);
  return last === undefined || rows.length < limit ? {} : { next: last.seq };
}
