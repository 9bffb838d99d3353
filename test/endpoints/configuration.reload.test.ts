// POST /api/config/reload on a running stack: its response, what it keeps, what it changes, and what needs a restart
// (ACT-06 to ACT-17).
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { basic } from '#test/support/http.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const client = { client_id: 'web', client_secret: 'web-secret' };
const settings = (oauth: object = {}, more: object = {}) =>
  stringify({ oauth: { clients: [client], ...oauth }, ...more });
const users = (...names: string[]) =>
  stringify({ users: Object.fromEntries(names.map((name) => [name, { password: name }])) });

describe('reloading the configuration', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  const write = (file: string, text: string) => writeFileSync(join(idp.configDirectory, file), text);
  const reload = () => fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' });
  const config = async () => (await fetch(`${idp.baseUrl}/api/config`)).json();
  const token = (username: string, secret = client.client_secret) =>
    fetch(`${idp.baseUrl}/token`, {
      method: 'POST',
      headers: { authorization: basic(client.client_id, secret) },
      body: new URLSearchParams({ grant_type: 'password', username, password: username, scope: 'openid' }),
    });

  before(async () => {
    idp = await startIdp({ command: 'oidc', settings: settings(), users: users('ada') });
  });
  after(() => idp?.stop());
  beforeEach(() => {
    write('settings.yaml', settings());
    write('users.yaml', users('ada'));
  });

  verifies(
    ['ACT-06', 'ACT-16'],
    'returns the number of users and applies users, clients, issuer, lifetimes and login',
    async () => {
      write(
        'settings.yaml',
        settings(
          { clients: [{ ...client, client_secret: 'new' }], issuer: 'http://issuer.example', token_expiry_minutes: 7 },
          { login: { two_step: true } },
        ),
      );
      write('users.yaml', users('ada', 'bob'));
      const response = await reload();
      expect(response.status).to.equal(200);
      expect(await response.json()).to.deep.equal({ status: 'reloaded', users_count: 2 });
      const answer = await token('bob', 'new');
      expect(answer.status).to.equal(200);
      expect((await answer.json()).expires_in).to.equal(420);
      const discovery = await (await fetch(`${idp.baseUrl}/.well-known/openid-configuration`)).json();
      expect(discovery.issuer).to.equal('http://issuer.example');
      expect((await config()).login.two_step).to.equal(true);
    },
  );

  verifies(['ACT-07', 'ACT-11'], 'rejects invalid files with 422 and changes nothing', async () => {
    await reload();
    write('settings.yaml', settings({ token_expiry_minutes: 0 }));
    write('users.yaml', users('eve'));
    const response = await reload();
    expect(response.status).to.equal(422);
    const body = await response.json();
    expect(Object.keys(body).sort()).to.deep.equal(['error', 'kind', 'status']);
    expect(body).to.include({ status: 'error', kind: 'invalid' });
    expect(body.error).to.contain('settings.yaml').and.to.contain('oauth.token_expiry_minutes');
    expect((await token('ada')).status).to.equal(200);
    expect((await token('eve')).status).to.equal(400);
  });

  verifies(['ACT-08', 'STO-08'], 'rejects unusable keys and another store with kind activation', async () => {
    for (const more of [
      { jwt: { external_keys: { private_key: 'gone.pem', public_key: 'gone.pem' } } },
      { runtime: { store: 'sqlite', path: '../r.db' } },
    ]) {
      write('settings.yaml', settings({}, more));
      const response = await reload();
      expect(response.status).to.equal(422);
      expect(await response.json()).to.include({ status: 'error', kind: 'activation' });
    }
    expect((await token('ada')).status).to.equal(200);
  });

  verifies(['ACT-09', 'HOK-07', 'HOK-11'], 'returns 503 for a strict hook or plugin', async () => {
    write('settings.yaml', settings({}, { hooks: { on_before_load: 'exit 1', strict: true } }));
    const hook = await reload();
    expect(hook.status).to.equal(503);
    expect(await hook.json()).to.include({ status: 'error', kind: 'on_before_load' });
    write('settings.yaml', settings({}, { hooks: { strict: true }, plugins: { './gone.mjs': {} } }));
    const plugin = await reload();
    expect(plugin.status).to.equal(503);
    expect(await plugin.json()).to.include({ status: 'error', kind: 'plugin_load' });
  });

  verifies(
    ['ACT-13', 'ACT-15'],
    'fails no request meanwhile, and keeps issued tokens and runtime objects',
    async () => {
      await reload();
      const created = await fetch(`${idp.baseUrl}/api/runtime/users`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'temp', password: 'temp' }),
      });
      expect(created.status).to.equal(201);
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async (_, turn) => {
          if (turn % 5 === 0) return (await reload()).status;
          return (await token('ada')).status;
        }),
      );
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect((await token('temp')).status).to.equal(200);
    },
  );

  verifies(['ACT-17', 'CFG-14', 'RST-11'], 'keeps port, CORS and rate limit until a restart, and says so', async () => {
    write(
      'settings.yaml',
      settings(
        {},
        {
          server: { port: 1, rate_limit_token_endpoint: '1/hour' },
          rate_limit_enabled: true,
          cors_allowed_originss: ['https://a.example'],
        },
      ),
    );
    expect((await reload()).status).to.equal(200);
    for (let request = 0; request < 3; request += 1) expect((await token('ada')).status).to.equal(200);
    const answer = await fetch(`${idp.baseUrl}/.well-known/openid-configuration`, {
      headers: { origin: 'https://b.example' },
    });
    expect(answer.headers.get('access-control-allow-origin')).to.equal('https://b.example');
    const { cors_allowed_originss, cors_applied_origins, server, effective } = await config();
    expect(cors_allowed_originss).to.deep.equal(['https://a.example']);
    expect(cors_applied_origins).to.not.deep.equal(['https://a.example']);
    expect(server.rate_limit_enabled).to.equal(true);
    expect(effective.rate_limit_enabled, 'no request is limited').to.equal(false);
  });

  verifies(
    ['HOK-08', 'HOK-12'],
    'passes each audit event to hooks once, and reports hooks without their command',
    async () => {
      const scratch = mkdtempSync(join(tmpdir(), 'test-idp-hook-'));
      const trace = join(scratch, 'trace');
      write('settings.yaml', settings({}, { hooks: { on_audit_event: `cat >> ${trace}` } }));
      expect((await reload()).status).to.equal(200);
      expect((await token('ada')).status).to.equal(200);
      const { hooks } = await config();
      expect(hooks).to.deep.include({
        hook_api_version: 1,
        strict: false,
        timeout_seconds: 10,
        shell: [{ event: 'on_audit_event', failures: 0 }],
      });
      expect(JSON.stringify(hooks)).to.not.contain(trace);
      write('settings.yaml', settings());
      await idp.stop();
      const lines = readFileSync(trace, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.filter(({ event_type }) => event_type === 'token_request')).to.have.length(1);
      rmSync(scratch, { recursive: true });
    },
  );
});

