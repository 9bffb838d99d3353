// Logins without a page by login.auto_login_user (LIN-01 to LIN-04), and names that a request fills in (LIN-08, LIN-09).

import { hashSync } from 'bcryptjs';
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { claimsOf } from '#test/support/http.ts';
import { authnRequest, delivered, nameIdIn, redirectQuery } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, saml } from '#test/support/worlds.ts';

const one = 'https://one.example';
const users = { alice: { password: 'wonderland', email: 'alice@example.org' }, bob: { password: 'builder' } };

function settings(login: object) {
  return {
    login,
    oauth: { clients: [{ client_id: 'web', client_secret: 'web-secret', redirect_uris: [callback] }] },
    saml: {
      idp_initiated: true,
      service_providers: [
        { entity_id: one, acs: `${one}/acs`, name_id_format: 'unspecified', name_id_from: 'username' },
      ],
    },
  };
}

const subject = (name: string) => `<saml:Subject><saml:NameID>${name}</saml:NameID></saml:Subject>`;

describe('login.auto_login_user', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml, users, settings: settings({ auto_login_user: 'alice', session: 'on' }) });
  });
  after(() => idp.stop());

  const idTokenOf = async (changes: Readonly<Record<string, string>> = {}, browser = newBrowser(idp)) => {
    const code = codeOf(await browser.get(authorizePath({ scope: 'openid', ...changes })));
    return claimsOf(String((await redeem(idp, code)).body.id_token));
  };
  const sso = (request: Parameters<typeof authnRequest>[0] = {}, further = '') =>
    `/saml/sso?${redirectQuery(authnRequest({ issuer: one, acs: undefined, ...request }))}${further}`;
  const nameAfter = async (path: string) => nameIdIn(delivered(await newBrowser(idp).get(path)).root).value;

  verifies(['LIN-K01', 'LIN-01'], 'returns a code for that user without a page', async () => {
    expect(await idTokenOf()).to.include({ sub: 'alice' });
  });

  verifies('LIN-01', 'returns the Responses of /saml/sso and /saml/idp-initiated for that user', async () => {
    expect(await nameAfter(sso())).to.equal('alice');
    expect(await nameAfter(`/saml/idp-initiated?sp=${encodeURIComponent(one)}`)).to.equal('alice');
  });

  verifies('LIN-02', 'gives way to a login_hint or a Subject that names another user', async () => {
    expect(await idTokenOf({ login_hint: 'bob' })).to.include({ sub: 'bob' });
    expect(await idTokenOf({ login_hint: 'nobody' })).to.include({ sub: 'alice' });
    expect(await nameAfter(sso({}, '&login_hint=bob'))).to.equal('bob');
    expect(await nameAfter(sso({ children: subject('bob') }))).to.equal('bob');
    expect(await nameAfter(`/saml/idp-initiated?sp=${encodeURIComponent(one)}&login_hint=bob`)).to.equal('bob');
  });

  verifies('LIN-03', 'satisfies every prompt and max_age with a new login', async () => {
    const browser = newBrowser(idp);
    const first = await idTokenOf({}, browser);
    await idp.api('PUT', '/api/clock', { advance_seconds: 60 });
    for (const changes of [
      { prompt: 'none' },
      { prompt: 'login' },
      { prompt: 'select_account' },
      { prompt: 'login select_account' },
      { prompt: 'consent' },
      { max_age: '0' },
    ]) {
      const claims = await idTokenOf(changes, browser);
      expect(claims, JSON.stringify(changes)).to.include({ sub: 'alice', acr: '0' });
      expect(Number(claims.auth_time), JSON.stringify(changes)).to.be.at.least(Number(first.auth_time) + 60);
    }
    const audit = await idp.audit('&event_type=authorization_request');
    expect(audit.at(-1)?.details).to.include({ auto_login: true });
  });

  verifies('LIN-03', 'satisfies ForceAuthn and IsPassive', async () => {
    expect(await nameAfter(sso({ attributes: 'ForceAuthn="true"' }))).to.equal('alice');
    expect(await nameAfter(sso({ attributes: 'IsPassive="true"' }))).to.equal('alice');
    const [login] = (await idp.audit('&event_type=login')).slice(-1);
    expect(login).to.deep.include({ username: 'alice', endpoint: '/saml/sso', details: { auto_login: true } });
  });

  verifies('LIN-03', 'keeps the page of login.consent', async () => {
    const asking = settings({ auto_login_user: 'alice', session: 'on', consent: 'first' });
    const other = await startIdp({ world: saml, users, settings: asking });
    try {
      const refused = await newBrowser(other).get(authorizePath({ scope: 'openid', prompt: 'none' }));
      expect(redirectParameters(refused).get('error')).to.equal('consent_required');
      const browser = newBrowser(other);
      const page = await browser.get(authorizePath({ scope: 'openid' }));
      expect([page.status, page.body.includes('name="consent"')]).to.deep.equal([200, true]);
      codeOf(await browser.submit(page, { consent: 'allow' }));
    } finally {
      await other.stop();
    }
  });

  verifies('LIN-04', 'warns at the start and on the dashboard', async () => {
    expect(idp.log()).to.contain('Every login is \\"alice\\" (login.auto_login_user).');
    expect((await newBrowser(idp).get('/')).text).to.match(/Every login is alice ?, without a page/);
  });

  verifies('LIN-04', 'says on the page of a login that its user does not exist', async () => {
    const missing = await startIdp({ world: saml, users, settings: settings({ auto_login_user: 'carol' }) });
    try {
      const sentence = 'The user "carol" of login.auto_login_user does not exist.';
      const browser = newBrowser(missing);
      expect((await browser.get(authorizePath())).text).to.contain(sentence);
      expect((await newBrowser(missing).get(sso())).text).to.contain(sentence);
      const begun = `/saml/idp-initiated?sp=${encodeURIComponent(one)}`;
      expect((await newBrowser(missing).get(begun)).text).to.contain(sentence);
      expect(missing.log()).to.contain('names the user');
      const none = await newBrowser(missing).get(authorizePath({ prompt: 'none' }));
      expect(redirectParameters(none).get('error')).to.equal('login_required');
      await missing.api('POST', '/api/runtime/users', { username: 'carol' });
      codeOf(await browser.get(authorizePath()));
    } finally {
      await missing.stop();
    }
  });
});

