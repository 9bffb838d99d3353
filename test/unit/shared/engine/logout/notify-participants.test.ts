// Logout tokens as a client receives them, and what becomes of a delivery (section LGO).
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { instant } from '#shared/base/clock.ts';
import type { LogoutContext } from '#shared/engine/logout/logout-context.ts';
import {
  notificationsOf,
  notifyParticipants,
  sendDueNotifications,
} from '#shared/engine/logout/notify-participants.ts';
import { keyRingSigner } from '#shared/engine/tokens/signer.ts';
import { logIn } from '#test/contract/parts/sessions.ts';
import { event } from '#test/contract/store-under-test.ts';
import { type EndpointContext, openEndpointContext } from '#test/support/endpoint-context.ts';
import { newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const limits = { lifetimeSeconds: 28_800, idleSeconds: 0 };

/** A client's back-channel address, which answers with what a test says, or not at all. */
class Client {
  readonly tokens: string[] = [];
  readonly bodies: string[] = [];
  answers: (number | 'hang')[] = [];
  readonly server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      this.bodies.push(`${request.method} ${request.headers['content-type']} ${body}`);
      this.tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
      const answer = this.answers.shift() ?? 200;
      if (answer !== 'hang') response.writeHead(answer, { Location: 'http://127.0.0.1:9/' }).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/backchannel`;
  }
}

describe('telling clients of the end of a session', () => {
  const root = newKeysRoot();
  const clients = { one: new Client(), other: new Client() };
  let opened: EndpointContext;
  let context: LogoutContext & EndpointContext['context'];
  before(async () => {
    const keys = await openTestKeys(root);
    const client = (client_id: string, address?: string) => ({
      client_id,
      client_secret: 's',
      ...(address === undefined ? {} : { backchannel_logout_uri: address }),
    });
    const [one, other] = [await clients.one.listen(), await clients.other.listen()];
    const settings = {
      logout: { delivery_timeout_ms: 2500, delivery_retries: 2 },
      oauth: { clients: [client('one', one), client('other', other), client('silent')] },
    };
    opened = await openEndpointContext({ settings }, { keys, signer: keyRingSigner(keys) });
    context = opened.context;
  });
  beforeEach(async () => {
    // What the test before left to be tried again.
    opened.clock.advance(100_000);
    await sendDueNotifications(context, realClock);
    for (const client of Object.values(clients)) {
      client.tokens.length = 0;
      client.bodies.length = 0;
      client.answers = [];
    }
  });
  after(async () => {
    for (const { server } of Object.values(clients)) {
      server.closeAllConnections();
      server.close();
    }
    await opened.close();
    root.remove();
  });

  let sessions = 0;
  /** A session in which these took part ends; answers its deliveries, which this process has for itself. */
  async function end(...participants: string[]) {
    sessions += 1;
    const { store, clock } = context;
    const sid = `sid-${sessions}`;
    await store.sessions.logIn(logIn(sid, { cookie: sid, authenticatedAt: clock.now(), limits }), clock.now());
    for (const client_id of participants) {
      const participant = { kind: 'client', client_id, issuer: 'http://idp.example' } as const;
      await store.sessions.join(sid, participant, clock.now());
    }
    const telling = notificationsOf(context, { notifiesAtOnce: true, hasBrowser: true });
    await store.sessions.end({ sid }, limits, clock.now(), () => event('session_ended'), telling);
    return { sid, deliveries: telling.begun };
  }
  const realClock = { now: () => instant(context.clock.real()) };
  const audit = () => context.audit.read({ limit: -1 });
  const told = async (sid: string) =>
    (await audit()).filter(({ event_type, details }) => event_type === 'backchannel_logout' && details.sid === sid);

  verifies('LGO-12', 'is one form with one parameter, a token with exactly its claims', async () => {
    const { sid, deliveries } = await end('one', 'silent');
    expect(await notifyParticipants(deliveries, context)).to.deep.equal([
      { client_id: 'one', channel: 'backchannel', delivered: true, http_status: 200 },
    ]);
    expect(clients.one.bodies).to.have.length(1);
    expect(clients.one.bodies[0]).to.match(/^POST application\/x-www-form-urlencoded logout_token=[\w.-]+$/);
    const token = clients.one.tokens[0] ?? '';
    const { kid, ...header } = decodeProtectedHeader(token);
    expect(header).to.deep.equal({ alg: 'RS256', typ: 'logout+jwt' });
    const keySet = createLocalJWKSet({ keys: [...(await context.keys.publicKeys())].map((key) => ({ ...key })) });
    const now = Math.floor(context.clock.now() / 1000);
    const { payload } = await jwtVerify(token, keySet, { currentDate: new Date(now * 1000) });
    const { jti, ...claims } = payload;
    expect(jti).to.be.a('string');
    expect(kid).to.be.a('string');
    expect(claims).to.deep.equal({
      ...{ iss: 'http://idp.example', sub: 'alice', aud: 'one', iat: now, exp: now + 120, sid },
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
  });

  verifies(['LGO-14', 'LGO-16', 'LGO-22'], 'is tried again with the same jti, and recorded once', async () => {
    clients.one.answers = [500, 302, 204];
    const { sid, deliveries } = await end('one');
    expect(await notifyParticipants(deliveries, context)).to.deep.equal([
      { client_id: 'one', channel: 'backchannel', delivered: false, http_status: 500 },
    ]);
    await sendDueNotifications(context, realClock);
    expect(clients.one.tokens).to.have.length(1);
    opened.clock.advance(999);
    await sendDueNotifications(context, realClock);
    expect(clients.one.tokens).to.have.length(1);
    opened.clock.advance(1);
    // Several processes look at once: one of them tells.
    await Promise.all([1, 2, 3].map(() => sendDueNotifications(context, realClock)));
    expect(clients.one.tokens).to.have.length(2);
    opened.clock.advance(2000);
    await sendDueNotifications(context, realClock);
    expect(clients.one.tokens).to.have.length(3);
    const ids = clients.one.tokens.map(
      (token) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti,
    );
    expect(new Set(ids).size).to.equal(1);
    const entries = await told(sid);
    expect(
      entries.map(({ event_type, status, client_id, details }) => ({ event_type, status, client_id, details })),
    ).to.deep.equal([
      {
        event_type: 'backchannel_logout',
        status: 'success',
        client_id: 'one',
        details: { sid, attempts: 3, http_status: 204 },
      },
    ]);
    for (const token of clients.one.tokens) expect(JSON.stringify(await audit())).not.to.contain(token);
    opened.clock.advance(100_000);
    await sendDueNotifications(context, realClock);
    expect(clients.one.tokens).to.have.length(3);
  });

  verifies('LGO-14', 'ends with 400 at once, and with the last retry', async () => {
    clients.one.answers = [400];
    clients.other.answers = [503, 503, 503, 503];
    const { sid, deliveries } = await end('one', 'other');
    await notifyParticipants(deliveries, context);
    for (const seconds of [1, 2, 4, 8]) {
      opened.clock.advance(seconds * 1000);
      await sendDueNotifications(context, realClock);
    }
    expect([clients.one.tokens.length, clients.other.tokens.length]).to.deep.equal([1, 3]);
    const seen = (await told(sid)).map(({ client_id, status, details }) => [client_id, status, details]);
    expect(seen).to.have.deep.members([
      ['one', 'failed', { sid, attempts: 1, http_status: 400, reason: 'the client rejected the token' }],
      ['other', 'failed', { sid, attempts: 3, http_status: 503, reason: 'status 503' }],
    ]);
  });

  verifies(
    'LGO-15',
    'waits for one that hangs no longer than the timeout, and tells the others meanwhile',
    async () => {
      clients.one.answers = ['hang', 200];
      const { deliveries } = await end('one', 'other');
      const outcome = await notifyParticipants(deliveries, context);
      expect(outcome).to.have.deep.members([
        { client_id: 'one', channel: 'backchannel', delivered: false, http_status: null },
        { client_id: 'other', channel: 'backchannel', delivered: true, http_status: 200 },
      ]);
    },
  );

  verifies('LGO-16', 'goes on after the death of whoever had it', async () => {
    const { deliveries } = await end('one');
    expect(deliveries).to.have.length(1);
    await sendDueNotifications(context, realClock);
    expect(clients.one.tokens).to.have.length(0);
    // The timeout and a reserve.
    opened.clock.advance(7_500);
    await sendDueNotifications(context, realClock);
    expect(clients.one.tokens).to.have.length(1);
  });
});