describe('starting', function () {
  this.timeout(60_000);

  verifies(
    ['CFG-07', 'ACT-02', 'CFG-01', 'CFG-02'],
    'ends with exit code 1 and one line for a rejected configuration',
    async () => {
      let failure = '';
      try {
        const idp = await startIdp({
          command: 'oidc',
          settings: 'oauth: {audience: ""}\nmanagement_secret: do-not-show\nserver: {port: do-not-show}\n',
          env: { IDP_CONFIG_DIR: '/nowhere' },
        });
        await idp.stop();
      } catch (error) {
        failure = String(error);
      }
      expect(failure).to.contain('exit code 1');
      expect(failure).to.contain('settings.yaml').and.to.contain('oauth.audience').and.to.contain('server.port');
      expect(failure).to.not.contain('do-not-show');
      expect(failure).to.not.match(/\n\s+at /);
    },
  );

  verifies(
    ['WRT-01', 'CFG-K41'],
    'uses one lock for keys inside the configuration directory, without deadlock',
    async () => {
      const idp = await startIdp({
        command: 'oidc',
        settings: settings({}, { jwt: { keys_dir: '.' } }),
        users: users('ada'),
      });
      try {
        const post = async (path: string, body?: object) => {
          const init = body === undefined ? {} : { body: JSON.stringify(body) };
          const headers = { 'content-type': 'application/json' };
          return (await fetch(idp.baseUrl + path, { method: 'POST', headers, ...init })).status;
        };
        const start = performance.now();
        const statuses = [
          await post('/api/runtime/users', { username: 'eve', password: 'eve' }),
          await post('/api/keys/rotate'),
          await post('/api/runtime/users/eve/promote'),
        ];
        statuses.push(...(await Promise.all([post('/api/keys/rotate'), post('/api/config/reload')])));
        expect(statuses).to.deep.equal([201, 200, 200, 200, 200]);
        expect(performance.now() - start).to.be.below(9_000);
      } finally {
        await idp.stop();
      }
    },
  );

  verifies('CFG-31', 'logs findings in the files once for a whole stack, and once per reload', async () => {
    const deprecated = `default_user: ada\n${users('ada')}`;
    const idp = await startIdp({ settings: settings(), users: deprecated, args: ['--oidc-workers', '2'] });
    try {
      const warningCount = () => idp.log().match(/"level":40[^\n]*default_user is deprecated/g)?.length;
      expect(warningCount()).to.equal(1);
      expect((await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' })).status).to.equal(200);
      await until('the reload logged it', () => warningCount() === 2 || undefined);
    } finally {
      await idp.stop();
    }
  });
});
