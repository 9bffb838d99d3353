// Sandboxes. Each is a row beside its namespace. A sandbox begins, is reset and ends in a single write with the event
// that reports it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { type Sandbox, sandboxAuditEntriesMax, sandboxesMax, sandboxKeyKinds } from '#shared/model/domain/sandbox.ts';
import { countRow, detailsShape, encoded, instantColumn } from '../json-columns.ts';
import { namespaceKey } from '../namespace-id.ts';
import type { SandboxCreation, Sandboxes, SandboxKey } from '../ports/sandboxes.ts';
import { command, query, type StatementTexts } from '../statements/text.ts';
import type { NamespaceLife } from './namespaces.ts';
import type { OperationContext, Step, Work } from './work.ts';

const columns = 'name, instance_id, created_at, expires_at, ttl_seconds, settings, keys';

const sandboxRow = z
  .object({
    name: z.string(),
    instance_id: z.string(),
    created_at: instantColumn,
    expires_at: instantColumn,
    ttl_seconds: z.number(),
    settings: encoded(detailsShape),
    keys: z.enum(sandboxKeyKinds),
  })
  .transform(
    ({ name, settings, keys, ...row }): Sandbox => ({
      ...{ name, settings, keys, instanceId: row.instance_id },
      ...{ createdAt: row.created_at, expiresAt: row.expires_at, ttlSeconds: row.ttl_seconds },
    }),
  );

const keyRow = z
  .object({
    kid: z.string(),
    public_key: z.string(),
    private_key: z.string().nullable(),
    certificate: z.string().nullable(),
  })
  .transform(
    ({ kid, public_key: publicKeyPem, private_key, certificate }): SandboxKey => ({
      ...{ kid, publicKeyPem, privateKeyPem: private_key ?? undefined, certificatePem: certificate ?? undefined },
    }),
  );

const texts = () =>
  ({
    version: query(
      'SELECT instance_id, newest_key FROM sandboxes WHERE name = @name AND expires_at > @real',
      z.object({ instance_id: z.string(), newest_key: z.number() }),
    ),
    find: query(`SELECT ${columns} FROM sandboxes WHERE name = @name AND expires_at > @real`, sandboxRow),
    list: query(`SELECT ${columns} FROM sandboxes WHERE expires_at > @real ORDER BY seq`, sandboxRow),
    expired: query(`SELECT ${columns} FROM sandboxes WHERE expires_at <= @real LIMIT @limit`, sandboxRow),
    expiredOfName: query(`SELECT ${columns} FROM sandboxes WHERE name = @name AND expires_at <= @real`, sandboxRow),
    count: query('SELECT count(*) AS count FROM sandboxes WHERE expires_at > @real', countRow),
    next: query(
      'SELECT expires_at FROM sandboxes WHERE expires_at > @real ORDER BY expires_at LIMIT 1',
      z.object({ expires_at: instantColumn }),
    ),
    insert: command(
      `INSERT INTO sandboxes (namespace, name, instance_id, created_at, expires_at, ttl_seconds, settings, keys)
       VALUES (@ns, @name, @instance_id, @created_at, @expires_at, @ttl_seconds, @settings, @keys)`,
    ),
    rename: command('UPDATE sandboxes SET namespace = @to, instance_id = @instance_id WHERE namespace = @from'),
    renameKeys: command('UPDATE sandbox_keys SET namespace = @to WHERE namespace = @from'),
    keys: query(
      'SELECT kid, public_key, private_key, certificate FROM sandbox_keys WHERE namespace = @ns ORDER BY seq DESC',
      keyRow,
    ),
    addKey: command(
      `INSERT INTO sandbox_keys (namespace, kid, public_key, private_key, certificate)
       VALUES (@ns, @kid, @public_key, @private_key, @certificate)`,
    ),
    retireKeys: command('UPDATE sandbox_keys SET private_key = NULL WHERE namespace = @ns'),
    removeKeysBeyond: command(
      `DELETE FROM sandbox_keys WHERE namespace = @ns AND seq NOT IN
         (SELECT seq FROM sandbox_keys WHERE namespace = @ns ORDER BY seq DESC LIMIT @kept)`,
    ),
    noteKey: command(
      `UPDATE sandboxes SET keys = 'own',
         newest_key = (SELECT coalesce(max(seq), 0) FROM sandbox_keys WHERE namespace = @ns) WHERE namespace = @ns`,
    ),
  }) satisfies StatementTexts;

/** Sandboxes are created and ended one at a time, because their number is bounded (PGS-18). */
const lock = { everywhere: 'sandboxes' };

/** The maximum number ended in one write, so that no other writer waits long. */
const endedAtOnce = 50;

type EventOf = (sandbox: Sandbox) => AuditEvent;

