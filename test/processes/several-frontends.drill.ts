// Several OIDC front ends act as one server. The test stops the siblings by a signal, so that each step of a flow reaches
// another front end. Limits apply to all of them together.

import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { plusSeconds, systemClock } from '#shared/base/clock.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { deviceGrant as grantNumber, transaction as transactionNumber } from '#test/contract/store-under-test.ts';
import { authorizePath, totpAt } from '#test/support/authorization-flow.ts';
import { BrowserClient, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { web } from '#test/support/credentials.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { openTestStore } from '#test/support/open-test-store.ts';
import { withOnly } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings, totpSecret } from '#test/support/worlds.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Every request opens its own connection, and each goes to the next front end. */
function inTurns(idp: RunningIdp) {
  let turn = 0;
  const next = <Result>(request: () => Promise<Result>): Promise<Result> => {
    turn += 1;
    return withOnly(idp, turn, request);
  };
  const close = { Connection: 'close' };
  const call = (path: string, init: RequestInit = {}) =>
    next(async () => {
      const answer = await fetch(idp.baseUrl + path, {
        ...init,
        headers: { ...init.headers, ...close },
        redirect: 'manual',
      });
      const text = await answer.text();
      const body: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : {};
      return { status: answer.status, headers: answer.headers, body };
    });
  return {
    call,
    form: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      call(path, { method: 'POST', headers, body: new URLSearchParams(fields) }),
    browser() {
      const client = new BrowserClient(idp.baseUrl);
      return {
        get: (path: string) => next(() => client.get(path, close)),
        submit: (page: Page, fields: Record<string, string>) => next(() => client.submit(page, fields, close)),
      };
    },
  };
}

