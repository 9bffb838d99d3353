// What login pages offer beside the login: the typed name, messages at their field, the persona search on all four pages,
// and the form for the management secret. All work without a script.

import { expect } from 'chai';
import { BrowserClient, type Page } from '#test/support/browser-client.ts';
import { web } from '#test/support/credentials.ts';
import { authnRequest, redirectQuery } from '#test/support/saml/service-provider.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const callback = 'http://127.0.0.1:9/callback';
const authorize = `/authorize?${new URLSearchParams({ client_id: 'web', response_type: 'code', redirect_uri: callback })}`;

describe('login pages: many personas', () => {
  let idp: RunningIdp;
  before(async () => {
    const many = Array.from({ length: 400 }, (_, number) => [
      `user-${number}`,
      { description: number === 350 ? 'Physician on call' : 'Somebody', roles: number === 351 ? ['NIGHTWATCH'] : [] },
    ]);
    idp = await startIdp({
      command: 'instance',
      settings: { ...demoSettings, login: { mode: 'persona' } },
      users: { users: Object.fromEntries(many) },
    });
  });
  after(() => idp.stop());

  const badges = (page: Page) =>
    (page.forms[0]?.buttons ?? []).filter(([name]) => name === 'username').map(([, username]) => username);

  async function pending(browser: BrowserClient): Promise<string> {
    const answer = await browser.request('/device_authorization', {
      method: 'POST',
      headers: web,
      body: new URLSearchParams(),
    });
    return (JSON.parse(answer.body) as { user_code: string }).user_code;
  }

  interface Surface {
    readonly name: string;
    readonly path: (browser: BrowserClient) => Promise<string>;
    readonly done: (page: Page) => void;
  }

  const surfaces: readonly Surface[] = [
    { name: '/login', path: async () => '/login', done: (page) => expect(page.location).to.equal('/') },
    {
      name: '/authorize',
      path: async () => authorize,
      done: (page) => expect(page.location).to.include(`${callback}?code=`),
    },
    {
      name: '/device',
      path: async (browser) => `/device?user_code=${await pending(browser)}`,
      done: (page) => expect(page.text).to.include('Device approved'),
    },
    {
      name: '/saml/sso',
      path: async () => `/saml/sso?${redirectQuery(authnRequest(), 'state')}`,
      done: (page) => expect(page.body).to.include('SAMLResponse'),
    },
  ];

  for (const { name, path, done } of surfaces) {
    verifies('LOG-05', `finds one of four hundred personas by name, description or role at ${name}`, async () => {
      const browser = new BrowserClient(idp.baseUrl);
      const all = await browser.get(await path(browser));
      expect(badges(all)).to.have.length(200);
      expect(all.text).to.include('200 of 400 users');
      const byName = await browser.submit(all, { fill_username: 'USER-399' });
      expect(byName.status).to.equal(200);
      expect(badges(byName)).to.deep.equal(['user-399']);
      const byDescription = await browser.submit(byName, { fill_username: 'on call' });
      expect(badges(byDescription)).to.deep.equal(['user-350']);
      const byRole = await browser.submit(byDescription, { fill_username: 'nightwatch' });
      expect(badges(byRole)).to.deep.equal(['user-351']);
      const nobody = await browser.submit(byRole, { fill_username: 'xyzzy' });
      expect(badges(nobody)).to.deep.equal([]);
      expect(nobody.text).to.include('No user has this name');
      const again = await browser.submit(nobody, { show_all: '1' });
      expect(badges(again)).to.have.length(200);
      const found = await browser.submit(again, { fill_username: 'user-399' });
      done(await browser.submit(found, { username: 'user-399' }));
    });
  }

  it('puts login_hint first and hides no other persona', async () => {
    const page = await new BrowserClient(idp.baseUrl).get(`${authorize}&login_hint=user-77`);
    expect(badges(page)[0]).to.equal('user-77');
    expect(badges(page)).to.have.length(200);
    expect(badges(await new BrowserClient(idp.baseUrl).get(`${authorize}&login_hint=nobody`))).to.have.length(200);
  });

  verifies('RUN-10', 'always shows a newly created user, however many the files declare', async () => {
    const created = await idp.api('POST', '/api/runtime/users', { username: 'zoe' });
    expect(created.status).to.equal(201);
    const browser = new BrowserClient(idp.baseUrl);
    const page = await browser.get('/login');
    expect(page.text).to.include('200 of 401 users');
    expect(badges(page)).to.have.length(200);
    expect(badges(page)[0]).to.equal('user-0');
    expect(badges(page).at(-1)).to.equal('zoe');
    expect((await browser.submit(page, { username: 'zoe' })).location).to.equal('/');
    expect((await idp.api('DELETE', '/api/runtime/users/zoe')).status).to.equal(200);
  });

  verifies(
    'RUN-10',
    'shows the newest of many runtime users beside as many declared ones, with and without a search',
    async () => {
      for (let number = 0; number < 150; number++) {
        await idp.api('POST', '/api/runtime/users', { username: `user-made-${number}` });
      }
      const browser = new BrowserClient(idp.baseUrl);
      const page = await browser.get('/login');
      for (const shown of [page, await browser.submit(page, { fill_username: 'user-' })]) {
        expect(badges(shown)).to.have.length(200);
        expect(badges(shown).slice(99, 101)).to.deep.equal(['user-99', 'user-made-50']);
        expect(badges(shown).at(-1)).to.equal('user-made-149');
      }
      const hinted = badges(await new BrowserClient(idp.baseUrl).get(`${authorize}&login_hint=user-made-3`));
      expect(hinted).to.have.length(200);
      expect(hinted[0]).to.equal('user-made-3');
      expect(hinted.filter((name) => name === 'user-made-3')).to.have.length(1);
      await idp.api('DELETE', '/api/runtime');
    },
  );

  it('records no event for a search', async () => {
    const browser = new BrowserClient(idp.baseUrl);
    const before = await (await fetch(`${idp.baseUrl}/api/audit?limit=-1`)).json();
    await browser.submit(await browser.get('/login'), { fill_username: 'user-1' });
    expect(await (await fetch(`${idp.baseUrl}/api/audit?limit=-1`)).json()).to.deep.equal(before);
  });
});

