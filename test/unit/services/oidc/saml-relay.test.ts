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
import { systemStopwatch } from '#shared/clock.ts';
import { nextTurn } from '#shared/event-loop-turns.ts';
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
    const socketPath = join(directory, 'saml.sock');
    await listening(frontend, socketPath);
    relay = createSamlRelay({ socketPath, stopwatch: systemStopwatch, log: silentLogger() });
    const door = await listening((request, response) => {
      relay.take(request.url ?? '', request, response);
    }, 0);
    const address = door.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return get({ host: '127.0.0.1', port, path: '/saml/metadata', ...further });
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
