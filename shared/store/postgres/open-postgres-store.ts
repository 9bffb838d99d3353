// A PostgreSQL database becomes the ports of a store: the default namespace's, and those of others on demand.
import { systemClock } from '#shared/clock.ts';
import { defaultNamespace, type NamespaceKey } from '../namespace-id.ts';
import type { AuditListener, NamespacePorts, OpenedStore, OpenStoreDependencies } from '../opened-store.ts';
import { auditAdapter } from './audit/audit-adapter.ts';
import { changeEvents } from './audit/change-events.ts';
import { conditionOf } from './condition-adapter.ts';
import type { Connect } from './connection.ts';
import { PostgresDatabase } from './database.ts';
import { ExchangeBuffer } from './exchanges/exchange-buffer.ts';
import { exchangeRows } from './exchanges/exchange-rows.ts';
import { exchangesAdapter } from './exchanges/exchanges-adapter.ts';
import { openHead } from './head.ts';
import { databaseOf } from './namespace.ts';
import { namespaceRows, postgresNamespaces } from './namespaces.ts';
import { openOwners } from './owners.ts';
import { postgresStore } from './postgres-store.ts';
import { sandboxesAdapter } from './sandboxes-adapter.ts';
import { prepareSchema } from './schema.ts';
import { Sessions } from './sessions.ts';

export interface PostgresPlace {
  readonly connect: Connect;
  readonly schema: string;
  readonly poolSize: number;
}

/** Everything of OpenedStore but where it lies. @throws StoreRefusedError */
export async function openPostgresStore(
  { connect, schema, poolSize }: PostgresPlace,
  { stopwatch, realClock = systemClock, random, log, onStep }: OpenStoreDependencies,
): Promise<Omit<OpenedStore, 'location'>> {
  await prepareSchema(connect, schema);
  const sessions = new Sessions(connect, poolSize, stopwatch);
  const database = new PostgresDatabase(sessions, schema, stopwatch);
  const listeners: AuditListener[] = [];
  database.onCommitted = (recorded) => {
    for (const { entry, namespace } of recorded) for (const listener of listeners) listener(entry, namespace);
  };
  const owners = await openOwners(connect, database, schema, random);
  const head = openHead();
  const shared = { realClock, random, log, onStep };
  const contextOf = (ns: NamespaceKey) => ({ ...shared, database: databaseOf(database, ns), ns });
  const exchanges = exchangeRows();
  const buffer = new ExchangeBuffer((ns) => databaseOf(database, ns), exchanges, log);
  const condition = conditionOf(database);
  const portsOf = (ns: NamespaceKey): NamespacePorts => {
    const context = contextOf(ns);
    return {
      key: ns,
      store: postgresStore(context, changeEvents(ns, onStep), {
        ...{ head, owners, condition },
        exchanges: exchangesAdapter({ context, whole: database, rows: exchanges, buffer }),
      }),
      audit: auditAdapter(context),
    };
  };
  const rows = namespaceRows(database);
  const opened = portsOf(defaultNamespace);
  // The clocks are known from the first moment on.
  await opened.store.generations.newest();

  let closed: Promise<void> | undefined;
  const close = async () => {
    await opened.audit.close();
    await buffer.close();
    await owners.close();
    await sessions.close();
  };
  return {
    ...opened,
    namespaces: postgresNamespaces(database, rows, portsOf),
    sandboxes: sandboxesAdapter({ database, rows, events: changeEvents(defaultNamespace, onStep) }),
    get owner() {
      return owners.lastSelf;
    },
    onAuditRecorded: (listener) => {
      listeners.push(listener);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
