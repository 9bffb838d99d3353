import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { beyondLoopback } from '#shared/process/worker/beyond-loopback.ts';
import { addressError, listenHere } from '#shared/process/worker/listen-here.ts';
import { baseUrlOf } from '#shared/process/worker/tcp-address.ts';

describe('listening', () => {
  it('says in one line what is in the way and what helps', () => {
    const place = { host: '127.0.0.1', port: 8000 };
    expect(addressError(place, 'EADDRINUSE').message).to.equal(
      '127.0.0.1:8000 is in use by another program. Stop it, or choose another port with --port or server.port (0 selects a free port)',
    );
    expect(addressError({ host: '::1', port: 80 }, 'EACCES', { remedies: { port: '--mcp-port' } }).message).to.equal(
      'this user is not allowed to bind [::1]:80. Choose a port above 1023 with --mcp-port',
    );
    expect(addressError({ host: '203.0.113.1', port: 1 }, 'EADDRNOTAVAIL').message).to.include('--host or server.host');
    expect(addressError(place, 'EWHATEVER').message).to.equal('cannot listen on 127.0.0.1:8000 (EWHATEVER)');
  });

  it('rejects with that line', async () => {
    const [first, second] = [createServer(), createServer()];
    const { port } = await listenHere(first, { host: '127.0.0.1', port: 0 });
    const failure = await listenHere(second, { host: '127.0.0.1', port }).catch((error: Error) => error.message);
    expect(failure).to.match(new RegExp(`^127\\.0\\.0\\.1:${port} is in use`));
    await new Promise((resolve) => first.close(resolve));
  });

  it('notices that a client left whose request still waits, and answers one that closed its half', async () => {
    const waiting: ServerResponse[] = [];
    const server = createServer((_request, response) => void waiting.push(response));
    const { port } = await listenHere(server, { host: '127.0.0.1', port: 0 });
    const ask = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const gone = connect(port, '127.0.0.1');
    gone.write(ask);
    await once(server, 'request');
    gone.destroy();
    await once(waiting[0] ?? expect.fail('no request'), 'close');
    const halfClosed = connect(port, '127.0.0.1').setEncoding('latin1');
    halfClosed.end(ask);
    await once(server, 'request');
    const [probed] = await once(halfClosed, 'data');
    expect(probed).to.match(/^HTTP\/1\.1 100 Continue\r\n\r\n/);
    waiting[1]?.end('late');
    let text = '';
    for await (const piece of halfClosed) text += piece;
    expect(text).to.contain('HTTP/1.1 200 OK').and.contain('late');
    await new Promise((resolve) => server.close(resolve));
  });

  it('has a URL that a browser on this machine can open', () => {
    const urls = ['127.0.0.1', '0.0.0.0', '::', '::1', 'localhost'].map((host) => baseUrlOf({ host, port: 8000 }));
    expect(urls).to.deep.equal([
      'http://127.0.0.1:8000',
      'http://127.0.0.1:8000',
      'http://[::1]:8000',
      'http://[::1]:8000',
      'http://localhost:8000',
    ]);
  });

  it('beyond loopback is worth a warning', () => {
    for (const host of ['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST']) {
      expect(beyondLoopback(host), host).to.equal(undefined);
    }
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'idp.example', '1127.0.0.1']) {
      expect(beyondLoopback(host), host).to.include(host);
    }
  });
});
