// Sandboxes in SQLite. Each is a row beside its namespace; beginning, resetting and ending one is a single transaction with
// the event that tells of it. Its audit lies in the other database: it is begun before and removed after, and whoever
// sweeps removes one that nobody needs.
import { setTimeout as pause } from 'node:timers/promises';
import { type Sandbox, sandboxAuditEntriesMax, sandboxesMax } from '#shared/domain/sandbox.ts';
import { namespaceKey } from '../namespace-id.ts';
import type { SandboxCreation, Sandboxes, SandboxKey } from '../ports/sandboxes.ts';
import { endedAtOnce, sandboxKeyOf, sandboxOf } from '../rows/sandbox.ts';
import { sandboxTexts } from '../statements/sandboxes.ts';
import type { AuditDatabase } from './audit/audit-database.ts';
import type { StoreDatabase } from './database.ts';
import type { NamespaceRows } from './namespaces.ts';
import type { Outbox } from './outbox.ts';

export interface SandboxesParts {
  readonly database: StoreDatabase;
  readonly rows: NamespaceRows;
  readonly audits: AuditDatabase;
  /** The outbox of the default namespace, whose audit tells of sandboxes. */
  readonly outbox: Outbox;
}

export function sandboxesAdapter({ database, rows, audits, outbox }: SandboxesParts): Sandboxes {
  const sql = database.prepare(sandboxTexts);
  /** Audits without a namespace at the last sweep: of a creation under way, or of one whose process died. */
  let orphans: ReadonlySet<string> = new Set();

  const endInside = (ended: readonly Sandbox[], event: (sandbox: Sandbox) => Parameters<Outbox['put']>[0]) =>
    ended.filter((sandbox) => {
      if (!rows.end(namespaceKey(sandbox))) return false;
      outbox.put(event(sandbox));
      return true;
    }).length;
  const putKey = (ns: string, { kid, publicKeyPem, privateKeyPem, certificatePem }: SandboxKey) =>
    sql.addKey.run({
      ...{ ns, kid, public_key: publicKeyPem },
      ...{ private_key: privateKeyPem ?? null, certificate: certificatePem ?? null },
    });
  /** Many are ended a few at a time: between two transactions others may write. */
  const endAll = async (
    next: () => readonly Sandbox[],
    event: (sandbox: Sandbox) => Parameters<Outbox['put']>[0],
  ): Promise<number> => {
    let total = 0;
    for (;;) {
      const count = await outbox.change(() => endInside(next(), event));
      if (count === 0) break;
      total += count;
      if (count < endedAtOnce) break;
      await pause(0);
    }
    if (total > 0) await rows.finishEnds();
    return total;
  };

  return {
    version: (name, real) =>
      database.read(() => {
        const row = sql.version.get({ name, real });
        return row && { instanceId: row.instance_id, newestKey: row.newest_key };
      }),
    find: (name, real) => database.read(() => sandboxOf(sql.find.get({ name, real }))),
    list: (real) => database.read(() => sql.list.all({ real }).map((row) => sandboxOf(row))),
    create: async (sandbox, key, real, event, expired) => {
      const { name, settings, instanceId, createdAt, expiresAt, ttlSeconds } = sandbox;
      const ns = namespaceKey(sandbox);
      const refusal = (): SandboxCreation | undefined => {
        if (sql.version.get({ name, real }) !== undefined) return { outcome: 'exists' };
        if ((sql.count.get({ real })?.count ?? 0) < sandboxesMax) return undefined;
        return { outcome: 'limit', next: sql.next.get({ real })?.expires_at ?? real };
      };
      const refusedAtOnce = await database.read(refusal);
      if (refusedAtOnce !== undefined) return refusedAtOnce;
      await audits.begin(ns, sandboxAuditEntriesMax);
      const creation = await outbox.change((): SandboxCreation => {
        const refused = refusal();
        if (refused !== undefined) return refused;
        endInside(
          sql.expiredOfName.all({ name, real }).map((row) => sandboxOf(row)),
          expired,
        );
        rows.begin(ns);
        sql.insert.run({
          ...{ ns, name, instance_id: instanceId, keys: sandbox.keys },
          ...{ created_at: createdAt, expires_at: expiresAt, ttl_seconds: ttlSeconds },
          settings: JSON.stringify(settings),
        });
        if (key !== undefined) {
          putKey(ns, key);
          sql.noteKey.run({ ns });
        }
        outbox.put(event);
        return { outcome: 'created' };
      });
      if (creation.outcome !== 'created') await audits.end([ns]);
      return creation;
    },
    reset: async (name, instanceId, real, event) => {
      const to = namespaceKey({ name, instanceId });
      await audits.beginAnew(to, sandboxAuditEntriesMax);
      const reset = await outbox.change(() => {
        const present = sandboxOf(sql.find.get({ name, real }));
        if (present === undefined) return undefined;
        const from = namespaceKey(present);
        sql.rename.run({ from, to, instance_id: instanceId });
        sql.renameKeys.run({ from, to });
        rows.end(from);
        rows.begin(to);
        const after = { ...present, instanceId };
        outbox.put(event(after));
        return after;
      });
      if (reset === undefined) await audits.end([to]);
      else await rows.finishEnds();
      return reset;
    },
    end: async (names, real, event) => {
      if (names === 'all') {
        const next = () => sql.list.all({ real }).slice(0, endedAtOnce);
        return endAll(() => next().map((row) => sandboxOf(row)), event);
      }
      return endAll(() => names.flatMap((name) => sandboxOf(sql.find.get({ name, real })) ?? []), event);
    },
    sweep: async (real, expired) => {
      const limit = endedAtOnce;
      const isDue = (await database.read(() => sql.expired.get({ real, limit: 1 }))) !== undefined;
      const ended = isDue
        ? await endAll(() => sql.expired.all({ real, limit }).map((row) => sandboxOf(row)), expired)
        : 0;
      orphans = await removeOrphans(orphans, rows, audits);
      return ended;
    },
    keys: (instance) => database.read(() => sql.keys.all({ ns: namespaceKey(instance) }).map(sandboxKeyOf)),
    addKey: (instance, key, { first = false, former = [], announced, keptMax }) => {
      const ns = namespaceKey(instance);
      return database.write(() => {
        rows.requireLife(ns);
        const present = sql.keys.all({ ns }).map(sandboxKeyOf);
        if (first && present.length > 0) return present;
        sql.retireKeys.run({ ns });
        if (present.length === 0) {
          for (const one of [...former].reverse()) putKey(ns, { ...one, privateKeyPem: undefined });
        }
        const newest = present[0] ?? former[0];
        putKey(ns, announced !== undefined && announced.after === newest?.kid ? announced.key : key);
        sql.forgetKeys.run({ ns, kept: keptMax + 1 });
        sql.noteKey.run({ ns });
        return sql.keys.all({ ns }).map(sandboxKeyOf);
      });
    },
  };
}

/** What had no namespace at two sweeps, and so not for the moment of a creation alone. Answers what has none now. */
async function removeOrphans(
  before: ReadonlySet<string>,
  rows: NamespaceRows,
  audits: AuditDatabase,
): Promise<ReadonlySet<string>> {
  const known = await audits.namespaces();
  if (known.length < 2) return new Set();
  const alone = await rows.withoutLife(known);
  const forgotten = alone.filter((ns) => before.has(ns));
  if (forgotten.length > 0) await audits.end(forgotten);
  return new Set(alone);
}
