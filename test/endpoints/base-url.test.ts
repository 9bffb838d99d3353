// Published addresses that do not begin with the issuer: oauth.base_url, saml.slo_url, and where REST shows them.
import { expect } from 'chai';
import { startIdp as startInProcess } from '#api/index.ts';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { claimsOf, postForm, rawRequest } from '#test/support/http.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings } from '#test/support/worlds.ts';

const discovery = '/.well-known/openid-configuration';
const issuer = 'https://login.example/acme/';
const fixed = { ...demoSettings.oauth, issuer, issuer_from_request: false };

const login = { session: 'on' };

function settingsWith(oauth: object, saml: object = {}) {
  return { login, oauth: { ...fixed, ...oauth }, saml };
}

/** The addresses in the metadata by element: every address of single logout, then of single sign-on. */
async function samlAddresses(idp: RunningIdp, path = '/saml/metadata'): Promise<Record<string, string[]>> {
  const { body } = await idp.api('GET', path);
  const of = (element: string) =>
    [...body.matchAll(new RegExp(`<md:${element} [^>]*Location="([^"]*)"`, 'g'))].map(([, found = '']) => found);
  return {
    entityId: [/ entityID="([^"]*)"/.exec(body)?.[1] ?? ''],
    logout: [...new Set(of('SingleLogoutService'))],
    login: [...new Set(of('SingleSignOnService'))],
  };
}

describe('published addresses', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance', settings: settingsWith({ base_url: 'http://idp.internal:8000/' }) });
  });
  after(() => idp.stop());

  verifies(['ADR-K02', 'ADR-19'], 'begin with oauth.base_url, while issuer and entity id stay', async () => {
    const base = 'http://idp.internal:8000';
    const document = (await idp.api('GET', discovery)).body;
    expect(document.issuer).to.equal(issuer);
    const addresses = Object.entries(document).filter(([name]) => /_(?:endpoint|uri)$/.test(name));
    expect(addresses.length).to.be.greaterThan(7);
    for (const [name, address] of addresses) expect(address, name).to.match(/^http:\/\/idp\.internal:8000\/[^/]/);
    const device = (await (await postForm(`${idp.baseUrl}/device_authorization`, {}, web)).json()) as object;
    expect(device).to.include({ verification_uri: `${base}/device` });
    expect(await samlAddresses(idp)).to.deep.equal({
      entityId: ['https://login.example/acme/saml'],
      logout: [],
      login: [`${base}/saml/sso`],
    });
    const { made } = await makeSandbox(idp, { name: 'box' });
    expect(made).to.include({ issuer: 'https://login.example/acme/s/box/', api_url: `${base}/s/box/api` });
    expect((await idp.api('GET', `/s/box${discovery}`)).body).to.include({
      issuer: 'https://login.example/acme/s/box/',
      token_endpoint: `${base}/s/box/token`,
    });
  });

  verifies('ADR-19', 'do not change the issuer of tokens, and their host is one of this server', async () => {
    const page = await newBrowser(idp).post(authorizePath({ scope: 'openid' }), alice);
    expect(new URL(page.location ?? '').searchParams.get('iss')).to.equal(issuer);
    const form = { grant_type: 'authorization_code', code: codeOf(page), redirect_uri: callback };
    const tokens = (await (await postForm(`${idp.baseUrl}/token`, form, web)).json()) as Record<string, string>;
    expect(claimsOf(tokens.id_token ?? '').iss).to.equal(issuer);
    for (const [host, status] of [
      ['idp.internal:8000', 200],
      ['idp.internal:9', 200],
      ['other.example', 421],
    ] as const) {
      const answer = await rawRequest(`${idp.baseUrl}/api/users`, { headers: { Host: host } });
      expect(answer.status, host).to.equal(status);
    }
  });

  verifies('ADR-19', 'follow the request with `request`, but oauth.backchannel_base_url wins', async () => {
    await idp.configure({
      settings: settingsWith({ base_url: 'request', backchannel_base_url: 'http://backchannel.example/' }),
    });
    try {
      const { body } = await rawRequest(idp.baseUrl + discovery, { headers: { Host: 'seen.example:81' } });
      expect(JSON.parse(body)).to.include({
        issuer,
        authorization_endpoint: 'http://seen.example:81/authorize',
        token_endpoint: 'http://backchannel.example/token',
      });
    } finally {
      await idp.configure({ settings: settingsWith({ base_url: 'http://idp.internal:8000/' }) });
    }
  });

  verifies('ADR-20', 'are in GET /api/config, with the issuer', async () => {
    const { effective } = (await idp.api('GET', '/api/config')).body.oauth;
    const document = (await idp.api('GET', discovery)).body;
    expect(effective).to.deep.equal({
      issuer,
      base_url: 'http://idp.internal:8000',
      endpoints: {
        discovery: `http://idp.internal:8000${discovery}`,
        authorization: document.authorization_endpoint,
        token: document.token_endpoint,
        userinfo: document.userinfo_endpoint,
        jwks: document.jwks_uri,
        introspection: document.introspection_endpoint,
        revocation: document.revocation_endpoint,
        end_session: document.end_session_endpoint,
        device_authorization: document.device_authorization_endpoint,
        device: 'http://idp.internal:8000/device',
      },
    });
    await makeSandbox(idp, { name: 'shown' });
    expect((await idp.api('GET', '/s/shown/api/config')).body.oauth.effective).to.deep.include({
      issuer: 'https://login.example/acme/s/shown/',
      base_url: 'http://idp.internal:8000/s/shown',
    });
  });

  verifies('ADR-20', 'are members of an instance: the issuer with its slash, the address without', async () => {
    const instance = await startInProcess({ settings: { oauth: { issuer, issuer_from_request: true } } });
    try {
      expect(instance.url).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(instance.issuer).to.equal(`${instance.url}/acme/`);
      expect(instance.discoveryUrl).to.equal(`${instance.url}/acme${discovery}`);
      const document = (await (await fetch(instance.discoveryUrl)).json()) as { issuer: string };
      expect(document.issuer).to.equal(instance.issuer);
    } finally {
      await instance.stop();
    }
  });

  verifies(['ADR-K06', 'ADR-18'], 'of single logout are saml.slo_url, or at the host of saml.sso_url', async () => {
    const single_logout = true;
    const sso_url = 'https://front.example:8443/idp/login';
    const logoutWith = async (saml: object, oauth: object = {}) => {
      await idp.configure({ settings: settingsWith(oauth, { single_logout, ...saml }) });
      return (await samlAddresses(idp)).logout;
    };
    expect(await logoutWith({})).to.deep.equal(['https://login.example/acme/saml/slo']);
    expect(await logoutWith({ sso_url })).to.deep.equal(['https://front.example:8443/acme/saml/slo']);
    const slo_url = 'https://logout.example/now';
    const follows = { issuer_from_request: true, base_url: 'request' };
    expect(await logoutWith({ sso_url, slo_url }, follows)).to.deep.equal([slo_url]);
    const { made } = await makeSandbox(idp, { name: 'out', settings: { saml: { single_logout } } });
    expect((await samlAddresses(idp, '/s/out/saml/metadata')).logout).to.deep.equal([
      `${made.api_url.replace(/api$/, '')}saml/slo`,
    ]);
    await makeSandbox(idp, { name: 'own', settings: { saml: { single_logout, slo_url: 'https://own.example/slo' } } });
    expect((await samlAddresses(idp, '/s/own/saml/metadata')).logout).to.deep.equal(['https://own.example/slo']);
  });
});
