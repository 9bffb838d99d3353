// A session with an OpenID Connect client and a SAML service provider: when either requests its end, both are notified.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { basic, postForm } from '#test/support/http.ts';
import {
  authnRequest,
  delivered,
  nameIdIn,
  namespaces,
  newId,
  redirectQuery,
  signedQuery,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, saml } from '#test/support/worlds.ts';

const provider = 'https://sp.example';
const bye = 'https://app.example/bye';

describe('logout of a session of both protocols', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let key: SigningKey;
  let application: Server;
  let settings: (single_logout: boolean) => object;
  const tokens: string[] = [];
  before(async () => {
    key = await signingKey('sp');
    application = createServer(async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      tokens.push(new URLSearchParams(body).get('logout_token') ?? '');
      response.end();
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    const backchannel_logout_uri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/`;
    const client = {
      client_id: 'app',
      client_secret: 's',
      redirect_uris: [callback],
      post_logout_redirect_uris: [bye],
    };
    const slo = [{ url: `${provider}/slo`, binding: 'HTTP-Redirect' }];
    const certificates = [key.certificatePem];
    settings = (single_logout) => ({
      login: { session: 'on' },
      logout: { delivery_timeout_ms: 20_000 },
      oauth: { clients: [{ ...client, backchannel_logout_uri }] },
      saml: {
        single_logout,
        service_providers: [{ entity_id: provider, acs: `${provider}/acs`, certificates, slo }],
      },
    });
    idp = await startIdp({ world: saml, settings: settings(true) });
  });
  beforeEach(() => {
    tokens.length = 0;
  });
  after(async () => {
    await idp?.stop();
    application.closeAllConnections();
    application.close();
  });

  /** A browser in whose session both took part. */
  async function participant(): Promise<{ browser: BrowserClient; hint: string; sid: string; nameId: string }> {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ scope: 'openid', client_id: 'app' }));
    const code = codeOf(await browser.submit(page, { username: 'alice', password: 'wonderland' }));
    const grant = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const answer = await postForm(`${idp.baseUrl}/token`, grant, { Authorization: basic('app', 's') });
    const { id_token: hint } = (await answer.json()) as { id_token: string };
    const asked = authnRequest({ issuer: provider, acs: undefined });
    const { root } = delivered(await browser.get(`/saml/sso?${redirectQuery(asked)}`));
    return { browser, hint, sid: String(decodeJwt(hint).sid), nameId: nameIdIn(root).value };
  }
  const sidsTold = () => tokens.map((token) => decodeJwt(token).sid);
  const sessionsLeft = async () => (await idp.api('GET', '/api/sessions')).body.count;

  verifies('LGO-11', 'notifies the client by the back channel once after a SAML logout', async () => {
    const { browser, sid, nameId } = await participant();
    const request =
      `<samlp:LogoutRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${newId()}"` +
      ` Version="2.0" IssueInstant="2026-01-01T00:00:00Z" Destination="${idp.baseUrl}/saml/slo">` +
      `<saml:Issuer>${provider}</saml:Issuer><saml:NameID>${nameId}</saml:NameID></samlp:LogoutRequest>`;
    const query = signedQuery(request, key);
    for (const attempt of ['first', 'repeated']) {
      const page = await browser.get(`/saml/slo?${query}`);
      expect(page.location, `${attempt}: ${page.text}`).to.match(/^https:\/\/sp\.example\/slo\?SAMLResponse=/);
      expect(sidsTold(), attempt).to.deep.equal([sid]);
    }
    expect(await sessionsLeft()).to.equal(0);
  });

  verifies('SLO-01', 'visits no service provider once single logout is off, even in an earlier session', async () => {
    const { browser, hint } = await participant();
    await idp.configure({ settings: settings(false) });
    try {
      const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: bye });
      expect((await browser.get(`/logout?${query}`)).location).to.equal(bye);
    } finally {
      await idp.configure({ settings: settings(true) });
    }
  });

  verifies(['LGO-24', 'SLO-24'], 'visits the service provider before it redirects to the client', async () => {
    const { browser, hint, sid } = await participant();
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: bye, state: 's' });
    const begun = await browser.get(`/logout?${query}`);
    expect([begun.status, begun.location]).to.deep.equal([302, '/saml/slo']);
    expect(sidsTold()).to.deep.equal([sid]);
    expect(await sessionsLeft()).to.equal(0);
    const asked = await browser.get('/saml/slo');
    expect(asked.location).to.match(/^https:\/\/sp\.example\/slo\?SAMLRequest=/);
    // The service provider redirects back without a message.
    expect((await browser.get('/saml/slo')).location).to.equal(`${bye}?state=s`);
    // The flow in which the session began shows all of it.
    const { exchanges } = (await idp.api('GET', '/api/exchanges?endpoint=backchannel_logout')).body;
    // Another process may report a step without an audit event a second later (REC-09).
    const steps = await until('both steps at the service provider are in the flow', async () => {
      const flow = (await idp.api('GET', `/api/flows/${exchanges.at(-1).flow}`)).body;
      const endpoints: string[] = flow.exchanges.map(({ endpoint }: { endpoint: string }) => endpoint);
      return endpoints.filter((endpoint) => endpoint === 'saml_slo').length === 2 && endpoints;
    });
    expect(steps).to.include.members(['authorize', 'token']);
    expect(steps.slice(-4)).to.deep.equal(['logout', 'backchannel_logout', 'saml_slo', 'saml_slo']);
    const passive = await browser.get(authorizePath({ client_id: 'app', prompt: 'none' }));
    expect(passive.location).to.contain('error=login_required');
  });
});