describe('several OIDC front ends', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      args: ['--oidc-workers', '3'],
      settings: {
        ...demoSettings,
        login: { totp: true },
        require_ui_login: true,
        oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true } },
      },
      users: {
        users: {
          alice: { password: 'wonderland' },
          carol: { password: 'cabbage', totp_secret: totpSecret },
        },
      },
    });
  });
  after(() => idp.stop());

  verifies('SUP-11', 'answer a login with second factor, its code and its tokens step by step', async () => {
    const { browser, form, call } = inTurns(idp);
    const person = browser();
    const loginPage = await person.get(authorizePath({ state: 's', scope: 'openid offline_access', nonce: 'n' }));
    const codePage = await person.submit(loginPage, { username: 'carol', password: 'cabbage' });
    const done = await person.submit(codePage, { totp_code: totpAt(Date.now()) });
    const code = redirectParameters(done).get('code') ?? '';
    const redemption = { grant_type: 'authorization_code', code, redirect_uri: callback };
    const tokens = await form('/token', redemption, web);
    expect(tokens.status).to.equal(200);
    expect(claimsOf(String(tokens.body.id_token))).to.deep.include({ sub: 'carol', nonce: 'n', amr: ['pwd', 'otp'] });

    const refresh_token = String(tokens.body.refresh_token);
    const refreshed = await form('/token', { grant_type: 'refresh_token', refresh_token }, web);
    expect(refreshed.status).to.equal(200);
    const bearer = { Authorization: `Bearer ${refreshed.body.access_token}` };
    expect((await call('/userinfo', { headers: bearer })).body.sub).to.equal('carol');

    expect((await form('/token', redemption, web)).body.error).to.equal('invalid_grant');
    // The code was used twice, so its tokens are revoked at every front end (D13).
    expect((await call('/userinfo', { headers: bearer })).status).to.equal(401);
    expect((await call('/userinfo', { headers: bearer })).status).to.equal(401);
  });

  verifies('SUP-11', 'answer one device flow: code, page, approval and poll', async () => {
    const { browser, form } = inTurns(idp);
    const begun = await form('/device_authorization', { scope: 'openid' }, web);
    const poll = () => form('/token', { grant_type: deviceGrant, device_code: String(begun.body.device_code) }, web);
    expect((await poll()).body.error).to.equal('authorization_pending');
    const person = browser();
    const page = await person.get(`/device?user_code=${begun.body.user_code}`);
    const done = await person.submit(page, { username: 'alice', password: 'wonderland' });
    expect(done.text).to.include('approved');
    const tokens = await poll();
    expect(claimsOf(String(tokens.body.access_token)).sub).to.equal('alice');
    expect((await poll()).body.error).to.equal('invalid_grant');
  });

  verifies('SUP-11', 'answer one registration: creation, use, reading and removal', async () => {
    const { call, form } = inTurns(idp);
    const created = await call('/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback], grant_types: ['client_credentials'] }),
    });
    expect(created.status).to.equal(201);
    const { client_id: id, client_secret: secret, registration_access_token: token } = created.body;
    const client = { Authorization: basic(String(id), String(secret)) };
    expect((await form('/token', { grant_type: 'client_credentials' }, client)).status).to.equal(200);
    const management = { headers: { Authorization: `Bearer ${token}` } };
    expect((await call(`/register/${id}`, management)).body.client_id).to.equal(id);
    expect((await call(`/register/${id}`, { ...management, method: 'DELETE' })).status).to.equal(204);
    expect((await form('/token', { grant_type: 'client_credentials' }, client)).status).to.equal(401);
  });

  verifies('SUP-11', 'share the session of a browser and the audit', async () => {
    const { browser, call } = inTurns(idp);
    const person = browser();
    expect((await person.get('/users')).status).to.equal(302);
    await person.submit(await person.get('/login'), { username: 'alice', password: 'wonderland' });
    for (let frontend = 0; frontend < 3; frontend += 1) expect((await person.get('/users')).status).to.equal(200);
    const counts = [];
    for (let frontend = 0; frontend < 3; frontend += 1)
      counts.push((await call('/api/audit/stats')).body.total_requests);
    expect(new Set(counts).size).to.equal(1);
  });

  verifies('REC-16', 'record each login as one flow, in any order of recording', async () => {
    const loginsMade = 30;
    await idp.api('DELETE', '/api/flows');
    for (let login = 0; login < loginsMade; login += 1) {
      // As fast as a program: it does not wait until the previous front end has recorded its response.
      const person = new BrowserClient(idp.baseUrl, { Connection: 'close' });
      const page = await person.get(authorizePath());
      const code = redirectParameters(await person.submit(page, { username: 'alice', password: 'wonderland' })).get(
        'code',
      );
      const fields = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: callback };
      expect((await person.post('/token', fields, web)).status).to.equal(200);
    }
    const { body } = await idp.api('GET', '/api/flows?limit=1000');
    const flows = body.flows.map(({ outcome, exchanges }: Record<string, unknown>) => `${outcome}, ${exchanges}`);
    expect(flows).to.deep.equal(Array.from({ length: loginsMade }, () => 'completed, 3'));
  });

  verifies('SUP-11', 'serve a reloaded configuration together', async () => {
    const { call } = inTurns(idp);
    const user = { username: 'made-here', password: 'x' };
    const made = await call('/api/runtime/users', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(user),
    });
    expect(made.status).to.equal(201);
    expect((await call('/api/runtime/users/made-here/promote', { method: 'POST' })).status).to.equal(200);
    for (let frontend = 0; frontend < 3; frontend += 1) {
      expect((await call('/api/users/made-here')).body.origin).to.equal('declared');
    }
  });
});

