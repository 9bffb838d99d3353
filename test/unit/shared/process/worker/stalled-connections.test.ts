import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import type { Monotonic } from '#shared/base/clock.ts';
import { noteConnections } from '#shared/process/worker/open-connections.ts';
import { closeStalled } from '#shared/process/worker/stalled-connections.ts';
import { until } from '#test/support/stack.ts';
import { createTestAuthority, type TestAuthority } from '#test/support/test-authority.ts';

const requestText = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const mebibyte = 1024 * 1024;
/** More than the operating system buffers for a connection of this machine. */
const large = 'x'.repeat(64 * mebibyte);

describe('connections whose clients do not read', () => {
  let now = 0;
  let checks = 0;
  /** Resolves when a check found that data was written since the previous check. */
  let onProgress = () => {};
  const clients: Socket[] = [];

  async function serve(listener: RequestListener, authority?: TestAuthority) {
    const server =
      authority === undefined
        ? createServer(listener)
        : createTlsServer(await authority.issue(['localhost']), listener);
    noteConnections(server);
    const stopwatch = {
      read() {
        onProgress();
        return now as Monotonic;
      },
      since(start: Monotonic) {
        checks += 1;
        return now - start;
      },
    };
    closeStalled(server, { stalledMilliseconds: 60_000, lookEveryMilliseconds: 5, stopwatch });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const place = { port: typeof address === 'object' && address !== null ? address.port : 0, host: '127.0.0.1' };
    const client = authority === undefined ? connect(place) : connectTls({ ...place, rejectUnauthorized: false });
    clients.push(client);
    client.on('error', () => {}).write(requestText);
    return { server, client };
  }

  const lookedAtTwice = () => {
    const seen = checks;
    return until('it was checked', () => checks > seen + 1);
  };

  beforeEach(() => {
    [now, checks, onProgress] = [0, 0, () => {}];
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });

  for (const scheme of ['http', 'https'])
    describe(`over ${scheme}`, () => {
      let authority: TestAuthority | undefined;
      before(async () => {
        authority = scheme === 'https' ? await createTestAuthority() : undefined;
      });

      it('are reset after 60 s in which no data could be written', async () => {
        const { server } = await serve((_message, response) => void response.end(large), authority);
        const [, response] = await once(server, 'request');
        await lookedAtTwice();
        now = 59_999;
        await lookedAtTwice();
        expect(response.destroyed, 'before 60 s').to.equal(false);
        now = 60_000;
        await once(response, 'close');
        expect(response.destroyed).to.equal(true);
        server.close();
      });

      it('stay open while parts of a large response can be written', async () => {
        const { server, client } = await serve((_message, response) => void response.end(large), authority);
        let read = 0;
        client.on('data', (piece: Buffer) => {
          read += piece.length;
        });
        for (let round = 1; round <= 4; round += 1) {
          const progress = new Promise<void>((resolve) => {
            onProgress = () => {
              client.pause();
              resolve();
            };
          });
          client.resume();
          await progress;
          now += 50_000;
        }
        onProgress = () => {};
        client.resume();
        await until('all of it is read', () => read > large.length);
        server.close();
      });
    });

  it('stay open while they wait for their response', async () => {
    const { server, client } = await serve((_message, response) => {
      now = 100_000;
      setTimeout(() => response.end('late'), 50);
    });
    const [answer] = await once(client, 'data');
    expect(String(answer)).to.include('late');
    expect(checks).to.equal(0);
    server.close();
  });
});
