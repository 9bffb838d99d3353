// The back channel end to end: a client that took part in a session hears of its end, and its token is worth nothing else.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { basic, postForm } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const credentials = { Authorization: basic('told', 's') };

describe('back-channel logout', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let application: Server;
  const tokens: string[] = [];
  before(async () => {
    application = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
        response.writeHead(200).end();
      });
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(application.address() as AddressInfo).port}/backchannel`;
    const told = { client_id: 'told', client_secret: 's', redirect_uris: [callback], backchannel_logout_uri: address };
    idp = await startIdp({
      world: interactive,
      settings: { login: { session: 'on' }, logout: { delivery_timeout_ms: 20_000 } },
      clients: [told],
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

  /** A browser in whose session the client took part. */
  async function takenPart(): Promise<BrowserClient> {
    const browser = newBrowser(idp);
    const path = authorizePath({ scope: 'openid', client_id: 'told' });
    const done = await browser.submit(await browser.get(path), alice);
    const grant = { grant_type: 'authorization_code', code: codeOf(done), redirect_uri: callback };
    const answer = await postForm(`${idp.baseUrl}/token`, grant, credentials);
    expect(answer.status).to.equal(200);
    return browser;
  }
  const sidOf = async () => (await idp.api('GET', '/api/sessions?client_id=told')).body.sessions[0].sid;

  verifies('LGO-13', 'tells of a logout with a token that counts nowhere else', async () => {
    const browser = await takenPart();
    const sid = await sidOf();
    await browser.get('/logout');
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
    expect(hinted.headers.get('location')).to.equal(null);
  });

  it('tells of the end by REST, which says so, as the audit does', async () => {
    await takenPart();
    const sid = await sidOf();
    const { body } = await idp.api('DELETE', `/api/sessions/${sid}`);
    const notified = [{ client_id: 'told', channel: 'backchannel', delivered: true, http_status: 200 }];
    expect(body).to.deep.equal({ ended: sid, notified });
    expect(tokens).to.have.length(1);
    const events = await idp.audit('&event_type=backchannel_logout');
    expect(events.at(-1)).to.deep.include({ client_id: 'told', status: 'success' });
    expect(events.at(-1)?.details).to.deep.equal({ sid, attempts: 1, http_status: 200 });
  });

  it('is advertised', async () => {
    const discovery = await (await fetch(`${idp.baseUrl}/.well-known/openid-configuration`)).json();
    expect(discovery).to.include({ backchannel_logout_supported: true, backchannel_logout_session_supported: true });
    expect(discovery).not.to.have.any.keys('check_session_iframe', 'frontchannel_logout_supported');
  });
});
