// `start --demo`: logins at the built-in relying party and service provider, as a browser without scripts sees them.
import { expect } from 'chai';
import { BrowserClient, fieldOf, type Page } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { killWorker, until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { demoSettings } from '#test/support/worlds.ts';

/** Follows redirects of both sides as a browser does, until a page arrives. */
async function arrive(browser: BrowserClient, page: Page): Promise<Page> {
  let reached = page;
  for (let steps = 0; steps < 6 && reached.location !== null; steps += 1) {
    reached = await browser.get(new URL(reached.location, reached.url).href);
  }
  return reached;
}

const open = async (browser: BrowserClient, address: string) => arrive(browser, await browser.get(address));

async function logInByOpenIdConnect(browser: BrowserClient, demoUrl: string): Promise<Page> {
  const form = await open(browser, `${demoUrl}/openid-connect/login`);
  return arrive(browser, await browser.submit(form, { username: alice.username, password: alice.password }));
}

/** The self-posting page with which the provider answers the login form. It posts to the service provider. */
async function samlAnswer(browser: BrowserClient, demoUrl: string): Promise<Page> {
  const form = await open(browser, `${demoUrl}/saml/login`);
  return browser.submit(form, { username: alice.username, password: alice.password });
}

const linksOf = ({ body }: Page) =>
  [...body.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

describe('the demo', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let demoUrl: string;
  let browser: BrowserClient;
  before(async () => {
    idp = await startIdp({ command: 'start', args: ['--demo'] });
    demoUrl = idp.demoUrl ?? expect.fail('the ready line names no demo_url');
  });
  beforeEach(() => {
    browser = new BrowserClient(demoUrl);
  });
  after(() => idp.stop());

  it('is linked from the dashboard, but from no sandbox', async () => {
    expect(demoUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    const links = linksOf(await browser.get(`${idp.baseUrl}/`));
    expect(links).to.include.members([`${demoUrl}/`, `${demoUrl}/openid-connect/login`, `${demoUrl}/saml/login`]);
    const { status } = await idp.api('POST', '/api/sandboxes', { name: 'box' });
    expect(status).to.equal(201);
    const inSandbox = await browser.get(`${idp.baseUrl}/s/box/`);
    expect([inSandbox.status, inSandbox.body.includes(demoUrl)]).to.deep.equal([200, false]);
  });

  it('logs in with OpenID Connect, and links to the flow and to a verdict without findings', async () => {
    await idp.api('DELETE', '/api/flows');
    const page = await logInByOpenIdConnect(browser, demoUrl);
    expect([page.status, new URL(page.url).pathname], page.text).to.deep.equal([200, '/openid-connect']);
    expect(page.text).to.include(`"sub": "${alice.username}"`);
    expect(page.headers.get('cache-control')).to.equal('no-store');
    const links = linksOf(page);
    const flow = links.find((link) => link.startsWith(`${idp.baseUrl}/flows/`)) ?? expect.fail('no link to the flow');
    const flowDetails = (await idp.api('GET', `/api/flows/${flow.split('/').at(-1)}`)).body;
    expect(flowDetails).to.deep.include({ kind: 'code', client_id: 'demo-relying-party', username: alice.username });
    expect(flowDetails.outcome).to.equal('completed');
    expect(links).to.include(`${idp.baseUrl}/verdict?client_id=demo-relying-party`);
    const { body: verdict } = await idp.api('GET', '/api/verdict?client_id=demo-relying-party');
    expect(verdict.findings, JSON.stringify(verdict)).to.deep.equal([]);
    for (const link of [flow, `${idp.baseUrl}/verdict?client_id=demo-relying-party`]) {
      expect((await browser.get(link)).status, link).to.equal(200);
    }
  });

  it('logs in with SAML, and links to the flow and to a verdict without findings', async () => {
    await idp.api('DELETE', '/api/flows');
    const posting = await samlAnswer(browser, demoUrl);
    const page = await arrive(browser, await browser.submit(posting));
    expect([page.status, new URL(page.url).pathname], page.text).to.deep.equal([200, '/saml']);
    expect(page.text).to.include(alice.username);
    const links = linksOf(page);
    const flow = links.find((link) => link.startsWith(`${idp.baseUrl}/flows/`)) ?? expect.fail('no link to the flow');
    const flowDetails = (await idp.api('GET', `/api/flows/${flow.split('/').at(-1)}`)).body;
    expect(flowDetails).to.deep.include({ kind: 'saml', sp: `${demoUrl}/saml/metadata`, outcome: 'completed' });
    const of = new URLSearchParams({ sp: `${demoUrl}/saml/metadata` });
    expect(links).to.include(`${idp.baseUrl}/verdict?${of}`);
    const { body: verdict } = await idp.api('GET', `/api/verdict?${of}`);
    expect(verdict.findings, JSON.stringify(verdict)).to.deep.equal([]);
  });

  it('accepts a response once, and only from the browser that requested it', async () => {
    const form = await open(browser, `${demoUrl}/openid-connect/login`);
    const { location } = await browser.submit(form, { username: alice.username, password: alice.password });
    const stranger = new BrowserClient(demoUrl);
    expect((await stranger.get(location ?? '')).status).to.equal(400);
    expect((await browser.get(location ?? '')).status).to.equal(400);

    const posting = await samlAnswer(browser, demoUrl);
    const fields = {
      SAMLResponse: fieldOf(posting, 'SAMLResponse') ?? '',
      RelayState: fieldOf(posting, 'RelayState') ?? '',
    };
    const taken = await stranger.post('/saml/acs', fields);
    expect(taken.status).to.equal(303);
    expect((await stranger.get(taken.location ?? '')).status).to.equal(400);
    expect((await browser.post('/saml/acs', fields)).status).to.equal(400);
    expect((await open(browser, `${demoUrl}/saml`)).text).not.to.include(alice.username);
  });

  for (const fault of ['signature_tampered', 'nonce_wrong', 'subject_changed'] as const) {
    it(`rejects an ID token with the fault ${fault}, and shows the reason`, async () => {
      const body = { fault, when: { client_id: 'demo-relying-party' } };
      const set = await idp.api('POST', '/api/faults', body);
      expect(set.status, JSON.stringify(set.body)).to.equal(201);
      const page = await logInByOpenIdConnect(browser, demoUrl);
      await idp.api('DELETE', '/api/faults');
      expect(page.status, page.text).to.equal(400);
      const flow = linksOf(page).find((link) => link.startsWith(`${idp.baseUrl}/flows/`)) ?? expect.fail(page.body);
      expect((await browser.get(flow)).text).to.include(fault);
    });
  }

  it('rejects a tampered Assertion', async () => {
    const body = { fault: 'saml_content_tampered', when: { sp: `${demoUrl}/saml/metadata` } };
    expect((await idp.api('POST', '/api/faults', body)).status).to.equal(201);
    const page = await browser.submit(await samlAnswer(browser, demoUrl));
    await idp.api('DELETE', '/api/faults');
    expect(page.status, page.text).to.equal(400);
  });

  it('registers itself again after all runtime objects were deleted', async () => {
    await idp.api('DELETE', '/api/runtime');
    expect((await logInByOpenIdConnect(browser, demoUrl)).status).to.equal(200);
  });

  it('is replaced at the same address when it dies', async () => {
    await killWorker(idp, 'demo');
    // Kept-alive connections ended with the process. Each may fail once before the client notices.
    const page = await until('a login reaches its end', () =>
      logInByOpenIdConnect(browser, demoUrl).catch(() => undefined),
    );
    expect(page.status, page.text).to.equal(200);
  });

  it('responds only at its own address, and its metadata name that address', async () => {
    const metadata = await browser.get('/saml/metadata');
    expect(metadata.body).to.include(`entityID="${demoUrl}/saml/metadata"`).and.to.include(`${demoUrl}/saml/acs`);
    expect((await browser.get('/nowhere')).status).to.equal(404);
    expect((await browser.get('/static/style.css')).headers.get('content-type')).to.match(/^text\/css/);
    const other = demoUrl.replace('127.0.0.1', 'localhost');
    const misdirected = await new BrowserClient(other).get('/');
    expect(misdirected.status).to.equal(421);
    expect(linksOf(misdirected)).to.include(`${demoUrl}/`);
  });
});

describe('the demo of a stack with a management secret', function () {
  this.timeout(60_000);
  const settings = { ...demoSettings, management_secret: 'open sesame' };

  it('says how it can register itself, and does so when allowed', async () => {
    for (const [secret, status] of [
      ['', 503],
      ['open sesame', 200],
    ] as const) {
      const env = { IDP_MANAGEMENT_SECRET: secret };
      const idp = await startIdp({ command: 'start', args: ['--demo'], settings, env });
      try {
        const demoUrl = idp.demoUrl ?? '';
        const page = await open(new BrowserClient(demoUrl), `${demoUrl}/openid-connect/login`);
        expect(page.status, page.text).to.equal(status);
        if (secret === '') expect(page.text).to.include('IDP_MANAGEMENT_SECRET');
      } finally {
        expect(await idp.stop()).to.equal(0);
      }
    }
  });
});

describe('the demo of a strict provider', function () {
  this.timeout(60_000);

  it('follows OAuth 2.1, registers where unregistered clients are rejected, and is linked only for local browsers', async () => {
    const oauth = { ...demoSettings.oauth, issuer_from_proxy_headers: true };
    const settings = { ...demoSettings, oauth, saml: { unregistered: 'refuse' } };
    const idp = await startIdp({ command: 'start', args: ['--demo', '--profile', 'oauth21'], settings });
    try {
      const browser = new BrowserClient(idp.demoUrl ?? '');
      const page = await logInByOpenIdConnect(browser, idp.demoUrl ?? '');
      expect(page.status, page.text).to.equal(200);
      const answered = await arrive(browser, await browser.submit(await samlAnswer(browser, idp.demoUrl ?? '')));
      expect([answered.status, new URL(answered.url).pathname], answered.text).to.deep.equal([200, '/saml']);
      for (const [address, linked] of [
        ['127.0.0.1', true],
        ['198.51.100.3', false],
      ] as const) {
        const dashboard = await browser.get(`${idp.baseUrl}/`, { 'X-Forwarded-For': address });
        expect([dashboard.status, linksOf(dashboard).includes(`${idp.demoUrl}/`)], address).to.deep.equal([
          200,
          linked,
        ]);
      }
    } finally {
      await idp.stop();
    }
  });
});

describe('the demo of a provider with another issuer address', () => {
  it('names the setting that makes its address the issuer', async () => {
    const oauth = { ...demoSettings.oauth, issuer: 'http://127.0.0.1:9/idp', issuer_from_request: false };
    const idp = await startIdp({ command: 'start', args: ['--demo'], settings: { ...demoSettings, oauth } });
    try {
      const page = await open(new BrowserClient(idp.demoUrl ?? ''), '/openid-connect/login');
      expect(page.status, page.text).to.equal(400);
      expect(page.text).to.include('http://127.0.0.1:9/idp').and.to.include('oauth.issuer_from_request: true');
    } finally {
      await idp.stop();
    }
  });
});

describe('the demo with TLS', function () {
  this.timeout(60_000);

  it('trusts the authority of the provider as any application must', async () => {
    const idp = await startIdp({ command: 'start', args: ['--demo', '--tls'] });
    try {
      const { location } = await new BrowserClient(idp.demoUrl ?? '').get('/openid-connect/login');
      expect(location).to.match(/^https:\/\/127\.0\.0\.1:\d+\/authorize\?/);
    } finally {
      await idp.stop();
    }
  });
});

describe('a stack with a store that survives it', function () {
  this.timeout(60_000);

  it('keeps nothing of the demo after it ended', async () => {
    const settings = { ...demoSettings, runtime: { store: 'sqlite', path: '../state/runtime.db' } };
    const idp = await startIdp({ command: 'start', args: ['--demo'], settings });
    try {
      expect((await logInByOpenIdConnect(new BrowserClient(idp.demoUrl ?? ''), idp.demoUrl ?? '')).status).to.equal(
        200,
      );
      idp.process.kill('SIGTERM');
      await idp.exited;
      // An application that did not delete its registration would have left it in the file.
      const again = await startIdp({ command: 'start', root: idp.root });
      expect((await again.api('GET', '/api/runtime/clients')).body.clients).to.deep.equal([]);
      await again.stop();
    } finally {
      await idp.stop();
    }
  });
});
