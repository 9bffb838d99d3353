// The device flow: codes for a device, and the page where a user approves or denies. The tests of the token endpoint cover
// polling.

import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { authorizePath, codeOf, newBrowser, redeem, totpAt } from '#test/support/authorization-flow.ts';
import { fieldOf, type Page } from '#test/support/browser-client.ts';
import { alice, carol, web } from '#test/support/credentials.ts';
import { basic, claimsOf, sessionCookieAt } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

interface Ask {
  readonly path?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The page without the time in its banner, which shows while the clock is moved. */
const withoutClock = (page: string) => page.replace(/<p class="clock-banner".*?<\/p>/, '');

describe('device flow', () => {
  let idp: RunningIdp;
  let ahead = 0;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  const advance = async (seconds: number) => {
    ahead += seconds * 1000;
    await idp.setClock(ahead);
  };
  const now = () => instant(Date.now() + ahead);

  const ask = ({ path = '/device_authorization', fields = {}, headers = web }: Ask = {}) =>
    fetch(idp.baseUrl + path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  const begin = async (): Promise<Codes> => (await (await ask()).json()) as Codes;

  async function poll(device_code: string, client = web): Promise<Record<string, unknown>> {
    const answer = await fetch(`${idp.baseUrl}/token`, {
      method: 'POST',
      headers: client,
      body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code }),
    });
    return (await answer.json()) as Record<string, unknown>;
  }

  const post = (fields: Record<string, string>) => newBrowser(idp).post('/device', fields);
  const heading = (page: Page) => /<h1[^>]*>(.*?)<\/h1>/s.exec(page.body)?.[1];

  it('rejects a repeated parameter before the client lookup', async () => {
    for (const name of ['client_id', 'client_secret', 'scope']) {
      const body = new URLSearchParams([
        [name, 'one'],
        [name, 'two'],
      ]);
      const answer = await fetch(`${idp.baseUrl}/device_authorization`, { method: 'POST', headers: web, body });
      expect([answer.status, ((await answer.json()) as { error: string }).error], name).to.deep.equal([
        400,
        'invalid_request',
      ]);
    }
  });

  verifies(['DEV-01', 'DEV-02', 'DEV-03', 'DEV-04'], 'returns a pair of codes at both paths', async () => {
    for (const path of ['/device_authorization', '/device/code']) {
      const answer = await ask({ path });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/json');
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      const { device_code, user_code, ...rest } = (await answer.json()) as Codes;
      expect(device_code).to.match(/^[\w-]{40,}$/);
      expect(user_code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
      expect(rest).to.deep.equal({
        verification_uri: `${idp.baseUrl}/device`,
        verification_uri_complete: `${idp.baseUrl}/device?user_code=${user_code}`,
        expires_in: 600,
        interval: 5,
      });
      const [event] = (await idp.audit('&event_type=device_authorization_request')).slice(-1);
      expect(event).to.deep.include({ status: 'success', client_id: 'web', endpoint: '/device_authorization' });
      expect(event?.details).to.deep.equal({ user_code, scope: 'openid' });
    }
  });

  verifies('DEV-03', 'uses lifetime and interval of the settings', async () => {
    await idp.configure({ settings: { device_flow: { code_expiry_seconds: 90, polling_interval: 7 } } });
    expect(await begin()).to.include({ expires_in: 90, interval: 7 });
    await idp.configure();
  });

  verifies(
    ['DEV-04', 'ISS-10'],
    'uses the configured base of the addresses while the issuer follows the request',
    async () => {
      const device_verification_base_url = 'https://device.example/idp/';
      await idp.configure({ settings: { oauth: { device_verification_base_url } } });
      const { user_code, ...rest } = await begin();
      expect(rest).to.include({
        verification_uri: 'https://device.example/idp/device',
        verification_uri_complete: `https://device.example/idp/device?user_code=${user_code}`,
      });
      const fixed = { device_verification_base_url, issuer_from_request: false, issuer: 'http://fixed.example' };
      await idp.configure({ settings: { oauth: fixed } });
      expect((await begin()).verification_uri).to.equal('http://fixed.example/device');
      await idp.configure();
    },
  );

  verifies(['DEV-05', 'SCO-04', 'RES-05'], 'rejects an invalid scope and an invalid resource', async () => {
    for (const [fields, error, about] of [
      [{ scope: 'openid zebra' }, 'invalid_scope', 'zebra'],
      [{ resource: 'relative' }, 'invalid_target', 'resource'],
    ] as const) {
      const answer = await ask({ fields });
      expect(answer.status).to.equal(400);
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      const body = (await answer.json()) as Record<string, string>;
      expect(Object.keys(body)).to.deep.equal(['error', 'error_description']);
      expect(body.error).to.equal(error);
      expect(body.error_description).to.contain(about);
    }
    const [event] = (await idp.audit('&event_type=device_authorization_request')).slice(-1);
    expect(event).to.deep.include({ status: 'failed', client_id: 'web' });
    expect(event?.details.reason).to.be.a('string');
    const narrow = { Authorization: basic('narrow', 'narrow-secret') };
    expect((await ask({ headers: narrow, fields: { scope: 'profile' } })).status).to.equal(400);
    expect((await ask({ headers: narrow, fields: { resource: 'https://other.example' } })).status).to.equal(400);
    expect((await ask({ headers: narrow, fields: { resource: 'https://api.example' } })).status).to.equal(200);
  });

  verifies('DEV-06', 'rejects a client of a metadata document', async () => {
    const client_id = 'https://client.example/metadata.json';
    const settings = { oauth: { client_id_metadata_documents: { enabled: true, allowed_hosts: ['client.example'] } } };
    await idp.configure({ settings });
    await idp.withStore(({ metadataDocuments }) =>
      metadataDocuments.save(
        {
          client_id,
          entry: {
            client_id,
            token_endpoint_auth_method: 'none',
            description: '',
            redirect_uris: [callback],
            redirect_uri_patterns: [],
            post_logout_redirect_uri_patterns: [],
            allowed_resources: [],
            roles: [],
            groups: [],
            audience: [],
            default_scopes: [],
            additional_audiences: [],
            post_logout_redirect_uris: [],
            request_uris: [],
            dpop_bound_access_tokens: false,
            require_pushed_authorization_requests: false,
            backchannel_logout_session_required: false,
            frontchannel_logout_session_required: false,
            claims: {},
            show_client_id: true,
            show_description: false,
            layout: 'vertical',
          },
          fetchedAt: now(),
          freshUntil: instant(now() + 3_600_000),
        },
        now(),
      ),
    );
    const answer = await ask({ fields: { client_id }, headers: {} });
    expect(answer.status).to.equal(401);
    expect(answer.headers.get('www-authenticate')).to.equal(`Basic realm="${new URL(idp.baseUrl).origin}"`);
    expect(((await answer.json()) as Record<string, string>).error).to.equal('invalid_client');
    await idp.configure();
  });

  verifies(['DEV-07'], 'returns 503 with the interval as Retry-After while 10,000 grants are live', async function () {
    // Ten thousand commits take a while on a busy machine.
    this.timeout(90_000);
    await idp.configure({ settings: { device_flow: { polling_interval: 9 } } });
    await idp.withStore(async ({ deviceGrants }) => {
      for (let index = 0; index < 10_000; index += 1) {
        const outcome = await deviceGrants.begin(
          {
            device_code: `device-${index}`,
            user_code: `USER-${index}`,
            client_id: 'web',
            scope: [],
            resource: [],
            createdAt: now(),
            expiresAt: instant(now() + 600_000),
            intervalSeconds: 5,
            decision: { state: 'pending' },
          },
          now(),
        );
        if (outcome === 'full') break;
        // Lets this process notice connections that the server closed meanwhile.
        if (index % 200 === 0) await setImmediate();
      }
    });
    const answer = await ask();
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.equal('9');
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    expect(((await answer.json()) as Record<string, string>).error).to.equal('temporarily_unavailable');
    // A redeemed grant is no longer live, although its record is kept.
    expect(await idp.withStore(({ deviceGrants }) => deviceGrants.deny('USER-0', now()))).to.equal('denied');
    expect((await ask()).status).to.equal(200);
    expect((await ask()).status).to.equal(503);
    await advance(601);
    await idp.configure();
    expect((await ask()).status).to.equal(200);
  });

  verifies('DEV-08', 'shows a form with the code of the query on GET', async () => {
    const empty = await newBrowser(idp).get('/device');
    expect(empty.status).to.equal(200);
    expect(fieldOf(empty, 'user_code')).to.equal('');
    const { verification_uri_complete, user_code } = await begin();
    const filled = await newBrowser(idp).get(verification_uri_complete);
    expect(fieldOf(filled, 'user_code')).to.equal(user_code);
    expect(filled.text).to.contain('web on your device requests access to your account with the scope openid');
    const hostile = await newBrowser(idp).get(`/device?user_code=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(fieldOf(hostile, 'user_code')).to.equal('"><script>alert(1)</script>');
    expect(hostile.body).not.to.contain('<script>alert');
  });

  verifies('DEV-09', 'answers every POST with a 200 page', async () => {
    const { user_code } = await begin();
    for (const fields of [
      {},
      { user_code: '' },
      { user_code: 'unknown' },
      { user_code },
      { user_code, ...alice, password: 'x' },
      { user_code, action: 'dance' },
      { user_code, pending_second_factor: 'x', totp_code: '123456' },
      { user_code, ...alice },
      { user_code, ...alice },
      { user_code, action: 'deny' },
      { user_code: 'x'.repeat(70_000), ...alice },
    ]) {
      const page = await post(fields);
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    }
  });

  verifies('DEV-10', 'accepts a code in any case, with hyphens and spaces', async () => {
    for (const typed of [
      (code: string) => code.toLowerCase(),
      (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`,
      (code: string) => ` ${code.split('').join(' - ').toLowerCase()} `,
    ]) {
      const { user_code } = await begin();
      expect((await post({ user_code: typed(user_code), ...alice })).text).to.contain('Device approved');
    }
  });

  verifies(['DEV-11', 'DEV-12', 'DEV-13', 'DEV-14', 'LOG-11'], 'explains why a code cannot be decided', async () => {
    const [approved, denied, used, late] = [await begin(), await begin(), await begin(), await begin()];
    await post({ user_code: approved.user_code, ...alice });
    await post({ user_code: denied.user_code, action: 'deny' });
    await post({ user_code: used.user_code, ...alice });
    expect(await poll(used.device_code)).to.have.property('access_token');
    await advance(601);
    const fresh = await begin();
    for (const [user_code, text, reason, refusal] of [
      ['BCDFGHJK', 'This code is invalid or expired', 'unknown user code', 'user_code_unknown'],
      [approved.user_code, sentences.codeUsed, 'user code already used', 'user_code_used'],
      [denied.user_code, sentences.codeUsed, 'user code already used', 'user_code_used'],
      [used.user_code, sentences.codeUsed, 'user code already used', 'user_code_used'],
      [late.user_code, 'This code has expired', 'user code expired', 'user_code_expired'],
    ] as const) {
      const right = await post({ user_code, ...alice });
      const wrong = await post({ user_code, username: 'alice', password: 'wrong' });
      const deny = await post({ user_code, action: 'deny' });
      expect(right.text).to.contain(text);
      expect(withoutClock(wrong.body)).to.equal(withoutClock(right.body));
      expect(withoutClock(deny.body)).to.equal(withoutClock(right.body));
      const [event] = (await idp.audit('&event_type=device_verification')).slice(-1);
      expect(event).to.deep.include({ status: 'failed', details: { user_code, reason, refusal } });
    }
    expect((await post({ user_code: fresh.user_code, ...alice })).text).to.contain('Device approved');
  });

  verifies(
    ['DEV-15', 'LOG-03'],
    'shows the form again for missing or wrong credentials, and keeps the grant pending',
    async () => {
      const { user_code, device_code } = await begin();
      for (const [fields, message] of [
        [{ username: 'alice', password: 'wrong' }, sentences.loginWrong],
        [{ username: 'nobody', password: 'wrong' }, sentences.loginWrong],
        [{ username: 'alice' }, 'Enter your password.'],
        [{}, 'Enter your username.'],
      ] as const) {
        const page = await post({ user_code, ...fields });
        expect(page.text).to.contain(message);
        expect(fieldOf(page, 'user_code')).to.equal(user_code);
        expect(fieldOf(page, 'password')).to.equal('');
      }
      expect(await poll(device_code)).to.include({ error: 'authorization_pending' });
      const [event] = (await idp.audit('&event_type=device_verification')).slice(-1);
      expect(event).to.deep.include({ status: 'failed', client_id: 'web' });
      expect(event?.details).to.deep.equal({
        user_code,
        reason: 'the username is missing',
        refusal: 'username_not_sent',
      });
    },
  );

  verifies('DEV-16', 'denies without credentials on a page of its own', async () => {
    const { user_code, device_code } = await begin();
    const browser = newBrowser(idp);
    const form = await browser.get(`/device?user_code=${user_code}`);
    const page = await browser.submit(form, { action: 'deny' });
    expect(heading(page)).to.equal('Request denied');
    expect(page.text).to.contain('The device was not connected.');
    expect(await poll(device_code)).to.include({ error: 'access_denied' });
    const [event] = (await idp.audit('&event_type=device_verification')).slice(-1);
    expect(event).to.deep.include({ status: 'denied', details: { user_code } });
  });

  verifies(['DEV-17', 'LOG-29'], 'approves on a page of its own without creating a session', async () => {
    for (const action of [{}, { action: 'authorize' }]) {
      const { user_code, device_code } = await begin();
      const browser = newBrowser(idp);
      const form = await browser.get(`/device?user_code=${user_code}`);
      const page = await browser.post('/device', { user_code, ...alice, ...action });
      expect(heading(page)).to.equal('Device approved');
      expect(page.text).to.contain('You can go back to your device now');
      expect(page.headers.getSetCookie()).to.deep.equal([]);
      expect(form.status).to.equal(200);
      const tokens = await poll(device_code);
      expect(claimsOf(String(tokens.access_token))).to.include({ sub: 'alice', client_id: 'web' });
      const [event] = (await idp.audit('&event_type=device_verification')).slice(-1);
      expect(event).to.deep.include({ status: 'success', username: 'alice', details: { user_code } });
    }
    // It does not use a session of /login either.
    const browser = newBrowser(idp);
    await browser.post('/login', alice);
    const { user_code } = await begin();
    expect((await browser.post('/device', { user_code })).text).to.contain('Enter your username.');
  });

  verifies('DEV-17', 'counts one of several simultaneous decisions', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { user_code } = await begin();
      const pages = await Promise.all([
        post({ user_code, ...alice }),
        post({ user_code, username: 'bob', password: ' builder ' }),
        post({ user_code, action: 'deny' }),
      ]);
      const headings = pages.map(heading);
      expect(headings.filter((text) => text === 'Code already used')).to.have.lengthOf(2);
    }
  });

  verifies('DEV-18', 'lets a persona be chosen without a password', async () => {
    await idp.configure({ settings: { login: { mode: 'persona' } } });
    const { user_code, device_code } = await begin();
    const browser = newBrowser(idp);
    const page = await browser.get(`/device?user_code=${user_code}`);
    expect(page.body).not.to.contain('type="password"');
    // Enter in the code field presses the first button, which must not choose a user.
    expect(page.forms[0]?.buttons[0]).to.deep.equal(['fill_username', '']);
    const checked = await browser.submit(page, { fill_username: '' });
    expect(checked.text).to.contain('web on your device requests access');
    expect(await poll(device_code)).to.include({ error: 'authorization_pending' });
    expect((await browser.submit(page, { username: 'nobody' })).text).to.contain(sentences.userUnknown);
    expect(heading(await browser.submit(page, { username: 'erin' }))).to.equal('Device approved');
    const { access_token } = await poll(device_code);
    expect(claimsOf(String(access_token)).sub).to.equal('erin');
    await idp.configure();
  });

  verifies(['DEV-19', 'LOG-15', 'HDR-03'], 'requires the second factor for approval if one is due', async () => {
    await idp.configure({ settings: { login: { totp: true } } });
    const { user_code, device_code } = await begin();
    const browser = newBrowser(idp);
    const screen = await browser.post('/device', { user_code, ...carol });
    expect(screen.headers.get('cache-control')).to.equal('no-store');
    expect(fieldOf(screen, 'user_code')).to.equal(user_code);
    expect(fieldOf(screen, 'pending_second_factor')).to.be.a('string');
    expect(await poll(device_code)).to.include({ error: 'authorization_pending' });
    const wrong = await browser.submit(screen, { totp_code: '' });
    expect(wrong.text).to.contain('Enter your six-digit code');
    expect(await poll(device_code)).to.include({ error: 'authorization_pending' });
    expect(heading(await browser.submit(wrong, { totp_code: totpAt(now()) }))).to.equal('Device approved');
    const { id_token } = await poll(device_code);
    expect(claimsOf(String(id_token))).to.deep.include({ sub: 'carol', amr: ['pwd', 'otp'] });
    await idp.configure();
  });

  verifies(['LOG-23', 'AUT-65'], 'denies on the code screen without credentials, and discards the record', async () => {
    await idp.configure({ settings: { login: { totp: true } } });
    const { user_code, device_code } = await begin();
    const browser = newBrowser(idp);
    const screen = await browser.post('/device', { user_code, ...carol });
    const pending = fieldOf(screen, 'pending_second_factor') ?? '';
    const key = { id: pending, browser: browserId(browser.cookies), surface: '/device' as const, purpose: user_code };
    const find = () => idp.withStore(({ secondFactors }) => secondFactors.find(key, now()));
    expect(await find()).to.include({ username: 'carol' });
    expect(heading(await browser.submit(screen, { action: 'deny' }))).to.equal('Request denied');
    expect(await find()).to.equal(undefined);
    expect(await poll(device_code)).to.include({ error: 'access_denied' });
    expect((await browser.submit(screen, { totp_code: totpAt(now()) })).text).to.contain('already used');
    await idp.configure();
  });

  function browserId(cookies: ReadonlyMap<string, string>): string {
    const [payload = ''] = (cookies.get(sessionCookieAt(idp.baseUrl)) ?? '').split('.');
    return (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { browser: string }).browser;
  }

  verifies('DEV-20', 'keeps device codes and authorization codes on DELETE /api/runtime', async () => {
    const { user_code, device_code } = await begin();
    const waiting = await begin();
    const code = codeOf(await newBrowser(idp).post(authorizePath(), alice));
    await post({ user_code, ...alice });
    expect((await fetch(`${idp.baseUrl}/api/runtime`, { method: 'DELETE' })).status).to.equal(200);
    expect((await redeem(idp, code)).status).to.equal(200);
    expect(await poll(device_code)).to.have.property('access_token');
    expect(heading(await post({ user_code: waiting.user_code, ...alice }))).to.equal('Device approved');
  });
});
