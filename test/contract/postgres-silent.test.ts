// A PostgreSQL server that says nothing any more and hangs up on nobody, as one that is stopped (SIGSTOP) or whose machine
// hangs: whoever waits for it is let go.
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

describe('a PostgreSQL server that falls silent', function () {
  this.timeout(30_000);
  let server: PostgresServer;
  before(async function () {
    server = await postgresOrSkip(this);
  });
  // Nothing to stop where the hook before was skipped.
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

  it('holds no stop up: a goodbye waits 2 s for its answer', async () => {
    const { relay, opened } = await openBehindRelay();
    await opened.store.codes.issue(code('c1'), at(0));
    relay.fallSilent();
    const start = systemStopwatch.read();
    await opened.close();
    expect(systemStopwatch.since(start)).to.be.below(4_000);
  });

  verifies('PGS-30', 'holds no connection up that it took and then says nothing to', async () => {
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

  verifies('PGS-06', 'holds no start up that asks it what it is', async () => {
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
    verifies('PGS-30', `holds no operation up longer than 5 s that meets it at ${text}`, async () => {
      const { relay, opened } = await openBehindRelay();
      const { store } = opened;
      await store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
      relay.hangUp();
      relay.fallSilentAt(text);
      // It needs a session of the pool and its proof of life, and hears of their end some time.
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
  /** Passes nothing on any more, on whatever connection. */
  fallSilent(): void;
  /** As soon as somebody asks for that. */
  fallSilentAt(text: string): void;
  /** Ends every connection; new ones are passed on. */
  hangUp(): void;
  close(): void;
}

async function relayTo({ socketDirectory, port: serverPort, user }: PostgresServer): Promise<SilentRelay> {
  let isSilent = false;
  let last: string | undefined;
  const sockets = new Set<Socket>();
  // Nobody hangs up because the other side did: who is stopped does not hear of that.
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