describe('the username field of a login page', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml, users, settings: settings({}) });
  });
  after(() => idp.stop());

  const sso = (content: string, further: string) =>
    `/saml/sso?${redirectQuery(authnRequest({ issuer: one, acs: undefined, children: content }))}${further}`;
  const begun = `/saml/idp-initiated?sp=${encodeURIComponent(one)}&login_hint=bob`;
  const pages = () => [
    authorizePath({ login_hint: 'bob' }),
    '/login?login_hint=bob',
    '/device?login_hint=bob',
    sso('', '&login_hint=bob'),
    begun,
  ];

  verifies('LIN-08', 'is filled by login_hint, with one step or two', async () => {
    for (const two_step of [false, true]) {
      await idp.configure({ users, settings: settings({ two_step }) });
      for (const path of pages()) {
        const { body } = await newBrowser(idp).get(path);
        expect(/<input[^>]*name="username"[^>]*>/.exec(body)?.[0], path).to.contain('value="bob"');
      }
    }
  });

  verifies('LIN-08', 'is a list in persona mode, with that user first and marked', async () => {
    await idp.configure({ users, settings: settings({ mode: 'persona' }) });
    for (const path of pages()) {
      const { body } = await newBrowser(idp).get(path);
      const [first] = [...body.matchAll(/name="username"[^>]*value="([^"]*)"/g)].map(([, name]) => name);
      expect(first, path).to.equal('bob');
    }
    await idp.configure({ users, settings: settings({}) });
  });

  verifies('LIN-09', 'is filled by the user of the Subject if there is no login_hint', async () => {
    const field = async (path: string) =>
      /<input[^>]*name="username"[^>]*>/.exec((await newBrowser(idp).get(path)).body)?.[0];
    expect(await field(sso(subject('bob'), ''))).to.contain('value="bob"');
    expect(await field(sso(subject('alice@example.org'), ''))).to.contain('value="alice"');
    expect(await field(sso(subject('bob'), '&login_hint=alice'))).to.contain('value="alice"');
    expect(await field(sso('', ''))).not.to.contain('value=');
    const unknown = await newBrowser(idp).get(sso(subject('nobody'), ''));
    expect(delivered(unknown).status).to.contain('UnknownPrincipal');
  });

  verifies('LIN-10', 'accepts the password of a stored hash under dev, and not the hash', async () => {
    const hash = hashSync('wonderland', 4);
    await idp.configure({ users: { alice: { password: hash } }, settings: settings({}) });
    const login = (password: string) => newBrowser(idp).post('/login', { username: 'alice', password });
    expect((await login('wonderland')).location).to.equal('/');
    expect((await login(hash)).location).to.contain('error=');
  });
});
