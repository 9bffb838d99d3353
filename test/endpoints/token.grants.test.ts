// The grants one by one: what each needs, refuses, consumes and leaves alone.

import { expect } from 'chai';
import { s256Challenge } from '#shared/model/oauth-rules/pkce.ts';
import { challenge, verifier } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  approveDevice,
  beginDevice,
  codeFor,
  deviceGrantType,
  isActive,
  lastEvent,
  pollDevice,
  redeemCode,
  refresh,
  refusalOf,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive, interactiveUsers } from '#test/support/worlds.ts';

const open = { Authorization: basic('open', 'open-secret') };
const refusedGrant = [400, 'invalid_grant'] as const;

function expectTokens(answer: Answer) {
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.body.access_token).to.be.a('string');
}

describe('the grants', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  describe('the authorization code grant', () => {
    afterEach(async () => {
      await idp.setClock(0);
    });

    verifies('GRT-01', 'code and redirect_uri are required', async () => {
      for (const [form, missing] of [
        [{ redirect_uri: callback }, 'parameter code'],
        [{ code: 'x' }, 'parameter redirect_uri'],
        [{ code: '', redirect_uri: callback }, 'parameter code'],
      ] as const) {
        const answer = await token(idp, { grant_type: 'authorization_code', ...form });
        expect(refusalOf(answer)).to.deep.equal([400, 'invalid_request']);
        expect(answer.body.error_description).to.contain(missing);
      }
    });

    verifies(['GRT-02', 'GRT-06'], 'redirect_uri must be the one of the request, its port included', async () => {
      const code = await codeFor(idp, { redirect_uri: 'http://127.0.0.1:5555/callback' });
      for (const other of [
        callback,
        'http://127.0.0.1:5556/callback',
        'http://127.0.0.1:5555/callback/',
        'http://127.0.0.1:5555/Callback',
      ]) {
        expect(refusalOf(await redeemCode(idp, code, { redirect_uri: other })), other).to.deep.equal(refusedGrant);
      }
      expectTokens(await redeemCode(idp, code, { redirect_uri: 'http://127.0.0.1:5555/callback' }));
    });

    verifies('GRT-03', 'a code that is unknown, expired, used or of another client is refused alike', async () => {
      const unknown = await redeemCode(idp, 'no-such-code');
      expect(refusalOf(unknown)).to.deep.equal(refusedGrant);
      const code = await codeFor(idp);
      const foreign = await redeemCode(idp, code, {}, open);
      expect(foreign.text).to.equal(unknown.text);
      await idp.setClock(570_000);
      const late = await codeFor(idp);
      expectTokens(await redeemCode(idp, code));
      expect((await redeemCode(idp, code)).text).to.equal(unknown.text);
      await idp.setClock(570_000 + 601_000);
      expect((await redeemCode(idp, late)).text).to.equal(unknown.text);
    });

    verifies(['GRT-04', 'GRT-06'], 'the verifier must be there and fit the challenge', async () => {
      for (const method of ['S256', 'plain', undefined] as const) {
        const right = method === 'S256' ? verifier : challenge;
        const code = await codeFor(idp, { code_challenge: challenge, code_challenge_method: method });
        for (const wrong of [
          '',
          'wrong',
          `${right}x`,
          'é'.repeat(43),
          'ǰ'.repeat(43),
          `${right}\u0000`,
          'a'.repeat(65_536),
        ]) {
          const answer = await redeemCode(idp, code, { code_verifier: wrong });
          expect(refusalOf(answer), `${method} ${wrong.slice(0, 20)}`).to.deep.equal(refusedGrant);
        }
        expectTokens(await redeemCode(idp, code, { code_verifier: right }));
      }
    });

    it('a challenge that no verifier can match is named as the cause (RFC 7636 §4.2)', async () => {
      const hexadecimal = Buffer.from(challenge, 'base64url').toString('hex');
      for (const [sent, cause] of [
        [`${challenge}=`, true],
        [hexadecimal, true],
        [s256Challenge(challenge), false],
      ] as const) {
        const code = await codeFor(idp, { code_challenge: sent, code_challenge_method: 'S256' });
        const answer = await redeemCode(idp, code, { code_verifier: verifier });
        expect(refusalOf(answer)).to.deep.equal(refusedGrant);
        expect(String(answer.body.error_description).includes('43 base64url characters'), sent).to.equal(cause);
      }
    });

    verifies(
      ['GRT-05', 'PRF-04'],
      'a verifier nobody asked for is ignored under dev and refused otherwise',
      async () => {
        expectTokens(await redeemCode(idp, await codeFor(idp), { code_verifier: verifier }));
        const code = await codeFor(idp);
        try {
          for (const profile of ['stricter-dev', 'oauth21']) {
            await idp.configure({ settings: { security_profile: profile } });
            expect(refusalOf(await redeemCode(idp, code, { code_verifier: verifier })), profile).to.deep.equal(
              refusedGrant,
            );
          }
          expectTokens(await redeemCode(idp, code));
        } finally {
          await idp.configure();
        }
      },
    );

    verifies(
      'GRT-04',
      'a verifier outside RFC 7636 §4.1 is refused by the gated profiles, and logged by dev',
      async () => {
        // Each of them has an S256 challenge of the right form.
        const malformed = ['abc', 'a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}+`];
        const codes = await Promise.all(
          malformed.map((text) =>
            codeFor(idp, { code_challenge: s256Challenge(text), code_challenge_method: 'S256', scope: 'openid' }),
          ),
        );
        const redeemAll = () =>
          Promise.all(codes.map((code, index) => redeemCode(idp, code, { code_verifier: malformed[index] ?? '' })));
        try {
          for (const security_profile of ['stricter-dev', 'oauth21']) {
            await idp.configure({
              settings: { security_profile, server: { rate_limit_token_endpoint: '999/second' } },
            });
            for (const answer of await redeemAll()) {
              expect(refusalOf(answer), security_profile).to.deep.equal(refusedGrant);
              expect(answer.body.error_description).to.contain('43 to 128 unreserved characters');
            }
          }
        } finally {
          await idp.configure();
        }
        const warning = 'accepted a malformed code_verifier';
        expect(idp.log()).to.not.contain(warning);
        for (const answer of await redeemAll()) expectTokens(answer);
        expect(idp.log().split(warning)).to.have.lengthOf(malformed.length + 1);
      },
    );

    verifies('GRT-07', 'a user who is gone has no tokens any more', async () => {
      const code = await codeFor(idp, {}, { username: 'bob', password: ' builder ' });
      await idp.configure({ users: { alice: interactiveUsers.alice } });
      expect(refusalOf(await redeemCode(idp, code))).to.deep.equal(refusedGrant);
      await idp.configure();
      expectTokens(await redeemCode(idp, code));
    });

    verifies(
      ['GRT-08', 'GRT-06', 'SCO-08'],
      'scope and resources are checked against the rules of now, and a refusal spends nothing',
      async () => {
        const narrow = { Authorization: basic('narrow', 'narrow-secret') };
        const code = await codeFor(idp, {
          client_id: 'narrow',
          scope: 'openid email',
          resource: 'https://api.example',
        });
        await idp.configure({ settings: { oauth: { scopes_supported: ['openid'] } } });
        const scope = await redeemCode(idp, code, {}, narrow);
        expect(refusalOf(scope)).to.deep.equal([400, 'invalid_scope']);
        expect(scope.body.error_description).to.contain('email');
        await idp.configure();
        const foreign = await redeemCode(idp, code, { resource: 'https://other.example' }, narrow);
        expect(refusalOf(foreign)).to.deep.equal([400, 'invalid_target']);
        const tokens = await redeemCode(idp, code, { scope: 'profile' }, narrow);
        expectTokens(tokens);
        expect(tokens.body.scope).to.equal('openid email');
        expect(claimsOf(String(tokens.body.access_token)).aud).to.equal('https://api.example');
      },
    );

    verifies('GRT-09', 'a second redemption by its client revokes what the first one got', async () => {
      const code = await codeFor(idp);
      const first = (await redeemCode(idp, code)).body;
      expect((await userinfo(idp, String(first.access_token))).status).to.equal(200);
      // Whatever the redirect URI or verifier of the attempt: it is the client that counts (D36).
      expect(
        refusalOf(await redeemCode(idp, code, { redirect_uri: 'http://else/', code_verifier: 'x' })),
      ).to.deep.equal(refusedGrant);
      expect((await userinfo(idp, String(first.access_token))).status).to.equal(401);
      expect(await isActive(idp, String(first.access_token))).to.equal(false);
      expect(await isActive(idp, String(first.refresh_token))).to.equal(false);
      expect(refusalOf(await refresh(idp, String(first.refresh_token)))).to.deep.equal(refusedGrant);
    });

    verifies(['GRT-03', 'GRT-09'], 'the same request sent once more gets no tokens', async () => {
      const code = await codeFor(idp);
      const first = (await redeemCode(idp, code)).body;
      expect(refusalOf(await redeemCode(idp, code))).to.deep.equal(refusedGrant);
      expect(await isActive(idp, String(first.access_token))).to.equal(false);
    });

    verifies('GRT-09', "somebody else's attempt at a used code revokes nothing", async () => {
      const code = await codeFor(idp);
      const first = (await redeemCode(idp, code)).body;
      expect(refusalOf(await redeemCode(idp, code, {}, open))).to.deep.equal(refusedGrant);
      expect(await isActive(idp, String(first.access_token))).to.equal(true);
      expectTokens(await refresh(idp, String(first.refresh_token)));
    });

    verifies('GRT-10', 'of simultaneous redemptions one succeeds, and the others revoke it', async () => {
      for (let round = 0; round < 20; round += 1) {
        const code = await codeFor(idp);
        const answers = await Promise.all(Array.from({ length: 6 }, () => redeemCode(idp, code)));
        const won = answers.filter(({ status }) => status === 200);
        expect(won, `round ${round}`).to.have.length(1);
        for (const lost of answers.filter(({ status }) => status !== 200))
          expect(refusalOf(lost)).to.deep.equal(refusedGrant);
        expect(await isActive(idp, String(won[0]?.body.access_token))).to.equal(false);
        expect(refusalOf(await refresh(idp, String(won[0]?.body.refresh_token)))).to.deep.equal(refusedGrant);
      }
    });
  });

  describe('the password grant', () => {
    const ask = (form: Record<string, string>, headers = web) =>
      token(idp, { grant_type: 'password', ...form }, headers);

    verifies('GRT-11', 'username and password are required', async () => {
      for (const form of [
        {},
        { username: 'alice' },
        { password: 'x' },
        { username: '', password: 'x' },
        { username: ' ', password: 'x' },
      ]) {
        expect(refusalOf(await ask(form))).to.deep.equal([400, 'invalid_request']);
      }
    });

    verifies('GRT-12', 'a wrong password, a user without one and no user at all are answered alike', async () => {
      const wrong = await ask({ username: 'alice', password: 'Wonderland' });
      expect(refusalOf(wrong)).to.deep.equal(refusedGrant);
      for (const form of [
        { username: 'erin', password: 'x' },
        { username: 'erin', password: 'undefined' },
        { username: 'nobody', password: 'x' },
        { username: '__proto__', password: 'x' },
        { username: 'bob', password: 'builder' },
      ]) {
        expect((await ask(form)).text, form.username).to.equal(wrong.text);
      }
      expectTokens(await ask({ username: 'bob', password: ' builder ' }));
    });

    verifies('GRT-13', 'it asks for no second factor and checks the password in persona mode too', async () => {
      try {
        await idp.configure({ settings: { login: { totp: true } } });
        const answer = await ask({ username: 'carol', password: 'cabbage', scope: 'openid' });
        expectTokens(answer);
        expect(claimsOf(String(answer.body.id_token))).not.to.have.property('amr');
        await idp.configure({ settings: { login: { mode: 'persona', auto_login: true } } });
        expectTokens(await ask(alice));
        expect(refusalOf(await ask({ username: 'alice', password: 'wrong' }))).to.deep.equal(refusedGrant);
      } finally {
        await idp.configure();
      }
    });

    verifies(['GRT-14', 'PRF-05'], 'oauth21 does not know it, the other profiles serve it', async () => {
      try {
        await idp.configure({ settings: { security_profile: 'oauth21' } });
        const refused = await ask({});
        expect(refusalOf(refused)).to.deep.equal([400, 'unsupported_grant_type']);
        expect(refusalOf(await ask(alice))).to.deep.equal([400, 'unsupported_grant_type']);
        await idp.configure({ settings: { security_profile: 'stricter-dev' } });
        expectTokens(await ask(alice));
      } finally {
        await idp.configure();
      }
    });

    verifies('GRT-15', 'nonce is repeated in the ID token, and not on refresh', async () => {
      const answer = await ask({ ...alice, scope: 'openid', nonce: 'n-0S6_WzA2Mj' });
      expect(claimsOf(String(answer.body.id_token)).nonce).to.equal('n-0S6_WzA2Mj');
      expect(claimsOf(String(answer.body.access_token))).not.to.have.property('nonce');
      const again = await refresh(idp, String(answer.body.refresh_token));
      expect(claimsOf(String(again.body.id_token))).not.to.have.property('nonce');
      const without = await ask({ ...alice, scope: 'openid', nonce: '' });
      expect(claimsOf(String(without.body.id_token))).not.to.have.property('nonce');
    });
  });

  describe('the client credentials grant', () => {
    const ask = (form: Record<string, string> = {}, headers: Record<string, string> = web) =>
      token(idp, { grant_type: 'client_credentials', ...form }, headers);

    verifies(['GRT-16', 'GRT-17'], "the answer is the client's own access token alone, openid left out", async () => {
      for (const scope of ['', 'openid', 'openid email offline_access']) {
        const { body } = await ask({ scope });
        const granted = scope === 'openid email offline_access' ? ['scope'] : [];
        expect(Object.keys(body)).to.have.members(['access_token', 'token_type', 'expires_in', ...granted]);
        const claims = claimsOf(String(body.access_token));
        expect(Object.keys(claims)).to.have.members([
          'iss',
          'sub',
          'client_id',
          'aud',
          'token_use',
          'iat',
          'nbf',
          'exp',
          'jti',
          ...granted,
        ]);
        expect(claims).to.include({ sub: 'web', client_id: 'web', aud: 'default', token_use: 'access' });
        if (granted.length > 0)
          expect([body.scope, claims.scope]).to.deep.equal(['email offline_access', 'email offline_access']);
      }
    });

    verifies('GRT-18', 'a public client has nothing to use here', async () => {
      expect(refusalOf(await ask({ client_id: 'spa' }, {}))).to.deep.equal([400, 'unauthorized_client']);
    });
  });

  describe('the device code grant', () => {
    afterEach(() => idp.setClock(0));

    const deny = (userCode: string) =>
      idp.withStore(({ deviceGrants }) =>
        deviceGrants.deny(userCode, Date.now() as Parameters<typeof deviceGrants.deny>[1]).then((outcome) => {
          expect(outcome).to.equal('denied');
        }),
      );

    verifies('GRT-19', "device_code is required, and an unknown one and another client's are refused", async () => {
      expect(refusalOf(await token(idp, { grant_type: deviceGrantType }))).to.deep.equal([400, 'invalid_request']);
      const unknown = await pollDevice(idp, 'no-such-code');
      expect(refusalOf(unknown)).to.deep.equal(refusedGrant);
      const device = await beginDevice(idp);
      expect((await pollDevice(idp, device.device_code, {}, open)).text).to.equal(unknown.text);
      expect((await pollDevice(idp, device.user_code)).text).to.equal(unknown.text);
    });

    verifies(
      ['GRT-20', 'GRT-21', 'PRF-14'],
      'it is pending until the user decides, however often dev is asked',
      async () => {
        const device = await beginDevice(idp);
        for (let poll = 0; poll < 5; poll += 1) {
          expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal([400, 'authorization_pending']);
        }
      },
    );

    verifies(
      ['GRT-21', 'PRF-14'],
      'the gated profiles slow down whoever polls too fast, by 5 seconds each time',
      async () => {
        try {
          for (const profile of ['stricter-dev', 'oauth21']) {
            await idp.configure({ settings: { security_profile: profile, device_flow: { polling_interval: 5 } } });
            const device = await beginDevice(idp);
            const pollAt = async (seconds: number) => {
              await idp.setClock(seconds * 1000);
              return refusalOf(await pollDevice(idp, device.device_code))[1];
            };
            expect(await pollAt(100)).to.equal('authorization_pending');
            expect(await pollAt(106)).to.equal('authorization_pending');
            expect(await pollAt(107)).to.equal('slow_down');
            // Ten seconds from here on.
            expect(await pollAt(112)).to.equal('slow_down');
            // Fifteen.
            expect(await pollAt(130)).to.equal('authorization_pending');
            expect(await pollAt(138)).to.equal('slow_down');
            await approveDevice(idp, device.user_code);
            expectTokens(await pollDevice(idp, device.device_code));
            await idp.setClock(0);
          }
        } finally {
          await idp.configure();
        }
      },
    );

    verifies('GRT-22', 'after a denial it is access_denied until the time is over', async () => {
      const device = await beginDevice(idp);
      await deny(device.user_code);
      for (let poll = 0; poll < 2; poll += 1) {
        expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal([400, 'access_denied']);
      }
      await idp.setClock(601_000);
      expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal([400, 'expired_token']);
    });

    verifies('GRT-23', 'past its time it is expired_token while the record exists, then unknown', async () => {
      const pending = await beginDevice(idp);
      const approved = await beginDevice(idp);
      await approveDevice(idp, approved.user_code);
      await idp.setClock(570_000);
      expect(refusalOf(await pollDevice(idp, pending.device_code))).to.deep.equal([400, 'authorization_pending']);
      await idp.setClock(601_000);
      for (const { device_code: code } of [pending, approved]) {
        expect(refusalOf(await pollDevice(idp, code))).to.deep.equal([400, 'expired_token']);
      }
      await idp.setClock(24 * 3600_000);
      for (const { device_code: code } of [pending, approved]) {
        expect(refusalOf(await pollDevice(idp, code))).to.deep.equal(refusedGrant);
      }
    });

    verifies('GRT-24', 'the first poll after the approval gets the tokens, the next nothing', async () => {
      const device = await beginDevice(idp, { scope: 'openid email' });
      expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal([400, 'authorization_pending']);
      await approveDevice(idp, device.user_code);
      const answer = await pollDevice(idp, device.device_code);
      expect(Object.keys(answer.body)).to.have.members([
        'access_token',
        'token_type',
        'expires_in',
        'scope',
        'id_token',
        'refresh_token',
      ]);
      expect(claimsOf(String(answer.body.access_token))).to.include({
        sub: 'alice',
        client_id: 'web',
        scope: 'openid email',
      });
      expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal(refusedGrant);
      expect(await isActive(idp, String(answer.body.access_token))).to.equal(true);
    });

    verifies('GRT-25', 'of simultaneous polls one gets the tokens', async () => {
      for (let round = 0; round < 20; round += 1) {
        const device = await beginDevice(idp);
        await approveDevice(idp, device.user_code);
        const answers = await Promise.all(Array.from({ length: 6 }, () => pollDevice(idp, device.device_code)));
        expect(
          answers.filter(({ status }) => status === 200),
          `round ${round}`,
        ).to.have.length(1);
        for (const lost of answers.filter(({ status }) => status !== 200))
          expect(refusalOf(lost)).to.deep.equal(refusedGrant);
      }
    });

    verifies('GRT-26', 'a user who is gone has no tokens any more', async () => {
      const device = await beginDevice(idp);
      await approveDevice(idp, device.user_code, 'gone');
      expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal(refusedGrant);
      expect((await lastEvent(idp, 'token_request'))?.username).to.equal('gone');
    });

    verifies(
      'GRT-27',
      'scope and resources are checked against the rules of now, and a refusal leaves the approval',
      async () => {
        const device = await beginDevice(idp, [
          ['scope', 'openid email'],
          ['resource', 'https://a/'],
          ['resource', 'https://b/'],
        ]);
        await approveDevice(idp, device.user_code);
        try {
          await idp.configure({ settings: { oauth: { scopes_supported: ['openid'] } } });
          expect(refusalOf(await pollDevice(idp, device.device_code))).to.deep.equal([400, 'invalid_scope']);
        } finally {
          await idp.configure();
        }
        expect(refusalOf(await pollDevice(idp, device.device_code, { resource: 'https://c/' }))).to.deep.equal([
          400,
          'invalid_target',
        ]);
        const answer = await pollDevice(idp, device.device_code, { resource: 'https://b/' });
        expect(claimsOf(String(answer.body.access_token)).aud).to.equal('https://b/');
      },
    );

    it('answers tokens that /userinfo takes', async () => {
      const tokens = await tokensFor(idp);
      expect((await userinfo(idp, tokens.access_token)).body.sub).to.equal('alice');
    });
  });
});
