// A PostgreSQL server that no longer responds but keeps its connections, as when it is stopped (SIGSTOP) or its machine
// hangs. No caller waits longer than its time limit.
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import type { OpenedStore } from '#shared/state/store/opened-store.ts';
import { openPostgresLocation } from '#shared/state/store/postgres/open-postgres-location.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import {
  connectTo,
  emptyPostgresLocation,
  type PostgresServer,
  postgresOrSkip,
  testStoreDependencies,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code, event, userEntry } from './store-under-test.ts';

describe('a PostgreSQL server that stops responding', function () {
  this.timeout(30_000);
  let server: PostgresServer;
  before(async function () {
    server = await postgresOrSkip(this);
  });
  // Undefined if the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  const relays: SilentRelay[] = [];
  afterEach(() => {
    for (const relay of relays.splice(0)) relay.close();
  });
  const openBehindRelay = async () => {
    const relay = await relayTo(server);
    relays.push(relay);
    const location = { ...emptyPostgresLocation(server), url: relay.url };
    return { relay, opened: await openPostgresLocation(location, testStoreDependencies()) };
  };

  it('delays a stop by at most 2 s', async () => {
    const { relay, opened } = await openBehindRelay();
    await opened.store.codes.issue(code('c1'), at(0));
    relay.fallSilent();
    const start = systemStopwatch.read();
    await opened.close();
    expect(systemStopwatch.since(start)).to.be.below(4_000);
  });

  verifies('PGS-30', 'does not block a connection attempt that it accepted without responding', async () => {
    const relay = await relayTo(server);
    relays.push(relay);
    relay.fallSilentAt('search_path');
    const connect = connectTo({ socketDirectory: '127.0.0.1', port: relay.port, user: server.user }, 'silent');
    const failure: unknown = await connect(300).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(failure)).to.contain('PostgreSQL did not respond in time.');
  });

  verifies('PGS-06', 'does not block a start that checks its properties', async () => {
    const relay = await relayTo(server);
    relays.push(relay);
    relay.fallSilentAt('server_version_num');
    const location = { ...emptyPostgresLocation(server), url: relay.url };
    const failure: unknown = await openPostgresLocation(location, testStoreDependencies()).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(StoreRefusedError);
    expect(String(failure)).to.contain(`PostgreSQL at 127.0.0.1:${relay.port} does not respond (`);
  });

  const claimZoe = ({ identities }: OpenedStore['store']) =>
    identities.claimPromotion('user', 'zoe', event('runtime_identity_promoted'));
  for (const text of ['search_path', 'clock_timestamp', 'pg_advisory_lock']) {
    verifies('PGS-30', `blocks no operation longer than 5 s that meets it at ${text}`, async () => {
      const { relay, opened } = await openBehindRelay();
      const { store } = opened;
      await store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
      relay.hangUp();
      relay.fallSilentAt(text);
      // It needs a session of the pool and its proof of life, and detects at some point that they have ended.
      for (;;) {
        const start = systemStopwatch.read();
        const failure: unknown = await claimZoe(store).then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(systemStopwatch.since(start)).to.be.below(8_000);
        if (failure === undefined) continue;
        expect(failure).to.be.instanceOf(RuntimeStoreUnavailableError);
        break;
      }
      await opened.close();
    });
  }
});

interface SilentRelay {
  readonly url: string;
  readonly port: number;
  /** Stops forwarding data on all connections. */
  fallSilent(): void;
  /** Once a query contains this text. */
  fallSilentAt(text: string): void;
  /** Ends every connection, and forwards new ones. */
  hangUp(): void;
  close(): void;
}

async function relayTo({ socketDirectory, port: serverPort, user }: PostgresServer): Promise<SilentRelay> {
  let isSilent = false;
  let last: string | undefined;
  const sockets = new Set<Socket>();
  // The relay keeps the other side open, because a stopped process does not notice a closed connection.
  const relay = createServer({ allowHalfOpen: true }, (client) => {
    const onward = createConnection(join(socketDirectory, `.s.PGSQL.${serverPort}`));
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (from === client && last !== undefined && chunk.includes(last)) isSilent = true;
        if (!isSilent) to.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const address = relay.address();
  if (typeof address !== 'object' || address === null) throw new Error('The relay has no port.');
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `postgres://${user}@127.0.0.1:${address.port}/postgres`,
    port: address.port,
    fallSilent: () => {
      isSilent = true;
    },
    fallSilentAt: (text) => {
      last = text;
    },
    hangUp,
    close: () => {
      hangUp();
      relay.close();
    },
  };
}