/** `context`: that of the default namespace, whose audit reports sandboxes. */
export function sandboxes({ prepare, read, write, record }: OperationContext, life: NamespaceLife): Sandboxes {
  const sql = prepare(texts);

  function* endEach(ended: readonly Sandbox[], event: EventOf): Work<number> {
    let count = 0;
    for (const sandbox of ended) {
      if (!(yield* life.end(namespaceKey(sandbox)))) continue;
      record(event(sandbox));
      count += 1;
    }
    return count;
  }

  const addKey = (ns: string, { kid, publicKeyPem, privateKeyPem, certificatePem }: SandboxKey) => {
    const pem = { private_key: privateKeyPem ?? null, certificate: certificatePem ?? null };
    sql.addKey.put({ ns, kid, public_key: publicKeyPem, ...pem });
  };

  /** Ends sandboxes in small batches, so that other processes can write in between. */
  const endAll = async (next: () => Step<readonly Sandbox[]>, event: EventOf): Promise<number> => {
    let total = 0;
    for (;;) {
      const count = await write(lock, function* () {
        return yield* endEach((yield* next()).slice(0, endedAtOnce), event);
      });
      total += count;
      if (count < endedAtOnce) break;
      await nextTurn();
    }
    if (total > 0) await life.finishEnds();
    return total;
  };

  function* refusalOf(name: string, real: Instant): Work<SandboxCreation | undefined> {
    if ((yield* sql.version.get({ name, real })) !== undefined) return { outcome: 'exists' };
    if (((yield* sql.count.get({ real }))?.count ?? 0) < sandboxesMax) return undefined;
    return { outcome: 'limit', next: (yield* sql.next.get({ real }))?.expires_at ?? real };
  }

  return {
    version: async (name, real) => {
      const row = await read(() => sql.version.get({ name, real }));
      return row && { instanceId: row.instance_id, newestKey: row.newest_key };
    },
    find: (name, real) => read(() => sql.find.get({ name, real })),
    list: (real) => read(() => sql.list.all({ real })),
    create: async (sandbox, key, real, event, expired) => {
      const { name, settings, instanceId, createdAt, expiresAt, ttlSeconds } = sandbox;
      const ns = namespaceKey(sandbox);
      const refusedAtOnce = await read(() => refusalOf(name, real));
      if (refusedAtOnce !== undefined) return refusedAtOnce;
      await life.prepare(ns, sandboxAuditEntriesMax, false);
      const creation = await write(lock, function* (): Work<SandboxCreation> {
        const refused = yield* refusalOf(name, real);
        if (refused !== undefined) return refused;
        yield* endEach(yield* sql.expiredOfName.all({ name, real }), expired);
        yield* life.begin(ns, sandboxAuditEntriesMax, false);
        sql.insert.put({
          ...{ ns, name, instance_id: instanceId, keys: sandbox.keys },
          ...{ created_at: createdAt, expires_at: expiresAt, ttl_seconds: ttlSeconds },
          settings: JSON.stringify(settings),
        });
        if (key !== undefined) {
          addKey(ns, key);
          sql.noteKey.put({ ns });
        }
        record(event);
        return { outcome: 'created' };
      });
      if (creation.outcome !== 'created') await life.discard(ns);
      return creation;
    },
    reset: async (name, instanceId, real, event) => {
      const to = namespaceKey({ name, instanceId });
      await life.prepare(to, sandboxAuditEntriesMax, true);
      const reset = await write(lock, function* (): Work<Sandbox | undefined> {
        const present = yield* sql.find.get({ name, real });
        if (present === undefined) return undefined;
        const from = namespaceKey(present);
        sql.rename.put({ from, to, instance_id: instanceId });
        sql.renameKeys.put({ from, to });
        yield* life.end(from);
        yield* life.begin(to, sandboxAuditEntriesMax, true);
        const after = { ...present, instanceId };
        record(event(after));
        return after;
      });
      await (reset === undefined ? life.discard(to) : life.finishEnds());
      return reset;
    },
    end: (names, real, event) => {
      if (names === 'all') return endAll(() => sql.list.all({ real }), event);
      function* named(all: readonly string[]): Work<readonly Sandbox[]> {
        const found: Sandbox[] = [];
        for (const name of all) {
          const sandbox = yield* sql.find.get({ name, real });
          if (sandbox !== undefined && found.length < endedAtOnce) found.push(sandbox);
        }
        return found;
      }
      return endAll(() => named(names), event);
    },
    sweep: async (real, expired) => {
      const isDue = (await read(() => sql.expired.get({ real, limit: 1 }))) !== undefined;
      const ended = isDue ? await endAll(() => sql.expired.all({ real, limit: endedAtOnce }), expired) : 0;
      await life.sweep();
      return ended;
    },
    keys: (instance) => read(() => sql.keys.all({ ns: namespaceKey(instance) })),
    addKey: (instance, key, { first = false, former = [], announced, keptMax }) => {
      const ns = namespaceKey(instance);
      return write(lock, function* (): Work<readonly SandboxKey[]> {
        yield* life.requireLife(ns);
        const present = yield* sql.keys.all({ ns });
        if (first && present.length > 0) return present;
        sql.retireKeys.put({ ns });
        if (present.length === 0) {
          for (const one of [...former].reverse()) addKey(ns, { ...one, privateKeyPem: undefined });
        }
        const newest = present[0] ?? former[0];
        addKey(ns, announced !== undefined && announced.after === newest?.kid ? announced.key : key);
        sql.removeKeysBeyond.put({ ns, kept: keptMax + 1 });
        sql.noteKey.put({ ns });
        return yield* sql.keys.all({ ns });
      });
    },
  };
}
