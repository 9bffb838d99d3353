// How long things of a login live and how many of them there may be; the program's clock is moved, nothing sleeps.
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { authorizePath, codeOf, newBrowser, redeem, totpAt } from '#test/support/authorization-flow.ts';
import { fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { alice, carol } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

describe('limits of logins', () => {
  let idp: RunningIdp;
  let ahead = 0;
  before(async () => {
    idp = await startIdp({ world: interactive, settings: { login: { totp: true } } });
  });
  // What a test left behind is over for good an hour later.
  afterEach(async () => {
    await advance(3600);
    ahead = 0;
    await idp.setClock(ahead);
  });
  after(() => idp.stop());

  const advance = async (seconds: number) => {
    ahead += seconds * 1000;
    await idp.setClock(ahead);
  };
  const now = () => instant(Date.now() + ahead);
  const codeNow = () => totpAt(now());

  function expectInvalidRequest(page: Page) {
    expect(page.status, page.location ?? page.text).to.equal(400);
    expect(JSON.parse(page.body).error).to.equal('invalid_request');
  }

  verifies('AUT-32', 'a code can be redeemed for 600 seconds', async () => {
    const codes = await Promise.all([1, 2].map(async () => codeOf(await newBrowser(idp).post(authorizePath(), alice))));
    await advance(570);
    expect((await redeem(idp, codes[0] ?? '')).status).to.equal(200);
    await advance(31);
    const late = await redeem(idp, codes[1] ?? '');
    expect([late.status, late.body.error]).to.deep.equal([400, 'invalid_grant']);
  });

  verifies('AUT-43', 'a transaction expires 10 minutes after its creation, however often it was tried', async () => {
    const [first, second] = [newBrowser(idp), newBrowser(idp)];
    const page = await first.get(authorizePath());
    const other = await second.get(authorizePath());
    for (const seconds of [200, 200, 170]) {
      await advance(seconds);
      expect((await second.submit(other, { username: 'alice', password: 'wrong' })).status).to.equal(200);
    }
    codeOf(await first.submit(page, alice));
    await advance(31);
    expectInvalidRequest(await second.submit(other, alice));
    expectInvalidRequest(await second.get('/authorize'));
  });

  verifies(['AUT-63', 'LOG-20'], 'a pending second factor expires after 5 minutes and works once', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath());
    const screen = await browser.submit(page, carol);
    const loginBrowser = newBrowser(idp);
    const loginScreen = await loginBrowser.submit(await loginBrowser.get('/login'), carol);
    const inTime = newBrowser(idp);
    const inTimeScreen = await inTime.submit(await inTime.get('/login'), carol);
    await advance(270);
    const done = await inTime.submit(inTimeScreen, { totp_code: codeNow() });
    expect([done.status, done.location]).to.deep.equal([302, '/']);
    const again = await inTime.submit(inTimeScreen, { totp_code: codeNow() });
    expect(again.location).to.equal('/login?error=login_expired');
    await advance(31);
    const late = await loginBrowser.submit(loginScreen, { totp_code: codeNow() });
    expect(late.location).to.equal('/login?error=login_expired');
    expect((await loginBrowser.get(late.location ?? '')).text).to.contain('The login expired.');
    const restarted = await browser.submit(screen, { totp_code: codeNow() });
    expect(restarted.status).to.equal(200);
    expect(restarted.text).to.contain('The login took too long.');
    // The transaction itself lives for 10 minutes.
    codeOf(await browser.submit(restarted, alice));
  });

  verifies('AUT-63', 'of codes sent at the same moment one completes the login', async () => {
    for (let round = 0; round < 10; round += 1) {
      const browser = newBrowser(idp);
      const screen = await browser.submit(await browser.get('/login'), carol);
      const totp_code = codeNow();
      const answers = await Promise.all([1, 2, 3, 4].map(() => browser.submit(screen, { totp_code })));
      const places = answers.map(({ location }) => location).sort();
      expect(places).to.deep.equal(['/', ...Array(3).fill('/login?error=login_expired')]);
      const direct = await browser.post(authorizePath(), carol);
      const codes = await Promise.all([1, 2, 3].map(() => browser.submit(direct, { totp_code })));
      expect(codes.map(({ status }) => status).sort()).to.deep.equal([302, 400, 400]);
    }
  });

  /** How many more second factors may wait; the places that were tried are given back. */
  const roomForSecondFactors = () =>
    idp.withStore(async ({ secondFactors }) => {
      const place = { browser: 'probe', surface: '/login', purpose: '' } as const;
      const record = (room: number) =>
        secondFactors.record({ id: `probe-${room}`, ...place, username: 'carol', passwordVerifiedAt: now() }, now());
      let room = 0;
      while ((await record(room)) === 'recorded') room += 1;
      for (let tried = 0; tried < room; tried += 1) await secondFactors.discard({ id: `probe-${tried}`, ...place });
      return room;
    });

  verifies('AUT-45', 'while 1000 transactions are pending a new request is refused and they go on', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath());
    await idp.withStore(async ({ transactions }) => {
      const request = {
        client_id: 'web',
        redirect_uri: callback,
        response_mode: 'query' as const,
        scope: ['openid'],
        state: undefined,
        nonce: undefined,
        code_challenge: undefined,
        code_challenge_method: undefined,
        claims: { id_token: [], userinfo: [] },
        resource: [],
        login_hint: undefined,
      };
      for (let index = 1; index < 1000; index += 1) {
        const kind = { direct: false, embedded: false };
        const common = { browser: `browser-${index}`, request, parameters: [], ...kind, createdAt: now() };
        expect(await transactions.begin({ transaction_id: `t-${index}`, ...common }, now())).to.equal('begun');
      }
    });
    const refused = await newBrowser(idp).get(authorizePath({ state: 's' }));
    expect(redirectParameters(refused).get('error')).to.equal('temporarily_unavailable');
    expect(redirectParameters(refused).get('state')).to.equal('s');
    // Capacity is the last check.
    expect(redirectParameters(await newBrowser(idp).get(authorizePath({ prompt: 'none' }))).get('error')).to.equal(
      'login_required',
    );
    // A direct POST needs a place only when a second factor must be kept waiting (D39).
    codeOf(await newBrowser(idp).post(authorizePath(), alice));
    const room = await roomForSecondFactors();
    const waiting = await newBrowser(idp).post(authorizePath(), carol);
    expect(redirectParameters(waiting).get('error')).to.equal('temporarily_unavailable');
    // Nobody can come back for its second factor, so none is left to take up a place.
    expect(await roomForSecondFactors()).to.equal(room);
    codeOf(await browser.submit(page, alice));
    expect((await newBrowser(idp).get(authorizePath())).status).to.equal(200);
  });

  verifies(
    ['AUT-64', 'LOG-21'],
    'while 1000 second factors are pending a further one is refused with a page',
    async () => {
      const browser = newBrowser(idp);
      const screen = await browser.submit(await browser.get(authorizePath()), carol);
      await idp.withStore(async ({ secondFactors }) => {
        for (let index = 1; index < 1000; index += 1) {
          const common = { browser: 'b', surface: '/login' as const, purpose: '', username: 'carol' };
          const pending = { id: `f-${index}`, ...common, passwordVerifiedAt: now() };
          expect(await secondFactors.record(pending, now())).to.equal('recorded');
        }
      });
      const other = newBrowser(idp);
      const page = await other.get(authorizePath());
      const refused = await other.submit(page, carol);
      expect(refused.status).to.equal(503);
      expect(refused.text).to.contain('Too many logins are waiting for a code');
      const atLogin = await newBrowser(idp).post('/login', carol);
      expect(atLogin.location).to.equal('/login?error=too_many_logins');
      expect((await newBrowser(idp).get('/login?error=too_many_logins')).text).to.contain('Too many logins');
      // Whoever needs none, or sends the code along, gets in; nobody who waits was dropped.
      codeOf(await other.submit(page, alice));
      codeOf(await newBrowser(idp).post(authorizePath(), { ...carol, totp_code: codeNow() }));
      codeOf(await browser.submit(screen, { totp_code: codeNow() }));
      expect(fieldOf(await newBrowser(idp).post(authorizePath(), carol), 'totp_code')).to.equal('');
    },
  );
});
