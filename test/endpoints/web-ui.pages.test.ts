// The other pages of the web UI: dashboard, keys, audit and token tester, and what all pages share.

import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { web } from '#test/support/credentials.ts';
import { basic, claimsOf, rawRequest } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { follow } from '#test/support/web-ui.ts';
import { interactive, interactiveUsers } from '#test/support/worlds.ts';

const hostile = '"><script>alert(1)</script><b>{{7*7}}';
const escaped = '&lt;script>alert(1)&lt;/script>';

const hostileClient = { client_id: hostile, client_secret: 's', description: hostile, show_description: true };
const hostileUser = {
  [hostile]: { password: 'p', description: hostile, roles: [hostile], attributes: { [hostile]: hostile } },
};

describe('web UI: pages', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      clients: [hostileClient],
      users: { ...interactiveUsers, ...hostileUser },
    });
  });
  after(() => idp.stop());

  const failedLogin = (username: string) => newBrowser(idp).post('/login', { username, password: 'wrong' });
  const clear = () => fetch(`${idp.baseUrl}/api/audit/clear`, { method: 'POST' });

  verifies(
    'WEB-01',
    'shows numbers by origin, counters, entity id and the last five events on the dashboard',
    async () => {
      await clear();
      await fetch(`${idp.baseUrl}/api/runtime`, { method: 'DELETE' });
      await fetch(`${idp.baseUrl}/api/runtime/users`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"username":"temp"}',
      });
      for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) await failedLogin(name);
      await newBrowser(idp).post('/login', { username: 'alice', password: 'wonderland' });
      const page = await newBrowser(idp).get('/');
      expect(page.text).to.match(/Users 7 6 declared ?, 1 runtime/);
      expect(page.text).to.match(/Clients 5 5 declared ?, 0 runtime/);
      expect(page.text).to.match(/Requests 9 0 at \/token ?, 0 at \/saml\/sso ?, 0 attribute queries/);
      expect(page.text).to.match(/Logins 7 1 successful ?, 6 failed/);
      expect(page.text).to.include(`${idp.baseUrl}/saml`);
      const shown = [...page.body.matchAll(/<summary>/g)];
      expect(shown).to.have.length(5);
      expect(page.text).to.include('alice').and.to.include('three').and.not.to.include(' two ');
    },
  );

  verifies(
    ['WEB-01', 'AUD-23'],
    'shows rejected requests separately on the dashboard, and counts browser logins at /authorize',
    async () => {
      await clear();
      const grant = (fields: Record<string, string>) =>
        fetch(`${idp.baseUrl}/token`, { method: 'POST', headers: web, body: new URLSearchParams(fields) });
      await grant({ grant_type: 'client_credentials' });
      for (const password of ['wrong', 'wronger']) {
        await grant({ grant_type: 'password', username: 'alice', password });
      }
      await newBrowser(idp).post(authorizePath(), { username: 'alice', password: 'wrong' });
      await newBrowser(idp).post(authorizePath(), { username: 'alice', password: 'wonderland' });
      const { text } = await newBrowser(idp).get('/');
      expect(text).to.match(/3 at \/token \(2 rejected\) ?, 0 at \/saml\/sso ?, 0 attribute queries/);
      expect(text).to.match(/Logins 2 1 successful ?, 1 failed/);
    },
  );

  verifies('WEB-15', 'shows kids and public PEMs on the keys page, and rotates', async () => {
    const browser = newBrowser(idp);
    const before = await (await fetch(`${idp.baseUrl}/api/keys/info`)).json();
    const page = await browser.get('/keys');
    expect(page.text).to.include(before.active_kid);
    expect(page.body.match(/BEGIN PUBLIC KEY/g)).to.have.length(1);
    expect(page.body).not.to.include('PRIVATE KEY');
    const rotated = await follow(browser, await browser.submit(page));
    const after = await (await fetch(`${idp.baseUrl}/api/keys/info`)).json();
    expect(after.previous_kids).to.deep.equal([before.active_kid]);
    expect(rotated.text).to.include(sentences.signingKeyRotated).and.to.include(after.active_kid);
    expect(rotated.text).to.include(before.active_kid);
    expect(rotated.body.match(/BEGIN PUBLIC KEY/g)).to.have.length(2);
    const [entry] = (await idp.audit('&event_type=key_rotation')).slice(-1);
    expect(entry).to.deep.include({
      endpoint: '/keys/regenerate',
      status: 'success',
      details: { old_kid: before.active_kid, new_kid: after.active_kid },
    });
  });

  verifies('WEB-15', 'shows the fixed text of a rejected rotation', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(join(idp.root, 'private.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(join(idp.root, 'public.pem'), pair.publicKey.export({ type: 'spki', format: 'pem' }));
    const external_keys = { private_key: '../private.pem', public_key: '../public.pem' };
    await idp.configure({ settings: { jwt: { external_keys } } });
    const answer = await newBrowser(idp).post('/keys/regenerate');
    const { error } = await (await fetch(`${idp.baseUrl}/api/keys/rotate`, { method: 'POST' })).json();
    expect(answer.status).to.equal(409);
    expect(answer.text).to.include('The key was not rotated').and.to.include(error);
    expect(answer.body).not.to.include(idp.root);
    await idp.configure({ clients: [hostileClient], users: { ...interactiveUsers, ...hostileUser } });
  });

  verifies('WEB-15', 'sends public key and certificate as attachments', async () => {
    const key = await fetch(`${idp.baseUrl}/keys/download/public_key`);
    expect(key.headers.get('content-disposition')).to.equal('attachment; filename="public_key.pem"');
    const certificate = await fetch(`${idp.baseUrl}/keys/download/certificate`);
    expect(certificate.headers.get('content-disposition')).to.equal('attachment; filename="idp-cert.pem"');
    const pem = await key.text();
    expect(createPublicKey(pem).asymmetricKeyType).to.equal('rsa');
    expect(new X509Certificate(await certificate.text()).publicKey.export({ type: 'spki', format: 'pem' })).to.equal(
      pem,
    );
    const jwks = await (await fetch(`${idp.baseUrl}/.well-known/jwks.json`)).json();
    expect(createPublicKey(pem).export({ format: 'jwk' }).n).to.equal(jwks.keys[0].n);
  });

  verifies('WEB-17', 'shows 50 audit events, newest first, and filters them', async () => {
    await clear();
    for (let number = 1; number <= 60; number += 1) await failedLogin(`user-${number}`);
    await fetch(`${idp.baseUrl}/api/users/alice/token`, { method: 'POST', body: '{"client_id":"web"}' });
    const browser = newBrowser(idp);
    const summaries = async (query: string) =>
      [...(await browser.get(`/audit${query}`)).body.matchAll(/<summary>(.*?)<\/summary>/gs)].map(([, body = '']) =>
        body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '),
      );
    const all = await summaries('');
    expect(all).to.have.length(50);
    expect(all[0]).to.include('Token request').and.to.include('alice').and.to.include('web');
    expect(all[1]).to.include('user-60');
    expect(all[49]).to.include('user-12');
    expect(await summaries('?limit=2')).to.have.length(2);
    expect(await summaries('?event_type=token_request')).to.have.length(1);
    expect(await summaries('?client_id=web')).to.have.length(1);
    expect(await summaries('?event_type=login&client_id=web')).to.have.length(0);
    const found = await summaries('?search=USER-5');
    expect(found.map((text) => /user-\d+/.exec(text)?.[0])).to.deep.equal([
      'user-59',
      'user-58',
      'user-57',
      'user-56',
      'user-55',
      'user-54',
      'user-53',
      'user-52',
      'user-51',
      'user-50',
      'user-5',
    ]);
    expect((await browser.get('/audit?search=xyzzy')).text).to.include('No matching events');
  });

  verifies('WEB-17', 'exports all stored events that match as attachments', async () => {
    const json = await fetch(`${idp.baseUrl}/audit/export/json?event_type=login`);
    expect(json.headers.get('content-disposition')).to.match(/^attachment; filename=/);
    const entries = (await json.json()) as { username: string }[];
    expect(entries.map(({ username }) => username)).to.deep.equal(
      Array.from({ length: 60 }, (_, i) => `user-${i + 1}`),
    );
    expect(await (await fetch(`${idp.baseUrl}/audit/export/json?search=user-7`)).json()).to.have.length(1);
    const csv = await fetch(`${idp.baseUrl}/audit/export/csv`);
    expect(csv.headers.get('content-disposition')).to.match(/^attachment; filename=/);
    const lines = (await csv.text()).trimEnd().split('\r\n');
    expect(lines).to.have.length(62);
    expect(lines[0]).to.equal(
      'timestamp,event_type,username,client_id,ip_address,user_agent,endpoint,method,status,details,clock',
    );
  });

  verifies('WEB-17', 'starts no formula in a CSV cell', async () => {
    for (const name of ['=1+1', '+cmd', '-cmd', '@cmd', '\t=1', '＝1']) await failedLogin(name);
    await rawRequest(`${idp.baseUrl}/login`, {
      method: 'POST',
      headers: { 'User-Agent': '=HYPERLINK("x")', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'username=x&password=y',
    });
    const text = await (await fetch(`${idp.baseUrl}/audit/export/csv?event_type=login`)).text();
    expect(text).to.include(`"'=1+1"`).and.to.include(`"'+cmd"`).and.to.include(`"'@cmd"`).and.to.include(`"'-cmd"`);
    expect(text).to.include(`"'=HYPERLINK(""x"")"`);
    for (const cell of text.split(/\r\n|,/)) expect(cell.replace(/^"/, '')).not.to.match(/^[=+\-@＝\t]/);
  });

  verifies('WEB-17', 'clears the audit by POST /audit/clear', async () => {
    const browser = newBrowser(idp);
    const question = await browser.get('/audit/clear');
    expect((await idp.audit()).length).to.be.above(60);
    const page = await follow(browser, await browser.submit(question));
    expect(page.text).to.include(sentences.auditCleared).and.to.include('No events yet');
    expect(await idp.audit()).to.deep.equal([]);
  });

  it("shows only failures, the caller's response, and older events on further audit pages", async () => {
    await fetch(`${idp.baseUrl}/api/audit/clear`, { method: 'POST' });
    const redeem = (code: string) =>
      fetch(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: web,
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          redirect_uri: 'http://127.0.0.1:9/callback',
        }),
      });
    await redeem('unknown');
    for (let count = 0; count < 3; count += 1) {
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      await fetch(`${idp.baseUrl}/token`, { method: 'POST', headers: web, body });
    }
    const browser = newBrowser(idp);
    const shown = async (query: string) => (await browser.get(`/audit?${query}`)).body.split('<details').length - 1;
    expect(await shown('')).to.equal(4);
    expect(await shown('failed=true')).to.equal(1);
    expect(await shown('search=invalid_grant')).to.equal(1);
    expect((await browser.get('/audit?failed=true')).text).to.include('Status 400 invalid_grant');
    const second = await browser.get('/audit?limit=3&page=2');
    expect(second.body).to.include('href="/audit?limit=3"').and.to.include('Unknown or expired code');
    expect(second.text).to.include('Newer 4–4, newest first Older');
    expect(await shown('limit=3&page=2')).to.equal(1);
    expect((await browser.get('/audit?limit=3')).body).to.include('href="/audit?limit=3&amp;page=2"');
    const exported = await fetch(`${idp.baseUrl}/audit/export/json?failed=true`);
    expect(await exported.json()).to.have.length(1);
  });

  it('shows and searches status and parameters of each request, with only the names of secrets', async () => {
    await clear();
    await fetch(`${idp.baseUrl}/token?scope=openid`, {
      method: 'POST',
      headers: web,
      body: new URLSearchParams([
        ['grant_type', 'password'],
        ['username', 'alice'],
        ['password', 'kept-from-view'],
        ['redirect_url', 'misspelt-by-hand'],
        ['hunter2', ''],
        ['scope', 'a'],
        ['scope', 'b'],
      ]),
    });
    const browser = newBrowser(idp);
    const page = await browser.get('/audit');
    expect(page.text).to.match(
      /Status 400 \w+ .*Parameters scope openid grant_type password username alice password sent, not stored redirect_url sent, not stored scope a scope b/,
    );
    const shown = async (query: string) => (await browser.get(`/audit?${query}`)).body.split('<details').length - 1;
    expect([await shown('search=redirect_url'), await shown('search=xyzzy')]).to.deep.equal([1, 0]);
    for (const secret of ['kept-from-view', 'misspelt-by-hand', 'hunter2']) {
      expect(page.body).not.to.include(secret);
      expect(await shown(`search=${secret}`)).to.equal(0);
    }
    await browser.post(authorizePath({ state: 'seen-state' }), { username: 'alice', password: 'kept-from-view' });
    expect((await browser.get('/audit')).text).to.include('state seen-state');
    const [entry] = await idp.audit();
    expect(entry).not.to.have.property('request');
  });

  it('explains a failed login: the sent value, the expected value and the standard', async () => {
    await failedLogin('alice');
    await fetch(`${idp.baseUrl}/token`, {
      method: 'POST',
      headers: { Authorization: basic('web', 'wrong') },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const elsewhere = new URLSearchParams({
      client_id: 'web',
      response_type: 'code',
      redirect_uri: 'https://a.example/',
    });
    await fetch(`${idp.baseUrl}/authorize?${elsewhere}`);
    const { text } = await newBrowser(idp).get('/audit');
    expect(text).to.match(/wrong username or password .*Expected: The name of a user, and exactly the password/);
    expect(text).to.match(
      /Wrong client secret .*Expected: Exactly the client_secret of the client entry.*RFC 6749 §2.3.*client_secret_basic/,
    );
    expect(text).to.match(
      /not registered for this client: https:\/\/a\.example\/ .*RFC 9700 §2\.1 Registered: http:\/\/127\.0\.0\.1:9\/callback/,
    );
  });

  verifies('WEB-18', 'obtains a token in the tester and shows it decoded, with its curl command', async () => {
    const browser = newBrowser(idp);
    const page = await browser.post('/test', { username: 'alice', client_id: 'web', exp_minutes: '5' });
    expect(page.status).to.equal(200);
    expect(page.headers.get('cache-control')).to.equal('no-store');
    const token = /<code id="shown-token">([^<]+)</.exec(page.body)?.[1] ?? '';
    expect(claimsOf(token)).to.include({ sub: 'alice', client_id: 'web' });
    expect(page.text).to.include('signature valid').and.to.include('"alg": "RS256"');
    expect(page.text).to.match(/exp \d+ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, in 5 minutes/);
    expect(page.text).to.include(`curl -sS -X POST '${idp.baseUrl}/api/users/alice/token'`);
    expect(page.text).to.include(`-d '{"exp_minutes":5,"client_id":"web"}'`);
    const [entry] = (await idp.audit('&event_type=token_request')).slice(-1);
    expect(entry).to.deep.include({ username: 'alice', client_id: 'web', endpoint: '/test', status: 'success' });
    const decoded = await browser.post('/test/decode', { token });
    expect(decoded.text).to.include('signature valid').and.to.include('token_use access');
    const forged = `${token.slice(0, -8)}AAAAAAAA`;
    expect((await browser.post('/test/decode', { token: forged })).text).to.include('from an unknown key');
    expect((await browser.post('/test/decode', { token: 'nonsense' })).body).to.include('id="token-error"');
    const deep = Buffer.from(`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`).toString('base64url');
    const tooDeep = await browser.post('/test/decode', { token: `eyJhbGciOiJSUzI1NiJ9.${deep}.AA` });
    expect(tooDeep.status).to.equal(400);
    expect(tooDeep.body).to.include('JSON of at most 100 levels');
    const refused = await browser.post('/test', { username: 'nobody', exp_minutes: '0' });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.include('id="username-error"').and.to.include('id="exp_minutes-error"');
  });

  const everyPage = () => [
    '/',
    '/users',
    '/users/create',
    `/users/${encodeURIComponent(hostile)}`,
    `/users/${encodeURIComponent(hostile)}/edit`,
    `/users/${encodeURIComponent(hostile)}/delete`,
    '/clients',
    '/clients/create',
    `/clients/${encodeURIComponent(hostile)}/edit`,
    `/clients/${encodeURIComponent(hostile)}/delete`,
    `/clients/${encodeURIComponent(hostile)}/regenerate-secret`,
    '/settings',
    '/claims',
    `/claims?username=${encodeURIComponent(hostile)}`,
    '/keys',
    '/audit',
    '/audit/clear',
    `/audit?search=${encodeURIComponent(hostile)}`,
    '/clock',
    '/test',
    `/test?username=${encodeURIComponent(hostile)}`,
    '/management/unlock',
    '/login',
    '/login?error=wrong_credentials',
    '/device',
    '/device?user_code=BCDF-GHJK',
    '/logout',
    authorizePath(),
    authorizePath({ client_id: hostile }),
    '/nowhere',
    '/users/nobody/nothing',
  ];

  verifies('WEB-26', 'sends headers on every page, without inline script, style or handler', async () => {
    for (const path of everyPage()) {
      const page = await newBrowser(idp).get(path, { Accept: 'text/html' });
      expect(page.headers.get('content-type'), path).to.equal('text/html; charset=utf-8');
      expect(page.headers.get('x-content-type-options'), path).to.equal('nosniff');
      const policy = new Map(
        (page.headers.get('content-security-policy') ?? '').split(';').map((part): [string, string] => {
          const [name = '', ...values] = part.trim().split(' ');
          return [name, values.join(' ')];
        }),
      );
      expect(policy.get('default-src'), path).to.equal("'none'");
      expect(policy.get('script-src')).to.equal("'self'");
      expect(policy.get('style-src')).to.equal("'self'");
      expect(policy.get('frame-ancestors')).to.equal("'none'");
      expect(policy.get('object-src')).to.equal("'none'");
      expect(policy.get('base-uri')).to.equal("'none'");
      expect(page.body, path).not.to.match(/<script(?![^>]*\ssrc=)/);
      expect(page.body, path).not.to.match(/<style|\sstyle=|<[^>]*\son[a-z]+=|javascript:/i);
      expect(page.headers.get('referrer-policy')).to.equal('same-origin');
      expect(page.headers.get('cache-control')).to.match(/no-cache|no-store/);
    }
  });

  verifies('WEB-28', 'escapes hostile names on every page', async () => {
    await failedLogin(hostile);
    await fetch(`${idp.baseUrl}/api/runtime/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: `${hostile}-runtime`, description: hostile }),
    });
    await idp.withStore(async ({ metadataDocuments }) => {
      const client_id = `https://client.example/${hostile}`;
      const now = instant(Date.now());
      const entry = clientEntryModel.parse({ client_id, token_endpoint_auth_method: 'none', redirect_uris: [hostile] });
      await metadataDocuments.save({ client_id, entry, fetchedAt: now, freshUntil: instant(now + 60_000) }, now);
    });
    const notice = `?${new URLSearchParams({ notice: 'user_saved', name: hostile })}`;
    for (const path of [...everyPage(), `/users${notice}`, `/clients${notice}`]) {
      const { body } = await newBrowser(idp).get(path, { Accept: 'text/html' });
      expect(body, path).not.to.include('<script>alert').and.not.to.include('<b>{{');
    }
    for (const path of ['/users', '/clients', '/audit']) {
      expect((await newBrowser(idp).get(path)).body, path).to.include(escaped);
    }
    // Messages come from the program only.
    const noticePage = await newBrowser(idp).get(`/users?${new URLSearchParams({ notice: hostile, name: 'x' })}`);
    expect(noticePage.body).not.to.include(`${escaped}x`);
    const prototype = await newBrowser(idp).get('/users?notice=constructor');
    expect(prototype.status).to.equal(200);
  });

  verifies('WEB-28', 'names the page in titles, never a user or client', async () => {
    for (const path of everyPage()) {
      const { body } = await newBrowser(idp).get(path, { Accept: 'text/html' });
      const title = /<title>(.*?)<\/title>/s.exec(body)?.[1] ?? '';
      expect(title, path).to.match(/^[A-Za-z0-9 ’',:-]+ · test-idp$/);
    }
  });

  it('explains in the settings which issuer tokens contain and how CORS is configured', async () => {
    const page = await newBrowser(idp).get('/settings');
    expect(page.text).to.include(`Tokens that you request at your current address have the issuer ${idp.baseUrl}`);
    expect(page.text).to.include('cors_allowed_origins the security profile decides');
  });

  verifies('WEB-25', 'changes no state on any GET of a page', async () => {
    const state = async () =>
      Promise.all(
        ['/api/config', '/api/users', '/api/runtime/users', '/api/runtime/clients', '/api/keys/info', '/api/audit'].map(
          async (path) => (await fetch(idp.baseUrl + path)).text(),
        ),
      );
    const before = await state();
    const quiet = everyPage().filter((path) => !path.startsWith('/authorize') && path !== '/logout');
    for (const path of quiet) await newBrowser(idp).get(path);
    for (const path of ['/keys/regenerate', '/clients/forget', '/test/decode']) {
      expect((await newBrowser(idp).get(path)).status).to.equal(405);
    }
    expect(await state()).to.deep.equal(before);
  });

  describe('static files', () => {
    const addressOf = async (name: string) => {
      const { body } = await newBrowser(idp).get('/users');
      return new RegExp(`/static/${name}\\?v=[0-9a-f]+`).exec(body)?.[0] ?? '';
    };

    it('are cached under the address of their content and return 304', async () => {
      const address = await addressOf('style.css');
      const first = await fetch(idp.baseUrl + address);
      expect(first.headers.get('content-type')).to.equal('text/css; charset=utf-8');
      expect(first.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      const again = await fetch(idp.baseUrl + address, {
        headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
      });
      expect(again.status).to.equal(304);
      const bare = await fetch(`${idp.baseUrl}/static/style.css`);
      expect(bare.headers.get('cache-control')).to.equal('public, no-cache');
    });

    it('serve only the colours of a client', async () => {
      const theme = await fetch(`${idp.baseUrl}/static/client-theme.css?header=14375e&background=ffffff`);
      expect(await theme.text()).to.include('.client-header { background: #14375e; color: #ffffff;');
      const injected = await fetch(`${idp.baseUrl}/static/client-theme.css?header=${encodeURIComponent('red;}*{x:y')}`);
      expect(injected.status).to.equal(400);
    });

    verifies('CFG-K21', 'include a logo of oauth.logos_dir under the name of its client, or return 404', async () => {
      const directory = join(idp.root, 'logos');
      mkdirSync(directory);
      writeFileSync(join(directory, 'web.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
      writeFileSync(join(idp.root, 'outside.svg'), '<svg/>');
      const get = (clientId: string) => rawRequest(`${idp.baseUrl}/client-logos/${clientId}`);
      expect((await get('web')).status).to.equal(404);
      await idp.configure({ settings: { oauth: { issuer_from_request: true, logos_dir: '../logos' } } });
      const logo = await get('web');
      expect([logo.status, logo.headers['content-type']]).to.deep.equal([200, 'image/svg+xml']);
      expect(logo.headers['content-security-policy']).to.include('sandbox');
      for (const name of ['spa', 'web.svg', '..%2Foutside', '%2e%2e%2foutside', '.']) {
        expect((await get(name)).status, name).to.equal(404);
      }
    });
  });
});
