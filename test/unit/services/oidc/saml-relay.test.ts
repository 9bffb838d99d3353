// What the door makes of an answer of the SAML frontend that does not arrive in one piece.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  type ClientRequest,
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSamlRelay, type SamlRelay } from '#services/oidc/saml-relay.ts';
import { systemStopwatch } from '#shared/base/clock.ts';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import { sendOneByteChunks } from '#test/support/one-byte-chunks.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

describe('the relay to the SAML frontend', () => {
  const servers: Server[] = [];
  let directory: string;
  let relay: SamlRelay;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-relay-'));
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    rmSync(directory, { recursive: true, force: true });
  });

  async function listening(listener: RequestListener, place: string | number): Promise<Server> {
    const server = createServer(listener);
    servers.push(server);
    if (typeof place === 'string') server.listen(place);
    else server.listen(place, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  /** A door before a frontend that answers so; asked once. */
  async function answerOf(frontend: RequestListener): Promise<IncomingMessage> {
    const [answer] = await once(await askedOf(frontend), 'response');
    return answer;
  }

  async function askedOf(frontend: RequestListener, further: RequestOptions = {}): Promise<ClientRequest> {
    return get({ host: '127.0.0.1', port: await doorBefore(frontend), path: '/saml/metadata', ...further });
  }

  async function doorBefore(frontend: RequestListener): Promise<number> {
    const socketPath = join(directory, 'saml.sock');
    await listening(frontend, socketPath);
    relay = createSamlRelay({ socketPath, stopwatch: systemStopwatch, log: silentLogger() });
    const door = await listening((request, response) => {
      relay.tryRelay(request.url ?? '', request, response);
    }, 0);
    const address = door.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async function wholeOf(answer: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  it('hands a large answer on whole, however slowly it comes', async () => {
    const part = Buffer.alloc(256 * 1024, 'x');
    const answer = await answerOf((_request, response) => {
      response.writeHead(200, { 'Content-Length': part.length * 4 });
      for (let index = 0; index < 3; index += 1) response.write(part);
      setImmediate(() => response.end(part));
    });
    expect((await wholeOf(answer)).length).to.equal(part.length * 4);
  });

  it('hands on a head that is longer than most, as a redirect with a message in it has', async () => {
    const location = `https://sp.example/acs?SAMLResponse=${'x'.repeat(100 * 1024)}`;
    const frontend: RequestListener = (_request, response) => response.writeHead(302, { Location: location }).end();
    const [answer] = await once(await askedOf(frontend, { maxHeaderSize: 1024 * 1024 }), 'response');
    expect([answer.statusCode, answer.headers.location]).to.deep.equal([302, location]);
  });

  it('passes on a body of one-byte chunks in few pieces', async () => {
    let pieces = 0;
    const port = await doorBefore((request, response) => {
      request.on('data', () => {
        pieces += 1;
      });
      request.once('end', () => response.end('read'));
    });
    const answer = await sendOneByteChunks(`http://127.0.0.1:${port}`, { path: '/saml/sso', count: 10_000 });
    expect(answer.status).to.equal(200);
    expect(pieces).to.be.below(1000);
  });

  it('rejects a body with too many small pieces, and ends the request to the SAML frontend', async () => {
    let isGone: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      isGone = resolve;
    });
    const port = await doorBefore((request) => {
      request.on('error', isGone).resume();
    });
    const answer = await sendOneByteChunks(`http://127.0.0.1:${port}`, { path: '/saml/sso', count: 1_000_000 });
    expect(answer.status).to.equal(400);
    expect(answer.text).to.contain('\r\nConnection: close\r\n').and.contain('"error":"payload_in_small_pieces"');
    expect(answer.sent, 'chunks until the answer').to.be.below(1_000_000);
    await gone;
  });

  it('lets an answer that was under way when the end began tell its client to close the connection', async () => {
    const answer = await answerOf((_request, response) => {
      relay.beginDrain();
      response.end('late');
    });
    expect([(await wholeOf(answer)).toString(), answer.headers.connection]).to.deep.equal(['late', 'close']);
  });

  for (const [how, headers] of [
    ['of known length', { 'Content-Length': 1000 }],
    ['in chunks', {}],
  ] as const) {
    it(`breaks off where an answer ${how} breaks off`, async () => {
      const answer = await answerOf((_request, response) => {
        response.writeHead(200, headers);
        response.write('half', () => response.destroy());
      });
      const error = await wholeOf(answer).then(
        () => undefined,
        (reason: NodeJS.ErrnoException) => reason.code,
      );
      expect(error).to.equal('ECONNRESET');
    });
  }

  it('lets the frontend go when the caller goes', async () => {
    let isGone: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      isGone = resolve;
    });
    const answer = await answerOf((_request, response) => {
      response.once('close', isGone);
      response.writeHead(200);
      response.write('half');
    });
    answer.destroy();
    await gone;
  });

  for (const [when, finish] of [
    ['in its middle', () => {}],
    ['as it ends', (response: ServerResponse) => void response.end('half')],
  ] as const) {
    it(`has nobody to tell of an answer of known length when the caller goes ${when}`, async () => {
      let isGone: () => void = () => {};
      const gone = new Promise<void>((resolve) => {
        isGone = resolve;
      });
      let begun: (response: ServerResponse) => void = () => {};
      const answering = new Promise<ServerResponse>((resolve) => {
        begun = resolve;
      });
      const asked = await askedOf((_request, response) => {
        response.once('close', isGone);
        response.writeHead(200, { 'Content-Length': 8 });
        response.write('half', () => begun(response));
      });
      asked.on('error', () => {});
      const response = await answering;
      asked.destroy();
      finish(response);
      await gone;
      // What is thrown in a later turn would end the process.
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    });
  }
});
