// The addresses of a sandbox, addresses of no sandbox, and that nothing in its responses leads out of it.
import { expect } from 'chai';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { rawRequest } from '#test/support/http.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { makeSandbox, type SandboxUnderTest } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings } from '#test/support/worlds.ts';

const settings = {
  ...demoSettings,
  oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true } },
  saml: { entity_id: 'https://declared.example/idp', sso_url: 'https://declared.example/sso' },
};

describe('the addresses of a sandbox', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let box: SandboxUnderTest;
  before(async () => {
    idp = await startIdp({ command: 'instance', settings });
    box = await makeSandbox(idp, { name: 'box' });
  });
  after(() => idp.stop());

  verifies(['SBX-17', 'SBX-18', 'SBX-19'], 'are announced in one document at four addresses', async () => {
    const document = (await box.get('/.well-known/openid-configuration')).body;
    expect(document.issuer).to.equal(`${idp.baseUrl}/s/box`);
    const addresses = Object.entries(document).filter(([name]) => /_(?:endpoint|uri)$/.test(name));
    expect(addresses.length).to.be.greaterThan(7);
    for (const [name, address] of addresses) expect(address, name).to.match(new RegExp(`^${box.issuer}/`));
    for (const path of [
      '/s/box/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/s/box',
      '/.well-known/openid-configuration/s/box',
    ]) {
      expect((await idp.api('GET', path)).body, path).to.deep.equal(document);
    }
    // Derived from the request, like the default issuer (ISS-02).
    const { body } = await rawRequest(`${idp.baseUrl}/s/box/.well-known/openid-configuration`, {
      headers: { Host: 'localhost:4711' },
    });
    expect(JSON.parse(body).token_endpoint).to.equal('http://localhost:4711/s/box/token');
  });

  verifies('SBX-18', 'appear in tokens, redirects, devices, registrations and SAML documents', async () => {
    const tokens = await box.tokens();
    const claims = JSON.parse(Buffer.from(tokens.id_token?.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.iss).to.equal(box.issuer);
    const device = (await box.post('/device_authorization', {})).body;
    expect(device.verification_uri).to.equal(`${box.issuer}/device`);
    expect(device.verification_uri_complete).to.contain(`${box.issuer}/device?`);
    const registered = (await box.api('POST', '/register', { redirect_uris: [callback] })).body;
    expect(registered.registration_client_uri).to.contain(`${box.issuer}/register/`);
  });

  verifies('SBX-18', 'follow a fixed issuer too, and its redirects contain it', async () => {
    const oauth = { ...demoSettings.oauth, issuer: 'https://idp.example', issuer_from_request: false };
    const fixed = await startIdp({ command: 'instance', settings: { oauth } });
    try {
      const { prefix, made } = await makeSandbox(fixed, { name: 'box' });
      expect(made.issuer).to.equal('https://idp.example/s/box');
      const alice = { username: 'alice', password: 'wonderland' };
      const { location } = await newBrowser(fixed).post(prefix + authorizePath(), alice);
      expect(new URL(location ?? '').searchParams.get('iss')).to.equal('https://idp.example/s/box');
    } finally {
      await fixed.stop();
    }
  });

  verifies('SBX-24', 'replace SAML addresses from the files, unless its settings name them', async () => {
    const metadata = (await box.get('/saml/metadata')).body;
    expect(metadata).to.contain(`entityID="${box.issuer}/saml"`).and.to.contain(`Location="${box.issuer}/saml/sso"`);
    const own = { entity_id: 'urn:box', sso_url: 'https://front.example/sso' };
    const named = await makeSandbox(idp, { settings: { saml: own } });
    expect(named.made.saml).to.deep.include(own);
    const theirs = (await named.get('/saml/metadata')).body;
    expect(theirs).to.contain('entityID="urn:box"').and.to.contain('Location="https://front.example/sso"');
    const browser = await box.login();
    const page = await browser.get(`/s/box/saml/sso?${redirectQuery(authnRequest())}`);
    expect(delivered(page).xml).to.contain(`${box.issuer}/saml</`).and.to.not.contain('declared.example');
  });

  verifies(['SBX-20', 'SBX-21'], 'have the same paths as the default identity provider', async () => {
    const there = [
      '/api/health',
      '/api/users',
      '/api/users/alice',
      '/api/config',
      '/api/keys/info',
      '/api/runtime/users',
    ];
    there.push(
      '/api/audit',
      '/api/audit/stats',
      '/api/clock',
      '/',
      '/login',
      '/test',
      '/audit',
      '/clock',
      '/service-providers',
      '/device',
      '/saml/cert.pem',
    );
    for (const path of there) expect((await box.get(path)).status, path).to.equal(200);
    const nowhere = [
      '/health',
      '/users',
      '/clients',
      '/service-providers/create',
      '/service-providers/import',
      '/settings',
      '/claims',
      '/keys',
      '/management/unlock',
      '/sandboxes',
    ];
    nowhere.push('/static/style.css', '/s/box/', '/api/sandboxes', '/api/sandboxes/box', '/api/nothing', '/mcp');
    for (const path of nowhere) {
      const { status, body } = await box.get(path, { Accept: 'application/json' });
      expect([status, body.error], path).to.deep.equal([404, 'not_found']);
    }
    expect((await box.api('POST', '/api/config/reload')).status).to.equal(404);
    expect((await box.api('POST', '/api/sandboxes', {})).status).to.equal(404);
    const client = { client_id: 'passing', client_secret: 'secret-of-it', redirect_uris: [callback] };
    expect((await box.api('POST', '/api/runtime/clients', client)).status).to.equal(201);
    const promoted = await box.api('POST', '/api/runtime/clients/passing/promote');
    expect([promoted.status, promoted.body.kind]).to.deep.equal([409, 'not_in_a_sandbox']);
    expect((await box.get('/api/runtime/clients/passing')).status).to.equal(200);
  });

  verifies(['SBX-22', 'SBX-23'], 'return a helpful 404 for every method if the sandbox does not exist', async () => {
    const ended = await makeSandbox(idp, { name: 'ended' });
    await idp.api('DELETE', '/api/sandboxes/ended');
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    for (const prefix of ['/s/nobody', ended.prefix, '/s/Box', '/s/%62ox', '/s/b.x', '/s/']) {
      for (const path of ['', '/', '/token', '/saml/sso', '/api/users', '/users', '/nothing']) {
        for (const method of methods) {
          const { status, body } = await rawRequest(idp.baseUrl + prefix + path, { method });
          expect(status, `${method} ${prefix}${path}`).to.equal(404);
          if (method !== 'HEAD') expect(JSON.parse(body).error).to.equal('unknown_sandbox');
        }
      }
    }
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      const { status, body } = await idp.api('GET', `/.well-known/${path}/s/nobody`);
      expect([status, body.error]).to.deep.equal([404, 'unknown_sandbox']);
      expect(body.error_description).to.contain('nobody').and.to.contain('expire');
    }
    const html = { Accept: 'text/html' };
    const page = await newBrowser(idp).get('/s/nobody/audit', html);
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(page.text).to.contain('This sandbox does not exist').and.to.contain('nobody').and.to.contain('expire');
    for (const path of ['/s/nobody/api/users', '/s/nobody/token']) {
      expect((await newBrowser(idp).get(path, html)).headers.get('content-type'), path).to.equal('application/json');
    }
    const malformed = await newBrowser(idp).get('/s/%3Cscript%3E/', html);
    expect(malformed.body).to.not.contain('script%3E');
    // The rest of discovery is unchanged (DIS-02).
    for (const path of ['/.well-known/openid-configuration/box', '/.well-known/openid-configuration/s/box/']) {
      expect((await idp.api('GET', path)).body.error, path).to.equal('not_found');
    }
  });

  verifies('SBX-25', 'are the only ones that its pages link to', async () => {
    const browser = await box.login();
    await box.post('/token', { grant_type: 'nothing' });
    const pages = [
      '/',
      '/login',
      '/login?error=invalid_credentials',
      '/test',
      '/audit',
      '/audit/clear',
      '/clock',
      '/device',
    ];
    pages.push('/logout', authorizePath(), `/saml/sso?${redirectQuery(authnRequest())}`, '/nothing');
    const strays: string[] = [];
    const followed = new Set<string>();
    for (const path of pages) {
      const page = await browser.get(`/s/box${path}`, { Accept: 'text/html' });
      expect(page.headers.get('content-type'), path).to.contain('text/html');
      for (const cookie of page.headers.getSetCookie()) expect(cookie).to.contain('Path=/s/box;');
      for (const [, address = ''] of page.body.matchAll(/ (?:href|action|formaction)="([^"#]+)/g)) {
        const inside = address.replace(idp.baseUrl, '');
        if (inside.startsWith('/s/box/')) followed.add(inside.replaceAll('&amp;', '&'));
        else if (!/^(?:\/static\/|https:\/\/(?!127))/.test(address)) strays.push(`${path}: ${address}`);
      }
    }
    expect(strays).to.deep.equal([]);
    for (const address of followed) {
      if (address.includes('/ui/logout')) continue;
      expect((await browser.get(address)).status, address).to.not.equal(404);
    }
    expect((await browser.get('/s/box')).status).to.equal(200);
    expect((await browser.get('/s/box/ui/logout')).location).to.equal('/s/box/');
  });
});
