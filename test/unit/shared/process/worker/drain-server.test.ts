import { Agent, createServer, request, type Server } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { drainServer } from '#shared/process/worker/drain-server.ts';
import { listenHere } from '#shared/process/worker/listen-here.ts';
import { until } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function responseTo(port: number, agent: Agent | false): Promise<{ body: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', agent }, (incoming) => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      incoming.once('end', () => resolve({ body, connection: incoming.headers.connection }));
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

describe('draining a server', () => {
  let answer: () => void;
  let arrived: Promise<void>;
  let server: Server;
  beforeEach(async () => {
    let arrive: () => void = () => {};
    arrived = new Promise((resolve) => {
      arrive = resolve;
    });
    server = createServer((incoming, response) => {
      if (incoming.url === '/') {
        response.end('quick');
        return;
      }
      answer = () => response.end('slow');
      arrive();
    });
    await listenHere(server, { host: '127.0.0.1', port: 0 });
  });

  it('waits for a request in flight and accepts no new connections meanwhile', async () => {
    const port = portOf(server);
    const slow = new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      let text = '';
      socket.on('data', (chunk: string) => {
        text += chunk;
      });
      socket.once('close', () => resolve(text));
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    await arrived;
    let done = false;
    const drained = drainServer(server, 5_000).then(() => {
      done = true;
    });
    for (;;) {
      const refused = await responseTo(port, false).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
      );
      if (refused) break;
    }
    expect(done).to.equal(false);
    answer();
    await drained;
    expect(await slow).to.match(/^HTTP\/1\.1 200 OK.*slow/s);
  });

  it('responds on an open connection, and closes it', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await responseTo(portOf(server), agent)).to.deep.equal({ body: 'quick', connection: 'keep-alive' });
    const port = portOf(server);
    const drained = drainServer(server, 5_000);
    expect(await responseTo(port, agent)).to.deep.equal({ body: 'quick', connection: 'close' });
    await drained;
  });

  it('handles a request that arrived while the process was too busy to read it', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const port = portOf(server);
    await responseTo(port, agent);
    const idle = 20;
    const drained = drainServer(server, 5_000, idle);
    while (server.listening) await new Promise((resolve) => setImmediate(resolve));
    const response = responseTo(port, agent);
    // The kernel receives the request in the next tick, but the process reads only long after the timer is due.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const start = performance.now();
    while (performance.now() - start < 2 * idle);
    expect(await response).to.deep.equal({ body: 'quick', connection: 'close' });
    await drained;
  });

  it('closes idle connections after a moment', async () => {
    const agent = new Agent({ keepAlive: true });
    await responseTo(portOf(server), agent);
    const start = performance.now();
    await drainServer(server, 5_000);
    expect(performance.now() - start, 'less than the grace period').to.be.below(4_500);
    agent.destroy();
  });

  verifies('SUP-09', 'closes connections without any request after a moment', async () => {
    const socket = connect(portOf(server), '127.0.0.1');
    const accepted = new Promise((resolve) => server.once('connection', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await accepted;
    socket.resume();
    const start = performance.now();
    await drainServer(server, 5_000);
    expect(performance.now() - start, 'less than the grace period').to.be.below(4_500);
    await closed;
  });

  verifies('SUP-09', 'handles the first request of a connection that arrived while the process was busy', async () => {
    const port = portOf(server);
    const accepted = new Promise((resolve) => server.once('connection', resolve));
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    await accepted;
    let text = '';
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const idle = 20;
    const drained = drainServer(server, 5_000, idle);
    while (server.listening) await new Promise((resolve) => setImmediate(resolve));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const start = performance.now();
    while (performance.now() - start < 10 * idle);
    await drained;
    await closed;
    expect(text).to.match(/^HTTP\/1\.1 200 OK.*quick/s);
  });

  verifies('SUP-09', 'waits for a request that has arrived only in part', async () => {
    const socket = connect(portOf(server), '127.0.0.1').setEncoding('utf8');
    let text = '';
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const accepted = new Promise<void>((resolve) => {
      server.once(
        'connection',
        (of) => void until('a part of it arrived', () => of.bytesRead > 0).then(() => resolve()),
      );
    });
    socket.write('GET / HT');
    await accepted;
    const silent = connect(portOf(server), '127.0.0.1').resume();
    await new Promise((resolve) => server.once('connection', resolve));
    const drained = drainServer(server, 5_000, 0);
    // A connection without data is closed by then, but not this one.
    await new Promise((resolve) => silent.once('close', resolve));
    socket.write('TP/1.1\r\nHost: x\r\n\r\n');
    await drained;
    await closed;
    expect(text).to.match(/^HTTP\/1\.1 200 OK.*quick/s);
  });

  it('closes the remaining connections after the grace period', async () => {
    const ended = new Promise<void>((resolve) => {
      const socket = connect(portOf(server), '127.0.0.1');
      socket.on('error', () => {}).once('close', () => resolve());
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    await arrived;
    await drainServer(server, 300);
    await ended;
  });
});
