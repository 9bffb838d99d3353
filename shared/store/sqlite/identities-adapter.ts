// Runtime users and clients with their registrations in SQLite. What must leave an audit event puts it into the outbox
// in the same transaction, and answers once the event can be read. Promotions: promotion-adapter.ts.
import * as z from 'zod';
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { Instant } from '#shared/clock.ts';
import type { ClientEntry } from '#shared/configuration/model/client-entry.ts';
import type { UserEntry } from '#shared/configuration/model/user-entry.ts';
import type { IdentityKind, Registration } from '#shared/domain/runtime-identity.ts';
import { nextTurn } from '#shared/next-turn.ts';
import type { RuntimeIdentities } from '../ports/runtime-identities.ts';
import { clientOf, clientRow, identityColumns, userOf, userRow } from './identity-rows.ts';
import type { NamespaceContext } from './namespace.ts';
import type { Outbox } from './outbox.ts';
import type { ProcessOwners } from './process-owners.ts';
import { promotionAdapter } from './promotion-adapter.ts';
import { countRow, encode } from './records.ts';
import { addressExpression } from './schema.ts';

const freeRow = z.object({ promotion: z.enum(['free', 'claimed', 'written']) });
const nameRow = z.object({ name: z.string() });
const place = { seq: z.number() };
const placedUserRow = userRow.extend(place);
const placedClientRow = clientRow.extend(place);
const epochRow = z.object({ registration_epoch: z.number() });

