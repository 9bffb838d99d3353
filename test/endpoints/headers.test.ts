// Headers, CORS, limits and errors that belong to no single endpoint, on a started program.

import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { postForm, rawRequest, rawText } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const form = 'application/x-www-form-urlencoded';
const mebibyte = 1024 * 1024;

/** The Cache-Control and Pragma headers of a response. */
function caching(response: Response): (string | null)[] {
  return [response.headers.get('cache-control'), response.headers.get('pragma')];
}

describe('headers under dev', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      command: 'oidc',
      settings: { ...demoSettings, oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true } } },
    });
  });
  after(() => idp.stop());

  verifies(
    'HDR-01',
    'forbids caching of success and error at every endpoint that issues tokens or credentials',
    async () => {
      const { baseUrl } = idp;
      const registration = await fetch(`${baseUrl}/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'] }),
      });
      const registered = (await registration.json()) as {
        registration_client_uri: string;
        registration_access_token: string;
      };
      const token = await postForm(
        `${baseUrl}/token`,
        { grant_type: 'password', username: 'alice', password: 'wonderland' },
        web,
      );
      const { access_token } = (await token.clone().json()) as { access_token: string };
      const bearer = { Authorization: `Bearer ${access_token}` };
      const management = (username: string) => fetch(`${baseUrl}/api/users/${username}/token`, { method: 'POST' });
      const answers: [string, Response, number][] = [
        ['POST /register', registration, 201],
        ['POST /register, refused', await fetch(`${baseUrl}/register`, { method: 'POST' }), 400],
        [
          'GET /register/<client_id>',
          await fetch(registered.registration_client_uri, {
            headers: { Authorization: `Bearer ${registered.registration_access_token}` },
          }),
          200,
        ],
        ['GET /register/<client_id>, refused', await fetch(registered.registration_client_uri), 401],
        ['/token', token, 200],
        ['/token, refused', await postForm(`${baseUrl}/token`, {}), 400],
        ['/device_authorization', await postForm(`${baseUrl}/device_authorization`, { client_id: 'spa' }), 200],
        ['/device_authorization, refused', await postForm(`${baseUrl}/device_authorization`, {}), 401],
        ['/device/code', await postForm(`${baseUrl}/device/code`, { client_id: 'spa' }), 200],
        ['/userinfo', await fetch(`${baseUrl}/userinfo`, { headers: bearer }), 200],
        ['/userinfo, refused', await fetch(`${baseUrl}/userinfo`), 401],
        ['/introspect', await postForm(`${baseUrl}/introspect`, { token: access_token }, web), 200],
        ['/introspect, refused', await postForm(`${baseUrl}/introspect`, { token: access_token }), 401],
        ['/api/users/alice/token', await management('alice'), 200],
        ['/api/users/nobody/token', await management('nobody'), 404],
      ];
      for (const [name, response, status] of answers) {
        expect([name, response.status, ...caching(response)]).to.deep.equal([name, status, 'no-store', 'no-cache']);
      }
    },
  );

  verifies('HDR-02', 'sets no caching headers on a 405 of a path whose responses are not cacheable', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(`${idp.baseUrl}/api/users/alice/token`, { method });
      expect([method, response.status, ...caching(response)]).to.deep.equal([method, 405, null, null]);
    }
  });

  verifies('HDR-02', 'sets no caching headers on a 405, discovery and the key set', async () => {
    const { baseUrl } = idp;
    const answers: [Response, number][] = [
      [await fetch(`${baseUrl}/token`), 405],
      [await fetch(`${baseUrl}/.well-known/openid-configuration`), 200],
      [await fetch(`${baseUrl}/.well-known/oauth-authorization-server`), 200],
      [await fetch(`${baseUrl}/.well-known/jwks.json`), 200],
    ];
    for (const [response, status] of answers) {
      expect([response.status, ...caching(response)]).to.deep.equal([status, null, null]);
    }
  });

  verifies(
    ['HDR-04', 'HDR-10'],
    'lets every origin read protocol endpoints, health and static files, but no pages, exports and /api (D48)',
    async () => {
      const allowed = async (path: string) =>
        (await fetch(idp.baseUrl + path, { redirect: 'manual' })).headers.get('access-control-allow-origin');
      const forAll = ['/.well-known/jwks.json', '/token', '/userinfo', '/health', '/static/style.css'];
      const nothingThere = ['/.well-known/nowhere', '/token/nowhere', '/nowhere'];
      for (const path of [...forAll, ...nothingThere]) {
        expect([path, await allowed(path)]).to.deep.equal([path, '*']);
      }
      const pages = ['/', '/login', '/audit/export/json', '/audit/export/csv', '/authorize', '/device', '/logout'];
      for (const path of [...pages, '/api/users', '/api/users/nobody', '/api/nowhere']) {
        expect([path, await allowed(path)]).to.deep.equal([path, null]);
      }
    },
  );

  verifies('HDR-10', 'names methods and headers in a preflight', async () => {
    const response = await fetch(`${idp.baseUrl}/token`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://spa.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, x-custom',
      },
    });
    expect(response.status).to.equal(204);
    expect(response.headers.get('access-control-allow-origin')).to.equal('https://spa.example');
    expect(response.headers.get('access-control-allow-methods')).to.equal('POST, OPTIONS');
    expect(response.headers.get('access-control-allow-headers')).to.equal('authorization, x-custom');
  });

  verifies(
    ['HDR-10', 'HDR-19'],
    'allows a preflight of an unknown path, so that the request itself gets its 404',
    async () => {
      const origin = 'https://spa.example';
      for (const [path, expected] of [
        ['/tokn', '*'],
        ['/.well-known/nowhere', '*'],
        ['/s/no-such-sandbox/token', origin],
      ] as const) {
        const asked = { Origin: origin, 'Access-Control-Request-Method': 'PUT' };
        const preflight = await fetch(idp.baseUrl + path, { method: 'OPTIONS', headers: asked });
        const allowed = ['origin', 'methods'].map((what) => preflight.headers.get(`access-control-allow-${what}`));
        expect([path, preflight.status, ...allowed]).to.deep.equal([path, 204, expected, 'PUT']);
        const request = await fetch(idp.baseUrl + path, { method: 'PUT', headers: { Origin: asked.Origin } });
        expect([path, request.status, request.headers.get('access-control-allow-origin')]).to.deep.equal([
          path,
          404,
          expected,
        ]);
      }
      expect((await fetch(`${idp.baseUrl}/tokn`, { method: 'OPTIONS' })).status).to.equal(404);
    },
  );

  it('forbids content sniffing in every response', async () => {
    for (const [method, path] of [
      ...(
        ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/health', '/health/ready', '/'] as const
      ).map((known) => ['GET', known] as const),
      ...(
        ['/api/users', '/api/config', '/api/exchanges', '/api/openapi.json', '/audit/export/csv', '/nowhere'] as const
      ).map((known) => ['GET', known] as const),
      ['POST', '/token'],
      ['POST', '/userinfo'],
      ['POST', '/introspect'],
      ['DELETE', '/token'],
      ['GET', '/authorize?client_id=nobody&response_type=code&redirect_uri=https://app.example/cb'],
      ['GET', '/saml/metadata'],
      ['GET', '/saml/cert'],
      ['POST', '/saml/sso'],
      ['OPTIONS', '/token'],
    ] as const) {
      const { headers } = await fetch(idp.baseUrl + path, { method, redirect: 'manual' });
      expect([method, path, headers.get('x-content-type-options')]).to.deep.equal([method, path, 'nosniff']);
    }
  });

  verifies('HDR-16', 'rejects no request for its rate without rate limiting', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => postForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web)),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
  });

  it('keeps an idle connection open longer than busy clients do', async () => {
    expect((await fetch(`${idp.baseUrl}/health`)).headers.get('keep-alive')).to.equal('timeout=65');
  });

  verifies('HDR-17', 'rejects a body above 1 MiB with 413 for every type, and reads one of exactly 1 MiB', async () => {
    const { baseUrl } = idp;
    const post = (path: string, type: string, size: number) =>
      fetch(baseUrl + path, { method: 'POST', headers: { 'Content-Type': type }, body: 'x'.repeat(size) });
    for (const [path, type] of [
      ['/token', form],
      ['/register', 'application/json'],
      ['/api/runtime/users', 'application/json'],
    ] as const) {
      expect([path, (await post(path, type, mebibyte + 1)).status]).to.deep.equal([path, 413]);
      expect([path, (await post(path, type, mebibyte)).status]).to.deep.equal([path, 400]);
    }
  });

  verifies(['HDR-01', 'HDR-17'], 'marks a 413 as not cacheable only if the endpoint produces it', async () => {
    const cached = async (path: string, type: string) => {
      const headers = { 'Content-Type': type };
      const response = await fetch(idp.baseUrl + path, { method: 'POST', headers, body: 'x'.repeat(mebibyte + 1) });
      return [response.status, response.headers.get('cache-control')];
    };
    expect(await cached('/token', form)).to.deep.equal([413, null]);
    expect(await cached('/api/users/alice/token', 'application/json')).to.deep.equal([413, 'no-store']);
  });

  verifies(['HDR-18', 'TOK-01'], 'rejects a body for its content coding, not for missing parameters', async () => {
    const post = (path: string, type: string, coding: string, body: BodyInit) =>
      fetch(idp.baseUrl + path, {
        method: 'POST',
        headers: { 'Content-Type': type, 'Content-Encoding': coding, Authorization: web.Authorization },
        body,
      });
    const grant = 'grant_type=client_credentials';
    for (const [path, type, text] of [
      ['/token', form, grant],
      ['/register', 'application/json', '{}'],
      ['/api/runtime/users', 'application/json', '{"username":"coded"}'],
    ] as const) {
      const answer = await post(path, type, 'gzip', new Uint8Array(gzipSync(text)));
      expect([path, answer.status, answer.headers.get('accept-encoding')]).to.deep.equal([path, 415, 'identity']);
      expect((await answer.json()).error_description).to.match(/Content-Encoding/);
    }
    for (const coding of ['identity', ' Identity ', '']) {
      expect((await post('/token', form, coding, grant)).status, coding).to.equal(200);
    }
    const empty = await post('/api/users/alice/token', 'application/json', 'gzip', '');
    expect(empty.status).to.equal(200);
  });

  verifies('HDR-18', 'rejects malformed JSON with 400', async () => {
    for (const path of ['/register', '/api/runtime/users', '/api/runtime/clients', '/api/users/alice/token']) {
      const response = await fetch(idp.baseUrl + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"a":',
      });
      expect([path, response.status]).to.deep.equal([path, 400]);
      const { kind } = await response.json();
      expect([path, kind]).to.deep.equal([path, path.startsWith('/api/runtime/') ? 'invalid' : kind]);
    }
  });

  verifies('HDR-19', 'returns JSON to programs and a page to browsers for an unknown path', async () => {
    const accept = { Accept: 'text/html,application/xhtml+xml' };
    for (const path of ['/nowhere', '/api/nowhere', '/.well-known/nothing', '/%zz']) {
      const response = await fetch(idp.baseUrl + path);
      expect([path, response.status, await response.json()]).to.deep.equal([path, 404, { error: 'not_found' }]);
    }
    const page = await fetch(`${idp.baseUrl}/nowhere`, { headers: accept });
    expect(page.status).to.equal(404);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    for (const path of ['/api/nowhere', '/.well-known/nothing', '/token/x', '/saml/x', '/userinfo/']) {
      const answer = await fetch(idp.baseUrl + path, { headers: accept });
      expect([path, answer.status, await answer.json()]).to.deep.equal([path, 404, { error: 'not_found' }]);
    }
  });

  verifies('HDR-20', 'returns 405 with Allow for another method of a known path', async () => {
    for (const [method, path, allow] of [
      ['GET', '/token', 'POST, OPTIONS'],
      ['DELETE', '/userinfo', 'GET, POST, HEAD, OPTIONS'],
      ['PUT', '/.well-known/jwks.json', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/api/runtime/users/alice', 'GET, DELETE, HEAD, OPTIONS'],
    ] as const) {
      const response = await fetch(idp.baseUrl + path, { method });
      expect([method, path, response.status, response.headers.get('allow')]).to.deep.equal([method, path, 405, allow]);
    }
  });

  verifies('HDR-21', 'sets a signed cookie with HttpOnly and SameSite=Lax, and ignores a changed one', async () => {
    const response = await postForm(`${idp.baseUrl}/login`, { username: 'alice', password: 'wonderland' });
    const { port } = new URL(idp.baseUrl);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie?.replace(`test_idp_session_${port}=`, 'NAME=')).to.match(
      /^NAME=[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  verifies('HDR-21', 'adds the port of the Host to the cookie name, and nothing without a port (D41)', async () => {
    const nameAt = async (host: string, cookie = '') => {
      const answer = await rawRequest(`${idp.baseUrl}/login`, {
        method: 'POST',
        headers: { Host: host, Cookie: cookie, 'Content-Type': form },
        body: 'username=alice&password=wonderland',
      });
      return String(answer.headers['set-cookie']).split('=')[0];
    };
    expect(await nameAt('127.0.0.1:8000')).to.equal('test_idp_session_8000');
    expect(await nameAt('[::1]:65535', 'test_idp_session_8000=x.y')).to.equal('test_idp_session_65535');
    expect(await nameAt('localhost')).to.equal('test_idp_session');
  });

  verifies('HDR-20', 'marks JSON so that a browser never interprets it as another type', async () => {
    for (const path of ['/.well-known/openid-configuration', '/api/health', '/token', '/nothing', '/saml/nothing']) {
      const answer = await fetch(idp.baseUrl + path);
      expect([path, answer.headers.get('x-content-type-options')]).to.deep.equal([path, 'nosniff']);
    }
  });

  verifies('ISS-04', 'rejects a request with two Host headers', async () => {
    const answer = await rawText(
      idp.baseUrl,
      'GET /.well-known/openid-configuration HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n',
    );
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(answer).not.to.include('.example');
  });

  verifies(['CLT-01', 'UIN-04'], 'rejects any credentials in two Authorization headers', async () => {
    const fields = 'grant_type=client_credentials';
    const credentials = `Authorization: ${web.Authorization}`;
    const ask = (method: string, path: string, ...headers: string[]) => {
      const about = [
        'Host: localhost',
        `Content-Type: ${form}`,
        `Content-Length: ${fields.length}`,
        'Connection: close',
      ];
      return rawText(idp.baseUrl, [`${method} ${path} HTTP/1.1`, ...about, ...headers, '', fields].join('\r\n'));
    };
    for (const second of [credentials, 'authorization: Bearer x']) {
      for (const [method, path] of [
        ['POST', '/token'],
        ['POST', '/introspect'],
        ['POST', '/userinfo'],
      ] as const) {
        const answer = await ask(method, path, credentials, second);
        expect(answer, path).to.match(/^HTTP\/1\.1 400 /);
        expect(answer, path).to.include('several Authorization headers');
      }
    }
    expect(await ask('POST', '/token', credentials)).to.match(/^HTTP\/1\.1 200 /);
  });

  it('answers a caller that closes its own half of the connection', async () => {
    const fields = 'grant_type=client_credentials';
    const head = ['POST /token HTTP/1.1', 'Host: localhost', `Authorization: ${web.Authorization}`];
    const body = [`Content-Type: ${form}`, `Content-Length: ${fields.length}`, '', fields];
    expect(await rawText(idp.baseUrl, [...head, ...body].join('\r\n'))).to.match(/^HTTP\/1\.1 200 /);
  });

  verifies('HDR-12', 'rejects a cross-site login that did not begin here', async () => {
    const query = 'response_type=code&client_id=web&redirect_uri=https%3A%2F%2Frp.example%2Fcb';
    for (const path of [`/authorize?${query}`, '/device']) {
      for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }]) {
        const answer = await postForm(idp.baseUrl + path, { username: 'alice', password: 'wonderland' }, headers);
        expect([path, answer.status]).to.deep.equal([path, 403]);
        expect(await answer.text()).to.include('another site');
      }
      const own = { 'Sec-Fetch-Site': 'same-origin', Origin: idp.baseUrl };
      expect((await postForm(idp.baseUrl + path, {}, own)).status, path).not.to.equal(403);
      expect((await postForm(idp.baseUrl + path, {})).status, path).not.to.equal(403);
    }
  });

  verifies('HDR-22', 'advertises no address and documents no path with a version segment', async () => {
    const document = await (await fetch(`${idp.baseUrl}/.well-known/openid-configuration`)).text();
    expect(document).to.not.match(/\/v[0-9]+(?:\/|")/);
  });

  verifies(
    ['HDR-12', 'HDR-13'],
    'rejects a cross-site write under /api without effect, and accepts one from a program',
    async () => {
      const url = `${idp.baseUrl}/api/runtime/users`;
      const create = (headers: Record<string, string>) =>
        fetch(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
          body: '{"username":"mallory"}',
        });
      expect((await create({ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' })).status).to.equal(403);
      expect((await create({ Origin: 'https://evil.example' })).status).to.equal(403);
      expect((await fetch(`${url}/mallory`)).status).to.equal(404);
      expect((await create({})).status).to.equal(201);
    },
  );
});

describe('headers with a declared list and a rate', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      command: 'oidc',
      settings: {
        ...demoSettings,
        cors_allowed_originss: ['https://spa.example'],
        rate_limit_enabled: true,
        server: { rate_limit_token_endpoint: '3/hour' },
        oauth: {
          ...demoSettings.oauth,
          issuer_from_proxy_headers: true,
          dynamic_registration: { enabled: true },
        },
      },
    });
  });
  after(() => idp.stop());

  verifies(['HDR-06', 'HDR-07', 'HDR-11'], 'echoes a listed origin and omits CORS headers for others', async () => {
    const headers = async (origin: string | undefined) => {
      const response = await fetch(`${idp.baseUrl}/.well-known/jwks.json`, {
        headers: origin === undefined ? {} : { Origin: origin },
      });
      return [response.headers.get('access-control-allow-origin'), response.headers.get('vary')];
    };
    expect(await headers('https://spa.example')).to.deep.equal(['https://spa.example', 'Origin']);
    expect(await headers('https://other.example')).to.deep.equal([null, 'Origin']);
    expect(await headers(undefined)).to.deep.equal([null, 'Origin']);
  });

  verifies('HDR-10', 'reveals nothing in a preflight of another origin', async () => {
    const preflight = async (origin: string) => {
      const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
      const response = await fetch(`${idp.baseUrl}/token`, { method: 'OPTIONS', headers });
      return [response.status, response.headers.get('access-control-allow-methods')];
    };
    expect(await preflight('https://spa.example')).to.deep.equal([204, 'POST, OPTIONS']);
    expect(await preflight('https://other.example')).to.deep.equal([204, null]);
  });

  verifies('HDR-12', 'accepts cross-site writes from an origin that is listed by name', async () => {
    const response = await fetch(`${idp.baseUrl}/api/audit/clear`, {
      method: 'POST',
      headers: { Origin: 'https://spa.example', 'Sec-Fetch-Site': 'cross-site' },
    });
    expect(response.status).to.equal(200);
  });

  verifies(
    ['HDR-14', 'HDR-02', 'ISS-07', 'ISS-05'],
    'limits the rate for each client address, using the forwarded one',
    async () => {
      const ask = (address: string) =>
        rawRequest(`${idp.baseUrl}/token`, {
          method: 'POST',
          headers: { 'Content-Type': form, 'X-Forwarded-For': `203.0.113.99, ${address}` },
          body: 'grant_type=client_credentials&client_id=post&client_secret=post-secret',
        });
      for (let request = 0; request < 3; request += 1) expect((await ask('198.51.100.1')).status).to.equal(200);
      const refused = await ask('198.51.100.1');
      expect(refused.status).to.equal(429);
      expect(JSON.parse(refused.body).error).to.equal('rate_limit_exceeded');
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 3600);
      expect([refused.headers['cache-control'], refused.headers.pragma]).to.deep.equal([undefined, undefined]);
      expect((await ask('198.51.100.2')).status).to.equal(200);
      const audit = (await (await fetch(`${idp.baseUrl}/api/audit?event_type=token_request`)).json()) as {
        entries: { ip_address: string }[];
      };
      expect(audit.entries.at(-1)?.ip_address).to.equal('198.51.100.2');
    },
  );

  verifies('HDR-15', 'limits registration at the same rate, counted separately', async () => {
    const register = () =>
      rawRequest(`${idp.baseUrl}/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.51.100.1' },
        body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'] }),
      });
    const headers = { 'Content-Type': form, 'X-Forwarded-For': '198.51.100.1' };
    await rawRequest(`${idp.baseUrl}/token`, { method: 'POST', headers, body: 'grant_type=client_credentials' });
    const statuses = [];
    for (let request = 0; request < 4; request += 1) statuses.push((await register()).status);
    expect(statuses).to.deep.equal([201, 201, 201, 429]);
  });

  verifies(
    ['ISS-05', 'HDR-21'],
    'derives issuer and Secure cookie from the forwarded scheme behind an https proxy',
    async () => {
      const forwarded = {
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'idp.example',
        'X-Forwarded-For': '198.51.100.3',
      };
      const discovery = await rawRequest(`${idp.baseUrl}/.well-known/openid-configuration`, { headers: forwarded });
      expect(JSON.parse(discovery.body).issuer).to.equal('https://idp.example');
      const login = await rawRequest(`${idp.baseUrl}/login`, {
        method: 'POST',
        headers: { ...forwarded, 'Content-Type': form },
        body: 'username=alice&password=wonderland',
      });
      expect(String(login.headers['set-cookie'])).to.match(/; Secure$/);
    },
  );

  verifies('ISS-08', 'needs a restart to turn off the proxy headers', async () => {
    const { writeFileSync } = await import('node:fs');
    const { stringify } = await import('yaml');
    const { issuer_from_request, issuer, clients } = demoSettings.oauth;
    writeFileSync(
      `${idp.configDirectory}/settings.yaml`,
      stringify({ oauth: { issuer_from_request, issuer, clients } }),
    );
    expect((await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' })).status).to.equal(200);
    const answer = await rawRequest(`${idp.baseUrl}/.well-known/openid-configuration`, {
      headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'idp.example' },
    });
    expect(JSON.parse(answer.body).issuer).to.equal('https://idp.example');
  });
});

