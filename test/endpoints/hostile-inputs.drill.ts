// Attacks of several kinds, each with its expected response: a moving clock between unfinished logins, crowds of logins,
// unusual and large texts, foreign hosts, secrets inside addresses, assertions from the future and unknown paths. SEED
// repeats a run. HOSTILE_REQUESTS sets the number of requests (1500), of which each kind gets a share.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { fieldOf, redirectParameters } from '#test/support/browser-client.ts';
import { assertionClaims, assertionType, type ClientKey, clientKey } from '#test/support/client-keys.ts';
import { alice, web } from '#test/support/credentials.ts';
import { HostileTexts, unruly } from '#test/support/hostile/hostile-texts.ts';
import { basic, rawRequest } from '#test/support/http.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { type Answer, call, postTo, redeemCode, token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings } from '#test/support/worlds.ts';

const requests = Number(process.env.HOSTILE_REQUESTS ?? 1500);
const atOnce = 8;

/** Places where the server shows what it received. */
const records = [
  '/api/audit?limit=-1',
  '/api/exchanges?limit=1000',
  '/api/flows',
  '/api/verdict',
  '/audit/export/json',
  '/audit/export/csv',
];

const random = seededRandom();

describe(`hostile inputs (SEED=${random.seed})`, function () {
  this.timeout(60_000 + requests * 100);
  const texts = new HostileTexts(random);
  let idp: RunningIdp;
  let key: ClientKey;
  before(async () => {
    key = await clientKey('one');
    const signing = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
    const crowd = { client_id: 'crowd', client_secret: 'crowd-secret', redirect_uris: [callback] };
    const oauth = {
      ...demoSettings.oauth,
      clients: [...demoSettings.oauth.clients, crowd, { client_id: 'signing', ...signing }],
      dynamic_registration: { enabled: true, metadata: 'full' },
      pushed_authorization_requests: 'on',
    };
    // Bound to more than loopback, so that the server must check the Host. The other tests use an address.
    idp = await startIdp({ settings: { ...demoSettings, oauth }, args: ['--host', '0.0.0.0'] });
  });
  after(() => idp.stop());
  afterEach(() => expect(idp.log()).not.to.contain('unexpected error'));

  async function times(count: number, send: (number: number) => Promise<void>): Promise<void> {
    const numbers = Array.from({ length: Math.ceil(count) }, (_, number) => number);
    for (let sent = 0; sent < numbers.length; sent += atOnce) {
      await Promise.all(numbers.slice(sent, sent + atOnce).map(send));
    }
  }
  const json = { 'Content-Type': 'application/json' };
  const crowdHeaders = { Authorization: basic('crowd', 'crowd-secret') };

  /** A login from the first page to the token. */
  async function expectLogin(client_id: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ client_id }));
    expect([page.status, page.location], page.text).to.deep.equal([200, null]);
    const code = codeOf(await browser.submit(page, alice));
    expect((await redeemCode(idp, code, {}, headers)).status).to.equal(200);
  }

  /** Starts something that a client can leave unfinished: a login, a pushed request or a device grant. */
  async function leaveUnfinished(): Promise<void> {
    const path = authorizePath({ client_id: 'crowd' });
    const answer = await texts.one([
      ...Array.from({ length: 9 }, () => () => call(idp, path)),
      () => postTo(idp, '/par', [...new URLSearchParams(path.slice(path.indexOf('?') + 1))], crowdHeaders),
      () => postTo(idp, '/device_authorization', {}, crowdHeaders),
    ])();
    const isFull =
      answer.text.includes('temporarily_unavailable') ||
      answer.headers.get('location')?.includes('temporarily_unavailable');
    if (isFull !== true) expect(answer.status, answer.text).to.be.oneOf([200, 201]);
  }

  verifies(['AUT-45', 'TIM-07'], 'block no login when the clock moves between unfinished logins', async () => {
    // By default this starts more than 1000 logins, the maximum of pending ones. All begin in the future, each round before
    // the previous one, so that none expires.
    const farthest = random.integer(2_000, 20_000) * 86_400;
    for (let round = 0; round < requests / 36; round += 1) {
      const advance_seconds = farthest - round * 3_600;
      expect((await idp.api('PUT', '/api/clock', { advance_seconds })).status).to.equal(200);
      await times(32, leaveUnfinished);
      const back = random.integer(1, 20_000) * -86_400;
      const [method, body] = random.next() < 0.5 ? ['DELETE', undefined] : ['PUT', { advance_seconds: back }];
      // 400 if the result would lie before the supported years.
      expect((await idp.api(method, '/api/clock', body)).status).to.be.oneOf([200, 400]);
      expect((await idp.api('DELETE', '/api/clock')).status).to.equal(200);
    }
    await expectLogin('crowd', crowdHeaders);
    expect((await postTo(idp, '/device_authorization', {}, crowdHeaders)).status).to.equal(200);
    expect(
      (await postTo(idp, '/par', { client_id: 'crowd', response_type: 'code', redirect_uri: callback }, crowdHeaders))
        .status,
    ).to.equal(201);
  });

  verifies('AUT-45', 'block no other client when one client opens any number of logins', async () => {
    await times(Math.max(1400, requests / 2), async () => leaveUnfinished());
    await expectLogin('web', web);
  });

  it('with control characters and bidirectional marks are returned unchanged, or rejected', async () => {
    const api = (path: string, body: object) =>
      call(idp, path, { method: 'POST', headers: json, body: JSON.stringify(body) });
    await times(requests / 6, async () => {
      const text = texts.text();
      const [what, answer] = await texts.one([
        async () => {
          const page = await newBrowser(idp).post(authorizePath({ state: text }), alice);
          if (page.status === 302) expect(redirectParameters(page).get('state')).to.equal(text);
          return ['state', page] as const;
        },
        async () => {
          const member = random.next() < 0.5 ? 'description' : 'note';
          const made = await api('/api/runtime/users', { username: text, password: 'x', [member]: text });
          if (made.status === 201) expect(made.body.username).to.equal(text);
          if (text.includes('\0')) expect([text, made.status]).to.deep.equal([text, 400]);
          return ['user', made] as const;
        },
        async () => {
          const made = await api('/register', { client_name: text, redirect_uris: [callback] });
          if (made.status === 201) expect(made.body.client_name).to.equal(text);
          return ['registration', made] as const;
        },
        async () => ['login', await newBrowser(idp).post('/login', { username: text, password: text })] as const,
        async () => ['grant', await token(idp, { grant_type: 'password', username: text, password: text })] as const,
        async () => ['scope', await token(idp, { grant_type: 'client_credentials', scope: text })] as const,
      ])();
      expect(answer.status, `${what} ${JSON.stringify(text)}`).to.be.below(500);
    });
    const listed = await call(idp, '/api/runtime/users');
    for (const { username } of listed.body.users as readonly { username: string }[])
      expect(username).to.not.include('\0');
    for (const path of ['/api/runtime/users', ...records]) {
      expect(unruly.exec((await call(idp, path)).text)?.index, path).to.equal(undefined);
    }
  });

  it('of any size never produce a file that does not load', async () => {
    const browser = newBrowser(idp);
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    let largest = 0;
    try {
      for (let round = 0; round < Math.max(5, requests / 300); round += 1) {
        const username = `large-${round}`;
        const whole = texts.text().replaceAll('\0', '').repeat(100_000);
        const text = whole.slice(0, random.integer(300_000, 700_000));
        await texts.one([
          async () => {
            const page = await browser.get('/users/create');
            const expected_revision = fieldOf(page, 'expected_revision') ?? '';
            const attribute = { 'attr_key[]': 'note', 'attr_value[]': text, 'attr_encoding[]': 'string' };
            const saved = await browser.post('/users/create', {
              expected_revision,
              username,
              password: 'x',
              ...attribute,
            });
            // 413: form encoding takes up to nine bytes a character, so the body can exceed its limit.
            expect(saved.status, saved.text.slice(0, 500)).to.be.oneOf([302, 413, 422]);
            if (saved.status === 422) expect(saved.text).to.include('users.yaml would have');
          },
          async () => {
            const made = await idp.api('POST', '/api/runtime/users', { username, note: text });
            expect(made.status).to.be.oneOf([201, 400, 413]);
            if (made.status !== 201) return;
            const promoted = await idp.api('POST', `/api/runtime/users/${username}/promote`);
            expect(promoted.status, JSON.stringify(promoted.body).slice(0, 500)).to.be.oneOf([200, 422]);
            if (promoted.status === 422) expect(promoted.body.error).to.include('users.yaml would have');
          },
          async () => {
            await mcp.ok('reload_config');
            await mcp.call('create_user', { username, password: 'x', attributes: { note: text } });
            await mcp.call('save_config');
          },
        ])();
        const { size } = statSync(join(idp.configDirectory, 'users.yaml'));
        expect(size).to.be.at.most(2 * 1024 * 1024);
        largest = Math.max(largest, size);
        expect((await idp.api('POST', '/api/config/reload')).status).to.equal(200);
      }
    } finally {
      await mcp.close();
    }
    expect(largest, 'some of it was written').to.be.above(100_000);
  });

  it('reach pages and /api at names that no website has, and protocol endpoints at every name', async () => {
    const guarded = ['/', '/users', '/api/users', '/api/config', '/api/nowhere', '/audit/export/csv', '/login'];
    const open = [
      '/.well-known/openid-configuration',
      '/authorize',
      '/token',
      '/health',
      '/api/health',
      '/saml/metadata',
    ];
    await times(requests / 3, async () => {
      const isLocal = random.next() < 0.5;
      const Host = isLocal ? texts.localHost() : texts.websiteHost();
      const path = texts.one([...guarded, ...open]);
      const method = texts.one(['GET', 'GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD']);
      const isRejected = !isLocal && guarded.includes(path);
      const { status } = await rawRequest(idp.baseUrl + path, { method, headers: { Host, ...json } });
      const what = `${method} ${path} at ${Host}: ${status}`;
      expect([what, status === 421]).to.deep.equal([what, isRejected]);
      expect(status, what).to.be.below(500);
    });
  });

  verifies(['REC-04', 'AUD-13'], 'never reveal a secret inside an address', async () => {
    const secrets: string[] = [];
    await times(requests / 8, async () => {
      const secret = `hush${texts.label()}`;
      secrets.push(secret);
      const address = texts.addressWith(secret);
      const answer = await texts.one([
        () => call(idp, authorizePath({ redirect_uri: address })),
        () => call(idp, authorizePath({ request_uri: address })),
        () => call(idp, authorizePath({ resource: address })),
        () => call(idp, `/logout?${new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: address })}`),
        () => token(idp, { grant_type: 'authorization_code', code: 'x', redirect_uri: address }),
        // Rejected for its fragment. An accepted resource would show in full as the audience of the token (REC-05).
        () => token(idp, { grant_type: 'client_credentials', resource: `${address}#rejected` }),
        () => postTo(idp, '/par', { client_id: 'web', response_type: 'code', redirect_uri: address }),
        () =>
          call(idp, '/register', { method: 'POST', headers: json, body: JSON.stringify({ redirect_uris: [address] }) }),
        () => call(idp, `/saml/sso?${new URLSearchParams({ SAMLRequest: 'x', RelayState: address })}`),
        () => call(idp, '/userinfo', { headers: { Referer: address } }),
      ])();
      expect(answer.status).to.be.below(500);
    });
    for (const path of [...records, '/audit', '/flows', '/verdict']) {
      const { text } = await call(idp, path, { headers: { Accept: 'text/html, */*' } });
      const shown = secrets.find((secret) => text.includes(secret)) ?? '';
      const from = Math.max(0, text.indexOf(shown) - 300);
      expect(shown, `${path}: ${text.slice(from, from + 400)}`).to.equal('');
    }
    expect(secrets.filter((secret) => idp.log().includes(secret))).to.deep.equal([]);
  });

  verifies('SSO-50', 'make an assertion valid from 30 seconds before its nbf', async () => {
    await times(requests / 8, async () => {
      // Stays away from the limit, which a slow machine would shift.
      const ahead = random.next() < 0.5 ? random.integer(-300, 20) : random.integer(60, 500);
      const now = Math.floor(Date.now() / 1000);
      const claims = assertionClaims('signing', idp.baseUrl, { nbf: now + ahead, exp: now + 550 });
      const client_assertion = await key.sign(claims);
      const form = { grant_type: 'client_credentials', client_assertion_type: assertionType, client_assertion };
      const { status, body } = await token(idp, form, {});
      expect([ahead, status, body.error]).to.deep.equal(
        ahead <= 20 ? [ahead, 200, undefined] : [ahead, 400, 'invalid_client'],
      );
    });
  });

  verifies(
    ['HDR-10', 'HDR-19'],
    'at an unknown path show the 404 to every origin, and below /api to none',
    async () => {
      await times(requests / 4, async () => {
        const isApi = random.next() < 0.3;
        const above = texts.one([
          '',
          '/saml',
          '/token',
          '/.well-known',
          '/users/a/b',
          '/static',
          '/register/x/y',
          '/health',
        ]);
        const path = `${isApi ? '/api' : above}/${texts.label()}/${encodeURIComponent(texts.text())}`;
        const Origin = texts.one(['https://app.example', 'http://localhost:3000', 'http://evil.example', 'null']);
        const preflight = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' };
        const method = texts.one(['GET', 'POST', 'PUT', 'DELETE']);
        const asked = await call(idp, path, { method: 'OPTIONS', headers: { Origin, ...preflight } });
        const sent = await call(idp, path, { method, headers: { Origin } });
        const allowed = (answer: Answer) => answer.headers.get('access-control-allow-origin');
        const expected = isApi ? [204, null, method === 'GET' ? 404 : 403, null] : [204, '*', 404, '*'];
        expect([path, asked.status, allowed(asked), sent.status, allowed(sent)]).to.deep.equal([path, ...expected]);
      });
    },
  );
});
