// The back channel end to end: a client that took part in a session is notified of its end, and the logout token is valid
// for nothing else.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { basic, postForm } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive, interactiveUsers } from '#test/support/worlds.ts';

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const alice = { username: 'alice', password: 'wonderland' };
const credentials = { Authorization: basic('told', 's') };

interface Participant {
  readonly browser: BrowserClient;
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

describe('back-channel logout', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let application: Server;
  const tokens: string[] = [];
  /** The statuses of the next responses. After those it responds with 200. */
  const statuses: number[] = [];
  let received = () => {};
  const nextToken = () =>
    new Promise<void>((resolve) => {
      received = resolve;
    });
  let notifiedClient: { client_id: string; backchannel_logout_uri: string };
  const configure = (logout: object = {}, users: object = interactiveUsers) => {
    const settings = { login: { session: 'on' }, logout: { delivery_timeout_ms: 20_000, ...logout } };
    return idp.configure({ settings, users, clients: [notifiedClient] });
  };
  before(async () => {
    application = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
        response.writeHead(statuses.shift() ?? 200).end();
        received();
      });
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(application.address() as AddressInfo).port}/backchannel`;
    const uris = { backchannel_logout_uri: address, frontchannel_logout_uri: 'https://app.example/frontchannel' };
    const entry = { client_id: 'told', client_secret: 's', redirect_uris: [callback], ...uris };
    notifiedClient = entry;
    idp = await startIdp({
      world: interactive,
      settings: { login: { session: 'on' }, logout: { delivery_timeout_ms: 20_000 } },
      clients: [entry],
    });
  });
  beforeEach(() => {
    tokens.length = 0;
  });
  after(async () => {
    await idp?.stop();
    application.closeAllConnections();
    application.close();
  });

  /** A browser in whose session the client took part, and its tokens. */
  async function participant(who = alice, scope = 'openid'): Promise<Participant> {
    const browser = newBrowser(idp);
    const path = authorizePath({ scope, client_id: 'told' });
    const done = await browser.submit(await browser.get(path), who);
    const grant = { grant_type: 'authorization_code', code: codeOf(done), redirect_uri: callback };
    const answer = await postForm(`${idp.baseUrl}/token`, grant, credentials);
    expect(answer.status).to.equal(200);
    return { browser, ...((await answer.json()) as Omit<Participant, 'browser'>) };
  }
  const logOut = ({ browser, id_token }: Participant) => browser.get(`/logout?id_token_hint=${id_token}`);
  const sidOf = async () => (await idp.api('GET', '/api/sessions?client_id=told')).body.sessions[0].sid;

  verifies(
    ['FLS-07', 'FLS-08', 'FLS-09', 'FLS-10', 'FLS-11'],
    'applies a fault to one logout token, and signs the faulty form',
    async () => {
      const keys = createRemoteJWKSet(new URL(`${idp.baseUrl}/.well-known/jwks.json`));
      const cases = [
        ['logout_token_nonce', { nonce: 'a-nonce' }],
        ['logout_token_events_missing', { events: undefined }],
        ['logout_token_alg_none', {}],
        ['logout_token_audience_wrong', { aud: 'another-client' }],
        ['logout_token_issuer_wrong', { iss: 'https://another-issuer.example' }],
      ] as const;
      for (const [fault, difference] of cases) {
        await idp.api('POST', '/api/faults', { fault });
        tokens.length = 0;
        const heardOfIt = nextToken();
        const page = await logOut(await participant());
        await heardOfIt;
        expect(page.headers.get('x-test-idp-fault'), fault).to.equal(fault);
        const [token = ''] = tokens;
        const { nonce, events, aud, iss } = decodeJwt(token);
        const right = { nonce: undefined, events: { [logoutEvent]: {} }, aud: 'told', iss: idp.baseUrl };
        expect({ nonce, events, aud, iss }, fault).to.deep.equal({ ...right, ...difference });
        if (fault === 'logout_token_alg_none') {
          expect(decodeProtectedHeader(token).alg).to.equal('none');
          expect(token.endsWith('.')).to.equal(true);
        } else {
          await jwtVerify(token, keys);
        }
        const next = nextToken();
        await logOut(await participant());
        await next;
        expect(decodeJwt(tokens[1] ?? ''), fault).to.deep.include({ aud: 'told', iss: idp.baseUrl });
        expect(decodeJwt(tokens[1] ?? '')).to.have.property('events');
        await idp.api('DELETE', '/api/faults');
      }
    },
  );

  verifies('LGO-13', 'notifies of a logout with a token that is valid nowhere else', async () => {
    const person = await participant();
    const sid = await sidOf();
    await logOut(person);
    expect(tokens).to.have.length(1);
    const [token = ''] = tokens;
    const keys = createRemoteJWKSet(new URL(`${idp.baseUrl}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, keys, { issuer: idp.baseUrl, audience: 'told', typ: 'logout+jwt' });
    expect(payload).to.have.all.keys('iss', 'sub', 'aud', 'iat', 'exp', 'jti', 'sid', 'events');
    expect(payload).to.include({ sub: 'alice', sid });

    const userinfo = await fetch(`${idp.baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
    expect(userinfo.status).to.equal(401);
    const introspected = await postForm(`${idp.baseUrl}/introspect`, { token }, credentials);
    expect(await introspected.json()).to.deep.equal({ active: false });
    const refreshed = { grant_type: 'refresh_token', refresh_token: token };
    expect((await postForm(`${idp.baseUrl}/token`, refreshed, credentials)).status).to.equal(400);
    const hinted = await fetch(`${idp.baseUrl}/logout?id_token_hint=${token}&post_logout_redirect_uri=${callback}`, {
      redirect: 'manual',
    });
    expect([hinted.status, hinted.headers.get('location')]).to.deep.equal([400, null]);
  });

  verifies('LGO-21', 'notifies of the end by REST, which reports that, as the audit does', async () => {
    await participant();
    const sid = await sidOf();
    const { body } = await idp.api('DELETE', `/api/sessions/${sid}`);
    const notified = [
      { client_id: 'told', channel: 'backchannel', delivered: true, http_status: 200 },
      // No browser is involved, so no browser loads the frames.
      { client_id: 'told', channel: 'frontchannel', delivered: false, http_status: null },
    ];
    expect(body).to.deep.equal({ ended: sid, notified });
    expect(tokens).to.have.length(1);
    const events = await idp.audit('&event_type=backchannel_logout');
    expect(events.at(-1)).to.deep.include({ client_id: 'told', status: 'success' });
    expect(events.at(-1)?.details).to.deep.equal({ sid, attempts: 1, http_status: 200 });
  });

  verifies('LGO-21', 'shows each attempt in the flow of the session, but never the token', async () => {
    await configure({ delivery_retries: 1 });
    try {
      statuses.push(503);
      const person = await participant();
      const sid = await sidOf();
      const { cursor: after } = (await idp.api('GET', '/api/exchanges?limit=1')).body;
      await logOut(person);
      const attempts = { endpoint: 'backchannel_logout', client_id: 'told', at_least: 2, within_seconds: 30, after };
      await idp.api('POST', '/api/expect', attempts);
      const { exchanges } = (await idp.api('GET', '/api/exchanges?endpoint=backchannel_logout')).body;
      const [refused, accepted] = exchanges.slice(-2);
      expect([refused.status, refused.decision, refused.reason]).to.deep.equal([503, 'refused', 'status 503']);
      expect([accepted.status, accepted.decision]).to.deep.equal([200, 'accepted']);
      expect([refused.method, refused.path]).to.deep.equal(['POST', notifiedClient.backchannel_logout_uri]);
      expect(refused.decoded[0].jwt.claims).to.include({ sid, aud: 'told' });
      expect(JSON.stringify(exchanges)).not.to.contain(tokens.at(-1)?.split('.')[2]);

      const flow = (await idp.api('GET', `/api/flows/${refused.flow}`)).body;
      const steps = flow.exchanges.map(({ endpoint }: { endpoint: string }) => endpoint);
      expect(steps).to.include.members(['authorize', 'token']);
      expect(steps.slice(-3)).to.deep.equal(['logout', 'backchannel_logout', 'backchannel_logout']);
      expect([flow.outcome, flow.client_id]).to.deep.equal(['completed', 'told']);
      const mermaid = await (await fetch(`${idp.baseUrl}/api/flows/${flow.id}.mermaid`)).text();
      expect(mermaid).to.match(/S->>C: POST http.*\n {2}C--xS: 503/);
      const har = (await idp.api('GET', `/api/flows/${flow.id}.har`)).body;
      expect(har.log.entries.at(-1).request.url).to.equal(notifiedClient.backchannel_logout_uri);
      const verdict = (await idp.api('GET', '/api/verdict?client_id=told')).body;
      expect(JSON.stringify(verdict)).not.to.contain(`"${refused.id}"`);
    } finally {
      statuses.length = 0;
      await configure();
    }
  });

  it('names the clients that were not notified in the explanation of the flow', async () => {
    await configure({ delivery_retries: 0 });
    try {
      statuses.push(400);
      await logOut(await participant());
      const { exchanges } = (await idp.api('GET', '/api/exchanges?endpoint=backchannel_logout')).body;
      const flow = (await idp.api('GET', `/api/flows/${exchanges.at(-1).flow}`)).body;
      expect(flow.explanation).to.contain(
        'told was not notified that the session ended: the client rejected the token.',
      );
    } finally {
      await configure();
    }
  });

  /** Returns the claims that the client received, once for each session that ended. */
  async function claimsAfter(end: () => Promise<unknown>, reason: string): Promise<Record<string, unknown>> {
    const sid = await sidOf();
    tokens.length = 0;
    const received = nextToken();
    await end();
    await received;
    const payload = decodeJwt(tokens[0] ?? '');
    expect([tokens.length, payload.sid, payload.iss], reason).to.deep.equal([1, sid, idp.baseUrl]);
    const ended = (await idp.audit('&event_type=session_ended')).filter(({ details }) => details.sid === sid);
    expect(ended.map(({ details }) => details.reason)).to.deep.equal([reason]);
    return payload;
  }

  verifies('LGO-19', 'uses both channels for a client with both addresses', async () => {
    const person = await participant();
    let page: Page | undefined;
    await claimsAfter(async () => {
      page = await logOut(person);
    }, 'logout');
    expect(page?.body).to.contain('<iframe src="https://app.example/frontchannel"');
  });

  verifies('LGO-11', 'notifies of every end, however it happened', async () => {
    const person = await participant();
    await claimsAfter(() => person.browser.get('/ui/logout'), 'logout');
    await participant();
    await claimsAfter(async () => {
      const page = await newBrowser(idp).get('/sessions');
      return newBrowser(idp).post('/sessions/end', { sid: await sidOf() }, { referer: page.url });
    }, 'api');
    await participant();
    await claimsAfter(() => idp.api('DELETE', '/api/sessions?username=alice'), 'api');
    const zoe = { username: 'zoe', password: 'z' };
    await idp.api('POST', '/api/runtime/users', zoe);
    await participant(zoe);
    await claimsAfter(() => idp.api('POST', '/api/runtime/users?replace=true', zoe), 'user_deleted');
    await participant(zoe);
    await claimsAfter(() => idp.api('DELETE', '/api/runtime/users/zoe'), 'user_deleted');
    await participant();
    await claimsAfter(async () => {
      const { alice: _, ...others } = interactiveUsers;
      await configure({}, { alice: { password: 'changed' }, ...others });
      await idp.api('POST', '/api/config/reload');
    }, 'credentials_changed');
    await configure();
  });

  verifies('LGO-11', 'notifies no client when a session expires', async () => {
    const { browser } = await participant();
    await idp.setClock(9 * 3_600_000);
    await browser.get(authorizePath({ prompt: 'none', scope: 'openid', client_id: 'told' }));
    await browser.get('/logout');
    expect((await idp.api('GET', '/api/sessions')).body.count).to.equal(0);
    expect(tokens).to.have.length(0);
    await idp.setClock(0);
    await idp.api('DELETE', '/api/sessions');
  });

  const refresh = ({ refresh_token }: Participant) =>
    postForm(`${idp.baseUrl}/token`, { grant_type: 'refresh_token', refresh_token }, credentials);
  const isActive = async (token: string) => {
    const answer = await postForm(`${idp.baseUrl}/introspect`, { token }, credentials);
    return ((await answer.json()) as { active: boolean }).active;
  };

  verifies('LGO-20', 'revokes refresh tokens if configured, except those for offline access', async () => {
    const kept = await participant();
    await logOut(kept);
    expect((await refresh(kept)).status).to.equal(200);
    await configure({ revoke_refresh_tokens: true });
    const [ended, offline, other] = [
      await participant(),
      await participant(alice, 'openid offline_access'),
      await participant(),
    ];
    const { refresh_token } = (await (await refresh(ended)).json()) as Participant;
    for (const one of [ended, offline]) await logOut(one);
    for (const token of [refresh_token, ended.refresh_token, ended.access_token]) {
      expect(await isActive(token)).to.equal(false);
    }
    expect((await refresh({ ...ended, refresh_token })).status).to.equal(400);
    for (const one of [offline, other]) {
      expect(await isActive(one.access_token)).to.equal(true);
      expect((await refresh(one)).status).to.equal(200);
    }
    await configure();
    await idp.api('DELETE', '/api/sessions');
  });

  it('notifies runtime clients too (LGO-03)', async () => {
    const made = {
      ...{ client_id: 'made', client_secret: 's', redirect_uris: [callback] },
      ...{ backchannel_logout_uri: notifiedClient.backchannel_logout_uri, frontchannel_logout_session_required: true },
    };
    const answer = await idp.api('POST', '/api/runtime/clients', made);
    expect([answer.status, answer.body.backchannel_logout_uri]).to.deep.equal([
      201,
      notifiedClient.backchannel_logout_uri,
    ]);
    const wrong = { ...made, client_id: 'wrong', frontchannel_logout_uri: 'https://app.example/#here' };
    expect((await idp.api('POST', '/api/runtime/clients', wrong)).status).to.equal(400);
    const browser = newBrowser(idp);
    const path = authorizePath({ scope: 'openid', client_id: 'made' });
    const code = codeOf(await browser.submit(await browser.get(path), alice));
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback };
    await postForm(`${idp.baseUrl}/token`, grant, { Authorization: basic('made', 's') });
    await browser.get('/ui/logout');
    expect(tokens.map((token) => decodeJwt(token).aud)).to.deep.equal(['made']);
  });
});