describe('limits of several front ends', () => {
  async function withFrontends(settings: object, body: (idp: RunningIdp) => Promise<void>): Promise<void> {
    const carol = { password: 'cabbage', totp_secret: totpSecret };
    const users = { users: { alice: { password: 'wonderland' }, carol } };
    const idp = await startIdp({ args: ['--oidc-workers', '2'], settings, users });
    try {
      await body(idp);
    } finally {
      await idp.stop();
    }
  }

  verifies('SUP-12', 'count requests for the rate limit together', async () => {
    const settings = { ...demoSettings, rate_limit_enabled: true, server: { rate_limit_token_endpoint: '5/hour' } };
    await withFrontends(settings, async (idp) => {
      const { form } = inTurns(idp);
      const answers = [];
      for (let request = 0; request < 7; request += 1) {
        answers.push((await form('/token', { grant_type: 'client_credentials' }, web)).status);
      }
      expect(answers).to.deep.equal([200, 200, 200, 200, 200, 429, 429]);
    });
  });

  verifies('SUP-12', 'count registrations together', async () => {
    const dynamic_registration = { enabled: true, max_clients: 3 };
    await withFrontends({ oauth: { ...demoSettings.oauth, dynamic_registration } }, async (idp) => {
      const { call } = inTurns(idp);
      const register = () =>
        call('/register', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ redirect_uris: [callback] }),
        });
      const answers = [];
      for (let request = 0; request < 5; request += 1) answers.push((await register()).status);
      expect(answers).to.deep.equal([201, 201, 201, 429, 429]);
    });
  });

  verifies('SUP-12', 'count pending transactions together', async () => {
    await withSharedStore(demoSettings, async (idp, fill) => {
      const authorize = async () => {
        const init = { redirect: 'manual', headers: { Connection: 'close' } } as const;
        const answer = await fetch(idp.baseUrl + authorizePath(), init);
        await answer.text();
        return answer;
      };
      await fill(async ({ transactions }) => {
        const createdAt = systemClock.now();
        for (let number = 0; number < 998; number += 1) {
          const pending = { ...transactionNumber(`t-${number}`, { browser: `browser-${number}` }), createdAt };
          expect(await transactions.begin(pending, createdAt)).to.equal('begun');
        }
      });
      // Two slots are left, one for each front end.
      for (const frontend of [0, 1]) expect((await withOnly(idp, frontend, authorize)).status).to.equal(200);
      for (const frontend of [0, 1]) {
        const refused = await withOnly(idp, frontend, authorize);
        expect(refused.headers.get('location')).to.include('error=temporarily_unavailable');
      }
    });
  });

  /** Two front ends on a store that the test can fill. */
  async function withSharedStore(
    settings: object,
    body: (idp: RunningIdp, fill: (add: (store: RuntimeStore) => Promise<void>) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    await withFrontends({ ...settings, runtime: { store: 'sqlite', path: '../state/runtime.db' } }, (idp) =>
      body(idp, async (add) => {
        const opened = await openTestStore({ kind: 'sqlite', path: join(idp.root, 'state', 'runtime.db') });
        await add(opened.store).finally(() => opened.close());
      }),
    );
  }

  verifies('SUP-12', 'count live device grants together', async () => {
    await withSharedStore(demoSettings, async (idp, fill) => {
      const { form } = inTurns(idp);
      const begin = async () => (await form('/device_authorization', {}, web)).status;
      expect(await begin()).to.equal(200);
      await fill(async ({ deviceGrants }) => {
        const [createdAt, expiresAt] = [systemClock.now(), plusSeconds(systemClock.now(), 600)];
        for (let number = 0; number < 9997; number += 1) {
          // Of the same client, because grants of several clients would be dropped for a new one.
          const grant = grantNumber(number, { createdAt, expiresAt, client_id: 'web' });
          expect(await deviceGrants.begin(grant, createdAt)).to.equal('begun');
        }
      });
      // Two slots are left, one for each front end.
      expect([await begin(), await begin(), await begin(), await begin()]).to.deep.equal([200, 200, 503, 503]);
    });
  });

  verifies('SUP-12', 'count pending second factors together', async () => {
    await withSharedStore({ ...demoSettings, login: { totp: true } }, async (idp, fill) => {
      const { form } = inTurns(idp);
      const login = async () => {
        const { status, headers } = await form('/login', { username: 'carol', password: 'cabbage' });
        return headers.get('location') ?? status;
      };
      expect(await login()).to.equal(200);
      await fill(async ({ secondFactors }) => {
        const passwordVerifiedAt = systemClock.now();
        for (let number = 0; number < 997; number += 1) {
          const place = { browser: `browser-${number}`, surface: '/login', purpose: '' } as const;
          const pending = { id: `factor-${number}`, ...place, username: 'carol', passwordVerifiedAt };
          expect(await secondFactors.record(pending, passwordVerifiedAt)).to.equal('recorded');
        }
      });
      const refused = '/login?error=too_many_logins';
      expect([await login(), await login(), await login(), await login()]).to.deep.equal([200, 200, refused, refused]);
    });
  });

  verifies('SUP-12', 'count fetches of metadata documents together', async () => {
    let fetches = 0;
    const host = createServer((socket) => {
      fetches += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const address = host.address();
    const authority = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const client_id_metadata_documents = { enabled: true, allowed_hosts: [authority], allow_loopback: true };
    try {
      await withFrontends({ oauth: { ...demoSettings.oauth, client_id_metadata_documents } }, async (idp) => {
        const { call } = inTurns(idp);
        for (let request = 0; request < 36; request += 1) {
          const client = {
            client_id: `https://${authority}/client-${request}`,
            redirect_uri: `https://${authority}/cb`,
          };
          expect((await call(authorizePath(client))).status).to.equal(400);
        }
        expect(fetches).to.equal(30);
      });
    } finally {
      await new Promise((resolve) => host.close(resolve));
    }
  });
});
