// Stacks on one PostgreSQL are one provider: unmodified clients meet another stack at every step, logins of both protocols
// included, and what would not work is refused at the start with a sentence that says what to do.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import * as client from 'openid-client';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { until, workersOf } from '#test/support/stack.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback } from '#test/support/worlds.ts';

// The server trusts whoever comes over its socket: what is sent is not looked at, and must show up nowhere.
const PG_PASSWORD = 'not-asked-for';
const dist = dirname(cliPath);
const insecure = { execute: [client.allowInsecureRequests] };

describe('the code of PostgreSQL', () => {
  // PGS-01: who names another store loads nothing of it.
  it('is a piece of its own, loaded by whoever opens such a store', () => {
    const built = readdirSync(dist).filter((name) => /\.c?js$/.test(name));
    const pieces = built.filter((name) => name.includes('open-postgres-location'));
    expect(pieces, 'one for the frontends, one for MCP').to.have.length(2);
    const loads = built.flatMap((name) => {
      const text = readFileSync(join(dist, name), 'utf8');
      const loading = /(.{27})require\("\.\/[\w-]*open-postgres-location[^"]*"\)/g;
      return Array.from(text.matchAll(loading), ([, before]) => before);
    });
    expect(loads).to.deep.equal(Array(2).fill('Promise.resolve().then(()=>'));
  });
});

