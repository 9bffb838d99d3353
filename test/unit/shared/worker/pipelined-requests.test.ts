import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { listenHere } from '#shared/worker/listen-here.ts';
import { until } from '#test/support/stack.ts';

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('pipelined requests', () => {
  const begun: { readonly path: string; readonly response: ServerResponse }[] = [];
  let answersAtOnce = false;
  const server = createServer((message, response) => {
    begun.push({ path: message.url ?? '', response });
    if (answersAtOnce) response.end();
  });
  let port: number;

  before(async () => {
    ({ port } = await listenHere(server, { host: '127.0.0.1', port: 0 }));
  });
  beforeEach(() => void begun.splice(0));
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('begin one after the other, and are answered in their order', async () => {
    const client = connect(port, '127.0.0.1').setEncoding('latin1');
    let text = '';
    client.on('data', (piece: string) => {
      text += piece;
    });
    client.write(request('/a') + request('/b') + request('/c'));
    for (const path of ['/a', '/b', '/c']) {
      const { response } = await until(`${path} began`, () => begun.find((each) => each.path === path));
      expect(begun.at(-1)?.path, 'nothing began beyond').to.equal(path);
      response.end(path);
    }
    await until('all are answered', () => text.endsWith('/c'));
    expect(text.match(/\/[abc]/g)).to.deep.equal(['/a', '/b', '/c']);
    client.write(request('/d'));
    await until('a later one begins', () => begun.at(-1)?.path === '/d');
    client.destroy();
  });

  it('do not begin after an answer that closes the connection, nor once the client left', async () => {
    const closing = connect(port, '127.0.0.1').resume();
    closing.write(request('/a') + request('/b'));
    const { response } = await until('the first began', () => begun[0]);
    response.writeHead(200, { Connection: 'close' }).end();
    await once(closing, 'close');
    const leaving = connect(port, '127.0.0.1');
    leaving.write(request('/a') + request('/b'));
    const left = await until('the first began', () => begun[1]);
    leaving.resetAndDestroy();
    await once(left.response, 'close');
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun.map(({ path }) => path)).to.deep.equal(['/a', '/a']);
  });

  it('are not read without end while the first has no answer', async () => {
    const client = connect(port, '127.0.0.1');
    const many = request('/many').repeat(200_000);
    let arrived = 0;
    const count = () => {
      arrived += 1;
    };
    server.on('request', count);
    client.on('error', () => {}).write(many);
    const first = await until('the first began', () => begun[0]);
    const socket = first.response.socket ?? expect.fail('no socket');
    await until('the connection is not read any more', () => socket.isPaused());
    expect(begun).to.have.length(1);
    // At most what one read of 64 KiB holds beyond the bound.
    expect(arrived).to.be.below(32 + 2 * Math.ceil((64 * 1024) / request('/many').length));
    server.off('request', count);
    answersAtOnce = true;
    first.response.end();
    client.resume();
    await until('it is read on', () => begun.length > 5_000);
    client.destroy();
  });
});
