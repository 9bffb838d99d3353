// The character U+0000 in parameters: HTML forms and PostgreSQL's columns would make another text of it. Every store
// rejects it by the name of the parameter.
import { expect } from 'chai';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { basic } from '#test/support/http.ts';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { authnRequest, encodePost, redirectQuery } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, postTo, token } from '#test/support/token-flows.ts';
import { demoSettings } from '#test/support/worlds.ts';

const names = { user: 'ann\u2400', client: 'app\u2400', serviceProvider: 'urn:sp\u2400' };
const withNul = (name: string) => name.replace('\u2400', '\0');
const sentence = (parameter: string) => `The parameter ${parameter} must not contain the character U+0000.`;

const settings = {
  ...demoSettings,
  oauth: {
    ...demoSettings.oauth,
    dynamic_registration: { enabled: true },
    pushed_authorization_requests: 'on',
  },
  login: { session: 'on' },
  saml: { idp_initiated: true, single_logout: true },
};

describe('U+0000 in a parameter', () => {
  describe('on the memory store', () => {
    suite(() => startIdp({ settings }));
  });

  describe('on PostgreSQL', () => {
    let server: PostgresServer | undefined;
    before(async function () {
      server = await postgresOrSkip(this);
    });
    after(() => server?.stop());
    suite(() => startIdp({ settings: { ...settings, runtime: { store: 'postgres', url: server?.url() } } }));
  });
});

function suite(start: () => Promise<RunningIdp>): void {
  let idp: RunningIdp;
  before(async () => {
    idp = await start();
    const made = await Promise.all([
      idp.api('POST', '/api/runtime/users', { username: names.user, password: 'pw' }),
      idp.api('POST', '/api/runtime/clients', {
        client_id: names.client,
        client_secret: 'secret',
        redirect_uris: ['http://127.0.0.1:9/callback'],
      }),
      idp.api('POST', '/api/runtime/service-providers', {
        entity_id: names.serviceProvider,
        acs: 'https://sp.example/acs',
        idp_initiated: true,
      }),
    ]);
    expect(
      made.map(({ status }) => status),
      JSON.stringify(made),
    ).to.deep.equal([201, 201, 201]);
  });
  after(() => idp?.stop());

  for (const name of [
    ...['scope', 'state', 'nonce', 'code_challenge', 'claims', 'login_hint', 'response_mode', 'response_type'],
  ]) {
    it(`${name} of /authorize is sent back as invalid_request`, async () => {
      const page = await newBrowser(idp).get(authorizePath({ state: 's', [name]: 'a\0b' }));
      const sent = redirectParameters(page);
      expect([sent.get('error'), sent.get('error_description')]).to.deep.equal(['invalid_request', sentence(name)]);
      expect(sent.get('state')).to.equal(name === 'state' ? 'a\0b' : 's');
    });
  }

  it('client_id and redirect_uri of /authorize are rejected with a page', async () => {
    for (const name of ['client_id', 'redirect_uri']) {
      const page = await newBrowser(idp).get(authorizePath({ [name]: withNul(names.client) }));
      expect([page.status, page.location]).to.deep.equal([400, null]);
      expect(page.text).to.contain('must not contain the character U+0000.');
    }
  });

  it('parameters of the endpoints for programs are invalid_request', async () => {
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    const rejected = async (path: string, form: Record<string, string>, parameter: string) => {
      const { status, body } = await postTo(idp, path, form);
      expect([status, body.error, body.error_description], `${path} ${parameter}`).to.deep.equal([
        ...[400, 'invalid_request', sentence(parameter)],
      ]);
    };
    for (const name of ['client_id', 'username', 'scope', 'nonce']) {
      await rejected('/token', { ...password, [name]: 'a\0b' }, name);
    }
    await rejected('/device_authorization', { scope: 'a\0b' }, 'scope');
    await rejected('/par', { client_id: 'a\0b' }, 'client_id');
    const request = { response_type: 'code', client_id: 'web', redirect_uri: 'http://127.0.0.1:9/callback' };
    for (const name of ['state', 'nonce', 'claims']) await rejected('/par', { ...request, [name]: 'a\0b' }, name);
    for (const path of ['/introspect', '/revoke']) {
      await rejected(path, { token: 'x', client_id: 'a\0b' }, 'client_id');
    }
  });

  it('a token with it is inactive, and a secret is wrong', async () => {
    expect((await postTo(idp, '/introspect', { token: 'a\0b' })).body).to.deep.equal({ active: false });
    const form = { grant_type: 'client_credentials' };
    expect((await token(idp, form, { Authorization: basic('web', 'web-secret\0') })).body.error).to.equal(
      'invalid_client',
    );
  });

  it('a name with it is not the name with its symbol', async () => {
    const form = { grant_type: 'client_credentials' };
    const as = (name: string) => token(idp, form, { Authorization: basic(name, 'secret') });
    expect((await as(names.client)).status).to.equal(200);
    expect((await as(withNul(names.client))).body.error).to.equal('invalid_client');
    const login = async (username: string) =>
      (await newBrowser(idp).post('/login', { username, password: 'pw' })).location;
    expect(await login(names.user)).to.equal('/');
    expect(await login(withNul(names.user))).to.equal('/login?error=wrong_credentials');
    const offered = async (sp: string) =>
      (await newBrowser(idp).get(`/saml/idp-initiated?${new URLSearchParams({ sp })}`)).status;
    expect(await offered(names.serviceProvider)).to.equal(200);
    expect(await offered(withNul(names.serviceProvider))).to.equal(400);
  });

  it('the state of a logout is not sent on', async () => {
    const query = new URLSearchParams({
      ...{ client_id: 'web', state: 'a\0b', post_logout_redirect_uri: 'https://app.example/' },
    });
    const page = await newBrowser(idp).get(`/logout?${query}`);
    expect([page.status, page.location]).to.deep.equal([200, null]);
    expect(page.text).to.contain('its state must not contain the character U+0000');
  });

  it('a RelayState is rejected with a page', async () => {
    const browser = newBrowser(idp);
    await browser.post('/login', { ...alice });
    const RelayState = 'a\0b';
    const pages = [
      await browser.post('/saml/sso', { SAMLRequest: encodePost(authnRequest({})), RelayState }),
      await browser.get(`/saml/sso?${redirectQuery(authnRequest({}), RelayState)}`),
      await browser.get(
        `/saml/idp-initiated?${new URLSearchParams({ sp: names.serviceProvider, RelayState }).toString()}`,
      ),
      await browser.post('/saml/slo', { SAMLRequest: encodePost(authnRequest({})), RelayState }),
    ];
    for (const page of pages) {
      expect(page.status).to.equal(400);
      expect(page.text).to.contain('The RelayState must not contain the character U+0000.');
    }
  });

  it('in client metadata is invalid_client_metadata', async () => {
    const register = (metadata: object) =>
      call(idp, '/register', {
        method: 'POST',
        headers: { ...web, 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://app.example/'], ...metadata }),
      });
    for (const [member, value] of Object.entries({ client_name: 'a\0', scope: 'a\0', contacts: ['a\0'] })) {
      const { status, body } = await register({ [member]: value });
      expect([status, body.error]).to.deep.equal([400, 'invalid_client_metadata']);
      expect(body.error_description).to.match(new RegExp(`^${member}\\S* must not contain the character U\\+0000\\.$`));
    }
    expect((await register({})).status).to.equal(201);
  });
}
