import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { sendOnce } from '#shared/base/outgoing/send-once.ts';

describe('an outbound request', () => {
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

  it('accepts a response in many chunks, but not in too many small ones', async () => {
    const inPieces = (count: number): RequestListener => {
      return (request, response) => {
        // Sent as HTTP chunks, because a response sends everything written in one turn in one piece.
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

  it('fails if the body of its response ends early', async () => {
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