describe('stacks on one PostgreSQL', function () {
  this.timeout(90_000);
  let server: PostgresServer;
  let url: string;
  before(async function () {
    server = await postgresOrSkip(this);
    url = server.url('postgres', `${server.user}:\${PG_PASSWORD}`);
  });
  // Nothing to stop where the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  const on = (runtime: object) => ({ ...sharedSettings, runtime: { store: 'postgres', ...runtime } });

  describe('that run', () => {
    let shared: SharedRoot;
    let one: RunningIdp;
    let other: RunningIdp;
    before(async () => {
      shared = makeSharedRoot(on({ url }));
      const { root } = shared;
      const start = () => startIdp({ root, command: 'start', args: ['--log-level', 'DEBUG'], env: { PG_PASSWORD } });
      [one, other] = await Promise.all([start(), start()]);
    });
    after(async () => {
      await one?.stop();
      await other?.stop();
      shared?.remove();
    });

    /** A browser that a balancer sends to the other stack: there both have one address. */
    const moved = (browser: BrowserClient, idp: RunningIdp) => {
      const next = new BrowserClient(idp.baseUrl);
      const { port } = new URL(idp.baseUrl);
      for (const [name, value] of browser.cookies) next.cookies.set(name.replace(/_\d+$/, `_${port}`), value);
      return next;
    };
    const transactionIn = (page: {
      readonly forms: readonly { readonly fields: readonly (readonly [string, string])[] }[];
    }) => page.forms.flatMap(({ fields }) => fields).find(([name]) => name === 'transaction_id')?.[1] ?? '';

    verifies(
      ['PGS-01', 'PGS-10'],
      'serve openid-client a code flow, refresh, introspection and revocation',
      async () => {
        const secret = client.ClientSecretBasic('web-secret');
        const config = await client.discovery(new URL(one.baseUrl), 'web', undefined, secret, insecure);
        client.enableNonRepudiationChecks(config);
        const [pkceCodeVerifier, expectedState, expectedNonce] = [
          client.randomPKCECodeVerifier(),
          client.randomState(),
          client.randomNonce(),
        ];
        const asked = client.buildAuthorizationUrl(config, {
          redirect_uri: callback,
          scope: 'openid email offline_access',
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
          nonce: expectedNonce,
        });
        const browser = new BrowserClient(one.baseUrl);
        const done = await browser.submit(await browser.get(asked.href), alice);
        const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
        const tokens = await client.authorizationCodeGrant(config, new URL(done.location ?? ''), checks);
        expect(tokens.claims()).to.include({ sub: 'alice', iss: one.baseUrl });
        expect(await client.fetchUserInfo(config, tokens.access_token, 'alice')).to.include({ sub: 'alice' });
        const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
        expect((await client.tokenIntrospection(config, next.access_token)).active).to.equal(true);
        await client.tokenRevocation(config, next.access_token);
        expect(await client.tokenIntrospection(config, next.access_token)).to.deep.equal({ active: false });
      },
    );

    verifies('PGS-15', 'honour at one what was made at the other, once', async () => {
      const browser = new BrowserClient(one.baseUrl);
      const page = await browser.get(authorizePath({ scope: 'openid offline_access' }));
      const back = await moved(browser, other).post('/authorize', { transaction_id: transactionIn(page), ...alice });
      const code = redirectParameters(back).get('code') ?? '';
      const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
      const attempts = await Promise.all(
        [one, other, one, other].map((idp) => postForm(`${idp.baseUrl}/token`, form, web)),
      );
      expect(attempts.map(({ status }) => status).toSorted()).to.deep.equal([200, 400, 400, 400]);
    });

    verifies('PGS-15', 'take a SAML login whose form was shown by the other', async () => {
      const browser = new BrowserClient(one.baseUrl);
      const form = await browser.get(`/saml/sso?${redirectQuery(authnRequest({ id: '_pg' }), 'there')}`);
      const answer = delivered(await moved(browser, other).submit(form, alice));
      expect([...answer.status, answer.root.getAttribute('InResponseTo'), answer.relayState]).to.deep.equal([
        'Success',
        '_pg',
        'there',
      ]);
    });

    verifies('PGS-23', 'have one clock, and faults, sandboxes and flows made at either', async () => {
      await one.api('PUT', '/api/clock', { advance_seconds: 3600 });
      const { headers } = await fetch(`${other.baseUrl}/.well-known/openid-configuration`);
      expect(headers.get('X-Test-Idp-Clock')).to.not.equal(null);
      await other.api('DELETE', '/api/clock');
      await other.api('POST', '/api/faults', { fault: 'status', at: 'jwks', times: 1 });
      const keys = () => fetch(`${one.baseUrl}/.well-known/jwks.json`);
      expect([(await keys()).status, (await keys()).status]).to.deep.equal([500, 200]);
      await one.api('POST', '/api/sandboxes', { name: 'box' });
      expect((await fetch(`${other.baseUrl}/s/box/.well-known/openid-configuration`)).status).to.equal(200);
      // One without an audit event may come a moment later (REC-09).
      await until('the faulty answer is an exchange at the other', async () => {
        const { exchanges } = (await other.api('GET', '/api/exchanges?endpoint=jwks')).body;
        return exchanges.some(({ status }: { readonly status: number }) => status === 500);
      });
      expect((await fetch(`${one.baseUrl}/health`)).headers.get('X-Test-Idp-Clock')).to.equal(null);
    });

    verifies('PGS-05', 'show the password nowhere, at the finest level of logs either', async () => {
      const told = await Promise.all(
        ['/api/config', '/api/audit', '/api/exchanges'].map((path) => one.api('GET', path)),
      );
      const answer = await fetch(`${one.baseUrl}/settings`);
      expect(answer.status).to.equal(200);
      const page = await answer.text();
      const [{ runtime }] = told.map(({ body }) => body);
      expect(runtime).to.include({ store: 'postgres', schema: 'test_idp' }).and.to.have.property('url');
      expect(runtime.url).to.match(/^postgres:\/\/[^:?]+$/);
      const shown = `${JSON.stringify(told.map(({ body }) => body))}${page}${one.log()}${other.log()}`;
      expect(shown).to.not.contain('not-asked-for');
      expect(one.log()).to.contain('opened the runtime store');
    });

    verifies('PGS-36', 'answer 503 and nothing of SQL while the disk is full, with one line in the log', async () => {
      await server.ask(`CREATE FUNCTION test_idp.is_full() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'could not extend file "base/5/16384"' USING ERRCODE = '53100'; END $$`);
      await server.ask('CREATE TRIGGER is_full BEFORE INSERT ON test_idp.events EXECUTE FUNCTION test_idp.is_full()');
      const form = { grant_type: 'client_credentials' };
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const answer = await postForm(`${one.baseUrl}/token`, form, web);
        expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1']);
        const body = await answer.text();
        expect(body)
          .to.contain('runtime_store_unavailable')
          .and.to.not.match(/53100|extend|base|events/);
      }
      expect((await fetch(`${one.baseUrl}/health`)).status).to.equal(200);
      // Digits of a moment or of a process id may look the same.
      const log = one.log().replaceAll(/"(?:time|pid)":\d+/g, '');
      expect(log.match(/53100/g)).to.have.length(1);
      await server.ask('DROP TRIGGER is_full ON test_idp.events');
      expect((await postForm(`${one.baseUrl}/token`, form, web)).status).to.equal(200);
    });

    verifies('PGS-09', 'need a restart for another database or schema, and none for another password', async () => {
      const reload = async (runtime: object) => {
        shared.writeSettings(on(runtime));
        const { status, body } = await one.api('POST', '/api/config/reload');
        return [status, body.kind ?? body.success];
      };
      expect(await reload({ url, schema: 'elsewhere' })).to.deep.equal([422, 'activation']);
      expect(await reload({ url: url.replace('/postgres?', '/template1?') })).to.deep.equal([422, 'activation']);
      expect(await reload({ store: 'memory' })).to.deep.equal([422, 'activation']);
      expect((await reload({ url: url.replace('${PG_PASSWORD}', 'another') }))[0]).to.equal(200);
    });
  });

  verifies(
    'PGS-36',
    'answers 503 while the schema is gone, with the same workers and a line of the log each',
    async () => {
      const schema = 'taken_away';
      const shared = makeSharedRoot(on({ url, schema }));
      const idp = await startIdp({ root: shared.root, command: 'start', env: { PG_PASSWORD } });
      try {
        const before = workersOf(idp.pid).map(({ pid }) => pid);
        await server.ask(`ALTER SCHEMA ${schema} RENAME TO elsewhere`);
        const grant = () => postForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
        for (let attempt = 0; attempt < 5; attempt += 1) {
          expect((await grant()).status).to.equal(503);
          expect((await fetch(`${idp.baseUrl}/health/ready`)).status).to.equal(503);
          expect((await fetch(`${idp.baseUrl}/saml/metadata`)).status).to.be.oneOf([200, 503]);
        }
        // What each worker does by itself, every few seconds, meets it as well.
        await until('all of them said so', () => complaints(idp) === before.length);
        await server.ask(`ALTER SCHEMA elsewhere RENAME TO ${schema}`);
        await until('it serves again', async () => (await grant()).status === 200);
        expect((await fetch(`${idp.baseUrl}/health/ready`)).status).to.equal(200);
        expect(workersOf(idp.pid).map(({ pid }) => pid)).to.deep.equal(before);
        expect(complaints(idp)).to.equal(before.length);
        expect(idp.log()).to.not.match(/uncaught|unhandled/i);
      } finally {
        await idp.stop();
        shared.remove();
      }
    },
  );
});

/** Lines that say what PostgreSQL refuses. */
function complaints(idp: RunningIdp): number {
  return idp
    .log()
    .split('\n')
    .filter((line) => line.includes('PostgreSQL cannot be used')).length;
}
