// Programs on one sqlite store and one configuration act as one server, even over a restart.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { holdLock } from '#test/support/held-lock.ts';
import { postForm } from '#test/support/http.ts';
import { type ApiClient, apiClient } from '#test/support/management-api.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoUsers } from '#test/support/worlds.ts';

const settings = {
  ...sharedSettings,
  oauth: { ...sharedSettings.oauth, issuer_from_request: false, dynamic_registration: { enabled: true } },
};

describe('one sqlite store', () => {
  let shared: SharedRoot;
  let one: RunningIdp;
  let other: RunningIdp;
  let api: ApiClient;
  let otherApi: ApiClient;
  before(async () => {
    shared = makeSharedRoot(settings);
    const { root } = shared;
    [one, other] = await Promise.all([startIdp({ root, command: 'start' }), startIdp({ root, command: 'oidc' })]);
    api = apiClient(one);
    otherApi = apiClient(other);
  });
  after(async () => {
    await one.stop();
    await other.stop();
    shared.remove();
  });

  const redeem = (idp: RunningIdp, code: string) =>
    postForm(`${idp.baseUrl}/token`, { grant_type: 'authorization_code', code, redirect_uri: callback }, web);
  const refresh = (idp: RunningIdp, refresh_token: string) =>
    postForm(`${idp.baseUrl}/token`, { grant_type: 'refresh_token', refresh_token }, web);
  /** A browser that a load balancer sends to another program. Both programs have the same public address (D41). */
  const moved = (browser: BrowserClient, idp: RunningIdp) => {
    const next = new BrowserClient(idp.baseUrl);
    const { port } = new URL(idp.baseUrl);
    for (const [name, value] of browser.cookies) next.cookies.set(name.replace(/_\d+$/, `_${port}`), value);
    return next;
  };

  verifies(['STO-11', 'STO-12'], 'accepts at one program what the other one issued', async () => {
    // One program shows the login page, the other one handles the form, the first redeems the code, the second refreshes.
    const browser = new BrowserClient(one.baseUrl);
    const page = await browser.get(authorizePath({ scope: 'openid offline_access' }));
    const transaction_id = page.forms.flatMap(({ fields }) => fields).find(([name]) => name === 'transaction_id')?.[1];
    const back = await moved(browser, other).post('/authorize', { transaction_id: transaction_id ?? '', ...alice });
    const code = redirectParameters(back).get('code') ?? '';
    const attempts = await Promise.all([one, other, one, other].map((idp) => redeem(idp, code)));
    expect(attempts.map(({ status }) => status).toSorted()).to.deep.equal([200, 400, 400, 400]);

    const grant = await (await postForm(`${one.baseUrl}/device_authorization`, { scope: 'openid' }, web)).json();
    await new BrowserClient(other.baseUrl).post('/device', { user_code: grant.user_code, ...alice });
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: grant.device_code };
    const polls = await Promise.all([one, other].map((idp) => postForm(`${idp.baseUrl}/token`, form, web)));
    expect(polls.map(({ status }) => status).toSorted()).to.deep.equal([200, 400]);
    const won = polls.find(({ status }) => status === 200);
    if (won === undefined) throw new Error('no poll succeeded');
    const { refresh_token } = await won.json();
    expect((await refresh(other, refresh_token)).status).to.equal(200);
    expect((await postForm(`${one.baseUrl}/revoke`, { token: refresh_token }, web)).status).to.equal(200);
    expect((await refresh(other, refresh_token)).status).to.equal(400);

    const registered = (await api('POST', '/register', { redirect_uris: [callback] })).body;
    const bearer = { Authorization: `Bearer ${registered.registration_access_token}` };
    expect((await otherApi('GET', `/register/${registered.client_id}`, undefined, bearer)).status).to.equal(200);

    const session = new BrowserClient(one.baseUrl);
    await session.post('/login', alice);
    const away = await moved(session, other).get('/ui/logout');
    expect(away.status).to.equal(302);
    const [last] = (await api('GET', '/api/audit?limit=1')).body.entries;
    expect([last.event_type, last.username]).to.deep.equal(['logout', 'alice']);
  });

  verifies(['STO-18', 'STO-19'], 'checks the content of the files before every request', async () => {
    for (let round = 0; round < 4; round += 1) {
      // The files have the same length, and often the same timestamp.
      shared.writeUsers({ users: { ...demoUsers.users, carol: { password: 'x', tenant: `tenant-${round}` } } });
      expect((await otherApi('GET', '/api/users/carol')).body.tenant).to.equal(`tenant-${round}`);
      expect((await api('GET', '/api/users/carol')).body.tenant).to.equal(`tenant-${round}`);
    }
    shared.writeUsers(demoUsers);
    expect((await api('GET', '/api/users/carol')).status).to.equal(404);
    const changed = { ...settings, oauth: { ...settings.oauth, issuer: 'http://elsewhere.example' } };
    shared.writeSettings(changed);
    const { issuer } = (await otherApi('GET', '/.well-known/openid-configuration')).body;
    expect(issuer).to.equal('http://elsewhere.example');
    const metadata = await (await fetch(`${one.baseUrl}/saml/metadata`)).text();
    expect(metadata).to.contain('http://elsewhere.example/saml');
    shared.writeSettings(settings);
    expect((await api('GET', '/health')).status).to.equal(200);
  });

  verifies(
    ['STO-20', 'STO-23'],
    'keeps the running configuration while the files do not load, with one warning',
    async () => {
      shared.writeUsers({ users: { ...demoUsers.users, carol: { roles: 'no list' } } });
      const before = other.log().length;
      for (let request = 0; request < 3; request += 1)
        expect((await otherApi('GET', '/api/users')).status).to.equal(200);
      const warnings = other
        .log()
        .slice(before)
        .split('\n')
        .filter((line) => line.includes('The previous configuration stays active'));
      expect(warnings).to.have.length(1);
      const create = await otherApi('POST', '/api/runtime/users', { username: 'x' });
      expect([create.status, create.body.error]).to.deep.equal([503, 'configuration_unloadable']);
      expect(Object.keys(create.body).toSorted()).to.deep.equal(['error', 'error_description']);
      expect(create.headers.get('cache-control')).to.equal(null);
      shared.writeUsers(demoUsers);
      expect((await otherApi('POST', '/api/runtime/users', { username: 'x' })).status).to.equal(201);
      await api('DELETE', '/api/runtime/users/x');
    },
  );

  verifies('STO-24', 'loads changed files before it decides about a create or a promotion', async () => {
    await api('POST', '/api/runtime/users', { username: 'dora' });
    shared.writeUsers({
      users: { ...demoUsers.users, dora: { password: 'declared' }, emil: { password: 'declared' } },
    });
    const create = await otherApi('POST', '/api/runtime/users', { username: 'emil' });
    expect([create.status, create.body.kind]).to.deep.equal([409, 'declared']);
    // Loading the files removed the runtime object.
    const promote = await api('POST', '/api/runtime/users/dora/promote');
    expect([promote.status, promote.body.kind]).to.deep.equal([404, 'not_found']);
    expect((await api('GET', '/api/users/dora')).body.origin).to.equal('declared');
    shared.writeUsers(demoUsers);
  });

  verifies(
    ['STO-15', 'STO-16', 'STO-23'],
    'waits up to 5 s for another writer, and meanwhile answers what needs no write',
    async () => {
      const grant = await (await postForm(`${one.baseUrl}/device_authorization`, {}, web)).json();
      const foreign = new Database(shared.storePath);
      foreign.exec('BEGIN IMMEDIATE');
      const delayed = api('POST', '/api/runtime/users', { username: 'delayed' });
      const waits: number[] = [];
      while (waits.length < 20) {
        const start = performance.now();
        expect((await api('GET', '/health')).status).to.equal(200);
        waits.push(performance.now() - start);
      }
      waits.sort((one, other) => one - other);
      // A request that waited for the writer would take 5 s. A busy machine is slow only for a moment.
      expect(waits[17], 'nine of ten').to.be.below(250);
      expect(waits.at(-1), 'the longest').to.be.below(2_500);
      foreign.exec('COMMIT');
      expect((await delayed).status).to.equal(201);

      foreign.exec('BEGIN IMMEDIATE');
      const start = performance.now();
      const [refused, page] = await Promise.all([
        api('POST', '/api/runtime/users', { username: 'refused' }),
        new BrowserClient(one.baseUrl).post('/device', { user_code: grant.user_code, ...alice }),
      ]);
      const waited = performance.now() - start;
      foreign.exec('COMMIT');
      foreign.close();
      expect(waited).to.be.within(4_500, 9_000);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(refused.body.error).to.equal('runtime_store_unavailable');
      expect(refused.body.error_description).to.be.a('string').that.does.not.contain('SQLITE');
      expect(refused.headers.get('cache-control')).to.equal(null);
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([503, 'text/html; charset=utf-8']);
      expect((await api('GET', '/api/runtime/users/refused')).status).to.equal(404);
      await api('DELETE', '/api/runtime/users/delayed');
    },
  );

  verifies(
    ['AUD-09', 'STO-12', 'STO-15'],
    'confirms completed requests while the audit is locked, and rejects others with 503',
    async () => {
      const login = await new BrowserClient(one.baseUrl).post(authorizePath(), alice);
      const code = redirectParameters(login).get('code') ?? '';
      await api('POST', '/api/audit/clear');
      const foreign = new Database(shared.storePath.replace('runtime.db', 'runtime-audit.db'));
      foreign.exec('BEGIN IMMEDIATE');
      const token = (form: Record<string, string>) => postForm(`${one.baseUrl}/token`, form, web);
      const redemption = { grant_type: 'authorization_code', code, redirect_uri: callback };
      const [redeemed, rotated, refused] = await Promise.all([
        token(redemption),
        api('POST', '/api/keys/rotate'),
        token({ grant_type: 'client_credentials' }),
      ]);
      foreign.exec('COMMIT');
      foreign.close();
      expect([redeemed.status, rotated.status, refused.status]).to.deep.equal([200, 200, 503]);
      const { entries } = (await otherApi('GET', '/api/audit')).body;
      const seen = entries.map(({ event_type, status }: { event_type: string; status: string }) => [
        event_type,
        status,
      ]);
      expect(seen.sort()).to.deep.equal([
        ['key_rotation', 'success'],
        ['token_request', 'success'],
      ]);
    },
  );

  verifies(
    ['STO-21', 'STO-22', 'STO-23'],
    'returns configuration_unavailable while the directory stays locked',
    async () => {
      const release = holdLock(join(shared.root, 'config'));
      shared.writeUsers({ users: { ...demoUsers.users, frieda: {} } });
      // One of the two checks the files and the other waits for it, in either order.
      const start = performance.now();
      const both = [api('GET', '/api/users'), api('GET', '/api/users')] as const;
      const second = await Promise.race(both);
      expect(performance.now() - start).to.be.within(400, 9_000);
      expect([second.status, second.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect(second.body.error).to.equal('configuration_unavailable');
      expect(second.body.kind).to.equal('freshness_in_progress');
      expect((await api('GET', '/health')).status).to.equal(200);
      const late = (await Promise.all(both)).find((answer) => answer !== second);
      expect([late?.status, late?.body.kind, late?.headers.get('retry-after')]).to.deep.equal([
        503,
        'lock_timeout',
        '1',
      ]);
      expect(late?.body.error).to.equal('configuration_unavailable');
      expect(late?.body.error_description).to.be.a('string').that.does.not.contain(shared.root);
      release();
      expect((await api('GET', '/api/users/frieda')).status).to.equal(200);
      shared.writeUsers(demoUsers);
    },
  );

  verifies('STO-08', 'cannot be replaced by a reload, except by another spelling of the same file', async () => {
    for (const runtime of [{ store: 'memory' }, { store: 'sqlite', path: '../state/another.db' }]) {
      shared.writeSettings({ ...settings, runtime });
      const refused = await api('POST', '/api/config/reload');
      expect([refused.status, refused.body.status, refused.body.kind]).to.deep.equal([422, 'error', 'activation']);
      expect(refused.body.error).to.match(/Restart the service/);
    }
    shared.writeSettings({ ...settings, runtime: { store: 'sqlite', path: '../config/../state/./runtime.db' } });
    expect((await api('POST', '/api/config/reload')).status).to.equal(200);
    shared.writeSettings(settings);
    expect((await api('POST', '/api/config/reload')).status).to.equal(200);
    expect(existsSync(join(shared.root, 'state', 'another.db'))).to.equal(false);
  });

  verifies(['STO-17', 'AUD-08'], 'has one owner file for each process, and one audit', async () => {
    const owners = () =>
      readdirSync(join(shared.root, 'state', 'runtime-owners')).filter((name) => name.endsWith('.db')).length;
    // A stack of three workers, and one worker alone.
    expect(owners()).to.equal(4);
    await api('POST', '/api/audit/clear');
    await postForm(`${one.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
    await postForm(`${other.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
    await fetch(`${one.baseUrl}/saml/attribute-query`, { method: 'POST', body: '<x/>' });
    const seen = (await otherApi('GET', '/api/audit')).body.entries.map(
      (entry: { event_type: string }) => entry.event_type,
    );
    expect(seen).to.deep.equal(['token_request', 'token_request', 'saml_attribute_query']);
  });

  verifies(['STO-10', 'STO-11', 'RUN-19', 'AUD-08'], 'survives the restart of every process', async () => {
    await api('POST', '/api/runtime/users', { username: 'lasting', password: 'pw' });
    const tokens = await (
      await postForm(
        `${one.baseUrl}/token`,
        { grant_type: 'password', username: 'lasting', password: 'pw', scope: 'openid' },
        web,
      )
    ).json();
    const browser = new BrowserClient(one.baseUrl);
    const page = await browser.get(authorizePath());
    const transaction_id = page.forms.flatMap(({ fields }) => fields).find(([name]) => name === 'transaction_id')?.[1];
    const count = (await api('GET', '/api/audit?limit=-1')).body.count;
    expect(await one.stop()).to.equal(0);
    expect(await other.stop()).to.equal(0);
    const { root } = shared;
    [one, other] = await Promise.all([startIdp({ root, command: 'start' }), startIdp({ root, command: 'oidc' })]);
    api = apiClient(one);
    otherApi = apiClient(other);
    expect((await api('GET', '/api/audit?limit=-1')).body.count).to.equal(count);
    expect((await otherApi('GET', '/api/runtime/users/lasting')).status).to.equal(200);
    expect((await refresh(other, tokens.refresh_token)).status).to.equal(200);
    const back = await moved(browser, other).post('/authorize', { transaction_id: transaction_id ?? '', ...alice });
    expect(redirectParameters(back).get('code')).to.be.a('string');
  });

  verifies('STO-18', 'does not exist with the memory store, where an edited file waits for a reload', async () => {
    const alone = await startIdp({ command: 'oidc' });
    const ownApi = apiClient(alone);
    writeFileSync(join(alone.configDirectory, 'users.yaml'), 'users:\n  carol: {}\n');
    expect((await ownApi('GET', '/api/users/carol')).status).to.equal(404);
    expect((await ownApi('POST', '/api/config/reload')).status).to.equal(200);
    expect((await ownApi('GET', '/api/users/carol')).status).to.equal(200);
    await ownApi('POST', '/api/runtime/users', { username: 'fleeting' });
    await alone.stop();
  });
});
