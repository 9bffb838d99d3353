// /api/clock: reading and moving the clock of an identity provider, and where a moved clock is visible.
import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { rawRequest } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

describe('/api/clock', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, command: 'start', args: ['--oidc-workers', '2'] });
  });
  after(() => idp.stop());
  afterEach(() => idp.api('DELETE', '/api/clock'));

  const get = async () => (await idp.api('GET', '/api/clock')).body;
  const put = (body: unknown) => idp.api('PUT', '/api/clock', body);
  const near = (iso: string, milliseconds: number) =>
    expect(Math.abs(Date.parse(iso) - milliseconds), iso).to.be.below(10_000);
  const changes = async () => (await idp.audit('&event_type=clock_changed')).map(({ details }) => details);

  verifies(['TIM-01', 'TIM-07'], 'returns real time, not frozen, until it is moved and after a DELETE', async () => {
    const moved = await put({ offset_seconds: 3600 });
    expect(moved.body).to.deep.include({ offset_seconds: 3600, frozen: false, moved: true });
    const reset = await idp.api('DELETE', '/api/clock');
    expect(reset.status).to.equal(200);
    for (const body of [reset.body, await get()]) {
      expect(Object.keys(body)).to.deep.equal(['now', 'real_now', 'offset_seconds', 'frozen', 'moved']);
      expect(body).to.deep.include({ offset_seconds: 0, frozen: false, moved: false });
      expect(body.now).to.equal(body.real_now);
      expect(body.now).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      near(body.now, Date.now());
    }
  });

  verifies(['TIM-02', 'TIM-03'], 'moves by offset, by steps and to an instant', async () => {
    await put({ offset_seconds: 100 });
    expect((await put({ advance_seconds: 50.5 })).body.offset_seconds).to.equal(150.5);
    expect((await put({ advance_seconds: -200 })).body.offset_seconds).to.equal(-49.5);
    expect((await put({ offset_seconds: 60 })).body.offset_seconds).to.equal(60);
    for (const at of ['2030-06-01T12:00:00Z', '2030-06-01t14:00:00.000+02:00', '2030-06-01T06:30:00-05:30']) {
      const { status, body } = await put({ at });
      expect([status, body.now], at).to.deep.equal([200, '2030-06-01T12:00:00.000Z']);
      near((await get()).now, Date.UTC(2030, 5, 1, 12));
    }
    const before = await get();
    for (const body of [
      {},
      { offset_seconds: 1, at: '2030-06-01T12:00:00Z' },
      { offset_seconds: 1, advance_seconds: 1 },
    ]) {
      const refused = await put(body);
      expect([refused.status, refused.body.kind], JSON.stringify(body)).to.deep.equal([400, 'invalid']);
    }
    expect((await get()).offset_seconds).to.be.closeTo(before.offset_seconds, 0.001);
  });

  verifies(
    'TIM-04',
    'accepts numbers with three decimals and RFC 3339 instants, and names rejected values',
    async () => {
      for (const [body, named] of [
        [{ offset_seconds: 1.0001 }, 'offset_seconds'],
        [{ advance_seconds: '1' }, 'advance_seconds'],
        ['{"offset_seconds": 1e999}', 'offset_seconds'],
        [{ at: '2030-02-30T00:00:00Z' }, 'at'],
        [{ at: '2030-01-01T24:00:00Z' }, 'at'],
        [{ at: '2030-01-01T00:00:00' }, 'at'],
        [{ at: '2030-01-01' }, 'at'],
        [{ at: 1_900_000_000 }, 'at'],
        [{ frozen: 'yes' }, 'frozen'],
        [{ frozen: true, speed: 2 }, 'speed'],
        [[], 'object'],
        ['"text"', 'object'],
        ['{', 'JSON'],
      ] as const) {
        const { status, body: answer } = await put(body);
        expect([status, answer.kind], JSON.stringify(body)).to.deep.equal([400, 'invalid']);
        expect(answer.error, JSON.stringify(body)).to.contain(named);
      }
      expect((await put({ offset_seconds: 1.001 })).body.offset_seconds).to.equal(1.001);
      expect((await put({ offset_seconds: -1e-3 })).body.offset_seconds).to.equal(-0.001);
      expect((await put({ at: '2030-01-01T00:00:00.123456789Z' })).body.now).to.equal('2030-01-01T00:00:00.123Z');
    },
  );

  verifies('TIM-05', 'stays unchanged when a move would leave its range', async () => {
    for (const at of ['2000-01-01T00:00:00Z', '2099-12-31T23:59:59Z'])
      expect((await put({ at, frozen: true })).status).to.equal(200);
    for (const body of [
      { advance_seconds: 0.001 },
      { at: '1999-12-31T23:59:59.999Z' },
      { offset_seconds: 1e300 },
      { offset_seconds: -1e306 },
    ]) {
      const { status, body: answer } = await put(body);
      expect([status, answer.kind], JSON.stringify(body)).to.deep.equal([400, 'out_of_range']);
    }
    expect((await get()).now).to.equal('2099-12-31T23:59:59.000Z');
  });

  verifies('TIM-06', 'stands still while frozen, can be moved frozen, and runs on from there', async () => {
    expect((await put({ at: '2031-01-01T00:00:00Z', frozen: true })).body).to.deep.include({
      frozen: true,
      moved: true,
    });
    const seen = await Promise.all(Array.from({ length: 20 }, async () => (await get()).now));
    expect(new Set(seen)).to.deep.equal(new Set(['2031-01-01T00:00:00.000Z']));
    expect((await put({ advance_seconds: 90 })).body).to.deep.include({
      now: '2031-01-01T00:01:30.000Z',
      frozen: true,
    });
    const running = await put({ frozen: false });
    expect(running.body).to.deep.include({ now: '2031-01-01T00:01:30.000Z', frozen: false, moved: true });
    near((await get()).now, Date.UTC(2031, 0, 1, 0, 1, 30));
  });

  verifies('TIM-08', 'adds up simultaneous advances on any worker', async () => {
    await put({ offset_seconds: 0 });
    const advances = Array.from({ length: 40 }, (_, number) =>
      rawRequest(`${idp.baseUrl}/api/clock`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json', Connection: 'close' },
        body: JSON.stringify({ advance_seconds: number + 1 }),
      }),
    );
    for (const { status } of await Promise.all(advances)) expect(status).to.equal(200);
    expect((await get()).offset_seconds).to.equal(820);
  });

  verifies(
    'TIM-24',
    'reports a moved clock in every response except files, and keeps the Date header real',
    async () => {
      const ask = (path: string, init: RequestInit = {}) =>
        call(idp, path, {
          ...init,
          headers: { ...init.headers, Origin: 'http://localhost:3000', Connection: 'close' },
        });
      const everywhere = [
        () => ask('/.well-known/openid-configuration'),
        () => ask('/jwks'),
        () => ask('/health'),
        () => ask('/'),
        () => ask('/login'),
        () => ask('/nowhere'),
        () => ask('/token'),
        () => ask('/token', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST' } }),
        () =>
          ask('/token', {
            method: 'POST',
            headers: web,
            body: new URLSearchParams({ grant_type: 'client_credentials' }),
          }),
        () => ask('/token', { method: 'POST', headers: web, body: 'x'.repeat(1_100_000) }),
        () => ask('/userinfo'),
        () => ask('/saml/metadata'),
        () => ask('/api/users'),
      ];
      await put({ at: '2032-01-01T00:00:00Z', frozen: true });
      for (const [index, asked] of everywhere.entries()) {
        const { headers } = await asked();
        expect(headers.get('x-test-idp-clock'), String(index)).to.equal('2032-01-01T00:00:00.000Z');
        near(headers.get('date') ?? '', Date.now());
        if (headers.get('access-control-allow-origin') !== null) {
          expect(headers.get('access-control-expose-headers'), String(index)).to.contain('X-Test-Idp-Clock');
        }
      }
      expect((await ask('/static/style.css')).headers.has('x-test-idp-clock')).to.equal(false);
      const changed = await put({ at: '2032-01-02T00:00:00Z' });
      expect(changed.headers.get('x-test-idp-clock')).to.equal('2032-01-02T00:00:00.000Z');
      expect((await idp.api('DELETE', '/api/clock')).headers.has('x-test-idp-clock')).to.equal(false);
      for (const asked of everywhere) expect((await asked()).headers.has('x-test-idp-clock')).to.equal(false);
    },
  );

  verifies('TIM-25', 'appears in health only while it is moved', async () => {
    for (const path of ['/health', '/api/health']) {
      await put({ at: '2032-01-01T00:00:00Z', frozen: true });
      const { status, clock } = (await idp.api('GET', path)).body;
      expect([status, clock.now, clock.frozen, Object.keys(clock).length]).to.deep.equal([
        'ok',
        '2032-01-01T00:00:00.000Z',
        true,
        3,
      ]);
      expect(clock.offset_seconds).to.be.closeTo((Date.UTC(2032, 0, 1) - Date.now()) / 1000, 10);
      await idp.api('DELETE', '/api/clock');
      expect((await call(idp, path)).text).to.equal('{"status":"ok"}');
    }
  });

  verifies(
    'TIM-27',
    'appears in audit entries beside real time, null unless moved, without affecting their order',
    async () => {
      const client = () => token(idp, { grant_type: 'client_credentials' });
      const entries = await idp.audited(async () => {
        await client();
        await put({ at: '2033-01-01T00:00:00Z', frozen: true });
        await client();
        await put({ at: '2020-01-01T00:00:00Z' });
        await client();
        await idp.api('DELETE', '/api/clock');
        await client();
      });
      const requests = entries.filter(({ event_type }) => event_type === 'token_request');
      expect(requests.map(({ clock }) => clock)).to.deep.equal([
        null,
        '2033-01-01T00:00:00.000Z',
        '2020-01-01T00:00:00.000Z',
        null,
      ]);
      for (const { timestamp } of requests) near(timestamp, Date.now());
    },
  );

  verifies('TIM-28', 'records one clock_changed per change, and none without a change', async () => {
    await idp.api('POST', '/api/audit/clear');
    await idp.api('DELETE', '/api/clock');
    await put({ frozen: false });
    await put({ offset_seconds: 0 });
    expect(await changes()).to.deep.equal([]);
    await put({ at: '2030-01-01T00:00:00Z', frozen: true });
    await put({ at: '2030-01-01T00:00:00Z' });
    await put({ advance_seconds: 0 });
    await put({ at: 'tomorrow' });
    await put({ advance_seconds: 60 });
    await idp.api('DELETE', '/api/clock');
    const [first, second, third, ...rest] = await changes();
    expect(rest).to.deep.equal([]);
    expect(first).to.include({ to: '2030-01-01T00:00:00.000Z', frozen: true });
    expect(Object.keys(first ?? {})).to.deep.equal(['from', 'to', 'offset_seconds', 'frozen']);
    near(String(first?.from), Date.now());
    expect(second).to.include({ from: '2030-01-01T00:00:00.000Z', to: '2030-01-01T00:01:00.000Z', frozen: true });
    expect(third).to.include({ from: '2030-01-01T00:01:00.000Z', offset_seconds: 0, frozen: false });
    expect((await idp.audit('&event_type=clock_changed'))[0]).to.include({
      endpoint: '/api/clock',
      method: 'PUT',
      status: 'success',
      username: null,
      client_id: null,
    });
  });
});