describe('login pages: errors', () => {
  let idp: RunningIdp;

  const fieldValue = (page: Page, name: string) => page.forms[0]?.fields.find(([field]) => field === name)?.[1];

  async function refusedAt(fields: Record<string, string>): Promise<{ browser: BrowserClient; page: Page }> {
    const browser = new BrowserClient(idp.baseUrl);
    const answer = await browser.submit(await browser.get('/login'), fields);
    expect(answer.status).to.equal(302);
    return { browser, page: await browser.get(answer.location ?? '') };
  }

  describe('with one screen', () => {
    before(async () => {
      idp = await startIdp({ command: 'oidc', settings: { ...demoSettings, management_secret: 'open sesame' } });
    });
    after(() => idp.stop());

    verifies('LOG-04', 'keeps the typed name without putting it into the address', async () => {
      const { browser, page } = await refusedAt({ username: '"><script>alice', password: 'wrong' });
      expect(page.url).not.to.include('alice');
      expect(fieldValue(page, 'username')).to.equal('"><script>alice');
      expect(fieldValue(page, 'password')).to.equal('');
      // Only after a rejected login, and only in this browser.
      expect(fieldValue(await browser.get('/login'), 'username')).to.equal('');
      expect(fieldValue(await new BrowserClient(idp.baseUrl).get(page.url), 'username')).to.equal('');
    });

    verifies('LOG-04', 'forgets the name after a login, and never keeps an overlong one', async () => {
      const { browser, page } = await refusedAt({ username: 'alice', password: 'wrong' });
      await browser.submit(page, { username: 'alice', password: 'wonderland' });
      expect(fieldValue(await browser.get('/login?error=wrong_credentials'), 'username')).to.equal('');
      const endless = await refusedAt({ username: 'x'.repeat(5000), password: 'wrong' });
      expect(fieldValue(endless.page, 'username')).to.equal('');
    });

    it('reports a missing field at the field', async () => {
      const { page } = await refusedAt({ username: 'alice', password: '' });
      expect(fieldValue(page, 'username')).to.equal('alice');
      expect(page.body).to.match(/<p id="password-error"[^>]*>Enter your password\./);
      expect((await refusedAt({ username: ' ', password: 'x' })).page.body).to.match(
        /<p id="username-error"[^>]*>Enter your username\./,
      );
    });

    it('asks for a missing management secret instead of a login', async () => {
      for (const [code, message] of [
        ['management_locked', 'unlock writing'],
        ['wrong_management_secret', sentences.managementSecretWrong],
      ]) {
        const page = await new BrowserClient(idp.baseUrl).get(`/login?error=${code}`);
        expect(page.text).to.include(message);
        expect(page.forms.map(({ action, fields }) => [new URL(action).pathname, ...fields])).to.deep.equal([
          ['/management/unlock', ['management_secret', '']],
        ]);
      }
      expect((await new BrowserClient(idp.baseUrl).get('/login?error=wrong_credentials')).body).not.to.include(
        'unlock',
      );
    });
  });

  describe('with two screens', () => {
    before(async () => {
      idp = await startIdp({ command: 'oidc', settings: { ...demoSettings, login: { two_step: true } } });
    });
    after(() => idp.stop());

    verifies('LOG-06', 'returns to the second screen after a wrong or missing password', async () => {
      for (const password of ['wrong', '']) {
        const browser = new BrowserClient(idp.baseUrl);
        const second = await browser.submit(await browser.get('/login'), { username: 'alice' });
        const answer = await browser.submit(second, { password });
        const page = await browser.get(answer.location ?? '');
        expect(page.text).to.include('Logging in as alice');
        expect((await browser.submit(page, { password: 'wonderland' })).location).to.equal('/');
      }
      // Without a name only the first screen exists.
      const page = await new BrowserClient(idp.baseUrl).get('/login?error=password_required');
      expect(page.text).to.include('Enter your password.');
      expect(fieldValue(page, 'username')).to.equal('');
    });
  });
});
