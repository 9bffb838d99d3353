// A second identity provider below a prefix, made of nothing but another Namespace: what the endpoints say, set and link to
// stays below it, although none of them knows.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { oidcApp, oidcAreas, oidcRoutes } from '#services/oidc/app.ts';
import { samlFrontendRoutes } from '#services/saml/app.ts';
import { instant, systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { defaultNamespace, type Namespace, namespaceBelow } from '#shared/engine/exchange/namespace.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { startValuesOf } from '#shared/engine/exchange/start-values.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import { errorPageRenderer } from '#shared/web/pages/error-page.tsx';
import { createFrontend } from '#shared/web/pipeline/frontend.ts';
import { BrowserClient } from '#test/support/browser-client.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { noSandboxes } from '#test/support/no-sandboxes.ts';
import { openEmptyMemoryStore } from '#test/support/open-test-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';

const redirectUri = 'http://127.0.0.1:9/callback';
const settings = {
  oauth: {
    issuer_from_request: true,
    clients: [{ client_id: 'web', client_secret: 's', redirect_uris: [redirectUri] }],
    dynamic_registration: { enabled: true },
  },
};
const users = { alice: { password: 'wonderland' } };
const authorize = `/authorize?${new URLSearchParams({
  ...{ client_id: 'web', redirect_uri: redirectUri, response_type: 'code', scope: 'openid', state: 's' },
})}`;
const basic = `Basic ${Buffer.from('web:s').toString('base64')}`;
/** Five years ahead, to the second. */
const otherTime = instant(Math.floor(Date.now() / 1000 + 5 * 365 * 86_400) * 1000);

describe('a namespace below a prefix', () => {
  const closing: (() => unknown)[] = [];
  let server: Server;
  let origin: string;
  let box: Namespace;
  let lookUps: 'at once' | 'later' | 'broken' = 'at once';

  before(async () => {
    const snapshot = snapshotOf({ settings, users });
    const open = async () => {
      const { opened } = await openEmptyMemoryStore();
      const root = newKeysRoot();
      closing.push(
        () => opened.close(),
        () => root.remove(),
      );
      return { store: opened.store, audit: opened.audit, keys: await openTestKeys(root) };
    };
    const configuration: Partial<ActiveConfiguration> = {
      inForce: () => snapshot,
      refreshed: async () => snapshot,
      changedOnDisk: () => [],
      standing: () => ({ inForce: 1, behind: false, failed: undefined }),
    };
    const services: ProcessServices = {
      ...(await open()),
      configuration: configuration as ActiveConfiguration,
      sandboxes: noSandboxes,
      atStart: startValuesOf(snapshot),
      ...{ clock: clockAt(realTime), clockOfRequest: () => clockAt(realTime) },
      ...{ stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger() },
    };
    const home = defaultNamespace(services);
    box = namespaceBelow('/s/box', home, {
      ...(await open()),
      sessionCookie: { name: 'test_idp_session.box', path: '/s/box' },
      clockOfRequest: () => clockAt({ offsetMilliseconds: 0, frozenAt: otherTime }),
    });
    const find = (path: string) => {
      const [, insertion, name, inner = ''] = /^(\/\.well-known\/[a-z-]+)?\/s\/([^/]+)(\/.*)?$/.exec(path) ?? [];
      if (name === undefined) return { namespace: home, path };
      return name === 'box'
        ? { namespace: box, path: insertion ?? (inner === '' ? '/' : inner) }
        : { unknown: name, path: inner };
    };
    const samlRoutes = samlFrontendRoutes.filter(({ path }) => path.startsWith('/saml/'));
    const frontend = createFrontend({
      ...{ app: oidcApp([...oidcAreas, samlRoutes]), routes: [...oidcRoutes, ...samlRoutes] },
      services,
      namespaces: {
        find(path) {
          const found = find(path);
          if (lookUps === 'broken') return Promise.reject(new Error('no store'));
          return 'unknown' in found || lookUps === 'later' ? Promise.resolve(found) : found;
        },
      },
      renderErrorPage: errorPageRenderer({ href: '/', text: 'To the dashboard' }),
      relayed: false,
      relay(path, { url }, response) {
        if (path !== '/saml/relayed') return false;
        response.end(url);
        return true;
      },
    });
    server = createServer(frontend.listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.close();
    for (const close of closing) await close();
  });
  beforeEach(() => {
    lookUps = 'at once';
  });

  it('writes its prefix into every link and form of its pages, static files excepted', async () => {
    const browser = new BrowserClient(origin);
    const pages = [
      '/',
      '/login',
      '/login?error=x',
      '/users',
      '/users/alice',
      '/users/alice/edit',
      '/users/alice/delete',
    ];
    pages.push('/users/create', '/clients', '/clients/create', '/clients/web/edit', '/clients/web/regenerate-secret');
    pages.push(
      '/service-providers',
      '/service-providers/create',
      '/service-providers/import',
      '/settings',
      '/claims',
      '/keys',
      '/audit',
      '/audit/clear',
      '/clock',
      '/test',
      '/management/unlock',
      '/logout',
    );
    pages.push('/device', authorize, '/nowhere', '/users?q=nobody');
    const strays: string[] = [];
    let links = 0;
    for (const path of pages) {
      const page = await browser.get(`/s/box${path}`, { Accept: 'text/html' });
      expect(page.headers.get('content-type'), path).to.contain('text/html');
      for (const [, address = ''] of page.body.matchAll(/ (?:href|action|src|formaction)="([^"#]+)/g)) {
        links += 1;
        if (!new RegExp(`^(?:/static/|(?:${origin})?/s/box/|https://)`).test(address))
          strays.push(`${path}: ${address}`);
      }
    }
    expect(strays).to.deep.equal([]);
    expect(links).to.be.greaterThan(200);
  });

  it('keeps redirects and the cookie to itself', async () => {
    const browser = new BrowserClient(origin);
    const posted = await browser.post('/s/box/login', { username: 'alice', password: 'wonderland' });
    expect(posted.location).to.equal('/s/box/');
    expect(posted.headers.getSetCookie()[0]).to.match(/^test_idp_session_[0-9]+\.box=[^;]+; Path=\/s\/box; HttpOnly/);
    expect((await browser.get('/s/box/')).text).to.contain('alice');
    expect((await browser.get('/')).text).to.not.contain('alice');
    expect((await browser.get('/s/box/users/nobody')).location).to.match(/^\/s\/box\/users\?/);
    expect((await browser.get('/s/box/ui/logout')).location).to.equal('/s/box/');
  });

  it('issues codes and tokens that are its own, in its own time', async () => {
    const browser = new BrowserClient(origin);
    const form = await browser.get(`/s/box${authorize}`);
    const answered = await browser.submit(form, { username: 'alice', password: 'wonderland' });
    const code = new URL(answered.location ?? '').searchParams.get('code') ?? '';
    const redeem = async (prefix: string) => {
      const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
      const response = await fetch(`${origin}${prefix}/token`, {
        method: 'POST',
        headers: { Authorization: basic },
        body,
      });
      return { status: response.status, body: await response.json() };
    };
    expect((await redeem('')).status).to.equal(400);
    const { status, body } = await redeem('/s/box');
    expect(status).to.equal(200);
    const { iss, iat, auth_time } = decodeJwt(body.id_token);
    expect([iss, iat, auth_time]).to.deep.equal([`${origin}/s/box`, otherTime / 1000, otherTime / 1000]);
    const ask = async (prefix: string) =>
      (await fetch(`${origin}${prefix}/userinfo`, { headers: { Authorization: `Bearer ${body.access_token}` } }))
        .status;
    expect([await ask(''), await ask('/s/box')]).to.deep.equal([401, 200]);
  });

  it('announces addresses of its own alone', async () => {
    const spots = ['/s/box/.well-known/openid-configuration', '/.well-known/oauth-authorization-server/s/box'];
    for (const spot of spots) {
      const document: Record<string, unknown> = await (await fetch(origin + spot)).json();
      const addresses = Object.values(document).filter((value) => String(value).startsWith('http'));
      expect(addresses).to.have.length.greaterThan(8);
      for (const address of addresses) expect(String(address)).to.match(new RegExp(`^${origin}/s/box(?:/|$)`));
    }
    const metadata = await (await fetch(`${origin}/s/box/saml/metadata`)).text();
    expect(metadata).to.contain(`${origin}/s/box/saml/sso`).and.to.contain(`entityID="${origin}/s/box/saml"`);
    const device = await fetch(`${origin}/s/box/device_authorization`, {
      ...{ method: 'POST', headers: { Authorization: basic }, body: new URLSearchParams({ client_id: 'web' }) },
    });
    expect((await device.json()).verification_uri).to.equal(`${origin}/s/box/device`);
  });

  it('relays by the path inside it, and the request as it came', async () => {
    const relayed = async (path: string) => (await fetch(origin + path)).text();
    expect(await relayed('/s/box/saml/relayed?x=1')).to.equal('/s/box/saml/relayed?x=1');
    lookUps = 'later';
    expect(await relayed('/s/box/saml/relayed')).to.equal('/s/box/saml/relayed');
  });

  it('may be looked for in a store; one that is not found is 404, a search that fails is a fault', async () => {
    const status = async (path: string) => (await fetch(origin + path)).status;
    expect(await status('/s/other/health')).to.equal(404);
    lookUps = 'later';
    expect([await status('/s/box/health'), await status('/s/other/health')]).to.deep.equal([200, 404]);
    lookUps = 'broken';
    expect(await status('/s/box/health')).to.equal(500);
  });
});
