// The gates of /api and the web UI: the management secret, the login of require_ui_login, and the rejection of cross-site
// writes.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pageRoutes } from '#services/management/pages/routes.ts';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf } from '#test/support/browser-client.ts';
import { web } from '#test/support/credentials.ts';
import { rawRequest } from '#test/support/http.ts';
import { pathMatches } from '#test/support/route-of.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const secret = 'open sesame!';
const listed = 'https://tools.example';

/** Every path of the web UI that changes something, with fields for which the change would succeed. */
const actions: readonly (readonly [path: string, fields: Record<string, string>])[] = [
  ['/users/create', { username: 'eve', password: 'x' }],
  ['/users/alice/edit', { description: 'changed' }],
  ['/users/alice/delete', {}],
  ['/clients/create', { client_id: 'new', client_secret: 's' }],
  ['/clients/web/edit', { description: 'changed' }],
  ['/clients/web/delete', {}],
  ['/clients/web/regenerate-secret', {}],
  ['/clients/forget', { client_id: 'https://client.example/x' }],
  ['/service-providers/create', { entity_id: 'urn:new' }],
  ['/service-providers/edit?entity_id=urn:sp', { title: 'changed' }],
  ['/service-providers/delete?entity_id=urn:sp', {}],
  ['/service-providers/import', { metadata: '<x/>' }],
  ['/runtime/promote', { kind: 'user', name: 'nobody' }],
  ['/runtime/delete', { kind: 'user', name: 'nobody' }],
  ['/runtime/reset', {}],
  ['/settings', { audience: 'changed' }],
  ['/settings/reload', {}],
  ['/claims', { prefix_roles: 'X_' }],
  ['/keys/regenerate', {}],
  ['/audit/clear', {}],
  ['/clock', { advance_seconds: '60' }],
  ['/sandboxes', { name: 'box' }],
  ['/sandboxes/reset', { name: 'box' }],
  ['/sandboxes/delete', { name: 'box' }],
  ['/faults', { fault: 'token_expired' }],
  ['/faults/delete', {}],
  ['/flows/delete', {}],
  ['/sessions/end', {}],
  ['/sessions/forget', {}],
  ['/test', { username: 'alice' }],
];

const pages = [
  '/',
  '/users',
  '/users/alice',
  '/users/create',
  '/users/alice/edit',
  '/users/alice/second-factor',
  '/users/alice/delete',
  '/clients',
  '/clients/create',
  '/clients/web/edit',
  '/clients/web/delete',
  '/clients/web/regenerate-secret',
  '/service-providers',
  '/service-providers/create',
  '/service-providers/edit?entity_id=urn:sp',
  '/service-providers/delete?entity_id=urn:sp',
  '/service-providers/import',
  '/runtime',
  '/runtime/reset',
  '/settings',
  '/claims',
  '/claims/preview/alice',
  '/keys',
  '/keys/download/public_key',
  '/keys/download/certificate',
  '/audit',
  '/audit/clear',
  '/audit/export/json',
  '/audit/export/csv',
  '/clock',
  '/sandboxes',
  '/faults',
  '/flows',
  '/flows/f1',
  '/verdict',
  '/sessions',
  '/test',
];

