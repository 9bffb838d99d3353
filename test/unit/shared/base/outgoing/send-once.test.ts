import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sendOnce } from '#shared/base/outgoing/send-once.ts';

describe('a request that this server sends', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  async function answerOf(listener: RequestListener) {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}/`);
    return sendOnce(url, { method: 'GET', timeoutMilliseconds: 10_000, verifyTls: true, answerBytesMax: 100_000 });
  }

  it('takes an answer in many pieces, and none in too many small ones', async () => {
    const inPieces = (count: number): RequestListener => {
      return (request, response) => {
        // As chunks on the wire: what a response writes in one turn goes out as one piece.
        response.once('close', () => request.destroy());
        request.socket.write(
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`,
        );
      };
    };
    const read = await answerOf(inPieces(10_000));
    expect(read.status === undefined ? read.reason : read.body.toString()).to.equal('x'.repeat(10_000));
    server.closeAllConnections();
    server.close();
    const refused = await answerOf(inPieces(50_000));
    expect(refused).to.deep.equal({ status: undefined, reason: 'the response arrives in too many small pieces' });
  });

  it('is an answer that broke off when its body ends early', async () => {
    const refused = await answerOf((_request, response) => {
      response.writeHead(200, { 'Content-Length': 10 });
      response.write('half', () => response.destroy());
    });
    expect(refused).to.deep.equal({
      status: undefined,
      reason: 'the connection closed before the end of the response',
    });
  });
});
