// Which requests match the conditions of a fault if the request itself does not name its client or user (FLT-04, FLT-05).
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, redirectParameters } from '#test/support/browser-client.ts';
import { assertionClaims, assertionType, type ClientKey, clientKey } from '#test/support/client-keys.ts';
import { alice } from '#test/support/credentials.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { beginDevice, postTo, redeemCode } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive, totpSecret } from '#test/support/worlds.ts';

const bob = { username: 'bob', password: ' builder ' } as const;

describe('conditions of faults', () => {
  let idp: RunningIdp;
  let key: ClientKey;
  const settings = { login: { session: 'on', consent: 'first' } };
  const clients = () => [
    {
      client_id: 'assertive',
      token_endpoint_auth_method: 'private_key_jwt',
      redirect_uris: [callback],
      jwks: { keys: [key.jwk] },
    },
  ];
  before(async () => {
    key = await clientKey('one');
    idp = await startIdp({ world: interactive, settings, clients: clients() });
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  verifies('FLT-04', 'match client_id for a client that names itself only in its assertion', async () => {
    const fault = await setFault(idp, 'status', {
      at: ['token', 'introspect'],
      when: { client_id: 'assertive' },
      times: 0,
    });
    const ask = async (path: string, form: Record<string, string>) =>
      postTo(
        idp,
        path,
        {
          ...form,
          client_assertion_type: assertionType,
          client_assertion: await key.sign(assertionClaims('assertive', idp.baseUrl)),
        },
        {},
      );
    expect((await ask('/token', { grant_type: 'client_credentials' })).status).to.equal(500);
    expect((await ask('/introspect', { token: 'x' })).status).to.equal(500);
    expect((await postTo(idp, '/token', { grant_type: 'client_credentials' })).status, 'of another client').to.equal(
      200,
    );
    expect(await faultOf(idp, fault)).to.include({ hits: 2 });
  });

  verifies(
    'FLT-04',
    'match username for the user that a login resolves the typed name to, with or without surrounding spaces',
    async () => {
      await idp.api('POST', '/api/runtime/users', { username: ' zed ', password: 'of the one with blanks' });
      await idp.api('POST', '/api/runtime/users', { username: 'zed', password: 'plain' });
      const met = async (username: string, typed: string, password: string) => {
        const fault = await setFault(idp, 'status', { at: 'token', when: { username }, times: 0 });
        await postTo(idp, '/token', { grant_type: 'password', username: typed, password });
        const { hits } = await faultOf(idp, fault);
        await noFaults(idp);
        const login = () => newBrowser(idp).post(authorizePath(), { username: typed, password });
        return [hits, await isAbout(username, login)];
      };
      expect(await met('zed', ' zed ', 'of the one with blanks')).to.deep.equal([0, false]);
      expect(await met(' zed ', ' zed ', 'of the one with blanks')).to.deep.equal([1, true]);
      expect(await met('alice', ' alice ', alice.password)).to.deep.equal([1, true]);
    },
  );

  /** Whether a fault for this user fires for a request at /authorize. */
  const isAbout = async (username: string, ask: () => Promise<{ status: number }>) => {
    const fault = await setFault(idp, 'status', { at: 'authorize', when: { username } });
    const { status } = await ask();
    const { hits } = await faultOf(idp, fault);
    expect(hits > 0, `${username} ${status}`).to.equal(status === 500);
    await noFaults(idp);
    return hits > 0;
  };
  const query = { scope: 'openid', state: 's' };
  /** Logs in and consents, so that the session alone answers later requests. */
  const logIn = async (browser: BrowserClient, who: Readonly<Record<string, string>>, changes = {}) => {
    const path = authorizePath({ ...query, ...changes });
    const page = await browser.submit(await browser.get(path), who);
    return codeOf(page.location === null ? await browser.submit(page, { consent: 'allow' }) : page);
  };

  verifies('FLT-05', 'match username at /authorize for the user of the session', async () => {
    const browser = newBrowser(idp);
    const ask =
      (changes: Record<string, string> = {}) =>
      () =>
        browser.get(authorizePath({ ...query, ...changes }));
    expect(await isAbout('alice', ask()), 'before a login').to.equal(false);
    const { body } = await redeemCode(idp, await logIn(browser, alice));
    expect(await isAbout('alice', ask())).to.equal(true);
    expect(await isAbout('bob', ask())).to.equal(false);
    expect(await isAbout('alice', ask({ prompt: 'login' })), 'a login is required').to.equal(false);
    expect(await isAbout('alice', ask({ prompt: 'select_account' }))).to.equal(false);
    expect(await isAbout('bob', ask({ login_hint: 'bob' }))).to.equal(true);
    expect(await isAbout('alice', ask({ login_hint: 'bob' }))).to.equal(false);
    await logIn(browser, bob, { login_hint: 'bob' });
    expect(await isAbout('bob', ask()), 'the account that the client used last').to.equal(true);
    expect(await isAbout('alice', ask())).to.equal(false);
    expect(await isAbout('alice', ask({ id_token_hint: String(body.id_token) }))).to.equal(true);
    const silent = await browser.get(authorizePath({ ...query, prompt: 'none' }));
    const answered = await redeemCode(idp, redirectParameters(silent).get('code') ?? '');
    expect(answered.status).to.equal(200);
  });

  verifies('FLT-05', 'match username for a chosen account and for a consent', async () => {
    const browser = newBrowser(idp);
    await logIn(browser, alice);
    await logIn(browser, bob, { login_hint: 'bob' });
    const choice = () => browser.get(authorizePath({ ...query, prompt: 'select_account' }));
    const page = await choice();
    const choose = (account: string) => () => browser.submit(page, { account });
    expect(await isAbout('bob', choose('alice'))).to.equal(false);
    const again = await choice();
    expect(await isAbout('alice', () => browser.submit(again, { account: 'alice' }))).to.equal(true);
    const consent = await newConsent();
    expect(await isAbout('bob', consent)).to.equal(false);
    expect(await isAbout('alice', await newConsent())).to.equal(true);
  });

  verifies('FLT-05', 'match username for a login without a page', async () => {
    const persona = { login: { mode: 'persona', auto_login: true } };
    await idp.configure({ settings: persona, clients: clients() });
    const ask = () => newBrowser(idp).get(authorizePath({ ...query, login_hint: 'persona-auto-login:alice' }));
    expect(await isAbout('alice', ask)).to.equal(true);
    codeOf(await ask());
    await idp.configure({ settings, clients: clients() });
  });

  verifies(['FLT-05', 'SSO-52'], 'match scope and login_hint from a request object', async () => {
    const oauth = { request_objects: 'on' };
    await idp.configure({ settings: { ...settings, oauth }, clients: clients() });
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const ask = (object: object) => {
      const request = `${encoded({ alg: 'none' })}.${encoded(object)}.`;
      return newBrowser(idp).get(authorizePath({ ...query, prompt: 'none', login_hint: 'alice', request }));
    };
    const met = async (when: object, object: object) => {
      const fault = await setFault(idp, 'status', { at: 'authorize', when });
      await ask(object);
      const { hits } = await faultOf(idp, fault);
      await noFaults(idp);
      return hits;
    };
    const requestClaims = { scope: 'openid email', login_hint: 'bob' };
    expect(await met({ scope: 'email' }, requestClaims)).to.equal(1);
    expect(await met({ scope: 'email' }, {})).to.equal(0);
    expect(await met({ username: 'bob' }, requestClaims)).to.equal(1);
    expect(await met({ username: 'alice' }, requestClaims)).to.equal(0);
    expect(await met({ username: 'alice', scope: 'openid' }, {})).to.equal(1);
    await idp.configure({ settings, clients: clients() });
  });

  verifies('FLT-05', 'match username at /device for the user whose code is awaited', async () => {
    const users = { tess: { password: 'tess', totp_secret: totpSecret } };
    await idp.configure({ settings: { login: { totp: true } }, users, clients: clients() });
    const { user_code } = await beginDevice(idp);
    const browser = newBrowser(idp);
    const typed = { username: 'tess', password: 'tess', action: 'authorize' };
    const page = await browser.submit(await browser.get(`/device?user_code=${user_code}`), typed);
    expect(fieldOf(page, 'pending_second_factor')).to.be.a('string');
    const fault = await setFault(idp, 'status', { at: 'device', when: { username: 'tess' } });
    const other = await setFault(idp, 'status', { at: 'device', when: { username: 'alice' } });
    expect((await browser.submit(page, { totp_code: '000000', action: 'authorize' })).status).to.equal(500);
    expect([(await faultOf(idp, fault)).hits, (await faultOf(idp, other)).hits]).to.deep.equal([1, 0]);
    await idp.configure({ settings, clients: clients() });
  });

  /** The response to a page that asks alice for consent. */
  const newConsent = async () => {
    const browser = newBrowser(idp);
    const asked = await browser.submit(await browser.get(authorizePath({ ...query, prompt: 'consent' })), alice);
    return () => browser.submit(asked, { consent: 'allow' });
  };
});