describe('management gates', () => {
  let idp: RunningIdp;
  const withCors = {
    cors_allowed_originss: [listed, '*'],
    saml: { service_providers: [{ entity_id: 'urn:sp' }] },
  };
  before(async () => {
    idp = await startIdp({ world: interactive, settings: withCors });
  });
  after(() => idp.stop());

  const configure = (settings: Record<string, unknown>) => idp.configure({ settings: { ...withCors, ...settings } });
  const settingsPath = () => join(idp.configDirectory, 'settings.yaml');
  /** With the shared store, a changed file is active at the next request. */
  const editSettings = (edit: (text: string) => string) =>
    writeFileSync(settingsPath(), edit(readFileSync(settingsPath(), 'utf8')));

  const createUser = (username: string, headers: Record<string, string> = {}) =>
    fetch(`${idp.baseUrl}/api/runtime/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ username }),
    });
  const exists = async (username: string) => (await fetch(`${idp.baseUrl}/api/users/${username}`)).status === 200;
  const snapshotOfState = async () => {
    const paths = ['/api/config', '/api/users', '/api/keys/info', '/api/service-providers'];
    return Promise.all(paths.map(async (path) => (await fetch(idp.baseUrl + path)).text()));
  };

  it('are tested for every action and page', () => {
    const open = ['/test/decode', '/management/unlock'];
    const patterns = (paths: readonly string[]) =>
      pageRoutes
        .filter(({ path }) => paths.some((asked) => pathMatches(path, asked.split('?', 1)[0] ?? asked)))
        .map(({ path }) => path);
    const served = (method: 'GET' | 'POST') =>
      pageRoutes.filter(({ path, methods }) => methods[method] !== undefined && !open.includes(path));
    expect(patterns(actions.map(([path]) => path))).to.include.members(served('POST').map(({ path }) => path));
    expect(patterns(pages)).to.include.members(served('GET').map(({ path }) => path));
  });

  describe('cross-site writes', () => {
    const crossSite: readonly Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'something-new' },
      { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ];

    verifies(['WEB-22', 'WEB-23'], 'are rejected by every action of the web UI without effect', async () => {
      const before = await snapshotOfState();
      for (const [path, fields] of actions) {
        for (const headers of crossSite) {
          const answer = await newBrowser(idp).post(path, fields, headers);
          expect(answer.status, `${path} ${JSON.stringify(headers)}`).to.equal(403);
          expect(answer.headers.get('content-security-policy')).to.include("default-src 'none'");
        }
      }
      expect(await snapshotOfState()).to.deep.equal(before);
    });

    verifies(['WEB-22', 'WEB-23'], 'are rejected under /api without effect', async () => {
      for (const headers of crossSite) {
        const answer = await createUser('mallory', headers);
        expect(answer.status).to.equal(403);
        expect(Object.keys(await answer.json())).to.deep.equal(['error']);
      }
      expect(await exists('mallory')).to.equal(false);
    });

    verifies(
      'WEB-23',
      'are accepted from the own origin, a listed one and programs, but not from another port',
      async () => {
        const own = idp.baseUrl;
        const other = `http://127.0.0.1:${(Number(new URL(own).port) % 65_000) + 1}`;
        const passing: readonly Record<string, string>[] = [
          {},
          { 'Sec-Fetch-Site': 'same-origin' },
          { 'Sec-Fetch-Site': 'none' },
          { Origin: own },
          { Origin: listed },
          { Origin: listed, 'Sec-Fetch-Site': 'cross-site' },
        ];
        for (const [index, headers] of passing.entries()) {
          expect((await createUser(`passed-${index}`, headers)).status, JSON.stringify(headers)).to.equal(201);
        }
        expect((await createUser('refused', { Origin: other })).status).to.equal(403);
        expect(await exists('refused')).to.equal(false);
      },
    );

    verifies('WEB-23', 'depend on the scheme: an https page of the same host is another origin', async () => {
      const origin = idp.baseUrl.replace('http:', 'https:');
      expect((await createUser('https', { Origin: origin })).status).to.equal(403);
    });

    verifies('WEB-24', 'are rejected at /saml/sso only with login fields', async () => {
      const saml = await startIdp();
      try {
        const post = (fields: Record<string, string>) =>
          fetch(`${saml.baseUrl}/saml/sso`, {
            method: 'POST',
            redirect: 'manual',
            headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://sp.example' },
            body: new URLSearchParams(fields),
          });
        const request = Buffer.from(
          '<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_1" Version="2.0" ' +
            'IssueInstant="2026-01-01T00:00:00Z"/>',
        ).toString('base64');
        const refused = await post({ SAMLRequest: request, username: 'alice', password: 'wonderland' });
        expect(refused.status).to.equal(403);
        expect(refused.headers.getSetCookie().join()).not.to.include('login');
        const taken = await post({ SAMLRequest: request });
        expect(taken.status).to.equal(200);
        // The page repeats the request from this site, because a cross-site POST carries no cookie.
        expect(await taken.text()).to.include('name="SAMLRequest"');
      } finally {
        await saml.stop();
      }
    });
  });

  describe('management secret', () => {
    before(() => editSettings((text) => `${text}management_secret: ${secret}\n`));
    after(() => editSettings((text) => text.replace(/^management_secret:.*$/m, 'management_secret: null')));

    verifies(
      ['RST-15', 'RST-16'],
      'is required for every write under /api, before body and 404 are checked',
      async () => {
        const writes: readonly (readonly [method: string, path: string, body?: string])[] = [
          ['POST', '/api/runtime/users', '{"username":"gated"}'],
          ['POST', '/api/runtime/users', 'no JSON at all'],
          ['POST', '/api/runtime/users', 'x'.repeat(1024 * 1024 + 1)],
          ['POST', '/api/runtime/clients', '{}'],
          ['DELETE', '/api/runtime/users/nobody'],
          ['DELETE', '/api/runtime/clients/nobody'],
          ['POST', '/api/runtime/users/nobody/promote'],
          ['POST', '/api/runtime/clients/nobody/promote'],
          ['DELETE', '/api/runtime'],
          ['POST', '/api/users/nobody/token'],
          ['POST', '/api/users/alice/token'],
          ['POST', '/api/config/reload'],
          ['POST', '/api/keys/rotate'],
          ['POST', '/api/audit/clear'],
          ['POST', '/api/service-providers/check', '{"url":"http://127.0.0.1:1/"}'],
          ['POST', '/api/expect', '{"endpoint":"token","count":0,"within_seconds":0}'],
          ['PUT', '/api/recorder', '{"enabled":false}'],
          ['DELETE', '/api/flows'],
          ['POST', '/api/nothing'],
          ['PUT', '/api/nothing/here'],
        ];
        for (const [method, path, body] of writes) {
          const answer = await rawRequest(idp.baseUrl + path, { method, ...(body === undefined ? {} : { body }) });
          expect(answer.status, `${method} ${path}`).to.equal(401);
          const shown = JSON.parse(answer.body);
          expect(Object.keys(shown)).to.deep.equal(['error']);
          expect(shown.error).to.include('X-Management-Secret');
        }
        expect(await exists('gated')).to.equal(false);
      },
    );

    verifies(['RST-15', 'RST-18'], 'is required before a 405 for a method that a path does not serve', async () => {
      const wrong: readonly (readonly [method: string, path: string, allow: string])[] = [
        ['PUT', '/api/runtime/users', 'GET, POST, HEAD, OPTIONS'],
        ['PATCH', '/api/runtime/users/nobody', 'GET, DELETE, HEAD, OPTIONS'],
        ['DELETE', '/api/users/alice', 'GET, HEAD, OPTIONS'],
        ['PUT', '/api/config/reload', 'POST, OPTIONS'],
        ['POST', '/api/health', 'GET, HEAD, OPTIONS'],
        ['PROPFIND', '/api/users', 'GET, HEAD, OPTIONS'],
      ];
      for (const [method, path, allow] of wrong) {
        const closed = await rawRequest(idp.baseUrl + path, { method });
        expect([closed.status, closed.headers.allow], `${method} ${path}`).to.deep.equal([401, undefined]);
        const headers = { 'X-Management-Secret': secret };
        const opened = await rawRequest(idp.baseUrl + path, { method, headers });
        expect([opened.status, opened.headers.allow], `${method} ${path}`).to.deep.equal([405, allow]);
      }
      // Reads need no secret, so a 405 for a read needs none either.
      expect((await fetch(`${idp.baseUrl}/api/config/reload`)).status).to.equal(405);
    });

    verifies('RST-15', 'is accepted in the header, and a wrong one fails even with an unlocked session', async () => {
      expect((await createUser('by-header', { 'X-Management-Secret': secret })).status).to.equal(201);
      for (const wrong of ['', 'open sesame', 'open sesame!!', 'OPEN SESAME!']) {
        expect((await createUser('by-wrong-header', { 'X-Management-Secret': wrong })).status).to.equal(401);
      }
      const browser = await unlocked();
      const headers = { Cookie: cookieOf(browser), 'X-Management-Secret': 'wrong' };
      expect((await createUser('by-wrong-header', headers)).status).to.equal(401);
      expect(await exists('by-wrong-header')).to.equal(false);
    });

    verifies('RST-15', 'is replaced by a session that was unlocked in the web UI', async () => {
      const browser = await unlocked();
      expect((await createUser('by-session', { Cookie: cookieOf(browser) })).status).to.equal(201);
      expect((await createUser('by-other-session')).status).to.equal(401);
    });

    verifies('RST-15', 'is never required for reads and protocol endpoints', async () => {
      const reads = ['/api/health', '/api/users', '/api/users/alice', '/api/config', '/api/keys/info', '/api/audit'];
      for (const path of reads) {
        expect((await fetch(idp.baseUrl + path)).status, path).to.equal(200);
        expect((await fetch(idp.baseUrl + path, { method: 'HEAD' })).status, path).to.equal(200);
      }
      expect((await fetch(`${idp.baseUrl}/api/runtime/users`, { method: 'OPTIONS' })).status).to.equal(204);
      const token = await fetch(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: web,
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      expect(token.status).to.equal(200);
      expect((await fetch(`${idp.baseUrl}/register`, { method: 'POST', body: '{}' })).status).to.equal(404);
    });

    verifies('RST-16', 'is rejected normally if the sent value is not ASCII', async () => {
      const answer = await rawRequest(`${idp.baseUrl}/api/audit/clear`, {
        method: 'POST',
        headers: { 'X-Management-Secret': Buffer.from('gehéim', 'utf8').toString('latin1') },
      });
      expect(answer.status).to.equal(401);
      const unlock = await newBrowser(idp).post('/management/unlock', { management_secret: 'gehéim ☃' });
      expect([unlock.status, unlock.location]).to.deep.equal([302, '/login?error=wrong_management_secret']);
    });

    verifies(
      'WEB-20',
      'is required by every action, which redirects a locked browser to /login without effect',
      async () => {
        const before = await snapshotOfState();
        for (const [path, fields] of actions) {
          const answer = await newBrowser(idp).post(path, fields);
          expect([path, answer.status, answer.location]).to.deep.equal([path, 302, '/login?error=management_locked']);
        }
        expect(await snapshotOfState()).to.deep.equal(before);
        const shown = await newBrowser(idp).get('/login?error=management_locked');
        expect(shown.text).to.include('management secret');
      },
    );

    verifies('WEB-20', 'is not required for pages, login and unlock', async () => {
      for (const path of pages) expect((await newBrowser(idp).get(path)).status, path).to.equal(200);
      const login = await newBrowser(idp).post('/login', { username: 'alice', password: 'wonderland' });
      expect([login.status, login.location]).to.deep.equal([302, '/']);
    });

    verifies('WEB-21', 'unlocks this session if correct, and leads to /login if wrong', async () => {
      const browser = newBrowser(idp);
      const page = await browser.get('/management/unlock');
      expect(page.status).to.equal(200);
      const wrong = await browser.submit(page, { management_secret: 'guess' });
      expect([wrong.status, wrong.location]).to.deep.equal([302, '/login?error=wrong_management_secret']);
      expect((await browser.get(wrong.location ?? '')).text).to.include(sentences.managementSecretWrong);
      expect((await browser.post('/audit/clear')).location).to.equal('/login?error=management_locked');
      const right = await browser.submit(page, { management_secret: secret });
      expect([right.status, right.location]).to.deep.equal([302, '/']);
      expect((await browser.post('/audit/clear')).location).to.match(/^\/audit\?/);
      // The cookie says that it is unlocked, but not with which secret.
      const cookie = cookieOf(browser);
      const content = Buffer.from(cookie.split('=')[1]?.split('.')[0] ?? '', 'base64url').toString();
      expect(content).not.to.include(secret);
    });

    it('is requested by each form of a locked browser and can be submitted with it', async () => {
      const browser = newBrowser(idp);
      const page = await browser.get('/users/create');
      expect(fieldOf(page, 'management_secret')).to.equal('');
      const typed = { username: 'typed-once', password: 'p' };
      const wrong = await browser.submit(page, { ...typed, management_secret: 'guess' });
      expect(wrong.location).to.equal('/login?error=wrong_management_secret');
      const saved = await browser.submit(page, { ...typed, management_secret: secret });
      expect(saved.location).to.match(/^\/users\/typed-once\?notice=user_created/);
      expect(fieldOf(await browser.get('/users/create'), 'management_secret')).to.equal(undefined);
      expect((await browser.submit(await browser.get('/users/typed-once/delete'))).status).to.equal(302);
    });

    verifies('WEB-21', 'cannot be verified by guessing against the cookie', async () => {
      const contentOf = (browser: BrowserClient): Record<string, unknown> =>
        JSON.parse(Buffer.from(cookieOf(browser).split('=')[1]?.split('.')[0] ?? '', 'base64url').toString());
      const mine = contentOf(await unlocked());
      const digest = createHash('sha256').update(secret).digest();
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        expect(JSON.stringify(mine)).not.to.include(digest.toString(encoding));
      }
      expect(mine.unlocked).to.be.a('string');
      expect(contentOf(await unlocked()).unlocked).not.to.equal(mine.unlocked);
    });

    verifies('WEB-21', 'keeps the login when it unlocks, and locks the session again when it changes', async () => {
      const browser = newBrowser(idp);
      await browser.post('/login', { username: 'alice', password: 'wonderland' });
      await browser.post('/management/unlock', { management_secret: secret });
      expect((await browser.get('/')).text).to.match(/Writing unlocked .*alice/);
      editSettings((text) => text.replace(secret, 'another secret'));
      expect((await browser.post('/audit/clear')).location).to.equal('/login?error=management_locked');
      editSettings((text) => text.replace('another secret', secret));
      expect((await browser.post('/audit/clear')).location).to.match(/^\/audit\?/);
    });

    it('is not replaced by a copy of the cookie after its browser logged out', async () => {
      const browser = await unlocked();
      const copy = newBrowser(idp);
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      expect((await createUser('by-copy', { Cookie: cookieOf(copy) })).status).to.equal(201);
      await browser.get('/ui/logout');
      expect((await createUser('by-late-copy', { Cookie: cookieOf(copy) })).status).to.equal(401);
      expect((await copy.post('/audit/clear')).location).to.equal('/login?error=management_locked');
      // Once unlocked again, the copy has a cookie of its own.
      await copy.post('/management/unlock', { management_secret: secret });
      expect((await copy.post('/audit/clear')).location).to.match(/^\/audit\?/);
    });

    async function unlocked(): Promise<BrowserClient> {
      const browser = newBrowser(idp);
      await browser.post('/management/unlock', { management_secret: secret });
      return browser;
    }

    function cookieOf(browser: BrowserClient): string {
      return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    }
  });

  describe('require_ui_login', () => {
    before(() => configure({ require_ui_login: true, management_secret: null }));

    verifies('WEB-19', 'redirects a browser without a session from every page and action to /login', async () => {
      for (const path of pages) {
        const answer = await newBrowser(idp).get(path);
        const back = path === '/' ? '' : `&return_to=${encodeURIComponent(path)}`;
        expect([path, answer.status, answer.location]).to.deep.equal([path, 302, `/login?error=login_required${back}`]);
      }
      for (const [path, fields] of [...actions, ['/test/decode', { token: 'a.b.c' }] as const]) {
        const answer = await newBrowser(idp).post(path, fields);
        expect([path, answer.status, answer.location]).to.deep.equal([path, 302, '/login?error=login_required']);
      }
    });

    verifies('WEB-19', 'leaves login, unlock, static files, /api and the protocol endpoints open', async () => {
      const open = [
        '/login',
        '/management/unlock',
        '/static/style.css',
        '/static/icon.svg',
        '/static/copy.js',
        '/api/users',
        '/api/config',
        '/health',
        '/.well-known/openid-configuration',
        '/.well-known/jwks.json',
        '/device',
      ];
      for (const path of open) expect((await newBrowser(idp).get(path)).status, path).to.equal(200);
      expect((await createUser('while-login-is-required')).status).to.equal(201);
    });

    verifies('WEB-19', 'accepts a session on the pages', async () => {
      const browser = newBrowser(idp);
      await browser.post('/login', { username: 'alice', password: 'wonderland' });
      for (const path of pages) expect((await browser.get(path)).status, path).to.equal(200);
      await browser.get('/ui/logout');
      expect((await browser.get('/users')).location).to.equal('/login?error=login_required&return_to=%2Fusers');
    });

    it('leads to the requested page after a login, even after a wrong password, and never to another site', async () => {
      const browser = newBrowser(idp);
      const sent = await browser.get('/audit?event_type=login&search=a%26b');
      const wrong = await browser.submit(await browser.get(sent.location ?? ''), { username: 'alice', password: 'x' });
      const again = await browser.get(wrong.location ?? '');
      expect(again.text).to.include(sentences.loginWrong);
      const right = await browser.submit(again, { username: 'alice', password: 'wonderland' });
      expect([right.status, right.location]).to.deep.equal([302, '/audit?event_type=login&search=a%26b']);
      for (const return_to of ['//evil.example/', 'https://evil.example/', '/\\evil.example']) {
        const page = await newBrowser(idp).get(`/login?${new URLSearchParams({ return_to })}`);
        expect(fieldOf(page, 'return_to')).to.equal(undefined);
        const login = { username: 'alice', password: 'wonderland', return_to };
        expect((await newBrowser(idp).post('/login', login)).location).to.equal('/');
      }
    });
  });
});

