// Creates the ports of a store from a PostgreSQL database: those of the default namespace, and those of other
// namespaces on demand.
import { systemClock } from '#shared/base/clock.ts';
import { defaultNamespace, type NamespaceKey } from '../namespace-id.ts';
import type { AuditListener, NamespacePorts, OpenedStore, OpenStoreDependencies } from '../opened-store.ts';
import { namespaces } from '../operations/namespaces.ts';
import { runtimeStore } from '../operations/runtime-store.ts';
import { sandboxes } from '../operations/sandboxes.ts';
import { openProvedTime } from '../proved-time.ts';
import { headTexts } from '../statements/namespaces.ts';
import { auditAdapter } from './audit/audit-adapter.ts';
import { changeEvents } from './audit/change-events.ts';
import { type EventNumbers, eventNumbers } from './audit/event-numbers.ts';
import { openCachedState } from './cached-state.ts';
import { clusterAdapter } from './cluster-adapter.ts';
import { conditionOf } from './condition-adapter.ts';
import { type Connect, endedWhenLate } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { PostgresDatabase } from './database.ts';
import { ExchangeBuffer } from './exchanges/exchange-buffer.ts';
import { exchangeRows } from './exchanges/exchange-rows.ts';
import { exchangesAdapter } from './exchanges/exchanges-adapter.ts';
import { knownState } from './known-state.ts';
import { databaseOf } from './namespace-context.ts';
import { namespaceLife } from './namespace-life.ts';
import { operationContext } from './operation-context.ts';
import { type Owners, openOwners } from './proof-of-life.ts';
import { prepareSchema } from './schema/prepare-schema.ts';
import { SchemaAheadError, schemaAhead } from './schema/schema-ahead.ts';
import { openServerClock } from './server-clock.ts';
import { openSharedRefresh } from './shared-refresh.ts';
import { signingKeysAdapter } from './signing-keys-adapter.ts';
import { prepared } from './statement.ts';
import { StatementMessages } from './statement-messages.ts';
import { troubleLog } from './trouble-log.ts';

const measuredEveryMilliseconds = 60_000;

const headStatements = prepared(headTexts);

interface PostgresPlace {
  readonly connect: Connect;
  /** Makes the connections until the store is open, which may take longer. */
  readonly connectAtStart?: Connect;
  readonly schema: string;
  readonly poolSize: number;
}

/** Returns everything of OpenedStore but its location. @throws StoreRefusedError */
export async function openPostgresStore(
  { connect, connectAtStart = connect, schema, poolSize }: PostgresPlace,
  deps: OpenStoreDependencies,
): Promise<Omit<OpenedStore, 'location'>> {
  const { stopwatch, realClock: given, machineClock = systemClock, random, log, onStep, mustExist } = deps;
  const onOutgrown = deps.onOutgrown ?? ((reason) => log.error(reason));
  try {
    // A worker with `mustExist` belongs to a running stack.
    await prepareSchema(connectAtStart, schema, { joins: mustExist });
  } catch (error) {
    if (error instanceof SchemaAheadError) onOutgrown(error.message);
    throw error;
  }
  const serverClock = openServerClock(machineClock, stopwatch, mustExist === true ? undefined : log);
  const realClock = given ?? serverClock;
  let owners: Owners | undefined;
  let numbers: EventNumbers | undefined;
  const connectAndTell: Connect = async (milliseconds) => {
    const session = await connect(milliseconds);
    owners?.meet(session.server);
    numbers?.reset();
    try {
      await endedWhenLate(session, milliseconds, () => serverClock.measure(new StatementMessages(session)));
    } catch (error) {
      session.drop();
      throw error;
    }
    return session;
  };
  const pool = new ConnectionPool(connectAndTell, poolSize, stopwatch);
  const database = new PostgresDatabase(pool, schema, stopwatch);
  database.onUnavailable = troubleLog(log, stopwatch);
  const listeners: AuditListener[] = [];
  database.onCommitted = (recorded) => {
    for (const { entry, namespace } of recorded) for (const listener of listeners) listener(entry, namespace);
  };
  const lives = await openOwners(connect, database, schema, random, connectAtStart);
  owners = lives;
  const cached = openCachedState();
  const sharedLook = openSharedRefresh(database, cached, schemaAhead(database, schema, onOutgrown));
  const head = await database
    .read((on) => headStatements.proved.get(on, {}))
    .catch(async (error: unknown) => {
      await lives.close();
      await pool.close();
      throw error;
    });
  const proved = openProvedTime(head?.proved_real ?? 0, realClock, stopwatch);
  const shared = { realClock, proved, random, log, onStep };
  const contextOf = (ns: NamespaceKey) => ({ ...shared, database: databaseOf(database, ns), ns });
  const drawn = eventNumbers(database);
  numbers = drawn;
  const exchanges = exchangeRows();
  const buffer = new ExchangeBuffer((ns) => databaseOf(database, ns), exchanges, log);
  const condition = conditionOf(database);
  const portsOf = (ns: NamespaceKey): NamespacePorts => {
    const context = contextOf(ns);
    return {
      key: ns,
      store: runtimeStore(operationContext(context, changeEvents(ns, onStep)), {
        ...{ known: knownState(ns, cached, sharedLook), owners: lives, condition },
        exchanges: exchangesAdapter({ context, whole: database, rows: exchanges, buffer }),
      }),
      audit: auditAdapter(context, drawn),
    };
  };
  const life = namespaceLife(database);
  const operations = operationContext(contextOf(defaultNamespace), changeEvents(defaultNamespace, onStep));
  const opened = portsOf(defaultNamespace);
  try {
    // The clocks are known before the first request.
    await opened.store.generations.newest();
  } catch (error) {
    await lives.close();
    await pool.close();
    throw error;
  }

  const measuring = setInterval(() => {
    // An unavailable server is measured again in a minute.
    database.read((on) => serverClock.measure(on)).catch(() => undefined);
  }, measuredEveryMilliseconds).unref();

  let closed: Promise<void> | undefined;
  const close = async () => {
    clearInterval(measuring);
    await opened.audit.close();
    await buffer.close();
    await Promise.all([lives.close(), pool.close()]);
  };
  return {
    ...opened,
    namespaces: namespaces(operations, life, portsOf),
    cluster: clusterAdapter({
      ...{ database, schema, owners: lives, generations: opened.store.generations },
      clockDistanceMilliseconds: () => serverClock.distanceMilliseconds,
    }),
    sandboxes: sandboxes(operations, life),
    realClock,
    signingKeys: signingKeysAdapter(contextOf(defaultNamespace), { cached, sharedLook, owners: lives }),
    get owner() {
      return lives.lastSelf;
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
