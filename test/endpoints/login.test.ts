// /login in all its modes, its second factor, and the session cookie.

import { createHmac } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, totpAt, wrongTotp } from '#test/support/authorization-flow.ts';
import { BrowserClient, fieldOf, type Page } from '#test/support/browser-client.ts';
import { alice, carol, web } from '#test/support/credentials.ts';
import { sessionCookieAt } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive, interactiveUsers, totpSecret } from '#test/support/worlds.ts';

describe('login', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, settings: { require_ui_login: true } });
  });
  after(() => idp.stop());

  const gated = { require_ui_login: true };
  const withTotp = () => idp.configure({ settings: { ...gated, login: { totp: true } } });

  /** With require_ui_login, the dashboard redirects browsers without a session to /login. */
  async function hasSession(browser: BrowserClient): Promise<boolean> {
    const page = await browser.get('/');
    expect([200, 302]).to.include(page.status);
    return page.status === 200;
  }

  async function expectRefusal(answer: Promise<Page>, browser: BrowserClient, code: string, text: string) {
    const page = await answer;
    expect([page.status, page.location]).to.deep.equal([302, `/login?error=${code}`]);
    expect(await hasSession(browser)).to.equal(false);
    expect((await browser.get(page.location ?? '')).text).to.contain(text);
  }

  verifies(['LOG-02', 'LOG-04'], 'opens a session for username and password and leads to /', async () => {
    await idp.configure({ settings: gated });
    const browser = newBrowser(idp);
    expect(await hasSession(browser)).to.equal(false);
    const done = await browser.submit(await browser.get('/login'), { username: ' alice ', password: 'wonderland' });
    expect([done.status, done.location]).to.deep.equal([302, '/']);
    expect(await hasSession(browser)).to.equal(true);
    const [event] = (await idp.audit('&event_type=login')).slice(-1);
    expect(event).to.deep.include({ status: 'success', username: 'alice', endpoint: '/login', details: {} });
  });

  verifies(
    ['LOG-02', 'LOG-03', 'LOG-04', 'AUD-23'],
    'fails identically for wrong credentials and an unknown user',
    async () => {
      const refusals: [Record<string, string>, string, string][] = [
        [{ username: 'alice', password: 'x' }, 'wrong_credentials', sentences.loginWrong],
        [{ username: 'nobody', password: 'x' }, 'wrong_credentials', sentences.loginWrong],
        [{ username: 'erin', password: 'x' }, 'wrong_credentials', sentences.loginWrong],
        [{ username: 'bob', password: 'builder' }, 'wrong_credentials', sentences.loginWrong],
        [{ username: 'alice', password: '' }, 'password_required', 'Enter your password.'],
        [{ username: '  ', password: '' }, 'username_required', 'Enter your username.'],
      ];
      for (const [fields, code, text] of refusals) {
        const browser = newBrowser(idp);
        const page = await browser.get('/login');
        await expectRefusal(browser.submit(page, fields), browser, code, text);
      }
      const failed = (await idp.audit('&event_type=login')).filter(({ status }) => status === 'failed');
      expect(failed.at(0)?.details).to.deep.equal({
        reason: 'wrong username or password',
        refusal: 'user_credentials_wrong',
      });
      expect(failed.map(({ username }) => username)).to.include('nobody');
      for (const path of [authorizePath(), '/device']) {
        const answers = await Promise.all(
          ['alice', 'nobody'].map((username) => newBrowser(idp).post(path, { username, password: 'x' })),
        );
        for (const page of answers) expect(page.status).to.equal(200);
      }
    },
  );

  verifies('LOG-04', 'never shows text from its address', async () => {
    const page = await newBrowser(idp).get('/login?error=Call+0800+123456&username=mallory&message=hello');
    expect(page.status).to.equal(200);
    expect(page.text).not.to.contain('0800').and.not.to.contain('hello');
    expect(page.body).not.to.contain('mallory');
    for (const code of ['__proto__', 'constructor', 'toString']) {
      expect((await newBrowser(idp).get(`/login?error=${code}`)).status).to.equal(200);
    }
  });

  verifies(['LOG-05', 'LOG-07'], 'needs only the choice of a user in persona mode', async () => {
    await idp.configure({ settings: { ...gated, login: { mode: 'persona', two_step: true, totp: true } } });
    const browser = newBrowser(idp);
    const page = await browser.get('/login');
    expect(page.text).to.contain('Signs the releases').and.to.contain('Has no password');
    expect(page.body).not.to.contain('type="password"');
    await expectRefusal(browser.submit(page, { username: 'nobody' }), browser, 'unknown_user', 'user does not exist');
    await expectRefusal(browser.post('/login'), browser, 'user_required', 'Choose a user.');
    expect((await browser.submit(page, { username: 'carol' })).location).to.equal('/');
    expect(await hasSession(browser)).to.equal(true);
  });

  verifies(['LOG-05', 'RUN-10'], 'logs in every offered name in persona mode, spaces included', async () => {
    await idp.configure({ settings: { ...gated, login: { mode: 'persona' } }, users: { ' pad ': {} } });
    expect((await idp.api('POST', '/api/runtime/users', { username: '  ' })).status).to.equal(201);
    for (const username of [' pad ', '  ']) {
      const browser = newBrowser(idp);
      const page = await browser.get('/login');
      expect(page.forms[0]?.buttons).to.deep.include(['username', username]);
      expect((await browser.submit(page, { username })).location).to.equal('/');
      expect(await hasSession(browser)).to.equal(true);
    }
    await idp.api('DELETE', '/api/runtime');
  });

  verifies('LOG-06', 'asks in two steps at /login', async () => {
    await idp.configure({ settings: { ...gated, login: { two_step: true } } });
    const browser = newBrowser(idp);
    const page = await browser.get('/login');
    expect(page.forms[0]?.fields.map(([name]) => name)).to.deep.equal(['username']);
    const [known, unknown] = await Promise.all(
      ['alice', 'nobody'].map((username) => newBrowser(idp).submit(page, { username })),
    );
    expect(known?.status).to.equal(200);
    expect(unknown?.body.replaceAll('nobody', 'alice')).to.equal(known?.body);
    if (known === undefined) throw new Error('no page');
    await expectRefusal(browser.submit(page, { username: '' }), browser, 'username_required', 'Enter your username.');
    await expectRefusal(browser.submit(known, { password: '' }), browser, 'password_required', 'Enter your password.');
    await expectRefusal(
      browser.post('/login', { username: '', password: '' }),
      browser,
      'username_required',
      'Enter your username.',
    );
    const wrong = browser.submit(known, { password: 'x' });
    await expectRefusal(wrong, browser, 'wrong_credentials', sentences.loginWrong);
    expect((await browser.submit(known, { password: 'wonderland' })).location).to.equal('/');
    expect((await newBrowser(idp).post('/login', alice)).location).to.equal('/');
  });

  verifies('LOG-09', 'offers the names of the first six users who can log in by password', async () => {
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`user${index}`, { password: 'x' }]));
    await idp.configure({ settings: gated, users: { guest: { description: 'Has no password' }, ...many } });
    const browser = newBrowser(idp);
    for (const path of ['/login', authorizePath(), '/device']) {
      const page = await browser.get(path);
      const offered = page.forms[0]?.buttons.filter(([name]) => name === 'fill_username').map(([, value]) => value);
      expect(offered).to.deep.equal(['user0', 'user1', 'user2', 'user3', 'user4', 'user5']);
      const filled = await browser.submit(page, { fill_username: 'user3' });
      expect(filled.status).to.equal(200);
      expect(fieldOf(filled, 'username')).to.equal('user3');
    }
  });

  verifies(['LOG-10', 'PRF-10'], 'verifies hashed passwords under stricter-dev', async () => {
    const users = { hank: { password: hashSync('hashed', 4) }, pia: { password: 'plain' } };
    const login = async (username: string, password: string) =>
      (await newBrowser(idp).post('/login', { username, password })).location;
    await idp.configure({ settings: { security_profile: 'stricter-dev' }, users });
    expect(await login('hank', 'hashed')).to.equal('/');
    expect(await login('pia', 'plain')).to.equal('/');
    expect(idp.log()).to.contain('is not a bcrypt hash, so it is compared as plain text');
    await idp.configure({
      settings: { security_profile: 'stricter-dev', session: { enforce_password_check: true } },
      users,
    });
    expect(await login('hank', 'hashed')).to.equal('/');
    expect(await login('pia', 'plain')).to.equal('/login?error=wrong_credentials');
  });

  verifies(
    ['LOG-15', 'AUT-62', 'HDR-03'],
    'shows a code screen without a session after a correct password',
    async () => {
      await withTotp();
      const browser = newBrowser(idp);
      const screen = await browser.submit(await browser.get('/login'), carol);
      expect(screen.status).to.equal(200);
      expect(screen.headers.get('cache-control')).to.equal('no-store');
      expect(screen.headers.get('pragma')).to.equal('no-cache');
      expect(fieldOf(screen, 'pending_second_factor')).to.match(/^[\w-]{20,}$/);
      expect(await hasSession(browser)).to.equal(false);
      expect((await browser.submit(screen, { totp_code: totpAt(Date.now()) })).location).to.equal('/');
      expect(await hasSession(browser)).to.equal(true);
    },
  );

  verifies(['LOG-16', 'AUT-62'], 'accepts the pending record only in its browser and on its page', async () => {
    await withTotp();
    const browser = newBrowser(idp);
    const screen = await browser.submit(await browser.get('/login'), carol);
    const pending_second_factor = fieldOf(screen, 'pending_second_factor') ?? '';
    const code = { pending_second_factor, totp_code: totpAt(Date.now()) };
    const thief = newBrowser(idp);
    await thief.get('/login');
    const expired = '/login?error=login_expired';
    expect((await thief.post('/login', code)).location).to.equal(expired);
    expect((await newBrowser(idp).post('/login', code)).location).to.equal(expired);
    expect((await browser.post('/login', { ...code, pending_second_factor: 'unknown' })).location).to.equal(expired);
    // Another page requires its own login. It ignores the record or reports it as expired.
    expect((await browser.post(authorizePath(), code)).location).to.equal(null);
    const device = await userCode();
    expect((await browser.post('/device', { user_code: device, ...code })).text).to.contain('The login expired.');
    expect((await browser.submit(screen, { totp_code: totpAt(Date.now()) })).location).to.equal('/');
  });

  async function userCode(): Promise<string> {
    const answer = await fetch(`${idp.baseUrl}/device_authorization`, {
      method: 'POST',
      headers: web,
    });
    return ((await answer.json()) as { user_code: string }).user_code;
  }

  verifies(['LOG-16', 'AUT-62'], 'accepts a record of /device only for its user code', async () => {
    await withTotp();
    const [first, second] = [await userCode(), await userCode()];
    const browser = newBrowser(idp);
    const screen = await browser.post('/device', { user_code: first, ...carol });
    const pending_second_factor = fieldOf(screen, 'pending_second_factor') ?? '';
    const code = { pending_second_factor, totp_code: totpAt(Date.now()) };
    expect((await browser.post('/device', { user_code: second, ...code })).text).to.contain('The login expired.');
    expect((await browser.post('/login', code)).location).to.equal('/login?error=login_expired');
    expect((await browser.post('/device', { user_code: first, ...code })).text).to.contain('Device approved');
  });

  verifies(['LOG-13', 'LOG-17', 'LOG-19'], 'keeps the verified user, and accepts a correct code once', async () => {
    await withTotp();
    const browser = newBrowser(idp);
    const screen = await browser.submit(await browser.get('/login'), carol);
    const pending_second_factor = fieldOf(screen, 'pending_second_factor') ?? '';
    for (const totp_code of ['', '   ', wrongTotp(Date.now()), '12345', '1234567', '٣٣٣٣٣٣']) {
      const again = await browser.post('/login', { pending_second_factor, totp_code, ...alice });
      expect(again.status).to.equal(200);
      expect(fieldOf(again, 'pending_second_factor')).to.equal(pending_second_factor);
      expect(again.text).to.contain('carol').and.not.to.contain('alice');
    }
    const totp_code = ` ${totpAt(Date.now())}\t`;
    expect((await browser.post('/login', { pending_second_factor, totp_code, ...alice })).location).to.equal('/');
    const [event] = (await idp.audit('&event_type=login')).slice(-1);
    expect(event).to.deep.include({ status: 'success', username: 'carol' });
    const again = await browser.post('/login', { pending_second_factor, totp_code });
    expect(again.location).to.equal('/login?error=login_expired');
  });

  verifies(['LOG-14', 'AUT-56'], 'accepts password and code together, one step early or late, repeatedly', async () => {
    await withTotp();
    for (const shift of [-30_000, 0, 0, 30_000]) {
      const totp_code = totpAt(Date.now() + shift);
      expect((await newBrowser(idp).post('/login', { ...carol, totp_code })).location).to.equal('/');
    }
  });

  verifies(['LOG-22', 'AUT-65'], 'discards the record on change_username', async () => {
    await withTotp();
    const browser = newBrowser(idp);
    const screen = await browser.submit(await browser.get('/login'), carol);
    const first = await browser.submit(screen, { change_username: '1' });
    expect(first.status).to.equal(200);
    expect(fieldOf(first, 'password')).to.equal('');
    const late = await browser.submit(screen, { totp_code: totpAt(Date.now()) });
    expect(late.location).to.equal('/login?error=login_expired');
  });

  verifies(
    ['LOG-24', 'AUT-65'],
    'ends the login at /login and at /device when the user or settings changed',
    async () => {
      const { carol: _gone, ...withoutCarol } = interactiveUsers;
      for (const change of [
        { settings: { ...gated, login: { totp: true } }, users: withoutCarol },
        {
          settings: { ...gated, login: { totp: true } },
          users: { ...interactiveUsers, carol: { password: 'cabbage' } },
        },
        { settings: { ...gated, login: { totp: false } } },
        { settings: { ...gated, login: { totp: true, mode: 'persona' } } },
      ]) {
        await withTotp();
        const browser = newBrowser(idp);
        const screen = await browser.submit(await browser.get('/login'), carol);
        const device = await browser.post('/device', { user_code: await userCode(), ...carol });
        await idp.configure(change);
        const ended = await browser.submit(screen, { totp_code: totpAt(Date.now()) });
        expect(ended.location).to.equal('/login?error=login_withdrawn');
        expect((await browser.get(ended.location ?? '')).text).to.contain('could not be completed');
        expect(await hasSession(browser)).to.equal(false);
        const deviceEnded = await browser.submit(device, { totp_code: totpAt(Date.now()) });
        expect(deviceEnded.status).to.equal(200);
        expect(deviceEnded.text).to.contain('The login cannot be completed');
      }
    },
  );

  verifies(
    ['LOG-01', 'LOG-12'],
    'accepts the same users on every page, and asks for no code in the password grant',
    async () => {
      await withTotp();
      const totp_code = totpAt(Date.now());
      expect((await newBrowser(idp).post('/login', { ...carol, totp_code })).location).to.equal('/');
      codeOf(await newBrowser(idp).post(authorizePath(), { ...carol, totp_code }));
      const approved = await newBrowser(idp).post('/device', { user_code: await userCode(), ...carol, totp_code });
      expect(approved.text).to.contain('Device approved');
      const token = await fetch(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: web,
        body: new URLSearchParams({ grant_type: 'password', ...carol }),
      });
      expect(token.status).to.equal(200);
    },
  );

  verifies('LOG-01', 'accepts runtime users on every page, and prefers declared users of the same name', async () => {
    await idp.configure({ settings: gated });
    const made = await fetch(`${idp.baseUrl}/api/runtime/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'rita', password: 'runtime' }),
    });
    expect(made.status).to.equal(201);
    const rita = { username: 'rita', password: 'runtime' };
    expect((await newBrowser(idp).post('/login', rita)).location).to.equal('/');
    codeOf(await newBrowser(idp).post(authorizePath(), rita));
    const approved = await newBrowser(idp).post('/device', { user_code: await userCode(), ...rita });
    expect(approved.text).to.contain('Device approved');
    await idp.configure({ settings: gated, users: { ...interactiveUsers, rita: { password: 'declared' } } });
    expect((await newBrowser(idp).post('/login', rita)).location).to.equal('/login?error=wrong_credentials');
    expect((await newBrowser(idp).post('/login', { ...rita, password: 'declared' })).location).to.equal('/');
  });

  verifies('LOG-25', 'never shows a TOTP secret in a response or log', async () => {
    await withTotp();
    await newBrowser(idp).post('/login', { ...carol, totp_code: '000000' });
    const browser = newBrowser(idp);
    await browser.post('/login', alice);
    const paths = ['/api/users', '/api/users/carol', '/api/config', '/api/audit?limit=-1', '/users', '/users/carol'];
    for (const path of [
      ...paths,
      '/users/carol/edit',
      '/settings',
      '/audit',
      '/',
      '/claims',
      '/claims/preview/carol',
    ]) {
      const page = await browser.get(path);
      expect(page.status, path).to.equal(200);
      expect(page.body, path).not.to.contain(totpSecret);
    }
    expect(idp.log()).not.to.contain(totpSecret);
  });

  it('rejects a login from a page of another site', async () => {
    await idp.configure({ settings: gated });
    const browser = newBrowser(idp);
    const refused = await browser.post('/login', alice, { 'Sec-Fetch-Site': 'cross-site' });
    expect(refused.status).to.equal(403);
    expect((await browser.post('/login', alice, { Origin: 'https://evil.example' })).status).to.equal(403);
    expect(await hasSession(browser)).to.equal(false);
    expect((await browser.post('/login', alice, { 'Sec-Fetch-Site': 'same-origin' })).location).to.equal('/');
  });

  verifies(['LOG-26', 'HDR-21'], 'stores the session in one signed cookie', async () => {
    const answer = await fetch(`${idp.baseUrl}/login`, {
      method: 'POST',
      body: new URLSearchParams(alice),
      redirect: 'manual',
    });
    expect(answer.headers.getSetCookie()).to.have.lengthOf(1);
    expect(answer.headers.getSetCookie()[0]).to.match(
      /^test_idp_session_[0-9]+=[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  verifies('LOG-26', 'ignores a changed, foreign or malformed cookie without an error', async () => {
    const browser = newBrowser(idp);
    await browser.post('/login', alice);
    const cookieName = sessionCookieAt(idp.baseUrl);
    const cookie = browser.cookies.get(cookieName) ?? '';
    const [payload = '', signature = ''] = cookie.split('.');
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
    const forged = Buffer.from(JSON.stringify({ ...content, login: { username: 'bob' } })).toString('base64url');
    const ownKey = createHmac('sha256', 'guess').update(payload).digest('base64url');
    for (const value of [
      `${forged}.${signature}`,
      `${payload}.${ownKey}`,
      `${payload}.`,
      `${payload}`,
      `.${signature}`,
      '',
      '%00',
      'x'.repeat(5000),
      `${payload}.${signature}x`,
    ]) {
      const other = newBrowser(idp);
      other.cookies.set(cookieName, value);
      expect(await hasSession(other), value.slice(0, 60)).to.equal(false);
      expect((await other.get(authorizePath())).status).to.equal(200);
    }
    expect(await hasSession(browser)).to.equal(true);
  });

  it('rejects a copy of the cookie after its browser logged out, and keeps other browsers logged in', async () => {
    const [browser, copy, other] = [newBrowser(idp), newBrowser(idp), newBrowser(idp)];
    for (const path of ['/ui/logout', '/logout']) {
      await browser.post('/login', alice);
      await other.post('/login', alice);
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
      expect(await hasSession(copy)).to.equal(true);
      await browser.get(path);
      expect([await hasSession(copy), await hasSession(other)], path).to.deep.equal([false, true]);
    }
  });

  verifies(
    ['LOG-30', 'OUT-10', 'AUD-22'],
    'ends the session at /ui/logout, and records a logout only if one existed',
    async () => {
      const browser = newBrowser(idp);
      await browser.post('/login', alice);
      const before = (await idp.audit('&event_type=logout')).length;
      const out = await browser.get('/ui/logout');
      expect([out.status, out.location]).to.deep.equal([302, '/']);
      expect(await hasSession(browser)).to.equal(false);
      expect((await browser.get('/ui/logout')).location).to.equal('/');
      const events = (await idp.audit('&event_type=logout')).slice(before);
      expect(events).to.have.lengthOf(1);
      expect(events[0]).to.deep.include({ status: 'success', username: 'alice', endpoint: '/ui/logout', details: {} });
      await browser.post('/login', alice);
      await browser.get('/logout');
      expect(await hasSession(browser)).to.equal(false);
    },
  );
});

describe('the secret of the session cookie', () => {
  verifies('LOG-27', 'is session.secret_key or else one of the store, and has no default', async () => {
    const settings = { require_ui_login: true };
    const declared = { ...settings, session: { secret_key: 'k'.repeat(40) } };
    const started = await Promise.all(
      [settings, settings, declared, declared].map((each) => startIdp({ world: interactive, settings: each })),
    );
    const [first, second, third, fourth] = started as [RunningIdp, RunningIdp, RunningIdp, RunningIdp];
    try {
      const isAccepted = async (from: RunningIdp, at: RunningIdp) => {
        const browser = newBrowser(from);
        await browser.post('/login', alice);
        const cookie = `${sessionCookieAt(at.baseUrl)}=${browser.cookies.get(sessionCookieAt(from.baseUrl))}`;
        const answer = await fetch(at.baseUrl, { headers: { Cookie: cookie }, redirect: 'manual' });
        return answer.status === 200;
      };
      expect(await isAccepted(first, first)).to.equal(true);
      expect(await isAccepted(first, second)).to.equal(false);
      expect(await isAccepted(third, first)).to.equal(false);
      expect(await isAccepted(third, fourth)).to.equal(true);
      const browser = newBrowser(third);
      await browser.post('/login', alice);
      const [payload = '', signature = ''] = (browser.cookies.get(sessionCookieAt(third.baseUrl)) ?? '').split('.');
      expect(signature).to.equal(createHmac('sha256', 'k'.repeat(40)).update(payload).digest('base64url'));
    } finally {
      await Promise.all(started.map((idp) => idp.stop()));
    }
  });

  verifies('LOG-28', 'is shared by every process on the store', async () => {
    const first = await startIdp({ world: interactive, settings: { require_ui_login: true } });
    const second = await startIdp({ command: 'oidc', root: first.root });
    try {
      const browser = newBrowser(first);
      await browser.post('/login', alice);
      const elsewhere = new BrowserClient(second.baseUrl);
      const carryOver = () =>
        elsewhere.cookies.set(
          sessionCookieAt(second.baseUrl),
          browser.cookies.get(sessionCookieAt(first.baseUrl)) ?? '',
        );
      carryOver();
      expect((await elsewhere.get('/')).status).to.equal(200);
      const page = await browser.get(authorizePath());
      carryOver();
      const done = await elsewhere.post('/authorize', {
        transaction_id: fieldOf(page, 'transaction_id') ?? '',
        ...alice,
      });
      codeOf(done);
    } finally {
      await second.stop();
      await first.stop();
    }
  });

  verifies('LOG-26', 'makes the cookie Secure on https', async () => {
    const idp = await startIdp({ world: interactive, settings: { oauth: { issuer_from_proxy_headers: true } } });
    try {
      const cookieOf = async (headers: Record<string, string>) =>
        (await fetch(idp.baseUrl + authorizePath(), { headers })).headers.getSetCookie()[0] ?? '';
      expect(await cookieOf({ 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'idp.example' })).to.match(/; Secure$/);
      expect(await cookieOf({})).not.to.contain('Secure');
    } finally {
      await idp.stop();
    }
  });
});
