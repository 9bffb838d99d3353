import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { json } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { ConfigurationUnavailableError } from '#shared/state/configuration/active-configuration.ts';
import type { Frontend } from '#shared/web/pipeline/frontend.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { rawRequest } from '#test/support/http.ts';
import { sendOneByteChunks } from '#test/support/one-byte-chunks.ts';
import { serveRoutes } from '#test/support/served-routes.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a frontend', () => {
  const logged: (readonly [level: string, entry: unknown])[] = [];
  let server: Server;
  const openResponses = new Set<ServerResponse>();
  let port: number;
  let current: () => Promise<ConfigurationSnapshot>;
  let frontend: Frontend;
  /** In which turns of the event loop /heavy was called. */
  const heavy = { turn: 0, turns: [] as number[], called: () => {} };

  before(async () => {
    const log = silentLogger();
    log.debug = (entry: unknown) => void logged.push(['debug', entry]);
    log.warn = (entry: unknown) => void logged.push(['warn', entry]);
    log.error = (entry: unknown) => void logged.push(['error', entry]);
    const snapshot = snapshotOf({});
    current = async () => snapshot;
    const routes: readonly Route[] = [
      { path: '/fine', audience: 'api', methods: { GET: async () => json(200, {}), POST: async () => json(200, {}) } },
      {
        path: '/heavy',
        audience: 'api',
        methods: {
          POST: async () => {
            heavy.turns.push(heavy.turn);
            heavy.called();
            const until = performance.now() + 30;
            while (performance.now() < until);
            return json(200, {});
          },
        },
      },
      { path: '/echo', audience: 'api', methods: { POST: async ({ body }) => json(200, body.toString()) } },
      {
        path: '/unsendable',
        audience: 'api',
        methods: { GET: async () => json(200, {}, { Location: 'https://a.example/\u{1F600}\r\nX-Evil: 1' }) },
      },
      {
        path: '/while-the-end-begins',
        audience: 'api',
        methods: {
          GET: async () => {
            frontend.beginDrain();
            return json(200, {});
          },
        },
      },
      { path: '/secret', audience: 'protocol', noStore: true, methods: { GET: async () => json(200, {}) } },
    ];
    ({ frontend, server, port } = await serveRoutes(routes, { services: { log }, current: () => current() }));
    server.on('request', (_message, response: ServerResponse) => {
      openResponses.add(response);
      response.once('close', () => openResponses.delete(response));
    });
  });
  after(() => server.close());
  beforeEach(() => {
    logged.length = 0;
  });

  const ask = (path: string) => rawRequest(`http://127.0.0.1:${port}${path}`);

  it('answers 500 instead of a header that cannot be sent, and lives on', async () => {
    const answer = await ask('/unsendable');
    expect([answer.status, answer.headers['x-evil']]).to.deep.equal([500, undefined]);
    expect(answer.body).to.match(
      /^\{"error":"server_error","error_description":"An unexpected error occurred. The server log has the details under request id [\w-]+\."\}$/,
    );
    expect(logged.map(([level]) => level)).to.deep.equal(['error']);
    expect((await ask('/fine')).status).to.equal(200);
  });

  verifies('HDR-02', 'a 503 because the configuration cannot be read carries no no-store headers', async () => {
    const fine = current;
    expect((await ask('/secret')).headers).to.include({ 'cache-control': 'no-store', pragma: 'no-cache' });
    current = async () => {
      throw new ConfigurationUnavailableError('lock_timeout');
    };
    const { status, headers } = await ask('/secret');
    current = fine;
    expect([status, headers['cache-control'], headers.pragma]).to.deep.equal([503, undefined, undefined]);
  });

  verifies('HDR-17', 'is done with a client whose body never ends', async () => {
    const client = connect(port, '127.0.0.1');
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    // The answer may be lost to a client that only writes; that the connection ends is what counts.
    client.on('error', () => {}).resume();
    client.write('POST /fine HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    let chunks = 0;
    for (; chunks < 1024 && !client.destroyed; chunks += 1) {
      if (!client.write(chunk)) await Promise.race([new Promise((resolve) => client.once('drain', resolve)), closed]);
    }
    client.destroy();
    await closed;
    expect(chunks, 'chunks of 64 KiB until the end').to.be.within(16, 1000);
  });

  it('reads a body that arrives in thousands of one-byte chunks, and rejects one with too many of them', async () => {
    const address = `http://127.0.0.1:${port}`;
    const read = await sendOneByteChunks(address, { path: '/echo', count: 16_384 });
    expect(read.status).to.equal(200);
    expect(read.text).to.match(/"x{16384}"/);
    const rejected = await sendOneByteChunks(address, { path: '/echo', count: 1_000_000 });
    expect(rejected.status).to.equal(400);
    expect(rejected.text).to.contain('\r\nConnection: close\r\n').and.contain('"error":"payload_in_small_pieces"');
    expect(rejected.sent, 'chunks until the answer').to.be.below(1_000_000);
  });

  describe('with small bodies that take long, completed at once', () => {
    let counting = false;
    beforeEach(() => {
      heavy.turns = [];
      heavy.called = () => {};
      counting = true;
      const count = () => {
        heavy.turn += 1;
        if (counting) setImmediate(count);
      };
      count();
    });
    afterEach(() => {
      counting = false;
    });

    async function bodiesBegun(count: number): Promise<readonly Socket[]> {
      const clients = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
      const head = 'POST /heavy HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n';
      for (const client of clients) {
        const begun = once(server, 'request');
        client.write(`${head}x`);
        await begun;
      }
      return clients;
    }

    it('handles one in a turn of the event loop', async () => {
      const clients = await bodiesBegun(10);
      const answers = clients.map(async (client) => {
        client.write('x');
        let text = '';
        for await (const piece of client.setEncoding('latin1')) text += piece;
        return text.slice(0, 12);
      });
      expect(new Set(await Promise.all(answers))).to.deep.equal(new Set(['HTTP/1.1 200']));
      // The first turn may hold one that was on time and one that had waited.
      expect(new Set(heavy.turns).size, String(heavy.turns)).to.be.at.least(8);
    });

    it('drops those whose connections have closed', async () => {
      const clients = await bodiesBegun(30);
      heavy.called = () => {
        for (const client of clients) client.resetAndDestroy();
      };
      const settled = new Promise<void>((resolve) => {
        const look = () => (openResponses.size === 0 ? resolve() : setImmediate(look));
        setImmediate(look);
      });
      for (const client of clients) client.write('x');
      await settled;
      for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(heavy.turns.length).to.be.within(1, 10);
    });
  });

  it('takes a client that goes away within its body for no fault', async () => {
    const client = connect(port, '127.0.0.1');
    client.write('POST /fine HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nbegun');
    await once(server, 'request');
    client.destroy();
    while (logged.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(logged.map(([level]) => level)).to.deep.equal(['debug']);
  });

  verifies('SUP-09', 'tells the client of a request that was under way when the end began', async () => {
    const told = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('connection');
    expect(await told('/fine')).to.equal('keep-alive');
    expect(await told('/while-the-end-begins')).to.equal('close');
    expect(await told('/fine')).to.equal('close');
  });
});
