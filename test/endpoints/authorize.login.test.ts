// Continuing and completing an authorization request: which transaction a POST continues, what completes it, and what stays
// unchanged.

import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem, totpAt, wrongTotp } from '#test/support/authorization-flow.ts';
import { fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { alice, carol } from '#test/support/credentials.ts';
import { claimsOf } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive, interactiveUsers } from '#test/support/worlds.ts';

function expectInvalidRequest(page: Page, about = '') {
  expect(page.status, page.location ?? page.text).to.equal(400);
  expect(JSON.parse(page.body).error).to.equal('invalid_request');
  expect(JSON.parse(page.body).error_description).to.contain(about);
}

/** Expects that the page asks for the first factor again and shows the reason. */
function expectRefusal(page: Page, message: string) {
  expect(page.status).to.equal(200);
  expect(page.text).to.contain(message);
  expect(page.location).to.equal(null);
}

describe('logging in at /authorize', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  verifies(
    ['AUT-31', 'AUT-32'],
    'sends code and state after a completed login, and redeems the code once',
    async () => {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ state: 'a/b c', nonce: 'n-1' }));
      const done = await browser.submit(page, alice);
      expect(done.status).to.equal(302);
      expect(done.location).to.match(/^http:\/\/127\.0\.0\.1:9\/callback\?code=[\w-]{20,}&state=a%2Fb%20c$/);
      const first = await redeem(idp, codeOf(done));
      expect(first.status).to.equal(200);
      expect(claimsOf(String(first.body.id_token))).to.include({ sub: 'alice', aud: 'web', nonce: 'n-1' });
      const second = await redeem(idp, codeOf(done));
      expect([second.status, second.body.error]).to.deep.equal([400, 'invalid_grant']);
      expect([...redirectParameters(await complete({ state: '' })).keys()]).to.deep.equal(['code']);
      expect([...redirectParameters(await complete({})).keys()]).to.deep.equal(['code']);
    },
  );

  async function complete(changes: Readonly<Record<string, string>>): Promise<Page> {
    const browser = newBrowser(idp);
    return browser.submit(await browser.get(authorizePath(changes)), alice);
  }

  verifies('AUT-33', 'ignores OAuth parameters in a body', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ scope: 'openid email', state: 's' }));
    const transaction_id = fieldOf(page, 'transaction_id') ?? '';
    const done = await browser.post('/authorize', {
      transaction_id,
      ...alice,
      redirect_uri: 'https://evil.example/',
      client_id: 'open',
      scope: 'profile',
      state: 'other',
      response_type: 'token',
    });
    expect(done.location).to.match(/^http:\/\/127\.0\.0\.1:9\/callback\?code=[\w-]+&state=s$/);
    expect((await redeem(idp, codeOf(done))).body.scope).to.equal('openid email');
    // A complete request in the body is ignored too.
    const body = { response_type: 'code', client_id: 'web', redirect_uri: callback, ...alice };
    expectInvalidRequest(await newBrowser(idp).post('/authorize', body));
  });

  const resources = 'resource=https%3A%2F%2Fa.example&resource=https%3A%2F%2Fb.example';

  verifies('AUT-34', 'completes a transaction_id with or without the same query', async () => {
    for (const query of ['', `?${resources}&client_id=web&redirect_uri=${callback}&response_type=code&state=&x=1`]) {
      const browser = newBrowser(idp);
      const page = await browser.get(`${authorizePath()}&${resources}`);
      const transaction_id = fieldOf(page, 'transaction_id') ?? '';
      const done = await browser.post(`/authorize${query}`, { transaction_id, ...alice });
      const { body } = await redeem(idp, codeOf(done));
      expect(claimsOf(String(body.access_token)).aud).to.deep.equal(['https://a.example', 'https://b.example']);
    }
  });

  verifies(
    ['AUT-34', 'AUT-35'],
    'rejects a query that differs in one of the ten parameters, and keeps the transaction pending',
    async () => {
      const sent = `${authorizePath({ scope: 'openid', state: 's', nonce: 'n', claims: '{}' })}&${resources}`;
      const browser = newBrowser(idp);
      const page = await browser.get(sent);
      const transaction_id = fieldOf(page, 'transaction_id') ?? '';
      const swapped = 'resource=https%3A%2F%2Fb.example&resource=https%3A%2F%2Fa.example';
      for (const query of [
        `${sent}&resource=https%3A%2F%2Fc.example`,
        `${sent}&code_challenge=x`,
        `${sent}&code_challenge_method=S256`,
        sent.replace(resources, swapped),
        sent.replace('scope=openid', 'scope=email'),
        sent.replace('state=s', 'state=t'),
        sent.replace('nonce=n', 'nonce=m'),
        sent.replace('claims=%7B%7D', 'claims=%7B+%7D'),
        sent.replace('client_id=web', 'client_id=open'),
        sent.replace('response_type=code', 'response_type=token'),
        sent.replace(encodeURIComponent(callback), encodeURIComponent('https://evil.example/')),
        '/authorize?state=s',
      ]) {
        expectInvalidRequest(
          await browser.post(query, { transaction_id, ...alice }),
          'different authorization requests',
        );
      }
      codeOf(await browser.post(sent, { transaction_id, ...alice }));
    },
  );

  verifies('AUT-36', 'rejects an unknown, consumed or foreign transaction and leaves it unchanged', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath());
    const transaction_id = fieldOf(page, 'transaction_id') ?? '';
    for (const thief of [newBrowser(idp), newBrowser(idp)]) {
      await thief.get(authorizePath());
      expectInvalidRequest(await thief.post('/authorize', { transaction_id, ...alice }), 'transaction_id');
    }
    expectInvalidRequest(await newBrowser(idp).post('/authorize', { transaction_id, ...alice }));
    expectInvalidRequest(await browser.post('/authorize', { transaction_id: 'unknown', ...alice }));
    expectInvalidRequest(
      await browser.post('/authorize', [
        ['transaction_id', transaction_id],
        ['transaction_id', 'other'],
      ]),
    );
    codeOf(await browser.submit(page, alice));
    expectInvalidRequest(await browser.submit(page, alice));
  });

  verifies('AUT-37', 'validates a POST whose query is a request like a GET, and completes it', async () => {
    const browser = newBrowser(idp);
    const done = await browser.post(authorizePath({ state: 's' }), alice);
    expect(done.location).to.match(/^http:\/\/127\.0\.0\.1:9\/callback\?code=[\w-]+&state=s$/);
    expect((await redeem(idp, codeOf(done))).status).to.equal(200);
    expectInvalidRequest(await browser.post('/authorize', alice));
    expectInvalidRequest(await browser.get('/authorize'));
    expectInvalidRequest(await browser.post(authorizePath({ redirect_uri: 'https://evil.example/' }), alice));
    const refused = await browser.post(authorizePath({ response_type: 'token' }), alice);
    expect(redirectParameters(refused).get('error')).to.equal('unsupported_response_type');
    expect(redirectParameters(await browser.post(authorizePath({ prompt: 'none' }), alice)).get('error')).to.equal(
      'login_required',
    );
  });

  verifies(
    'AUT-38',
    'makes the page post to the same query after a failed direct login, and leaves other transactions unchanged',
    async () => {
      const browser = newBrowser(idp);
      const pending = await browser.get(authorizePath({ state: 'waiting' }));
      const path = authorizePath({ state: 'direct "&' });
      const again = await browser.post(path, { username: 'alice', password: 'wrong' });
      expectRefusal(again, sentences.loginWrong);
      expect(fieldOf(again, 'transaction_id')).to.equal(undefined);
      expect(again.forms[0]?.action).to.equal(new URL(path, idp.baseUrl).href);
      const done = await browser.submit(again, alice);
      expect(redirectParameters(done).get('state')).to.equal('direct "&');
      // The one pending request is still the only one, and completes.
      const resumed = await browser.get('/authorize');
      expect(fieldOf(resumed, 'transaction_id')).to.equal(fieldOf(pending, 'transaction_id'));
      expect(redirectParameters(await browser.submit(resumed, alice)).get('state')).to.equal('waiting');
    },
  );

  verifies(['AUT-39', 'AUT-40'], 'continues the only pending transaction without id and request', async () => {
    const browser = newBrowser(idp);
    expectInvalidRequest(await browser.get('/authorize'), 'no pending authorization request');
    expectInvalidRequest(await browser.post('/authorize', alice), 'no pending authorization request');
    const page = await browser.get(authorizePath({ state: 'one' }));
    const shown = await browser.get('/authorize?foo=bar');
    expect(fieldOf(shown, 'transaction_id')).to.equal(fieldOf(page, 'transaction_id'));
    await browser.get(authorizePath({ state: 'two' }));
    expectInvalidRequest(await browser.get('/authorize'), 'several pending');
    expectInvalidRequest(await browser.post('/authorize', alice), 'several pending');
    codeOf(await browser.submit(page, alice));
    expect(redirectParameters(await browser.post('/authorize', alice)).get('state')).to.equal('two');
    expectInvalidRequest(await browser.post('/authorize', alice), 'no pending authorization request');
    expectInvalidRequest(await newBrowser(idp).get('/authorize'));
  });

  verifies('AUT-41', 'applies a GET with only login_hint to the only pending transaction', async () => {
    const browser = newBrowser(idp);
    expectInvalidRequest(await browser.get('/authorize?login_hint=bob'));
    const page = await browser.get(authorizePath({ login_hint: 'alice' }));
    const hinted = await browser.get('/authorize?login_hint=bob');
    expect(fieldOf(hinted, 'username')).to.equal('bob');
    expect(fieldOf(hinted, 'transaction_id')).to.equal(fieldOf(page, 'transaction_id'));
    await browser.get(authorizePath());
    expectInvalidRequest(await browser.get('/authorize?login_hint=bob'), 'several pending');
  });

  verifies(['AUT-42', 'LOG-29'], 'neither uses nor creates a session of /login', async () => {
    const browser = newBrowser(idp);
    const loggedIn = await browser.submit(await browser.get('/login'), alice);
    expect([loggedIn.status, loggedIn.location]).to.deep.equal([302, '/']);
    const page = await browser.get(authorizePath());
    expect(fieldOf(page, 'password')).to.equal('');
    const done = await browser.submit(page, { username: 'bob', password: ' builder ' });
    expect(done.headers.getSetCookie()).to.deep.equal([]);
    const { body } = await redeem(idp, codeOf(done));
    expect(claimsOf(String(body.id_token)).sub).to.equal('bob');

    const stranger = newBrowser(idp);
    await stranger.submit(await stranger.get(authorizePath()), alice);
    await stranger.get('/ui/logout');
    expect((await idp.audit('&event_type=logout')).map(({ username }) => username)).not.to.include('bob');
  });

  verifies('AUT-44', 'issues one code when several POSTs complete a transaction simultaneously', async () => {
    for (let round = 0; round < 10; round += 1) {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath());
      const answers = await Promise.all(Array.from({ length: 4 }, () => browser.submit(page, alice)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([302, 400, 400, 400]);
    }
  });

  verifies('AUT-48', 'shows the page again for wrong or missing credentials and keeps the transaction', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ state: 's' }));
    const transaction_id = fieldOf(page, 'transaction_id');
    for (const [fields, message] of [
      [{ username: 'alice', password: 'Wonderland' }, sentences.loginWrong],
      [{ username: 'nobody', password: 'wonderland' }, sentences.loginWrong],
      [{ username: 'erin', password: 'x' }, sentences.loginWrong],
      [{ username: 'alice', password: '' }, 'Enter your password.'],
      [{ username: '', password: 'x' }, 'Enter your username.'],
      [{}, 'Enter your username.'],
    ] as const) {
      const again = await browser.submit(page, fields);
      expectRefusal(again, message);
      expect(fieldOf(again, 'transaction_id')).to.equal(transaction_id);
    }
    codeOf(await browser.submit(page, alice));
    const failures = (await idp.audit('&event_type=authorization_request')).filter(
      ({ username, status }) => username === 'nobody' && status === 'failed',
    );
    expect(failures.at(-1)).to.deep.include({
      client_id: 'web',
      details: { reason: 'wrong username or password', refusal: 'user_credentials_wrong' },
    });
  });

  verifies(['AUT-49', 'LOG-02'], 'trims the username, but not the password', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath());
    expectRefusal(await browser.submit(page, { username: 'bob', password: 'builder' }), 'is wrong');
    expectRefusal(await browser.submit(page, { username: 'alice', password: 'wonderland ' }), 'is wrong');
    codeOf(await browser.submit(page, { username: '  bob\t', password: ' builder ' }));
  });

  verifies(
    ['AUT-49', 'LOG-02', 'GRT-12'],
    'prefers a username that contains the spaces over the trimmed one',
    async () => {
      for (const [username, password] of [
        [' bob ', 'mine'],
        ['  ', 'blank'],
      ] as const) {
        expect((await idp.api('POST', '/api/runtime/users', { username, password })).status).to.equal(201);
        const browser = newBrowser(idp);
        const done = await browser.submit(await browser.get(authorizePath()), { username, password });
        const redeemed = await redeem(idp, codeOf(done));
        const granted = await token(idp, { grant_type: 'password', username, password });
        for (const { body } of [redeemed, granted]) {
          expect(claimsOf(String(body.access_token)).sub).to.equal(username);
        }
      }
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath());
      expectRefusal(await browser.submit(page, { username: ' bob ', password: ' builder ' }), 'is wrong');
      codeOf(await browser.submit(page, { username: ' bob', password: ' builder ' }));
      await idp.api('DELETE', '/api/runtime');
    },
  );
});