describe('the management secret from file and environment', () => {
  const clear = (baseUrl: string, given?: string) =>
    fetch(`${baseUrl}/api/audit/clear`, {
      method: 'POST',
      headers: given === undefined ? {} : { 'X-Management-Secret': given },
    });
  const env = { IDP_MANAGEMENT_SECRET: 'from-environment' };

  async function withSettings(settings: object, use: (baseUrl: string) => Promise<void>): Promise<void> {
    const idp = await startIdp({ command: 'oidc', settings, env });
    try {
      await use(idp.baseUrl);
    } finally {
      await idp.stop();
    }
  }

  verifies(['RST-17', 'RST-13', 'RST-14'], 'comes from the environment without the setting', () =>
    withSettings({ cors_allowed_originss: ['https://a.example'] }, async (baseUrl) => {
      expect((await clear(baseUrl)).status).to.equal(401);
      expect((await clear(baseUrl, 'from-environment')).status).to.equal(200);
      const config = await (await fetch(`${baseUrl}/api/config`)).json();
      expect(config.runtime).to.deep.equal({ store: 'memory' });
      expect(config.cors_allowed_originss).to.deep.equal(['https://a.example']);
      expect(config.cors_applied_origins).to.deep.equal(['https://a.example']);
    }),
  );

  verifies('RST-17', 'comes from the setting if it exists, even null or empty', async () => {
    for (const value of [null, '']) {
      await withSettings({ management_secret: value }, async (baseUrl) => {
        expect((await clear(baseUrl)).status).to.equal(200);
      });
    }
    await withSettings({ management_secret: 'from-file' }, async (baseUrl) => {
      expect((await clear(baseUrl, 'from-environment')).status).to.equal(401);
      expect((await clear(baseUrl, 'from-file')).status).to.equal(200);
    });
  });

  verifies('RST-17', 'fails the load if it is not printable ASCII', async () => {
    for (const value of ['gehéim', 'line\nbreak']) {
      let failure = '';
      await withSettings({ management_secret: value }, async () => {}).catch((error: Error) => {
        failure = error.message;
      });
      expect(failure).to.include('exit code 1');
      expect(failure).to.include('management_secret');
    }
  });
});
