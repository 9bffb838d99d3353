import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { listenHere } from '#shared/process/worker/listen-here.ts';

const requestText = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('requests on one connection', () => {
  let server: Server;
  let port: number;
  let handled: ServerResponse[];
  let answersAtOnce: boolean;
  beforeEach(async () => {
    handled = [];
    answersAtOnce = false;
    server = createServer((_request, response) => {
      handled.push(response);
      if (answersAtOnce) response.end('#');
    });
    ({ port } = await listenHere(server, { host: '127.0.0.1', port: 0 }));
  });
  afterEach(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  /** Sends these requests, and resolves once all have arrived. */
  async function send(...paths: string[]): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    const arrived = new Promise<void>((resolve) => {
      let count = 0;
      server.on('request', () => {
        count += 1;
        if (count === paths.length) resolve();
      });
    });
    socket.write(paths.map(requestText).join(''));
    await arrived;
    return socket;
  }
  const handledPaths = () => handled.map(({ req }) => req.url);

  it('are handled one after the other', async () => {
    const socket = await send('/1', '/2', '/3');
    for (const expected of [['/1'], ['/1', '/2'], ['/1', '/2', '/3']]) {
      expect(handledPaths()).to.deep.equal(expected);
      const last = handled.at(-1) ?? expect.fail('no request');
      last.end('done');
      await once(last, 'close');
    }
    socket.destroy();
  });

  it('are not handled once their client has disconnected', async () => {
    const socket = await send('/1', '/2');
    socket.destroy();
    await once(handled[0] ?? expect.fail('no request'), 'close');
    expect(handledPaths()).to.deep.equal(['/1']);
  });

  it('on another connection do not wait', async () => {
    const sockets = [await send('/1'), await send('/2')];
    expect(handledPaths()).to.deep.equal(['/1', '/2']);
    for (const each of sockets) each.destroy();
  });

  it('are all answered in any number, but not read in advance', async () => {
    const count = 20_000;
    let arrived = 0;
    server.on('request', () => {
      arrived += 1;
    });
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write(requestText('/').repeat(count));
    await once(server, 'request');
    const first = handled[0] ?? expect.fail('no request');
    // Data that is still in the kernel arrives in these turns, if the process reads it at all.
    for (let turn = 0; turn < 1000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(arrived).to.be.lessThan(count / 4);
    answersAtOnce = true;
    first.end('#');
    let answered = 0;
    for await (const text of socket) {
      answered += text.split('#').length - 1;
      if (answered === count) break;
    }
    expect(handled).to.have.length(count);
  });
});