describe('the Host of a server that is bound to loopback (D42)', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      command: 'oidc',
      settings: {
        ...demoSettings,
        server: { allowed_hosts: ['IDP.test', 'ported.test:8443'] },
        oauth: { ...demoSettings.oauth, issuer: 'https://issuer.test:9443', issuer_allowlist: ['http://listed.test'] },
      },
    });
  });
  after(() => idp.stop());

  const ask = (path: string, Host: string, method = 'GET', headers: Record<string, string> = {}) =>
    rawRequest(idp.baseUrl + path, { method, headers: { Host, ...headers } });

  verifies(
    'HDR-23',
    'serves the web UI, exports and /api only at its own names, and the error names the setting',
    async () => {
      const rebound = ['/', '/users', '/settings', '/login', '/audit/export/json', '/audit/export/csv', '/test'];
      for (const path of [...rebound, '/api/users', '/api/config', '/api/nowhere', '/ui/logout']) {
        for (const host of [
          'evil.test',
          'evil.test:8000',
          'localhost.evil.test',
          '127.0.0.1.evil.test',
          'idp.test.',
          'a b',
        ]) {
          const own = host === 'idp.test.';
          const { status, body } = await ask(path, host);
          if (own) expect([path, host, status]).not.to.include(421);
          else {
            expect([path, host, status]).to.deep.equal([path, host, 421]);
            expect(body).to.contain('server.allowed_hosts').and.not.contain('evil');
          }
        }
      }
      const write = await ask('/api/users/alice/token', 'evil.test', 'POST', { 'X-Forwarded-Host': 'localhost' });
      expect([write.status, JSON.parse(write.body).kind]).to.deep.equal([421, 'host_not_allowed']);
      const page = await ask('/users', 'evil.test', 'GET', { Accept: 'text/html' });
      expect([page.status, page.headers['content-type']]).to.deep.equal([421, 'text/html; charset=utf-8']);
      expect(page.body).to.contain('server.allowed_hosts');
    },
  );

  verifies('HDR-23', 'accepts loopback names, the issuer and listed names at any port', async () => {
    const own = ['localhost', 'LOCALHOST:1', '127.0.0.1', '127.9.9.9:8000', '[::1]:8000', 'box.localhost:8000'];
    const listed = [
      'issuer.test:9443',
      'issuer.test',
      'listed.test:81',
      'idp.test',
      'idp.test:8000',
      'ported.test:8443',
    ];
    for (const host of [...own, ...listed]) {
      expect([host, (await ask('/api/users', host)).status]).to.deep.equal([host, 200]);
      expect([host, (await ask('/users', host)).status]).to.deep.equal([host, 200]);
    }
    expect((await ask('/api/users', 'ported.test')).status).to.equal(421);
  });

  verifies('HDR-23', 'serves protocol endpoints, health and static files at every Host', async () => {
    for (const [path, status] of [
      ['/.well-known/openid-configuration', 200],
      ['/.well-known/jwks.json', 200],
      ['/authorize', 400],
      ['/device', 200],
      ['/logout', 200],
      ['/userinfo', 401],
      ['/health', 200],
      ['/api/health', 200],
      ['/static/style.css', 200],
    ] as const) {
      expect([path, (await ask(path, 'evil.test')).status]).to.deep.equal([path, status]);
    }
  });
});

