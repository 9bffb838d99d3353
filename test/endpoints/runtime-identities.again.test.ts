// A name that is deleted and created again is another identity. Whatever was pending for the first one ends with it
// (RUN-14).
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { basic } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  beginDevice,
  codeFor,
  isActive,
  lastEvent,
  pollDevice,
  redeemCode,
  refresh,
  refusalOf,
  token,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive, totpSecret } from '#test/support/worlds.ts';

const settings = { require_ui_login: true, login: { totp: true } };
const first = { username: 'twice', password: 'first', totp_secret: totpSecret } as const;
const typed = { username: 'twice', password: 'first' } as const;
/** `Hello!\xDE\xAD\xBE\xEF` in Base32. */
const second = { username: 'twice', password: 'second', totp_secret: 'JBSWY3DPEHPK3PXP' } as const;
const codeOfSecond = () => totpAt(Date.now(), Buffer.from('48656c6c6f21deadbeef', 'hex'));

describe('a runtime object that was created again', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, settings });
  });
  after(() => idp.stop());

  /** Creates it again, either in one step or after a DELETE. */
  async function again(kind: 'users' | 'clients', name: string, body: object, replace: boolean): Promise<void> {
    if (!replace) expect((await idp.api('DELETE', `/api/runtime/${kind}/${name}`)).status).to.equal(200);
    const made = await idp.api('POST', `/api/runtime/${kind}${replace ? '?replace=true' : ''}`, body);
    expect(made.status).to.equal(201);
  }

  /** One refresh token from each way to get one. */
  async function refreshTokensOf(
    { username, password }: { readonly username: string; readonly password: string },
    clientId = 'web',
    secret = 'web-secret',
  ): Promise<readonly string[]> {
    const headers = { Authorization: basic(clientId, secret) };
    const code = await codeFor(idp, { client_id: clientId }, { username, password });
    const device = await beginDevice(idp, {}, headers);
    await newBrowser(idp).post('/device', { user_code: device.user_code, username, password });
    const answers = [
      await redeemCode(idp, code, {}, headers),
      await pollDevice(idp, device.device_code, {}, headers),
      await token(idp, { grant_type: 'password', username, password }, headers),
      await idp.api('POST', `/api/users/${username}/token`, { client_id: clientId }),
    ];
    const given = answers.map(({ body }) => String((body as Readonly<Record<string, unknown>>).refresh_token));
    // Also a refresh token from a refresh.
    const next = await refresh(idp, given[0], {}, headers);
    return [...given, String(next.body.refresh_token)];
  }

  for (const replace of [false, true]) {
    describe(replace ? 'in one step' : 'after it was deleted', () => {
      beforeEach(() => idp.api('DELETE', '/api/runtime'));

      verifies(['RUN-14', 'LOG-24', 'AUT-61'], 'finishes no login of its predecessor with its own code', async () => {
        const surfaces: [string, (browser: BrowserClient) => Promise<Page>, (ended: Page) => void][] = [
          [
            '/authorize',
            async (browser) => browser.submit(await browser.get(authorizePath()), typed),
            (ended) => expect(redirectParameters(ended).get('error')).to.equal('access_denied'),
          ],
          [
            '/login',
            async (browser) => browser.submit(await browser.get('/login'), typed),
            (ended) => expect(ended.location).to.match(/^\/login\?error=/),
          ],
        ];
        for (const [surface, passwordStep, expectEnd] of surfaces) {
          await idp.api('DELETE', '/api/runtime');
          await idp.api('POST', '/api/runtime/users', first);
          const browser = newBrowser(idp);
          const screen = await passwordStep(browser);
          expect(fieldOf(screen, 'totp_code'), surface).to.equal('');
          await again('users', 'twice', second, replace);
          expectEnd(await browser.submit(screen, { totp_code: codeOfSecond() }));
          expect((await browser.get('/')).status, surface).to.equal(302);
        }
      });

      verifies(['RUN-14', 'LOG-28'], 'is not logged in by the cookie of its predecessor', async () => {
        await idp.api('POST', '/api/runtime/users', typed);
        const browser = newBrowser(idp);
        await browser.post('/login', typed);
        expect((await browser.get('/')).status).to.equal(200);
        await again('users', 'twice', second, replace);
        expect((await browser.get('/')).status).to.equal(302);
        await browser.post('/login', { username: 'twice', password: 'second', totp_code: codeOfSecond() });
        expect((await browser.get('/')).status).to.equal(200);
      });

      verifies(['RUN-14', 'AUT-46'], 'gets no code for a request of its predecessor', async () => {
        const client = { client_id: 'brief', client_secret: 'x', redirect_uris: [callback] };
        await idp.api('POST', '/api/runtime/clients', client);
        const browser = newBrowser(idp);
        const page = await browser.get(authorizePath({ client_id: 'brief', state: 's' }));
        await again('clients', 'brief', client, replace);
        const ended = redirectParameters(await browser.submit(page, alice));
        expect([ended.get('error'), ended.get('state')]).to.deep.equal(['temporarily_unavailable', 's']);
        expect((await browser.submit(page, alice)).status).to.equal(400);
        codeOf(await browser.submit(await browser.get(authorizePath({ client_id: 'brief' })), alice));
      });

      verifies(['RUN-14', 'GRT-03'], 'cannot redeem a code of its predecessor', async () => {
        const client = { client_id: 'brief', client_secret: 'x', redirect_uris: [callback] };
        const headers = { Authorization: basic('brief', 'x') };
        await idp.api('POST', '/api/runtime/clients', client);
        const code = await codeFor(idp, { client_id: 'brief' });
        await again('clients', 'brief', client, replace);
        expect(refusalOf(await redeemCode(idp, code, {}, headers))).to.deep.equal([400, 'invalid_grant']);
        expect((await lastEvent(idp, 'token_request'))?.details.reason).to.match(/issued to another client/);
        const own = await codeFor(idp, { client_id: 'brief' });
        expect((await redeemCode(idp, own, {}, headers)).status).to.equal(200);
      });

      verifies(['RUN-14', 'GRT-19'], 'gets no tokens for a device that its predecessor approved', async () => {
        const client = { client_id: 'brief', client_secret: 'x', redirect_uris: [callback] };
        const headers = { Authorization: basic('brief', 'x') };
        await idp.api('POST', '/api/runtime/clients', client);
        const device = await beginDevice(idp, {}, headers);
        await newBrowser(idp).post('/device', { user_code: device.user_code, ...alice });
        await again('clients', 'brief', client, replace);
        expect(refusalOf(await pollDevice(idp, device.device_code, {}, headers))).to.deep.equal([400, 'invalid_grant']);
        expect((await lastEvent(idp, 'token_request'))?.details.reason).to.match(/issued to another client/);
        const own = await beginDevice(idp, {}, headers);
        await newBrowser(idp).post('/device', { user_code: own.user_code, ...alice });
        expect((await pollDevice(idp, own.device_code, {}, headers)).status).to.equal(200);
      });

      verifies(['RUN-14', 'GRT-19'], 'cannot poll or redeem a device grant of its predecessor', async () => {
        const client = { client_id: 'brief', client_secret: 'x', redirect_uris: [callback] };
        const headers = { Authorization: basic('brief', 'x') };
        await idp.api('POST', '/api/runtime/clients', client);
        const device = await beginDevice(idp, {}, headers);
        const poll = async () => refusalOf(await pollDevice(idp, device.device_code, {}, headers));
        expect(await poll()).to.deep.equal([400, 'authorization_pending']);
        await again('clients', 'brief', client, replace);
        expect(await poll()).to.deep.equal([400, 'invalid_grant']);
        await newBrowser(idp).post('/device', { user_code: device.user_code, ...alice });
        expect(await poll()).to.deep.equal([400, 'invalid_grant']);
        expect((await lastEvent(idp, 'token_request'))?.details.reason).to.match(/issued to another client/);
      });

      verifies(['RUN-14', 'GRT-07', 'GRT-26'], 'gets no tokens for what its predecessor allowed', async () => {
        await idp.api('POST', '/api/runtime/users', typed);
        const code = await codeFor(idp, {}, typed);
        const device = await beginDevice(idp);
        await newBrowser(idp).post('/device', { user_code: device.user_code, ...typed });
        await again('users', 'twice', { ...typed, roles: ['OTHER'] }, replace);
        expect(refusalOf(await redeemCode(idp, code))).to.deep.equal([400, 'invalid_grant']);
        expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal([400, 'invalid_grant']);
      });

      verifies(['RUN-14', 'REF-05', 'REF-06'], 'cannot use a refresh token of its predecessor', async () => {
        const client = { client_id: 'brief', client_secret: 'x', redirect_uris: [callback] };
        const headers = { Authorization: basic('brief', 'x') };
        await idp.api('POST', '/api/runtime/clients', client);
        await idp.api('POST', '/api/runtime/users', typed);
        const ofUser = await refreshTokensOf(typed);
        const ofClient = await refreshTokensOf(alice, 'brief', 'x');
        for (const token of ofUser) expect((await refresh(idp, token)).status).to.equal(200);
        for (const token of ofClient) expect((await refresh(idp, token, {}, headers)).status).to.equal(200);
        await again('users', 'twice', { ...typed, roles: ['OTHER'] }, replace);
        await again('clients', 'brief', client, replace);
        for (const token of ofUser) {
          expect(await isActive(idp, token)).to.equal(false);
          expect((await lastEvent(idp, 'introspection_request'))?.details.refusal).to.equal('refresh_token_user_gone');
          expect(refusalOf(await refresh(idp, token))).to.deep.equal([400, 'invalid_grant']);
          expect((await lastEvent(idp, 'token_request'))?.details.reason).to.match(/no longer exists/);
        }
        for (const token of ofClient) {
          expect(await isActive(idp, token)).to.equal(false);
          expect((await lastEvent(idp, 'introspection_request'))?.details.refusal).to.equal(
            'refresh_token_client_gone',
          );
          expect(refusalOf(await refresh(idp, token, {}, headers))).to.deep.equal([400, 'invalid_grant']);
          expect((await lastEvent(idp, 'token_request'))?.details.reason).to.match(/issued to another client/);
        }
        for (const token of await refreshTokensOf(typed)) {
          expect(await isActive(idp, token)).to.equal(true);
          expect((await refresh(idp, token)).status).to.equal(200);
        }
      });
    });
  }

  verifies(
    ['RUN-16', 'INT-04'],
    'loses its refresh tokens when it is deleted but not its access tokens, at /introspect too',
    async () => {
      const client = { client_id: 'brief', client_secret: 'x', redirect_uris: [callback] };
      await idp.api('POST', '/api/runtime/clients', client);
      await idp.api('POST', '/api/runtime/users', typed);
      const headers = { Authorization: basic('brief', 'x') };
      const ofUser = (await token(idp, { grant_type: 'password', ...typed })).body;
      const ofClient = (await token(idp, { grant_type: 'password', ...alice }, headers)).body;
      for (const { refresh_token } of [ofUser, ofClient])
        expect(await isActive(idp, String(refresh_token))).to.equal(true);
      await idp.api('DELETE', '/api/runtime');
      for (const { access_token, refresh_token } of [ofUser, ofClient]) {
        expect(await isActive(idp, String(access_token))).to.equal(true);
        expect(await isActive(idp, String(refresh_token))).to.equal(false);
      }
    },
  );

  verifies(
    ['AUT-39', 'AUT-40', 'AUT-46'],
    'leaves the only request with an existing client as the only pending one',
    async () => {
      const client = { client_id: 'gone', client_secret: 'x', redirect_uris: [callback] };
      await idp.api('POST', '/api/runtime/clients', client);
      const browser = newBrowser(idp);
      await browser.get(authorizePath({ client_id: 'gone' }));
      const page = await browser.get(authorizePath({ state: 'there' }));
      await idp.api('DELETE', '/api/runtime/clients/gone');
      expect(fieldOf(await browser.get('/authorize'), 'transaction_id')).to.equal(fieldOf(page, 'transaction_id'));
      expect(redirectParameters(await browser.post('/authorize', alice)).get('state')).to.equal('there');
      const ended = await browser.post('/authorize', alice);
      expect(redirectParameters(ended).get('error')).to.equal('temporarily_unavailable');
      expect((await browser.post('/authorize', alice)).status).to.equal(400);
    },
  );

  verifies(
    ['RUN-22', 'RUN-14'],
    'is the same object after a promotion, and its login and request continue',
    async () => {
      const client = { client_id: 'kept', client_secret: 'x', redirect_uris: [callback] };
      await idp.api('POST', '/api/runtime/clients', client);
      await idp.api('POST', '/api/runtime/users', { ...typed, username: 'kept-user' });
      const browser = newBrowser(idp);
      await browser.post('/login', { ...typed, username: 'kept-user' });
      const page = await browser.get(authorizePath({ client_id: 'kept' }));
      const given = await codeFor(idp, { client_id: 'kept' }, { ...typed, username: 'kept-user' });
      for (const path of ['clients/kept', 'users/kept-user']) {
        expect((await idp.api('POST', `/api/runtime/${path}/promote`)).status).to.equal(200);
      }
      expect((await browser.get('/')).status).to.equal(200);
      codeOf(await browser.submit(page, alice));
      expect((await redeemCode(idp, given, {}, { Authorization: basic('kept', 'x') })).status).to.equal(200);
      await idp.configure({ settings });
    },
  );
});
