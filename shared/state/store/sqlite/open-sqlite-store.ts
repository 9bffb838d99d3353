// Creates the ports of a store from two open databases: those of the default namespace, and those of other namespaces
// on demand.

import { systemClock } from '#shared/base/clock.ts';
import { defaultNamespace, type NamespaceKey } from '../namespace-id.ts';
import type { AuditListener, NamespacePorts, OpenedStore, OpenStoreDependencies } from '../opened-store.ts';
import { namespaces } from '../operations/namespaces.ts';
import { runtimeStore } from '../operations/runtime-store.ts';
import { sandboxes } from '../operations/sandboxes.ts';
import { openProvedTime } from '../proved-time.ts';
import { headTexts } from '../statements/namespaces.ts';
import { auditAdapter } from './audit/audit-adapter.ts';
import type { AuditDatabase } from './audit/audit-database.ts';
import { auditDatabase } from './audit/audit-database.ts';
import { AuditRecorder } from './audit/audit-recorder.ts';
import { openCachedState } from './cached-state.ts';
import { conditionOf } from './condition-adapter.ts';
import { ExchangeBuffer } from './exchanges/exchange-buffer.ts';
import { exchangeLog } from './exchanges/exchange-log.ts';
import { exchangeRows } from './exchanges/exchange-rows.ts';
import { exchangesAdapter } from './exchanges/exchanges-adapter.ts';
import { knownState } from './known-state.ts';
import { databaseOf } from './namespace-context.ts';
import { namespaceLife } from './namespace-life.ts';
import type { SqliteDatabases } from './open-databases.ts';
import { operationContext } from './operation-context.ts';
import { outboxDelivery, outboxOf } from './outbox.ts';
import { storeOwners } from './proof-of-life.ts';
import { openSpaceWhenFull } from './space-when-full.ts';
import { sweepOf } from './sweep.ts';

/** Returns everything of OpenedStore but its location. */
export async function openSqliteStore(
  databases: SqliteDatabases,
  { stopwatch, realClock = systemClock, random, log, onStep }: OpenStoreDependencies,
): Promise<Omit<OpenedStore, 'location'>> {
  const { runtime, owners } = databases;
  const listeners: AuditListener[] = [];
  const exchanges = exchangeRows(databases.audit);
  const blocks = exchangeLog(databases.audit, exchanges);
  const realNow = () => realClock.now();
  const buffer = new ExchangeBuffer({
    ...{ database: databases.audit, log: blocks, stopwatch, realNow },
    ...{ holder: owners.self, logger: log },
  });
  const entries: AuditDatabase = auditDatabase(databases.audit, exchanges, blocks);
  const recorder = new AuditRecorder(databases.audit, entries, buffer, stopwatch, (entry, namespace) => {
    for (const listener of listeners) listener(entry, namespace);
  });
  const { proved_real: stored = 0 } = runtime.prepare(headTexts).proved.get({}) ?? {};
  const proved = openProvedTime(stored, realClock, stopwatch);
  const shared = { database: runtime, realClock, proved, random, log, onStep };
  const delivery = outboxDelivery(shared, (waiting) => recorder.deliver(waiting));
  const cached = openCachedState(runtime);
  const contextOf = (ns: NamespaceKey) => ({ ...shared, database: databaseOf(runtime, ns), ns });
  const condition = conditionOf([
    ['runtime store', runtime],
    ['audit', databases.audit],
  ]);
  const exchangesOf = (ns: NamespaceKey) =>
    exchangesAdapter({
      ...{ database: databases.audit, rows: exchanges, exchangeLog: blocks, buffer, ns, random, realNow },
    });
  const portsOf = (ns: NamespaceKey): NamespacePorts => {
    const context = contextOf(ns);
    const outbox = outboxOf(context, delivery);
    return {
      key: ns,
      store: runtimeStore(operationContext(context, outbox), {
        ...{ known: knownState(context, cached), owners: storeOwners(owners) },
        ...{ condition, exchanges: exchangesOf(ns) },
      }),
      audit: auditAdapter({ recorder, entries, outbox, delivery, ns, log }),
    };
  };
  const defaultContext = contextOf(defaultNamespace);
  const operations = operationContext(defaultContext, outboxOf(defaultContext, delivery));
  const life = namespaceLife(runtime, entries);
  const { reserve } = databases;
  runtime.spaceWhenFull = openSpaceWhenFull(runtime, reserve, stopwatch, sweepOf(runtime, cached, realClock), 1000);
  databases.audit.spaceWhenFull = openSpaceWhenFull(databases.audit, reserve, stopwatch, () => entries.shrink(), 0);
  const opened = portsOf(defaultNamespace);
  // The clocks are known before the first request.
  await opened.store.generations.newest();
  // Finishes deliveries and ends of namespaces that a dead process left incomplete.
  await delivery.deliver();
  await life.finishEnds();

  let closed: Promise<void> | undefined;
  const close = async () => {
    await recorder.settled();
    await buffer.close();
    databases.close();
  };
  return {
    ...opened,
    namespaces: namespaces(operations, life, portsOf),
    sandboxes: sandboxes(operations, life),
    owner: owners.self,
    onAuditRecorded: (listener) => {
      listeners.push(listener);
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
