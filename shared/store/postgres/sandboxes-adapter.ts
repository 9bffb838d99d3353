// Sandboxes in PostgreSQL. Each is a row beside its namespace; beginning, resetting and ending one is a single transaction with
// the event that tells of it, its audit and its recorder included.
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import { type Sandbox, sandboxAuditEntriesMax, sandboxesMax } from '#shared/domain/sandbox.ts';
import { namespaceKey } from '../namespace-id.ts';
import type { SandboxCreation, Sandboxes, SandboxKey } from '../ports/sandboxes.ts';
import { endedAtOnce, sandboxKeyOf, sandboxOf } from '../rows/sandbox.ts';
import { sandboxTexts } from '../statements/sandboxes.ts';
import type { ChangeEvents } from './audit/change-events.ts';
import type { PostgresDatabase } from './database.ts';
import { noteReset } from './exchanges/exchange-rows.ts';
import type { NamespaceRows } from './namespaces.ts';
import { prepared, type Runner } from './statement.ts';
import type { Transaction } from './transaction.ts';

const sql = prepared(sandboxTexts);

export interface SandboxesParts {
  readonly database: PostgresDatabase;
  readonly rows: NamespaceRows;
  /** The events of the default namespace, whose audit tells of sandboxes. */
  readonly events: ChangeEvents;
}

/** They come and go one after the other: their number is bounded (PGS-18). */
const lock = ['sandboxes'];

type EventOf = (sandbox: Sandbox) => AuditEvent;

export function sandboxesAdapter({ database, rows, events }: SandboxesParts): Sandboxes {
  const endInside = async (on: Transaction, ended: readonly Sandbox[], event: EventOf): Promise<number> => {
    let count = 0;
    for (const sandbox of ended) {
      if (!(await rows.end(on, namespaceKey(sandbox)))) continue;
      events.put(on, event(sandbox));
      count += 1;
    }
    return count;
  };
  const putKey = async (on: Runner, ns: string, { kid, publicKeyPem, privateKeyPem, certificatePem }: SandboxKey) => {
    const pem = { private_key: privateKeyPem ?? null, certificate: certificatePem ?? null };
    await sql.addKey.run(on, { ns, kid, public_key: publicKeyPem, ...pem });
  };
  /** Many are ended a few at a time: between two transactions others may write. */
  const endAll = async (next: (on: Runner) => Promise<readonly Sandbox[]>, event: EventOf): Promise<number> => {
    let total = 0;
    for (;;) {
      const count = await database.write(lock, async (on) => endInside(on, await next(on), event));
      total += count;
      if (count < endedAtOnce) return total;
    }
  };

  return {
    version: (name, real) =>
      database.read(async (on) => {
        const row = await sql.version.get(on, { name, real });
        return row && { instanceId: row.instance_id, newestKey: row.newest_key };
      }),
    find: (name, real) => database.read(async (on) => sandboxOf(await sql.find.get(on, { name, real }))),
    list: (real) => database.read(async (on) => (await sql.list.all(on, { real })).map((row) => sandboxOf(row))),
    create: async (sandbox, key, real, event, expired) => {
      const { name, settings, instanceId, createdAt, expiresAt, ttlSeconds } = sandbox;
      const ns = namespaceKey(sandbox);
      const refusal = async (on: Runner): Promise<SandboxCreation | undefined> => {
        if ((await sql.version.get(on, { name, real })) !== undefined) return { outcome: 'exists' };
        if (((await sql.count.get(on, { real }))?.count ?? 0) < sandboxesMax) return undefined;
        return { outcome: 'limit', next: (await sql.next.get(on, { real }))?.expires_at ?? real };
      };
      const refusedAtOnce = await database.read(refusal);
      if (refusedAtOnce !== undefined) return refusedAtOnce;
      const creation = await database.write(lock, async (on): Promise<SandboxCreation> => {
        const refused = await refusal(on);
        if (refused !== undefined) return refused;
        await endInside(
          on,
          (await sql.expiredOfName.all(on, { name, real })).map((row) => sandboxOf(row)),
          expired,
        );
        await rows.begin(on, ns, sandboxAuditEntriesMax);
        await sql.insert.run(on, {
          ...{ ns, name, instance_id: instanceId, keys: sandbox.keys },
          ...{ created_at: createdAt, expires_at: expiresAt, ttl_seconds: ttlSeconds },
          settings: JSON.stringify(settings),
        });
        if (key !== undefined) {
          await putKey(on, ns, key);
          await sql.noteKey.run(on, { ns });
        }
        events.put(on, event);
        return { outcome: 'created' };
      });
      return creation;
    },
    reset: async (name, instanceId, real, event) => {
      const to = namespaceKey({ name, instanceId });
      const reset = await database.write(lock, async (on) => {
        const present = sandboxOf(await sql.find.get(on, { name, real }));
        if (present === undefined) return undefined;
        const from = namespaceKey(present);
        await sql.rename.run(on, { from, to, instance_id: instanceId });
        await sql.renameKeys.run(on, { from, to });
        await rows.end(on, from);
        await rows.begin(on, to, sandboxAuditEntriesMax);
        await noteReset(on, to);
        const after = { ...present, instanceId };
        events.put(on, event(after));
        return after;
      });
      return reset;
    },
    end: async (names, real, event) => {
      if (names === 'all') {
        return endAll(
          async (on) => (await sql.list.all(on, { real })).slice(0, endedAtOnce).map((row) => sandboxOf(row)),
          event,
        );
      }
      return endAll(async (on) => {
        const found: Sandbox[] = [];
        for (const name of names) {
          const row = await sql.find.get(on, { name, real });
          if (row !== undefined && found.length < endedAtOnce) found.push(sandboxOf(row));
        }
        return found;
      }, event);
    },
    sweep: async (real, expired) => {
      const limit = endedAtOnce;
      const isDue = (await database.read((on) => sql.expired.get(on, { real, limit: 1 }))) !== undefined;
      const ended = isDue
        ? await endAll(async (on) => (await sql.expired.all(on, { real, limit })).map((row) => sandboxOf(row)), expired)
        : 0;
      return ended;
    },
    keys: (instance) =>
      database.read(async (on) => (await sql.keys.all(on, { ns: namespaceKey(instance) })).map(sandboxKeyOf)),
    addKey: (instance, key, { first = false, former = [], announced, keptMax }) => {
      const ns = namespaceKey(instance);
      return database.write(lock, async (on) => {
        await rows.requireLife(on, ns);
        const present = (await sql.keys.all(on, { ns })).map(sandboxKeyOf);
        if (first && present.length > 0) return present;
        await sql.retireKeys.run(on, { ns });
        if (present.length === 0) {
          for (const one of [...former].reverse()) await putKey(on, ns, { ...one, privateKeyPem: undefined });
        }
        const newest = present[0] ?? former[0];
        await putKey(on, ns, announced !== undefined && announced.after === newest?.kid ? announced.key : key);
        await sql.forgetKeys.run(on, { ns, kept: keptMax + 1 });
        await sql.noteKey.run(on, { ns });
        return (await sql.keys.all(on, { ns })).map(sandboxKeyOf);
      });
    },
  };
}