describe('the Host of a server that is bound to more than loopback', () => {
  let idp: RunningIdp | undefined;
  afterEach(async () => {
    await idp?.stop();
    idp = undefined;
  });

  async function startBeyondLoopback(settings: object = {}, options: { readonly args?: readonly string[] } = {}) {
    const running = await startIdp({
      command: 'oidc',
      settings: { ...demoSettings, ...settings },
      args: ['--host', '0.0.0.0', ...(options.args ?? [])],
    });
    idp = running;
    return (path: string, Host: string, method = 'GET', headers: Record<string, string> = {}) =>
      rawRequest(running.baseUrl + path, { method, headers: { Host, ...headers } });
  }
  const own = { oauth: { ...demoSettings.oauth, issuer: 'https://idp.company.dev:9443' } };

  it('rejects a name that a website can have for pages, exports and /api with 421, and names both remedies', async () => {
    const ask = await startBeyondLoopback();
    const paths = ['/', '/users', '/settings', '/login', '/audit/export/json', '/audit/export/csv', '/ui/logout'];
    const hosts = [
      'evil.com',
      'EVIL.com:8000',
      'localhost.evil.com',
      '127.0.0.1.evil.com',
      'evil.com.',
      'x.test.evil.com',
    ];
    for (const path of [...paths, '/api/users', '/api/config', '/api/nowhere', '/s/none/api/users']) {
      for (const host of [...hosts, 'evil.example.com', 'evillocal.com', 'a b', '127.0.0.1@evil.com']) {
        const { status, body } = await ask(path, host);
        if (path.startsWith('/s/')) {
          expect([path, host, status]).to.deep.equal([path, host, 404]);
          continue;
        }
        expect([path, host, status]).to.deep.equal([path, host, 421]);
        expect(body).to.contain('server.allowed_hosts').and.contain('management_secret').and.not.contain('evil');
      }
    }
    const write = await ask('/api/users/alice/token', 'evil.com', 'POST', { 'X-Forwarded-Host': 'localhost' });
    expect([write.status, JSON.parse(write.body)]).to.deep.equal([
      421,
      {
        error:
          'The Host of this request could be the name of a website, and this server is bound beyond loopback without a management secret. Use an IP address, a name without a dot, or a name below .localhost, .local, .internal, .test or .example. Or add the name to server.allowed_hosts in settings.yaml, or set management_secret.',
        kind: 'host_not_allowed',
      },
    ]);
    const page = await ask('/users', 'evil.com', 'GET', { Accept: 'text/html' });
    expect([page.status, page.headers['content-type']]).to.deep.equal([421, 'text/html; charset=utf-8']);
    expect(page.body).to.contain('server.allowed_hosts').and.contain('management_secret');
  });

  it('accepts addresses, names without a dot and names below domains that no website has', async () => {
    const ask = await startBeyondLoopback();
    const addresses = [
      '127.0.0.1',
      '192.168.1.5:8000',
      '203.0.113.7',
      '[::1]:8000',
      '[2001:db8::7]',
      '[::ffff:10.0.0.1]:80',
    ];
    const names = [
      'localhost',
      'LOCALHOST:1',
      'test-idp',
      'test_idp:8000',
      'test-idp.',
      'box.localhost',
      'laptop.local',
    ];
    const domains = ['test-idp.default.svc.cluster.local:8000', 'host.docker.internal', 'IDP.Test:80', 'a.b.example.'];
    for (const host of [...addresses, ...names, ...domains]) {
      expect([host, (await ask('/api/users', host)).status]).to.deep.equal([host, 200]);
      expect([host, (await ask('/users', host)).status]).to.deep.equal([host, 200]);
    }
  });

  it('accepts the issuer, allowed issuers and allowed hosts', async () => {
    const oauth = { ...own.oauth, issuer_allowlist: ['http://listed.company.dev'] };
    const server = { allowed_hosts: ['Further.company.dev', 'ported.company.dev:8443'] };
    const ask = await startBeyondLoopback({ oauth, server });
    for (const [host, status] of [
      ['idp.company.dev:9443', 200],
      ['idp.company.dev', 200],
      ['IDP.company.dev.:80', 200],
      ['listed.company.dev:81', 200],
      ['further.company.dev', 200],
      ['further.company.dev:8000', 200],
      ['ported.company.dev:8443', 200],
      ['ported.company.dev', 421],
      ['company.dev', 421],
      ['idp.company.dev.evil.com', 421],
    ] as const) {
      expect([host, (await ask('/api/users', host)).status]).to.deep.equal([host, status]);
    }
  });

  it('serves protocol endpoints, health and static files at every Host', async () => {
    const ask = await startBeyondLoopback();
    for (const [path, status] of [
      ['/.well-known/openid-configuration', 200],
      ['/.well-known/jwks.json', 200],
      ['/authorize', 400],
      ['/token', 405],
      ['/device', 200],
      ['/logout', 200],
      ['/userinfo', 401],
      ['/health', 200],
      ['/health/ready', 200],
      ['/api/health', 200],
      ['/static/style.css', 200],
    ] as const) {
      expect([path, (await ask(path, 'evil.com')).status]).to.deep.equal([path, status]);
    }
  });

  it('protects a sandbox like the default identity provider', async () => {
    const ask = await startBeyondLoopback();
    expect((await idp?.api('POST', '/api/sandboxes', { name: 'box' }))?.status).to.equal(201);
    for (const [path, host, status] of [
      ['/s/box/api/users', 'evil.com', 421],
      ['/s/box/flows', 'evil.com', 421],
      ['/s/box/api/users', 'test-idp', 200],
      ['/s/box/.well-known/openid-configuration', 'evil.com', 200],
    ] as const) {
      expect([path, host, (await ask(path, host)).status]).to.deep.equal([path, host, status]);
    }
  });

  it('checks the forwarded host too, if forwarded headers are trusted', async () => {
    const ask = await startBeyondLoopback({ oauth: { ...own.oauth, issuer_from_proxy_headers: true } });
    for (const [host, forwarded, status] of [
      ['test-idp:8000', 'evil.com', 421],
      ['test-idp:8000', 'localhost, evil.com', 421],
      ['test-idp:8000', 'evil.com, idp.company.dev', 200],
      ['test-idp:8000', '', 200],
      ['evil.com', 'idp.company.dev', 421],
    ] as const) {
      const { status: answered, body } = await ask('/api/users', host, 'GET', { 'X-Forwarded-Host': forwarded });
      expect([host, forwarded, answered]).to.deep.equal([host, forwarded, status]);
      if (status === 421) expect(body).to.contain(host === 'evil.com' ? 'The Host of' : 'The X-Forwarded-Host of');
    }
  });

  it('accepts every Host with a management secret', async () => {
    const ask = await startBeyondLoopback({ management_secret: 'a long management secret' });
    expect((await ask('/api/users', 'evil.com')).status).to.equal(200);
    expect((await ask('/users', 'evil.com')).status).to.equal(200);
    expect((await ask('/api/users/alice/token', 'evil.com', 'POST')).status).to.equal(401);
  });

  it('applies a reload', async () => {
    const ask = await startBeyondLoopback();
    expect((await ask('/api/users', 'idp.company.dev')).status).to.equal(421);
    await idp?.configure({ settings: { server: { allowed_hosts: ['idp.company.dev'] } } });
    expect((await ask('/api/users', 'idp.company.dev')).status).to.equal(200);
    await idp?.configure({ settings: {} });
    expect((await ask('/api/users', 'idp.company.dev')).status).to.equal(421);
  });
});

describe('cross-origin rules: the defaults of stricter-dev, the asterisk and the empty list', () => {
  const allowed = async (settings: object, origin: string): Promise<string | null> => {
    const idp = await startIdp({ command: 'oidc', settings: { ...demoSettings, ...settings } });
    try {
      const response = await fetch(`${idp.baseUrl}/.well-known/jwks.json`, { headers: { Origin: origin } });
      return response.headers.get('access-control-allow-origin');
    } finally {
      await idp.stop();
    }
  };

  verifies(['HDR-05', 'HDR-08', 'HDR-09'], 'match the configuration', async () => {
    const origin = 'http://localhost:5173';
    const answers = await Promise.all([
      allowed({ security_profile: 'stricter-dev' }, origin),
      allowed({ security_profile: 'stricter-dev' }, 'https://spa.example'),
      allowed({ security_profile: 'stricter-dev', cors_allowed_originss: ['*'] }, 'https://spa.example'),
      allowed({ cors_allowed_originss: [] }, origin),
    ]);
    expect(answers).to.deep.equal([origin, null, 'https://spa.example', null]);
  });
});
