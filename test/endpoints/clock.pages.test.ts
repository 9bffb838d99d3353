// The page /clock, the banner that a moved clock adds to every page, and the protection of changes.
import { expect } from 'chai';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import type { Page } from '#test/support/browser-client.ts';
import { authnRequest, redirectQuery } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { follow } from '#test/support/web-ui.ts';
import { interactive } from '#test/support/worlds.ts';

describe('/clock', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, command: 'start' });
  });
  after(() => idp.stop());
  afterEach(() => idp.api('DELETE', '/api/clock'));

  const clock = async () => (await idp.api('GET', '/api/clock')).body;
  const bannerOf = ({ body }: Page) =>
    /<p class="clock-banner" role="note">(.*?)<\/p>/s.exec(body)?.[1]?.replaceAll(/<[^>]+>/g, '');
  /** Fills in and submits the form as a browser without scripts does. */
  const send = async (fields: Record<string, string>) => {
    const browser = newBrowser(idp);
    return browser.submit(await browser.get('/clock'), fields);
  };

  verifies('TIM-26', 'shows a moved clock on every page, and whether it is frozen', async () => {
    const paths = ['/', '/users', '/clock', '/login', '/logout', '/device', authorizePath(), '/nowhere'];
    paths.push(`/saml/sso?${redirectQuery(authnRequest())}`);
    const look = async (path: string) => {
      const page = await newBrowser(idp).get(path, { Accept: 'text/html' });
      expect(page.headers.get('content-type'), path).to.contain('text/html');
      return bannerOf(page);
    };
    for (const path of paths) expect(await look(path), path).to.equal(undefined);
    await idp.api('PUT', '/api/clock', { at: '2030-05-06T07:08:09Z', frozen: true });
    for (const path of paths) {
      expect(await look(path), path).to.equal(
        'The clock of this identity provider is frozen at 2030-05-06 07:08:09 UTC.',
      );
    }
    await idp.api('PUT', '/api/clock', { offset_seconds: -3723, frozen: false });
    for (const path of paths) {
      expect(await look(path), path).to.match(
        /^The clock of this identity provider shows \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, 1 hour 2 minutes behind real time\.$/,
      );
    }
  });

  verifies('TIM-29', 'advances by minutes, hours and days, sets, freezes and resets without a script', async () => {
    const at = Date.UTC(2030, 0, 1);
    const set = await send({ at: '2030-01-01 00:00:00Z' });
    expect((await follow(newBrowser(idp), set)).text).to.contain('The clock was moved.');
    expect(Date.parse((await clock()).now) - at).to.be.within(0, 10_000);
    await send({ frozen: 'true' });
    await idp.api('PUT', '/api/clock', { at: '2030-01-01T00:00:00Z' });
    const moves = [
      { amount: '5', unit: '60' },
      { amount: '2', unit: '3600' },
      { amount: '1', unit: '86400' },
      { amount: '-0.5', unit: '60' },
      { advance_seconds: '3600' },
    ];
    for (const move of moves) expect((await send(move)).status).to.equal(302);
    const seconds = 5 * 60 + 2 * 3600 + 86_400 - 30 + 3600;
    expect(await clock()).to.include({ now: new Date(at + seconds * 1000).toISOString(), frozen: true });
    await send({ frozen: 'false' });
    expect((await clock()).frozen).to.equal(false);
    const returned = await send({ reset: 'true' });
    expect((await follow(newBrowser(idp), returned)).text).to.contain('The clock shows real time again.');
    expect((await clock()).moved).to.equal(false);
    const [entry] = (await idp.audit('&event_type=clock_changed')).slice(-1);
    expect(entry).to.include({ endpoint: '/clock', method: 'POST', status: 'success' });
  });

  verifies('TIM-27', 'shows the age of events in real time, wherever the clock is', async () => {
    for (const offset of [7200, -7200]) {
      await idp.api('PUT', '/api/clock', { offset_seconds: offset });
      for (const path of ['/audit', '/']) {
        const { body } = await newBrowser(idp).get(path);
        const [newest] = [...body.matchAll(/<span class="moment-distance">(.*?)<\/span>/g)];
        expect(newest?.[1], `${path} at ${offset}`).to.match(/^(now|\d+ seconds? ago)$/);
      }
    }
  });

  verifies('TIM-29', 'reports mistakes and keeps the typed text', async () => {
    for (const [fields, told] of [
      [{ at: 'tomorrow' }, 'At must be an RFC 3339 date-time'],
      [{ at: '2100-01-01T00:00:00Z' }, 'It must be between 2000'],
      [{ amount: 'many', unit: '60' }, 'Enter a number of minutes'],
      [{ amount: '', unit: '60' }, 'Send at least one of'],
    ] as const) {
      const page = await send(fields);
      expect(page.status, told).to.equal(400);
      expect(page.text).to.contain('The clock was not moved').and.contain(told);
      const typed = 'at' in fields ? fields.at : fields.amount;
      if (typed !== '') expect(page.body, told).to.contain(`value="${typed}"`);
    }
    expect((await clock()).moved).to.equal(false);
  });
});

describe('/clock with a management secret', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, settings: { management_secret: 'open sesame!' } });
  });
  after(() => idp.stop());

  const put = (headers: Record<string, string>) => idp.api('PUT', '/api/clock', { offset_seconds: 60 }, headers);

  verifies('TIM-30', 'rejects changes without the secret, from another site or by another method', async () => {
    const secret = { 'X-Management-Secret': 'open sesame!' };
    const refused = [
      await put({}),
      await put({ 'X-Management-Secret': 'wrong' }),
      await idp.api('DELETE', '/api/clock'),
      await idp.api('POST', '/api/clock', {}),
    ];
    expect(refused.map(({ status }) => status)).to.deep.equal([401, 401, 401, 401]);
    const form = await newBrowser(idp).post('/clock', { advance_seconds: '60' });
    expect([form.status, form.location]).to.deep.equal([302, '/login?error=management_locked']);
    const elsewhere = { ...secret, Origin: 'https://evil.example' };
    expect((await put(elsewhere)).status).to.equal(403);
    expect((await newBrowser(idp).post('/clock', { advance_seconds: '60' }, elsewhere)).status).to.equal(403);
    expect((await idp.api('GET', '/api/clock')).body.moved).to.equal(false);
    for (const method of ['POST', 'PATCH']) {
      const answer = await idp.api(method, '/api/clock', {}, secret);
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET, PUT, DELETE, HEAD, OPTIONS']);
    }
    expect((await put(secret)).body.moved).to.equal(true);
    expect((await idp.api('DELETE', '/api/clock', undefined, secret)).body.moved).to.equal(false);
  });
});
