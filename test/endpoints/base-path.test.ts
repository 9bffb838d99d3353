// An issuer with a trailing slash and a path: addresses, tokens, pages, discovery and sandboxes.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { claimsOf, postForm, rawRequest } from '#test/support/http.ts';
import { authnRequest, encodePost } from '#test/support/saml/service-provider.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings } from '#test/support/worlds.ts';

const discovery = '/.well-known/openid-configuration';
const metadata = '/.well-known/oauth-authorization-server';
const basePath = '/realms/orders';
/** No address is double, and no part of one is empty. */
const singleSlashes = /^https?:\/\/[^/]+(?:\/[^/]+)*$/;

function settingsWith(oauth: object) {
  return { ...demoSettings, oauth: { ...demoSettings.oauth, ...oauth } };
}

function addressesIn(document: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(document)
    .filter(([name]) => /_(?:endpoint|uri)$/.test(name))
    .map(([name, address]) => [name, String(address)]);
}

/** The addresses of links, forms, scripts and style sheets in a page of this server. */
function ownAddressesIn(page: string): string[] {
  return [...page.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(([, address = '']) => address);
}

describe('an issuer with a base path and a trailing slash', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    const oauth = { issuer: `http://ignored.example${basePath}/`, dynamic_registration: { enabled: true } };
    idp = await startIdp({ command: 'instance', settings: settingsWith(oauth) });
  });
  after(() => idp.stop());

  verifies(['ADR-01', 'ADR-02'], 'is in discovery and in every token as written', async () => {
    const issuer = `${idp.baseUrl}${basePath}/`;
    expect((await idp.api('GET', discovery)).body.issuer).to.equal(issuer);
    const code = codeOf(await newBrowser(idp).post(basePath + authorizePath({ scope: 'openid' }), alice));
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const answer = await postForm(`${idp.baseUrl}${basePath}/token`, form, web);
    const tokens = (await answer.json()) as Record<string, string>;
    for (const name of ['access_token', 'id_token']) expect(claimsOf(tokens[name] ?? '').iss, name).to.equal(issuer);
    const { body } = await rawRequest(idp.baseUrl + discovery, { headers: { Host: 'other.test:81' } });
    expect(JSON.parse(body).issuer).to.equal(`http://other.test:81${basePath}/`);
  });

  verifies('ADR-01', 'is the iss parameter and the issuer of a fixed configuration', async () => {
    const oauth = { issuer: 'https://idp.example/', issuer_from_request: false };
    const fixed = await startIdp({ command: 'instance', settings: settingsWith(oauth) });
    try {
      const document = (await fixed.api('GET', discovery)).body;
      expect(document.issuer).to.equal('https://idp.example/');
      expect(document.token_endpoint).to.equal('https://idp.example/token');
      const page = await newBrowser(fixed).post(authorizePath(), alice);
      expect(redirectParameters(page).get('iss')).to.equal('https://idp.example/');
    } finally {
      await fixed.stop();
    }
  });

  verifies('ADR-03', 'adds no second slash to a published address', async () => {
    const base = idp.baseUrl + basePath;
    const document = (await idp.api('GET', discovery)).body;
    const addresses = addressesIn(document);
    expect(addresses.length).to.be.greaterThan(7);
    const device = (await (await postForm(`${idp.baseUrl}/device_authorization`, {}, web)).json()) as {
      verification_uri: string;
    };
    addresses.push(['device', device.verification_uri]);
    const redirect_uris = [callback];
    const registered = (await idp.api('POST', '/register', { redirect_uris })).body;
    addresses.push(['registration', registered.registration_client_uri]);
    const saml = (await idp.api('GET', '/saml/metadata')).body;
    for (const [, name = '', address = ''] of saml.matchAll(/ (entityID|Location)="([^"]*)"/g)) {
      addresses.push([name, address]);
    }
    addresses.push(['openapi', (await idp.api('GET', '/openapi.json')).body.servers[0].url]);
    for (const [name, address] of addresses) {
      expect(address, name).to.match(singleSlashes);
      expect(address === base || address.startsWith(`${base}/`), `${name} ${address}`).to.equal(true);
    }
    expect(saml).to.contain(`entityID="${base}/saml"`).and.to.contain(`Location="${base}/saml/sso"`);
  });

  verifies('ADR-04', 'is served below its path and at the root', async () => {
    await makeSandbox(idp, { name: 'both' });
    const paths = [
      '/',
      '/login',
      '/.well-known/jwks.json',
      '/saml/metadata',
      '/saml/cert.pem',
      '/api/config',
      '/health',
    ];
    for (const path of [...paths, '/static/style.css', '/s/both/', '/s/both/saml/metadata', '/s/both/api/users']) {
      for (const prefix of ['', basePath]) {
        expect((await idp.api('GET', prefix + path)).status, prefix + path).to.equal(200);
      }
    }
    expect((await idp.api('GET', basePath)).status).to.equal(200);
    for (const path of [
      `${basePath}x/login`,
      `${basePath}/nope`,
      basePath + basePath,
      '/realms/login',
      '/REALMS/orders/',
    ]) {
      expect((await idp.api('GET', path)).status, path).to.equal(404);
    }
    expect((await idp.api('GET', `${basePath}/s/none/`)).body.error).to.equal('unknown_sandbox');
  });

  verifies('ADR-05', 'is before every address of a page, for a proxy that forwards or removes it', async () => {
    const { origin } = new URL(idp.baseUrl);
    await makeSandbox(idp, { name: 'pages' });
    const inPages: [path: string, below: string][] = [
      ['/', basePath],
      ['/login', basePath],
      ['/clients', basePath],
      [authorizePath(), basePath],
      ['/nope', basePath],
      ['/s/pages/', `${basePath}/s/pages`],
      ['/s/pages/login', `${basePath}/s/pages`],
    ];
    for (const [path, below] of inPages) {
      for (const prefix of ['', basePath]) {
        const { body } = await idp.api('GET', prefix + path, undefined, { Accept: 'text/html' });
        const addresses = ownAddressesIn(body);
        expect(addresses, path).to.have.length.above(2);
        for (const address of addresses) {
          const isStatic = address.startsWith(`${basePath}/static/`);
          expect(isStatic || `${address}/`.startsWith(`${below}/`), `${path}: ${address}`).to.equal(true);
        }
        const style = addresses.find((address) => address.includes('/static/style.css')) ?? '';
        expect((await idp.api('GET', style)).status).to.equal(200);
      }
    }
    const posted = await newBrowser(idp).post(
      '/saml/sso',
      { SAMLRequest: encodePost(authnRequest()) },
      { Origin: 'http://sp.example' },
    );
    expect(posted.body).to.contain(`src="${basePath}/static/auto-submit.js`);
    for (const [path, to] of [
      ['/login', `${basePath}/`],
      ['/s/pages/login', `${basePath}/s/pages/`],
    ] as const) {
      const { status, headers } = await rawRequest(origin + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'username=alice&password=wonderland',
      });
      expect([status, headers.location]).to.deep.equal([302, to]);
      expect(String(headers['set-cookie'])).to.contain('; Path=/;');
    }
  });

  verifies('ADR-05', 'logs in through a proxy that removes it', async () => {
    // The browser's pages are below the base path. The proxy removes it.
    const browser = new BrowserClient(idp.baseUrl);
    const page = await browser.get('/login?return_to=/clients');
    expect(page.forms[0]?.action).to.equal(`${idp.baseUrl}${basePath}/login`);
    const answer = await browser.post('/login', { ...alice, return_to: '/clients' });
    expect(answer.location).to.equal(`${basePath}/clients`);
    expect((await browser.get(`${basePath}/clients`)).body).to.contain('alice');
  });

  verifies('ADR-06', 'has its discovery document at six addresses', async () => {
    const document = (await idp.api('GET', discovery)).body;
    for (const path of [
      `${basePath}${discovery}`,
      `${basePath}${metadata}`,
      `${discovery}${basePath}`,
      `${metadata}${basePath}`,
      metadata,
    ]) {
      expect((await idp.api('GET', path)).body, path).to.deep.equal(document);
    }
    for (const path of [`${discovery}/realms`, `${discovery}${basePath}x`, `${metadata}${basePath}/nope`]) {
      expect((await idp.api('GET', path)).status, path).to.equal(404);
    }
  });

  verifies(
    ['FLT-K028', 'FLT-K041', 'FLT-K105'],
    'loses its slash by the three faults that append one elsewhere',
    async () => {
      const without = idp.baseUrl + basePath;
      for (const fault of ['discovery_issuer_slash', 'iss_normalized', 'token_issuer_slash']) {
        expect((await idp.api('POST', '/api/faults', { fault })).status, fault).to.equal(201);
      }
      expect((await idp.api('GET', discovery)).body.issuer).to.equal(without);
      const page = await newBrowser(idp).post(authorizePath({ scope: 'openid' }), alice);
      expect(redirectParameters(page).get('iss')).to.equal(without);
      const form = { grant_type: 'authorization_code', code: codeOf(page), redirect_uri: callback };
      const tokens = (await (await postForm(`${idp.baseUrl}/token`, form, web)).json()) as Record<string, string>;
      expect(claimsOf(tokens.id_token ?? '').iss).to.equal(without);
    },
  );

  verifies('ADR-08', 'gives its sandboxes an issuer with a slash', async () => {
    const { made } = await makeSandbox(idp, { name: 'slash' });
    const base = `${idp.baseUrl}${basePath}/s/slash`;
    expect(made.issuer).to.equal(`${base}/`);
    expect(made.discovery_url).to.equal(base + discovery);
    expect(made.saml.entity_id).to.equal(`${base}/saml`);
    const found = (await idp.api('GET', `${discovery}${basePath}/s/slash`)).body;
    expect([found.issuer, found.token_endpoint]).to.deep.equal([`${base}/`, `${base}/token`]);
    expect((await idp.api('GET', `${basePath}/s/slash${metadata}`)).body).to.deep.equal(found);
    expect((await idp.api('GET', `${discovery}/s/slash`)).body).to.deep.equal(found);
  });

  verifies('ADR-04', 'changes with a reload, in the next request of any worker', async () => {
    const stack = await startIdp({
      args: ['--oidc-workers', '2'],
      settings: settingsWith({ issuer: 'http://x.example' }),
    });
    try {
      expect((await stack.api('GET', '/acme/v2.0/saml/metadata')).status).to.equal(404);
      await stack.configure({ settings: settingsWith({ issuer: 'http://x.example/acme/v2.0' }) });
      for (let round = 0; round < 6; round += 1) {
        for (const path of ['/acme/v2.0/saml/metadata', `${discovery}/acme/v2.0`, '/acme/v2.0/api/config']) {
          expect((await rawRequest(stack.baseUrl + path)).status, path).to.equal(200);
        }
      }
    } finally {
      await stack.stop();
    }
  });
});