export function identitiesAdapter(context: NamespaceContext, outbox: Outbox, owners: ProcessOwners): RuntimeIdentities {
  const { database, ns, random, onStep } = context;
  const { change } = outbox;
  const byName = `SELECT ${identityColumns} FROM runtime_identities WHERE namespace = @ns AND kind = @kind`;
  const findUser = database.query(`${byName} AND name = @name`, userRow);
  const findClient = database.query(`${byName} AND name = @name`, clientRow);
  const listUsers = database.query(`${byName} ORDER BY seq`, userRow);
  const listClients = database.query(`${byName} ORDER BY seq`, clientRow);
  const names = database.query(
    'SELECT name FROM runtime_identities WHERE namespace = @ns AND kind = @kind ORDER BY seq LIMIT @limit',
    nameRow,
  );
  const after = `SELECT seq, ${identityColumns} FROM runtime_identities
    WHERE namespace = @ns AND kind = @kind AND seq > @after ORDER BY seq LIMIT @limit`;
  const usersAfter = database.query(after, placedUserRow);
  const clientsAfter = database.query(after, placedClientRow);
  const findUsersByAddress = database.query(
    // The kind is written out: SQLite takes a partial index only where it can read its condition.
    `SELECT ${identityColumns} FROM runtime_identities
     WHERE namespace = @ns AND kind = 'user' AND ${addressExpression} = @address ORDER BY seq LIMIT 2`,
    userRow,
  );
  const findRegistration = database.query(`${byName} AND name = @name AND registration_hash = @hash`, clientRow);
  const insert = database.command(
    `INSERT OR IGNORE INTO runtime_identities
       (namespace, kind, name, instance_id, created_at, entry, registration_hash, registration)
     VALUES (@ns, @kind, @name, @instance_id, @now, @entry, @registration_hash, @registration)`,
  );
  const promotionOf = database.query(
    `SELECT promotion FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name
       AND (@hash IS NULL OR registration_hash = @hash)`,
    freeRow,
  );
  const remove = database.command(
    'DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND name = @name',
  );
  const countClaimed = database.query(
    `SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND promotion = 'claimed'`,
    countRow,
  );
  const removeFree = database.command(
    `DELETE FROM runtime_identities WHERE namespace = @ns AND kind = @kind AND promotion = 'free'`,
  );
  const countRegistrations = database.query(
    'SELECT count(*) AS count FROM runtime_identities WHERE namespace = @ns AND registration_hash IS NOT NULL',
    countRow,
  );
  const epoch = database.query('SELECT registration_epoch FROM namespaces WHERE namespace = @ns', epochRow);
  const advanceEpoch = database.command(
    'UPDATE namespaces SET registration_epoch = registration_epoch + 1 WHERE namespace = @ns',
  );
  const readEpoch = () => epoch.get({ ns })?.registration_epoch ?? 0;

  const add = (kind: IdentityKind, name: string, entry: UserEntry | ClientEntry, now: Instant, made?: Registration) =>
    insert.run({
      ns,
      kind,
      name,
      instance_id: random.token(16),
      now,
      // Plain JSON: members of an entry that are absent stay absent.
      entry: JSON.stringify(entry),
      registration_hash: made?.accessTokenHash ?? null,
      registration: made === undefined ? null : encode(made),
    }) === 1;

  const removeObject = (kind: IdentityKind, name: string, hash: string | null, event: AuditEvent) =>
    change(() => {
      const found = promotionOf.get({ ns, kind, name, hash });
      if (found === undefined) return 'unknown';
      if (found.promotion !== 'free') return 'promotion_in_progress';
      remove.run({ ns, kind, name });
      outbox.put(event);
      return 'removed';
    });

  return {
    findUser: (name) =>
      database.read(() => {
        const row = findUser.get({ ns, kind: 'user', name });
        return row && userOf(row);
      }),
    findClient: (name) =>
      database.read(() => {
        const row = findClient.get({ ns, kind: 'client', name });
        return row && clientOf(row);
      }),
    listUsers: () => database.read(() => listUsers.all({ ns, kind: 'user' }).map(userOf)),
    listClients: () => database.read(() => listClients.all({ ns, kind: 'client' }).map(clientOf)),

    names: (kind, limit = -1) => database.read(() => names.all({ ns, kind, limit }).map(({ name }) => name)),
    usersAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await database.read(() => usersAfter.all({ ns, kind: 'user', after, limit }));
      return { users: rows.map(userOf), ...nextOf(rows, limit) };
    },
    clientsAfter: async (after, limit) => {
      if (after > 0) await nextTurn();
      const rows = await database.read(() => clientsAfter.all({ ns, kind: 'client', after, limit }));
      return { clients: rows.map(clientOf), ...nextOf(rows, limit) };
    },
    findUsersByAddress: (address) => database.read(() => findUsersByAddress.all({ ns, address }).map(userOf)),

    createUser: (name, entry, now, event) =>
      change(() => {
        const created = add('user', name, entry, now) ? findUser.get({ ns, kind: 'user', name }) : undefined;
        if (created === undefined) return 'exists';
        outbox.put(event);
        return userOf(created);
      }),
    createClient: (entry, now, event) =>
      change(() => {
        const name = entry.client_id;
        const created = add('client', name, entry, now) ? findClient.get({ ns, kind: 'client', name }) : undefined;
        if (created === undefined) return 'exists';
        outbox.put(event);
        return clientOf(created);
      }),
    remove: (kind, name, event) => removeObject(kind, name, null, event),
    reset: (event) =>
      change(() => {
        if ((countClaimed.get({ ns })?.count ?? 0) > 0) return 'promotion_in_progress';
        const counts = {
          users_deleted: removeFree.run({ ns, kind: 'user' }),
          clients_deleted: removeFree.run({ ns, kind: 'client' }),
        };
        advanceEpoch.run({ ns });
        outbox.put(event(counts));
        return counts;
      }),

    register: async (entry, registration, maxClients, epochBefore, now, event) => {
      const outcome = await change(() => {
        if (readEpoch() !== epochBefore) return 'interrupted';
        if ((countRegistrations.get({ ns })?.count ?? 0) >= maxClients) return 'limit';
        onStep?.('registration_slot_found');
        if (!add('client', entry.client_id, entry, now, registration)) return 'exists';
        onStep?.('registration_written');
        outbox.put(event);
        return 'registered';
      });
      if (outcome !== 'registered') return outcome;
      // Its event may have waited for the audit while others could see, and remove, the client already.
      const { name, hash } = { name: entry.client_id, hash: registration.accessTokenHash };
      const lives = await database.read(() => findRegistration.get({ ns, kind: 'client', name, hash }));
      return lives === undefined ? 'interrupted' : outcome;
    },
    registrationEpoch: () => database.read(readEpoch),
    findRegistration: (name, hash) =>
      database.read(() => {
        const row = findRegistration.get({ ns, kind: 'client', name, hash });
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