describe('login modes at /authorize', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  const withTotp = () => idp.configure({ settings: { login: { totp: true } } });

  verifies(['AUT-50', 'LOG-05'], 'logs in with a name alone in persona mode, and offers runtime users', async () => {
    await idp.configure({ settings: { login: { mode: 'persona' } } });
    const made = await fetch(`${idp.baseUrl}/api/runtime/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'rita', description: 'Made at <b>runtime</b>' }),
    });
    expect(made.status).to.equal(201);
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath());
    expect(page.forms[0]?.buttons).to.deep.equal([
      ['username', 'alice'],
      ['username', 'bob'],
      ['username', 'carol'],
      ['username', 'dave'],
      ['username', 'erin'],
      ['username', 'rita'],
    ]);
    expect(page.text).to.contain('Signs the releases').and.to.contain('Made at <b>runtime</b>');
    expect(page.body).not.to.contain('name="password"');
    expectRefusal(await browser.submit(page, { username: 'nobody' }), sentences.userUnknown);
    expectRefusal(await browser.submit(page, { username: '' }), 'Choose a user.');
    const { body } = await redeem(idp, codeOf(await browser.submit(page, { username: ' rita ' })));
    expect(claimsOf(String(body.id_token))).to.include({ sub: 'rita' });
  });

  verifies(
    ['AUT-51', 'AUT-52', 'LOG-06'],
    'asks in two steps, first for the name and then for the password, or takes both at once',
    async () => {
      await idp.configure({ settings: { login: { two_step: true } } });
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath());
      const names = (shown: Page) => shown.forms[0]?.fields.map(([name]) => name);
      expect(names(page)).to.deep.equal(['transaction_id', 'username']);
      const known = await browser.submit(page, { username: ' alice ' });
      const unknown = await browser.submit(page, { username: 'nobody' });
      expect(known.status).to.equal(200);
      expect(names(known)).to.deep.equal(['transaction_id', 'username', 'password']);
      expect(fieldOf(known, 'username')).to.equal('alice');
      expect(unknown.body.replaceAll('nobody', 'alice')).to.equal(known.body);
      expectRefusal(await browser.submit(page, { username: ' ' }), 'Enter your username.');
      const blank = await browser.submit(known, { password: '' });
      expectRefusal(blank, 'Enter your password.');
      expect(names(blank)).to.deep.equal(['transaction_id', 'username', 'password']);
      const wrong = await browser.submit(known, { password: 'x' });
      expectRefusal(wrong, sentences.loginWrong);
      expect(names(await browser.submit(wrong, { change_username: '1' }))).to.deep.equal([
        'transaction_id',
        'username',
      ]);
      codeOf(await browser.submit(known, { password: 'wonderland' }));
      codeOf(await newBrowser(idp).post(authorizePath(), alice));
      expectRefusal(
        await newBrowser(idp).post(authorizePath(), { username: '', password: '' }),
        'Enter your username.',
      );
    },
  );

  verifies(
    ['AUT-53', 'LOG-12', 'LOG-07'],
    'requires a second factor with totp, password mode and a secret',
    async () => {
      const asksForCode = async (username: string, password: string) => {
        const answer = await newBrowser(idp).post(authorizePath(), { username, password });
        return answer.status === 200 && fieldOf(answer, 'totp_code') === '';
      };
      await idp.configure();
      expect(await asksForCode('carol', 'cabbage')).to.equal(false);
      await withTotp();
      expect(await asksForCode('carol', 'cabbage')).to.equal(true);
      expect(await asksForCode('alice', 'wonderland')).to.equal(false);
      await idp.configure({ settings: { login: { totp: true, mode: 'persona', two_step: true } } });
      codeOf(await newBrowser(idp).post(authorizePath(), { username: 'carol' }));
    },
  );

  verifies(
    ['AUT-54', 'HDR-03', 'LOG-15'],
    'shows a code screen that issues no code, keeps the transaction and is not cached',
    async () => {
      await withTotp();
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath());
      const direct = newBrowser(idp);
      for (const [client, screen] of [
        [browser, await browser.submit(page, carol)],
        [direct, await direct.post(authorizePath(), carol)],
      ] as const) {
        expect(screen.status).to.equal(200);
        expect(screen.location).to.equal(null);
        expect(screen.headers.get('cache-control')).to.equal('no-store');
        expect(screen.headers.get('pragma')).to.equal('no-cache');
        expect(fieldOf(screen, 'transaction_id')).to.be.a('string');
        expect(fieldOf(screen, 'totp_code')).to.equal('');
        expect(screen.body).not.to.contain('name="password"');
        codeOf(await client.submit(screen, { totp_code: totpAt(Date.now()) }));
      }
    },
  );

  verifies(
    ['AUT-37', 'AUT-38', 'AUT-39', 'AUT-40'],
    'keeps a direct login pending until its code arrives, without touching other pending requests',
    async () => {
      await withTotp();
      const browser = newBrowser(idp);
      const waiting = await browser.post(authorizePath({ state: 'direct' }), carol);
      expect(fieldOf(await browser.get('/authorize'), 'transaction_id')).to.equal(fieldOf(waiting, 'transaction_id'));
      const page = await browser.get(authorizePath({ state: 'pending' }));
      expect(fieldOf(await browser.get('/authorize'), 'transaction_id')).to.equal(fieldOf(page, 'transaction_id'));
      expect(redirectParameters(await browser.post('/authorize', alice)).get('state')).to.equal('pending');
      const done = await browser.post('/authorize', { totp_code: totpAt(Date.now()) });
      expect(redirectParameters(done).get('state')).to.equal('direct');
      expectInvalidRequest(await browser.post('/authorize', alice), 'no pending authorization request');
    },
  );

  verifies(
    ['AUT-55', 'AUT-57', 'AUT-58'],
    'keeps the verified user after a wrong code, even if other fields are posted',
    async () => {
      await withTotp();
      const browser = newBrowser(idp);
      const screen = await browser.submit(await browser.get(authorizePath()), carol);
      const transaction_id = fieldOf(screen, 'transaction_id') ?? '';
      for (const [totp_code, message] of [
        [wrongTotp(Date.now()), 'The code is wrong.'],
        ['', 'Enter your six-digit code.'],
        ['abcdef', 'The code is wrong.'],
      ] as const) {
        const again = await browser.submit(screen, { totp_code });
        expect(again.status).to.equal(200);
        expect(again.text).to.contain(message).and.to.contain('carol');
        expect(fieldOf(again, 'transaction_id')).to.equal(transaction_id);
        expect(again.headers.get('cache-control')).to.equal('no-store');
      }
      const ignored = await browser.post('/authorize', { transaction_id, ...alice });
      expect(ignored.text).to.contain('Enter your six-digit code').and.to.contain('carol');
      const done = await browser.post('/authorize', { transaction_id, ...alice, totp_code: totpAt(Date.now()) });
      const { body } = await redeem(idp, codeOf(done));
      expect(claimsOf(String(body.id_token))).to.deep.include({ sub: 'carol', amr: ['pwd', 'otp'] });
    },
  );

  verifies(['AUT-55', 'LOG-18'], "checks the code against the user's current secret", async () => {
    await withTotp();
    const browser = newBrowser(idp);
    const screen = await browser.submit(await browser.get(authorizePath()), carol);
    const users = { ...interactiveUsers, carol: { password: 'cabbage', totp_secret: 'jbsw y3dp ehpk 3pxp' } };
    await idp.configure({ settings: { login: { totp: true } }, users });
    const old = await browser.submit(screen, { totp_code: totpAt(Date.now()) });
    expect(old.text).to.contain('The code is wrong.');
    const secret = Buffer.from('48656c6c6f21deadbeef', 'hex');
    codeOf(await browser.submit(screen, { totp_code: totpAt(Date.now(), secret) }));
  });

  verifies(
    ['AUT-56', 'AUT-59', 'LOG-14'],
    'logs in with password and code in one POST, and accepts the same code again',
    async () => {
      await withTotp();
      const totp_code = totpAt(Date.now());
      for (let time = 0; time < 2; time += 1) {
        const browser = newBrowser(idp);
        const page = await browser.get(authorizePath());
        const transaction_id = fieldOf(page, 'transaction_id') ?? '';
        codeOf(await browser.post('/authorize', { transaction_id, ...carol, totp_code: ` ${totp_code} ` }));
        codeOf(await browser.post(authorizePath(), { ...carol, totp_code }));
      }
      const browser = newBrowser(idp);
      const wrong = await browser.post(authorizePath(), { ...carol, totp_code: wrongTotp(Date.now()) });
      expect(wrong.text).to.contain('The code is wrong.');
      codeOf(await browser.submit(wrong, { totp_code }));
    },
  );

  verifies(['AUT-60', 'LOG-22'], 'discards the password on change_username and shows the first screen', async () => {
    await withTotp();
    const browser = newBrowser(idp);
    const screen = await browser.submit(await browser.get(authorizePath()), carol);
    const first = await browser.submit(screen, { change_username: '1' });
    expect(first.status).to.equal(200);
    expect(fieldOf(first, 'password')).to.equal('');
    expect(fieldOf(first, 'transaction_id')).to.equal(fieldOf(screen, 'transaction_id'));
    expectRefusal(await browser.submit(screen, { totp_code: totpAt(Date.now()) }), 'took too long');
    codeOf(await browser.submit(first, alice));
  });

  verifies(
    ['AUT-61', 'LOG-24'],
    'ends the login with access_denied if the user or a setting changed meanwhile',
    async () => {
      const { carol: _gone, ...withoutCarol } = interactiveUsers;
      for (const change of [
        { settings: { login: { totp: true } }, users: withoutCarol },
        { settings: { login: { totp: true } }, users: { ...interactiveUsers, carol: { password: 'cabbage' } } },
        { settings: { login: { totp: false } } },
        { settings: { login: { totp: true, mode: 'persona' } } },
      ]) {
        for (const fields of [{ totp_code: totpAt(Date.now()) }, carol]) {
          await withTotp();
          const browser = newBrowser(idp);
          const screen = await browser.submit(await browser.get(authorizePath({ state: 's' })), carol);
          const transaction_id = fieldOf(screen, 'transaction_id') ?? '';
          await idp.configure(change);
          const ended = await browser.post('/authorize', { transaction_id, ...fields });
          expect(redirectParameters(ended).get('error')).to.equal('access_denied');
          expect(redirectParameters(ended).get('state')).to.equal('s');
          expectInvalidRequest(await browser.post('/authorize', { transaction_id, ...alice }));
        }
      }
    },
  );

  verifies('AUT-46', 'ends the transaction if its client was deleted meanwhile', async () => {
    await idp.configure({ clients: [{ client_id: 'brief', client_secret: 'x', redirect_uris: [callback] }] });
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ client_id: 'brief', state: 's' }));
    await idp.configure();
    const ended = await browser.submit(page, alice);
    expect(redirectParameters(ended).get('error')).to.equal('temporarily_unavailable');
    expect(redirectParameters(ended).get('state')).to.equal('s');
    await idp.configure({ clients: [{ client_id: 'brief', client_secret: 'x', redirect_uris: [callback] }] });
    expectInvalidRequest(await browser.submit(page, alice));
  });

  verifies('AUT-47', 'keeps a pending transaction as accepted after any other change', async () => {
    const client = { client_id: 'moving', client_secret: 'x', redirect_uris: [callback] };
    await idp.configure({ clients: [client] });
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ client_id: 'moving', scope: 'openid email' }));
    await idp.configure({
      settings: { security_profile: 'oauth21', oauth: { scopes_supported: ['openid'] } },
      clients: [{ ...client, redirect_uris: ['https://moved.example/cb'], scope: 'openid' }],
    });
    const done = await browser.submit(page, alice);
    expect(done.location).to.match(/^http:\/\/127\.0\.0\.1:9\/callback\?code=/);
  });
});
