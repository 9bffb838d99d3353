// Clients identified by the https address of their metadata document, against a started program. The host is a local one
// whose authority the program trusts. The tests in test/unit/services/oidc/registration cover what the fetch itself
// rejects.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { starterFiles } from '#cli/starter-files.ts';
import { plusSeconds, systemClock } from '#shared/base/clock.ts';
import { embeddedSettingsText } from '#shared/state/configuration/load/built-in-defaults.ts';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { basic } from '#test/support/http.ts';
import { type MetadataHost, serveJson, startMetadataHost } from '#test/support/metadata-host.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { createTestAuthority, type TestAuthority } from '#test/support/test-authority.ts';
import {
  type Answer,
  approveDevice,
  deviceGrantType,
  lastEvent,
  pollDevice,
  postTo,
  redeemCode,
  refusalOf,
  token,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const callback = 'http://127.0.0.1:9/callback';
const unknown = '{"error":"invalid_client","error_description":"Unknown client_id"}';
const asPerson = { Accept: 'text/html', 'Upgrade-Insecure-Requests': '1' };
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };

describe('client metadata documents', () => {
  let directory: string;
  let authority: TestAuthority;
  let host: MetadataHost;
  let idp: RunningIdp;
  let address: string;

  before(async () => {
    authority = await createTestAuthority();
    host = await startMetadataHost(authority);
    directory = mkdtempSync(join(tmpdir(), 'test-idp-ca-'));
    writeFileSync(join(directory, 'ca.pem'), authority.certificatePem);
    idp = await startIdp({
      world: interactive,
      settings: settings(),
      env: { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') },
    });
    address = `https://localhost:${host.port}`;
  });
  after(async () => {
    await idp.stop();
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    host.requests.length = 0;
    host.answer = (request, response) =>
      serveJson({ client_id: `${address}${request.url}`, client_name: 'Documented', redirect_uris: [callback] })(
        request,
        response,
      );
  });
  let fetchesAhead = 0;
  afterEach(async () => {
    // Every test begins at a later time and with a full budget of fetches per minute. The budget uses real time, and a
    // recorded fetch in the future means that the machine's clock was set back.
    fetchesAhead += 61_000;
    await idp.setClock(fetchesAhead);
    const inAnHour = plusSeconds(systemClock.now(), 3600);
    await idp.withStore(({ metadataDocuments }) => metadataDocuments.admitFetch(inAnHour));
  });

  function settings(changes: object = {}) {
    return {
      oauth: {
        client_id_metadata_documents: {
          enabled: true,
          allow_loopback: true,
          allowed_hosts: [`localhost:${host.port}`, `127.0.0.1:${host.port}`],
          ...changes,
        },
      },
    };
  }

  async function under(changes: object, run: () => Promise<void>, clients: readonly Record<string, unknown>[] = []) {
    await idp.configure({ settings: settings(changes), clients });
    try {
      await run();
    } finally {
      await idp.configure({ settings: settings() });
    }
  }

  const ask = (clientId: string, changes: Record<string, string> = {}) =>
    newBrowser(idp).get(authorizePath({ client_id: clientId, ...pkce, ...changes }));
  const logIn = async (clientId: string, changes: Record<string, string> = {}) =>
    newBrowser(idp).post(authorizePath({ client_id: clientId, ...pkce, ...changes }), alice);
  const redeem = (clientId: string, code: string): Promise<Answer> =>
    redeemCode(idp, code, { client_id: clientId, code_verifier: verifier }, {});

  const refusedDocument = async () => (await lastEvent(idp, 'client_metadata_document_refused'))?.details ?? {};

  async function expectUnknown(clientId: string) {
    const page = await ask(clientId);
    expect([page.status, page.body, page.location], clientId).to.deep.equal([400, unknown, null]);
  }

  it('push their requests, and must do so if their document says so (RFC 9126 §6)', async () => {
    const { oauth } = settings();
    await idp.configure({ settings: { oauth: { ...oauth, pushed_authorization_requests: 'on' } } });
    try {
      const clientId = `${address}/pushing.json`;
      const document = { client_id: clientId, redirect_uris: [callback], require_pushed_authorization_requests: true };
      host.answer = serveJson(document);
      const direct = await ask(clientId);
      expect(redirectParameters(direct).get('error_description')).to.contain('must be pushed');
      const request = { client_id: clientId, response_type: 'code', redirect_uri: callback, ...pkce };
      const pushed = await postTo(idp, '/par', request, {});
      expect(pushed.status, pushed.text).to.equal(201);
      const query = new URLSearchParams({ client_id: clientId, request_uri: String(pushed.body.request_uri) });
      const browser = newBrowser(idp);
      const code = codeOf(await browser.submit(await browser.get(`/authorize?${query}`), alice));
      expect((await redeem(clientId, code)).status).to.equal(200);

      const refused = `${address}/refused.json`;
      expect(refusalOf(await postTo(idp, '/par', { ...request, client_id: refused }, {}))).to.deep.equal([
        400,
        'invalid_client',
      ]);
      expect((await lastEvent(idp, 'client_metadata_document_refused'))?.client_id).to.equal(refused);
    } finally {
      await idp.configure({ settings: settings() });
    }
  });

  it('are unknown at /par as at /token while the feature is off', async () => {
    await idp.configure({ settings: { oauth: { pushed_authorization_requests: 'on' } } });
    try {
      const unheard = `${address}/unheard.json`;
      const headers = { Authorization: basic(encodeURIComponent(unheard), 'x') };
      const answer = await postTo(idp, '/par', { response_type: 'code' }, headers);
      expect(refusalOf(answer)).to.deep.equal([401, 'invalid_client']);
      expect(answer.headers.get('www-authenticate')).to.match(/^Basic /);
    } finally {
      await idp.configure({ settings: settings() });
    }
  });

  verifies(['CMD-01', 'CMD-17', 'TOK-20'], 'are fetched only at /authorize, and get no refresh token', async () => {
    const clientId = `${address}/app`;
    for (const path of ['/token', '/introspect', '/revoke', '/device_authorization']) {
      const form = { client_id: clientId, grant_type: 'refresh_token', refresh_token: 'x', token: 'x' };
      expect((await postTo(idp, path, form, {})).body.error, path).to.equal('invalid_client');
    }
    expect(host.requests).to.deep.equal([]);
    const page = await ask(clientId, { scope: 'openid email' });
    expect(page.status).to.equal(200);
    expect(host.requests.map(({ url }) => url)).to.deep.equal(['/app']);
    const answer = await redeem(clientId, codeOf(await logIn(clientId, { scope: 'openid email' })));
    expect(answer.status, answer.text).to.equal(200);
    expect(Object.keys(answer.body)).to.have.members(['access_token', 'token_type', 'expires_in', 'scope', 'id_token']);
    expect(host.requests).to.have.length(1);
  });

  verifies('CMD-17', 'authenticate only with none and cannot use the device grant', async () => {
    const clientId = `${address}/tv`;
    expect((await ask(clientId)).status).to.equal(200);
    const ownHeader = { Authorization: basic(clientId, 'x') };
    expect(refusalOf(await token(idp, { grant_type: 'client_credentials' }, ownHeader))).to.deep.equal([
      400,
      'unauthorized_client',
    ]);
    expect(refusalOf(await postTo(idp, '/introspect', { token: 'x' }, ownHeader))).to.deep.equal([
      401,
      'invalid_client',
    ]);
    expect(refusalOf(await postTo(idp, '/device_authorization', { client_id: clientId }, {}))).to.deep.equal([
      401,
      'invalid_client',
    ]);
  });

  verifies('CMD-12', 'have a secret in the document ignored, with a warning in the log', async () => {
    const clientId = `${address}/published`;
    const members = { client_id: clientId, redirect_uris: [callback] };
    host.answer = serveJson({ ...members, client_secret: 'for-everybody', client_secret_expires_at: 0 });
    const answer = await redeem(clientId, codeOf(await logIn(clientId)));
    expect(answer.status, answer.text).to.equal(200);
    expect(idp.log()).to.contain('ignored client_secret and client_secret_expires_at in a client metadata document');
    expect(idp.log()).not.to.contain('for-everybody');
  });

  verifies(['UNK-04', 'CMD-12'], 'keep unknown scopes of the document only if the setting grants them', async () => {
    const scopeFor = async (unknown_scopes: string, scope: string) => {
      await idp.configure({ settings: { oauth: { ...settings().oauth, unknown_scopes } } });
      const clientId = `${address}/${unknown_scopes}`;
      host.answer = serveJson({ client_id: clientId, redirect_uris: [callback], scope: 'openid mcp:read' });
      const page = await logIn(clientId, { scope });
      const error = redirectParameters(page).get('error');
      return error ?? (await redeem(clientId, codeOf(page))).body.scope;
    };
    expect(await scopeFor('grant', 'openid mcp:read')).to.equal('openid mcp:read');
    expect(await scopeFor('grant', 'mcp:write')).to.equal('invalid_scope');
    expect(await scopeFor('ignore', 'openid mcp:read')).to.equal('openid');
    expect(await scopeFor('reject', 'openid mcp:read')).to.equal('invalid_scope');
    await idp.configure({ settings: settings() });
  });

  verifies('GRT-28', 'are rejected for the device grant at /token, even with a valid device code', async () => {
    const clientId = `${address}/tv2`;
    expect((await ask(clientId)).status).to.equal(200);
    await idp.withStore(async ({ deviceGrants }) => {
      const now = Date.now() as Parameters<typeof deviceGrants.begin>[1];
      const expiresAt = (now + 3_600_000_000) as typeof now;
      const codes = { device_code: 'a-device-code', user_code: 'BCDFGHJK', client_id: clientId };
      const grant = {
        ...codes,
        scope: ['openid'],
        resource: [],
        createdAt: now,
        expiresAt,
        intervalSeconds: 5,
        decision: { state: 'pending' },
      } as const;
      expect(await deviceGrants.begin(grant, now)).to.equal('begun');
    });
    await approveDevice(idp, 'BCDFGHJK');
    const answer = await pollDevice(idp, 'a-device-code', { client_id: clientId }, {});
    expect(refusalOf(answer)).to.deep.equal([400, 'unauthorized_client']);
    const bare = await token(idp, { grant_type: deviceGrantType, client_id: clientId }, {});
    expect(refusalOf(bare)).to.deep.equal([400, 'unauthorized_client']);
  });

  verifies('CMD-02', 'get the same error for every rejection, with the reason only in the log', async () => {
    const clientId = `${address}/refused`;
    const refusals: [string, () => void][] = [
      ['status 302', () => (host.answer = (_request, response) => response.writeHead(302, { Location: '/x' }).end())],
      ['media type', () => (host.answer = serveJson({}, { 'Content-Type': 'text/html' }))],
      ['larger than 5 KiB', () => (host.answer = serveJson('x'.repeat(5121)))],
      ['compressed', () => (host.answer = serveJson({}, { 'Content-Encoding': 'gzip' }))],
      ['forbids caching', () => (host.answer = serveJson({}, { 'Cache-Control': 'no-store' }))],
      [
        'differs from its address',
        () => (host.answer = serveJson({ client_id: `${clientId}x`, redirect_uris: [callback] })),
      ],
      ['could not be fetched', () => (host.answer = (_request, response) => response.destroy())],
    ];
    for (const [reason, prepare] of refusals) {
      prepare();
      await expectUnknown(clientId);
      expect(idp.log(), reason).to.contain(reason);
      expect(await lastEvent(idp, 'client_metadata_document_refused')).to.deep.include({
        status: 'failed',
        endpoint: '/authorize',
        details: {},
      });
      expect(JSON.stringify(await idp.audit())).not.to.contain(reason);
    }
    await under({ enabled: false }, async () => {
      const before = host.requests.length;
      await expectUnknown(clientId);
      expect(host.requests).to.have.length(before);
    });
    await expectUnknown('no-such-client');
  });

  verifies('CMD-07', 'fail after five seconds in total on a slow host', async () => {
    const timers: NodeJS.Timeout[] = [];
    host.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      timers.push(setInterval(() => response.write(' '), 100));
    };
    const asked = performance.now();
    await expectUnknown(`${address}/drip`);
    expect(performance.now() - asked).to.be.within(4_900, 9_000);
    expect(idp.log()).to.contain('longer than 5 seconds');
    for (const timer of timers) clearInterval(timer);
    expect(host.requests).to.have.length(1);
  });

  verifies(['CMD-03', 'CMD-04'], 'are rejected without a fetch for other hosts and unusable addresses', async () => {
    for (const clientId of [
      `https://app.localhost:${host.port}/app`,
      `https://127.0.0.2:${host.port}/app`,
      address,
      `${address}/a/../app`,
      `${address}/%2E%2e/app`,
      `${address}/app#`,
      `${address}/a pp`,
      `${address}/äpp`,
      `https://me@localhost:${host.port}/app`,
    ]) {
      await expectUnknown(clientId);
    }
    await under({ allowed_hosts: [], allow_loopback: false }, () => expectUnknown(`${address}/app-2`));
    // Only the reason tells these from a failed fetch.
    await under({ allow_loopback: false, show_reasons: true }, async () => {
      for (const clientId of ['https://localhost/app', `https://localhost:${host.port + 1}/app`]) {
        await expectUnknown(clientId);
        expect((await refusedDocument()).refusal, clientId).to.equal('document_host_not_allowed');
      }
    });
    expect(host.requests).to.deep.equal([]);
  });

  verifies('MDC-03', 'need no entry in allowed_hosts on this machine, if loopback is allowed', async () => {
    const second = await startMetadataHost(authority);
    second.answer = (request, response) =>
      serveJson({ client_id: `https://localhost:${second.port}${request.url}`, redirect_uris: [callback] })(
        request,
        response,
      );
    try {
      await under({ allowed_hosts: [], show_reasons: true }, async () => {
        expect((await ask(`${address}/unlisted`)).status).to.equal(200);
        expect((await ask(`https://localhost:${second.port}/unlisted`)).status).to.equal(200);
        for (const name of ['127.0.0.1', '[::1]']) {
          await expectUnknown(`https://${name}:${host.port}/other`);
          expect((await refusedDocument()).refusal, name).not.to.equal('document_host_not_allowed');
        }
        for (const name of ['127.0.0.2', 'app.localhost', 'client.example']) {
          await expectUnknown(`https://${name}:${host.port}/other`);
          expect(await refusedDocument(), name).to.deep.include({
            refusal: 'document_host_not_allowed',
            expected: 'no host is allowed',
            received: `${name}:${host.port}`,
          });
        }
      });
    } finally {
      await second.close();
    }
  });

  verifies('MDC-01', 'have the reason of a rejection in audit, flow and page, but not in JSON', async () => {
    const clientId = `${address}/shown`;
    const cases: [string, string, string, string, () => void][] = [
      [
        'document_client_id_differs',
        'client_id of the document differs from its address.',
        clientId,
        `${clientId}x`,
        () => (host.answer = serveJson({ client_id: `${clientId}x`, redirect_uris: [callback] })),
      ],
      [
        'document_status_wrong',
        "The document's host returned status 302 instead of 200.",
        '200',
        '302',
        () => (host.answer = (_request, response) => response.writeHead(302, { Location: '/x' }).end()),
      ],
      [
        'document_media_type_wrong',
        "The document's media type must be application/json or end with +json.",
        'application/json',
        'text/html',
        () => (host.answer = serveJson({}, { 'Content-Type': 'text/html' })),
      ],
      [
        'redirect_uri_unusable',
        "'redirect_uris': /relative must be an absolute URI.",
        'At least one absolute redirect URI without a fragment.',
        '/relative',
        () => (host.answer = serveJson({ client_id: clientId, redirect_uris: ['/relative'] })),
      ],
    ];
    await under({ show_reasons: true }, async () => {
      for (const [refusal, reason, expected, received, prepare] of cases) {
        prepare();
        await expectUnknown(clientId);
        expect(await refusedDocument()).to.deep.equal({ refusal, reason, expected, received });
        const [exchange] = (await idp.api('GET', '/api/exchanges?limit=1')).body.exchanges;
        expect([exchange.refusal, exchange.reason]).to.deep.equal([refusal, reason]);
        const shown = await newBrowser(idp).get(authorizePath({ client_id: clientId, ...pkce }), asPerson);
        expect(shown.status).to.equal(400);
        for (const text of ['Unknown client_id', reason, expected, received]) {
          expect(shown.body.replaceAll('&#39;', "'")).to.contain(text);
        }
      }
    });
  });

  verifies('MDC-01', 'have the reason of a pushed request in the audit', async () => {
    const { client_id_metadata_documents } = settings({ show_reasons: true }).oauth;
    await idp.configure({ settings: { oauth: { client_id_metadata_documents, pushed_authorization_requests: 'on' } } });
    try {
      const clientId = `${address}/pushed-wrong`;
      host.answer = serveJson({ client_id: clientId, redirect_uris: [callback], token_endpoint_auth_method: 'x' });
      const request = { client_id: clientId, response_type: 'code', redirect_uri: callback, ...pkce };
      const answer = await postTo(idp, '/par', request, {});
      expect([answer.status, answer.text]).to.deep.equal([400, unknown]);
      expect(await refusedDocument()).to.deep.include({
        refusal: 'document_authentication_method_wrong',
        expected: 'none',
        received: 'x',
      });
    } finally {
      await idp.configure({ settings: settings() });
    }
  });

  verifies('MDC-01', 'do not have the reason on pages of a server that other machines reach', async () => {
    const exposed = await startIdp({
      world: interactive,
      settings: settings({ show_reasons: true }),
      args: ['--host', '0.0.0.0'],
    });
    try {
      const shown = await newBrowser(exposed).get(authorizePath({ client_id: `${address}/app`, ...pkce }), asPerson);
      expect([shown.status, shown.body.includes('Unknown client_id')]).to.deep.equal([400, true]);
      expect(shown.body).not.to.contain('allowed_hosts.').and.not.to.contain('globally routable');
      const event = await lastEvent(exposed, 'client_metadata_document_refused');
      expect(event?.details.refusal).to.equal('document_address_not_routable');
    } finally {
      await exposed.stop();
    }
  });

  verifies('MDC-02', 'name the key on the page and in the flow, if reasons are not shown', async () => {
    const clientId = `${address}/hidden`;
    host.answer = serveJson({ client_id: 'https://other.example/', redirect_uris: [callback] });
    const shown = await newBrowser(idp).get(authorizePath({ client_id: clientId, ...pkce }), asPerson);
    expect(shown.body).to.contain('oauth.client_id_metadata_documents.show_reasons');
    expect(shown.body).not.to.contain('differs from its address');
    const [{ flow }] = (await idp.api('GET', '/api/exchanges?limit=1')).body.exchanges;
    const { explanation } = (await idp.api('GET', `/api/flows/${flow}`)).body;
    expect(explanation).to.contain('oauth.client_id_metadata_documents.show_reasons');
    expect(explanation).not.to.contain('differs from its address');
  });

  verifies('MDC-02', 'have their reasons shown in config/, the files of init and the embedded configuration', () => {
    const shipped = readFileSync(join(repositoryRoot, 'config/settings.yaml'), 'utf8');
    for (const text of [shipped, starterFiles['settings.yaml'], embeddedSettingsText]) {
      expect(parse(text).oauth.client_id_metadata_documents).to.deep.equal({ show_reasons: true });
    }
  });

  verifies('MDC-04', 'are not granted offline_access, as the scope of the response shows', async () => {
    const clientId = `${address}/offline`;
    for (const [scope, granted] of [
      ['openid offline_access', 'openid'],
      ['openid email', 'openid email'],
      ['offline_access', 'openid profile email'],
    ] as const) {
      const answer = await redeem(clientId, codeOf(await logIn(clientId, { scope })));
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.scope).to.equal(granted);
      expect(answer.body).not.to.have.property('refresh_token');
    }
  });

  verifies(['CMD-05', 'CMD-06'], 'are rejected on loopback without the exception, by name and by address', async () => {
    await under({ allow_loopback: false }, async () => {
      await expectUnknown(`${address}/private`);
      await expectUnknown(`https://127.0.0.1:${host.port}/private`);
      expect(idp.log()).to.contain('not globally routable');
    });
    expect(host.requests).to.deep.equal([]);
  });

  verifies(
    'CMD-06',
    'have no loopback exception on a server bound to other interfaces, regardless of its files',
    async () => {
      const exposed = await startIdp({
        world: interactive,
        settings: settings(),
        args: ['--host', '0.0.0.0'],
        env: { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') },
      });
      try {
        const page = await newBrowser(exposed).get(authorizePath({ client_id: `${address}/app`, ...pkce }));
        expect([page.status, page.body]).to.deep.equal([400, unknown]);
        expect(host.requests).to.deep.equal([]);
      } finally {
        await exposed.stop();
      }
    },
  );

  verifies(['CMD-10', 'TIM-18'], 'are fetched at most 30 times per minute of real time', async () => {
    for (let count = 0; count < 35; count += 1) await expectUnknown(`https://elsewhere.example/${count}`);
    const statuses: number[] = [];
    for (let count = 0; count < 32; count += 1) statuses.push((await ask(`${address}/many-${count}`)).status);
    expect(statuses).to.deep.equal([...Array(30).fill(200), 400, 400]);
    for (const seconds of [3600, -3600]) {
      await idp.setClock(fetchesAhead + seconds * 1000);
      await expectUnknown(`${address}/one-more`);
    }
    expect(host.requests).to.have.length(30);
  });

  verifies('CMD-14', 'are cached while fresh, but failures are not cached', async () => {
    const clientId = `${address}/cached`;
    for (let count = 0; count < 3; count += 1) expect((await ask(clientId)).status).to.equal(200);
    expect(host.requests).to.have.length(1);
    host.answer = (_request, response) => response.writeHead(500).end();
    for (let count = 0; count < 2; count += 1) await expectUnknown(`${address}/broken`);
    expect(host.requests).to.have.length(3);
  });

  verifies('TIM-13', 'stay fresh for exactly their lifetime on the test clock', async () => {
    const clientId = `${address}/second`;
    host.answer = serveJson({ client_id: clientId, redirect_uris: [callback] }, { 'Cache-Control': 'max-age=60' });
    const fetchesAfter = async (body: object) => {
      expect((await idp.api('PUT', '/api/clock', body)).status).to.equal(200);
      expect((await ask(clientId)).status).to.equal(200);
      return host.requests.length;
    };
    try {
      expect(await fetchesAfter({ at: '2031-03-04T12:00:00Z', frozen: true })).to.equal(1);
      expect(await fetchesAfter({ advance_seconds: 59 })).to.equal(1);
      expect(await fetchesAfter({ advance_seconds: 1 })).to.equal(2);
    } finally {
      await idp.api('DELETE', '/api/clock');
    }
  });

  verifies('CMD-14', 'are fetched again after they expire, even if a pending login still uses them', async () => {
    const clientId = `${address}/stale`;
    host.answer = serveJson({ client_id: clientId, redirect_uris: [callback] }, { 'Cache-Control': 'max-age=60' });
    expect((await ask(clientId)).status).to.equal(200);
    await idp.setClock(fetchesAhead + 120_000);
    host.answer = serveJson({ client_id: clientId, redirect_uris: ['https://moved.example/cb'] });
    expect((await ask(clientId)).status).to.equal(400);
    expect(host.requests).to.have.length(2);
  });

  verifies('CMD-15', 'outlive their expiry while a code needs them', async () => {
    const clientId = `${address}/held`;
    host.answer = serveJson({ client_id: clientId, redirect_uris: [callback] }, { 'Cache-Control': 'max-age=60' });
    const code = codeOf(await logIn(clientId));
    await idp.setClock(fetchesAhead + 300_000);
    const answer = await redeem(clientId, code);
    expect(answer.status, answer.text).to.equal(200);
    await idp.setClock(fetchesAhead + 700_000);
    expect((await redeem(clientId, code)).body.error).to.equal('invalid_client');
  });

  verifies(['CMD-15', 'CMD-16'], 'get temporarily_unavailable while 100 others are held', async () => {
    const ahead = fetchesAhead;
    await idp.withStore(async ({ metadataDocuments, codes, transactions }) => {
      const now = (Date.now() + ahead) as Parameters<typeof codes.issue>[1];
      const later = (now + 600_000) as typeof now;
      for (const { client_id: id } of await metadataDocuments.list(now)) await metadataDocuments.remove(id, now);
      const [template] = await Promise.all([documentOf(idp, `${address}/template`)]);
      await metadataDocuments.remove(`${address}/template`, now);
      for (let count = 0; count < 100; count += 1) {
        const id = `https://held.example/${count}`;
        const entry = { ...template, client_id: id };
        expect(await metadataDocuments.save({ client_id: id, entry, fetchedAt: now, freshUntil: later }, now)).to.equal(
          'kept',
        );
        const request = {
          client_id: id,
          redirect_uri: callback,
          response_mode: 'query',
          scope: [],
          state: undefined,
          nonce: undefined,
          code_challenge: undefined,
          code_challenge_method: undefined,
          claims: { id_token: [], userinfo: [] },
          resource: [],
          login_hint: undefined,
        } as const;
        const record = {
          code: `code-${count}`,
          request,
          username: 'alice',
          authenticatedAt: now,
          method: 'password',
          amr: undefined,
          issuedAt: now,
        } as const;
        expect(await codes.issue(record, now, { holdDocument: true })).to.equal('issued');
      }
      expect(transactions).to.be.an('object');
    });
    const direct = await logIn(`${address}/one-more`);
    expect(redirectParameters(direct).get('error')).to.equal('temporarily_unavailable');
    await idp.withStore(async ({ metadataDocuments }) => {
      const now = (Date.now() + ahead) as Parameters<typeof metadataDocuments.list>[0];
      expect(await metadataDocuments.list(now)).to.have.length(100);
      for (const { client_id: id } of await metadataDocuments.list(now)) await metadataDocuments.remove(id, now);
    });
    expect(codeOf(await logIn(`${address}/one-more`))).not.to.equal('');
  });

  /** The stored entry of a document. */
  async function documentOf(program: RunningIdp, clientId: string) {
    expect((await ask(clientId)).status).to.equal(200);
    return program.withStore(async ({ metadataDocuments }) => {
      const found = await metadataDocuments.find(
        clientId,
        (Date.now() + fetchesAhead) as Parameters<typeof metadataDocuments.find>[1],
      );
      if (found === undefined) throw new Error('the document is not cached');
      return found.entry;
    });
  }

  verifies('CMD-18', 'are listed with their origin beside other clients', async () => {
    const clientId = `${address}/listed`;
    await ask(clientId);
    const page = await newBrowser(idp).get('/clients');
    expect(page.status).to.equal(200);
    expect(page.text).to.contain(clientId);
    expect(page.text).to.match(/\bcimd\b/);
  });

  verifies(['CMD-19', 'CMD-01'], 'yield to a runtime client, and both to a declared client', async () => {
    const clientId = `${address}/contested`;
    const other = { redirect_uri: 'http://127.0.0.1:9/runtime' };
    expect((await ask(clientId)).status).to.equal(200);
    expect((await ask(clientId, other)).status).to.equal(400);
    const created = await fetch(`${idp.baseUrl}/api/runtime/clients`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: clientId, client_secret: 's', redirect_uris: [other.redirect_uri] }),
    });
    expect(created.status).to.equal(201);
    host.requests.length = 0;
    expect((await ask(clientId, other)).status).to.equal(200);
    expect((await ask(clientId)).status).to.equal(400);
    const declared = { client_id: clientId, client_secret: 't', redirect_uris: ['http://127.0.0.1:9/declared'] };
    await under({}, async () => {
      expect((await ask(clientId, { redirect_uri: 'http://127.0.0.1:9/declared' })).status).to.equal(200);
      expect((await ask(clientId, other)).status).to.equal(400);
    }, [declared]);
    expect(host.requests).to.deep.equal([]);
    expect((await ask(clientId)).status).to.equal(200);
  });

  verifies('CMD-20', 'are forgotten one by one with their codes, without affecting other clients', async () => {
    const clientId = `${address}/forgettable`;
    const kept = `${address}/kept`;
    const code = codeOf(await logIn(clientId));
    const keptCode = codeOf(await logIn(kept));
    for (const id of [clientId, 'web', 'no-such-client']) {
      const page = await newBrowser(idp).post('/clients/forget', { client_id: id });
      expect(page.status, id).to.be.oneOf([302, 303]);
      expect(page.location).to.match(/\/clients(?:\?.*)?$/);
    }
    expect((await redeem(clientId, code)).body.error).to.be.oneOf(['invalid_client', 'invalid_grant']);
    expect((await redeem(kept, keptCode)).status).to.equal(200);
    expect((await token(idp, { grant_type: 'client_credentials' })).status).to.equal(200);
    host.requests.length = 0;
    expect((await ask(clientId)).status).to.equal(200);
    expect(host.requests).to.have.length(1);
    expect((await redeem(clientId, code)).body.error).to.equal('invalid_grant');
  });

  verifies(['CMD-16', 'CMD-20', 'AUT-46'], 'end an open login at the client when they are forgotten', async () => {
    const clientId = `${address}/forgotten-during-login`;
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ client_id: clientId, ...pkce, state: 's' }));
    await newBrowser(idp).post('/clients/forget', { client_id: clientId });
    const ended = redirectParameters(await browser.submit(page, alice));
    expect([ended.get('error'), ended.get('state')]).to.deep.equal(['temporarily_unavailable', 's']);
  });
});
