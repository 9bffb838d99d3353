// Refreshing: what a refresh token is bound to, what a refused request leaves alone, rotation, reuse and revocation.
import { expect } from 'chai';
import { forgeToken } from '#test/support/forge-token.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  codeFor,
  isActive,
  postTo,
  publicTokens,
  redeemCode,
  refresh,
  refusalOf,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive, interactiveUsers } from '#test/support/worlds.ts';

const open = { Authorization: basic('open', 'open-secret') };
const narrow = { Authorization: basic('narrow', 'narrow-secret') };
const refusedGrant = [400, 'invalid_grant'] as const;
const rotation = { settings: { oauth: { refresh_token_rotation: true } } };

function expectTokens(answer: Answer): Readonly<Record<string, string>> {
  expect(answer.status, answer.text).to.equal(200);
  return answer.body as Readonly<Record<string, string>>;
}

describe('refreshing', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  /** Runs with other settings and puts the base back. */
  async function under(changes: Parameters<RunningIdp['configure']>[0], run: () => Promise<void>) {
    await idp.configure(changes);
    try {
      await run();
    } finally {
      await idp.setClock(0);
      await idp.configure();
    }
  }

  const refreshPublic = (refreshToken: string | undefined) => refresh(idp, refreshToken, { client_id: 'spa' }, {});

  verifies('REF-01', 'refresh_token is required', async () => {
    for (const form of [{}, { refresh_token: '' }]) {
      const answer = await token(idp, { grant_type: 'refresh_token', ...form });
      expect(refusalOf(answer)).to.deep.equal([400, 'invalid_request']);
      expect(answer.body.error_description).to.contain('parameter refresh_token');
    }
  });

  verifies('REF-02', 'a token with a bad signature, past its time or for another audience is refused', async () => {
    const { refresh_token: text = '' } = await tokensFor(idp);
    const [header, payload, signature = ''] = text.split('.');
    const flipped = `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    for (const bad of [flipped, unsigned, `${header}.${payload}.`, 'x', 'a.b.c', `${text}.x`, ` ${text}x`]) {
      expect(refusalOf(await refresh(idp, bad)), bad.slice(0, 30)).to.deep.equal(refusedGrant);
    }
    await under({ settings: { oauth: { audience: 'another' } } }, async () => {
      expect(refusalOf(await refresh(idp, text))).to.deep.equal(refusedGrant);
    });
    await idp.setClock(10_080 * 60_000 - 60_000);
    expectTokens(await refresh(idp, text));
    await idp.setClock(10_080 * 60_000 + 5_000);
    expect(refusalOf(await refresh(idp, text))).to.deep.equal(refusedGrant);
    await idp.setClock(0);
  });

  verifies('REF-03', 'access and ID tokens cannot be spent', async () => {
    const tokens = await tokensFor(idp);
    for (const other of [tokens.access_token, tokens.id_token]) {
      expect(refusalOf(await refresh(idp, other))).to.deep.equal(refusedGrant);
    }
    // An access token whose extra claims look like a refresh token cannot be made.
    const forged = await token(idp, { grant_type: 'client_credentials', extra: '{"token_type":"refresh"}' });
    expect(refusalOf(forged)).to.deep.equal([400, 'invalid_request']);
  });

  verifies(['REF-03', 'REF-04'], 'a refresh token needs both marks and its client', async () => {
    const genuine = claimsOf((await tokensFor(idp)).refresh_token ?? '');
    expectTokens(await refresh(idp, forgeToken(idp, genuine)));
    for (const change of [
      { token_type: undefined },
      { token_use: undefined },
      { token_use: 'access' },
      { token_type: 'Bearer' },
      { client_id: undefined },
      { client_id: null },
      { client_id: '' },
      { client_id: ['web'] },
      { rt_family: undefined },
      { jti: undefined },
      { exp: undefined },
      { aud: ['default'] },
    ]) {
      const answer = await refresh(idp, forgeToken(idp, { ...genuine, ...change }));
      expect(refusalOf(answer), JSON.stringify(change)).to.deep.equal(refusedGrant);
    }
  });

  verifies('REF-05', "another client's token is refused and stays usable by its own", async () => {
    const tokens = await tokensFor(idp);
    expect(refusalOf(await refresh(idp, tokens.refresh_token, {}, open))).to.deep.equal(refusedGrant);
    await under(rotation, async () => {
      expect(refusalOf(await refresh(idp, tokens.refresh_token, {}, open))).to.deep.equal(refusedGrant);
      expectTokens(await refresh(idp, tokens.refresh_token));
    });
  });

  verifies('REF-06', 'a user who is gone has no tokens any more', async () => {
    const answer = await redeemCode(idp, await codeFor(idp, {}, { username: 'bob', password: ' builder ' }));
    await under({ users: { alice: interactiveUsers.alice } }, async () => {
      expect(refusalOf(await refresh(idp, String(answer.body.refresh_token)))).to.deep.equal(refusedGrant);
    });
    expectTokens(await refresh(idp, String(answer.body.refresh_token)));
  });

  verifies(
    ['REF-07', 'REF-08'],
    'scope wider than granted, scope no longer allowed, resource and the claim come in this order',
    async () => {
      const tokens = await tokensFor(
        idp,
        { client_id: 'narrow', scope: 'openid email', resource: 'https://api.example' },
        {},
        narrow,
      );
      const ask = (fields: Record<string, string>) => refresh(idp, tokens.refresh_token, fields, narrow);
      await under(rotation, async () => {
        const wider = await ask({ scope: 'openid profile', resource: 'https://else/' });
        expect(refusalOf(wider)).to.deep.equal([400, 'invalid_scope']);
        expect(wider.body.error_description).to.contain('profile');
        expect(refusalOf(await ask({ resource: 'https://else/' }))).to.deep.equal([400, 'invalid_target']);
        await idp.configure({ settings: { oauth: { refresh_token_rotation: true, scopes_supported: ['openid'] } } });
        expect(refusalOf(await ask({ resource: 'https://else/' }))).to.deep.equal([400, 'invalid_scope']);
        await idp.configure(rotation);
        const next = expectTokens(await ask({}));
        // Used by now, and still the scope and the resource are judged first; neither spends nor revokes (D35).
        expect(refusalOf(await ask({ scope: 'openid profile' }))).to.deep.equal([400, 'invalid_scope']);
        expect(refusalOf(await ask({ resource: 'https://else/' }))).to.deep.equal([400, 'invalid_target']);
        const last = expectTokens(await refresh(idp, next.refresh_token, {}, narrow));
        expect(refusalOf(await ask({}))).to.deep.equal(refusedGrant);
        expect(refusalOf(await refresh(idp, last.refresh_token, {}, narrow))).to.deep.equal(refusedGrant);
      });
    },
  );

  verifies(['REF-09', 'REF-10'], 'a narrower scope narrows this answer alone', async () => {
    const tokens = await tokensFor(idp, { scope: 'openid email profile' });
    const whole = expectTokens(await refresh(idp, tokens.refresh_token));
    expect(whole.scope).to.equal('openid email profile');
    expect(whole).to.have.property('id_token');
    const less = expectTokens(await refresh(idp, tokens.refresh_token, { scope: 'profile email' }));
    expect(less.scope).to.equal('profile email');
    expect(claimsOf(less.access_token ?? '').scope).to.equal('profile email');
    expect(less).not.to.have.property('id_token');
    expect(claimsOf(less.refresh_token ?? '').scope).to.equal('openid email profile');
    const again = expectTokens(await refresh(idp, less.refresh_token));
    expect(again.scope).to.equal('openid email profile');
    expect(again).to.have.property('id_token');
  });

  verifies('REF-11', 'requested claims survive a narrowed scope', async () => {
    const alice = { ...interactiveUsers.alice, entitlements: ['deploy'] };
    await under({ users: { ...interactiveUsers, alice } }, async () => {
      const claims = JSON.stringify({ id_token: { email: null }, userinfo: { entitlements: null } });
      const tokens = await tokensFor(idp, { scope: 'openid email', claims });
      const first = expectTokens(await refresh(idp, tokens.refresh_token, { scope: 'openid' }));
      const second = expectTokens(await refresh(idp, first.refresh_token));
      for (const { id_token: idToken, access_token: access } of [tokens, first, second]) {
        expect(claimsOf(idToken ?? '').email).to.equal('alice@example.org');
        expect((await userinfo(idp, access)).body.entitlements).to.deep.equal(['deploy']);
      }
    });
  });

  verifies(
    ['REF-12', 'REF-13'],
    'every refresh answers a new pair of one family with a full lifetime, and without rotation both stay valid',
    async () => {
      const tokens = await tokensFor(idp);
      const first = claimsOf(tokens.refresh_token ?? '');
      const halfTime = 5_000 * 60_000;
      await idp.setClock(halfTime);
      const answer = expectTokens(await refresh(idp, tokens.refresh_token));
      const second = claimsOf(answer.refresh_token ?? '');
      expect(answer.access_token).not.to.equal(tokens.access_token);
      expect(second.jti).not.to.equal(first.jti);
      expect(second.rt_family).to.equal(first.rt_family);
      expect(Number(second.exp) - Number(second.iat)).to.equal(10_080 * 60);
      expect(Number(second.exp) - Number(first.exp)).to.be.within(5_000 * 60, 5_000 * 60 + 5);
      expectTokens(await refresh(idp, tokens.refresh_token));
      expectTokens(await refresh(idp, answer.refresh_token));
      await idp.setClock(0);
    },
  );

  verifies(['REF-14', 'REF-15'], 'a public client always rotates', async () => {
    const tokens = await publicTokens(idp);
    const next = expectTokens(await refreshPublic(tokens.refresh_token));
    expect(refusalOf(await refreshPublic(tokens.refresh_token))).to.deep.equal(refusedGrant);
    expect(refusalOf(await refreshPublic(next.refresh_token))).to.deep.equal(refusedGrant);
  });

  verifies(
    ['REF-14', 'REF-15', 'PRF-06'],
    'oauth21 always rotates, the others by the setting of the moment of use',
    async () => {
      const issued = await tokensFor(idp);
      await under({ settings: { security_profile: 'stricter-dev' } }, async () => {
        expectTokens(await refresh(idp, issued.refresh_token));
        expectTokens(await refresh(idp, issued.refresh_token));
      });
      await under({ settings: { security_profile: 'oauth21' } }, async () => {
        const next = expectTokens(await refresh(idp, issued.refresh_token));
        expect(refusalOf(await refresh(idp, issued.refresh_token))).to.deep.equal(refusedGrant);
        expect(refusalOf(await refresh(idp, next.refresh_token))).to.deep.equal(refusedGrant);
      });
      for (const profile of ['dev', 'stricter-dev']) {
        const tokens = await tokensFor(idp);
        await under({ settings: { security_profile: profile, oauth: { refresh_token_rotation: true } } }, async () => {
          expectTokens(await refresh(idp, tokens.refresh_token));
          expect(refusalOf(await refresh(idp, tokens.refresh_token)), profile).to.deep.equal(refusedGrant);
        });
      }
    },
  );

  verifies('REF-16', 'of simultaneous uses under rotation one succeeds, and the others count as reuse', async () => {
    for (let round = 0; round < 20; round += 1) {
      const tokens = await publicTokens(idp);
      const answers = await Promise.all(Array.from({ length: 6 }, () => refreshPublic(tokens.refresh_token)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won, `round ${round}`).to.have.length(1);
      for (const lost of answers.filter(({ status }) => status !== 200))
        expect(refusalOf(lost)).to.deep.equal(refusedGrant);
      expect(refusalOf(await refreshPublic(String(won[0]?.body.refresh_token)))).to.deep.equal(refusedGrant);
    }
  });

  verifies('REF-17', 'a revoked family stays refused for 31 days, and with rotation turned off', async () => {
    await idp.configure({ settings: { oauth: { refresh_token_expiry_minutes: 43_200, ...rotation.settings.oauth } } });
    const tokens = await tokensFor(idp);
    const next = expectTokens(await refresh(idp, tokens.refresh_token));
    const unused = expectTokens(await refresh(idp, next.refresh_token));
    expect(refusalOf(await refresh(idp, tokens.refresh_token))).to.deep.equal(refusedGrant);
    await under({ settings: { oauth: { refresh_token_expiry_minutes: 43_200 } } }, async () => {
      for (const days of [0, 8, 29]) {
        await idp.setClock(days * 24 * 3600_000);
        expect(refusalOf(await refresh(idp, unused.refresh_token)), `${days} days`).to.deep.equal(refusedGrant);
      }
    });
    expect(refusalOf(await refresh(idp, next.refresh_token))).to.deep.equal(refusedGrant);
  });

  verifies('REF-18', 'access tokens of a family that reuse revoked live on', async () => {
    const tokens = await publicTokens(idp);
    const next = expectTokens(await refreshPublic(tokens.refresh_token));
    expect(refusalOf(await refreshPublic(tokens.refresh_token))).to.deep.equal(refusedGrant);
    for (const access of [tokens.access_token, next.access_token]) {
      expect(await isActive(idp, access)).to.equal(true);
      expect((await userinfo(idp, access)).status).to.equal(200);
    }
  });

  it('ends when the family is revoked at /revoke', async () => {
    const tokens = await tokensFor(idp);
    expect((await postTo(idp, '/revoke', { token: tokens.refresh_token ?? '' })).status).to.equal(200);
    expect(refusalOf(await refresh(idp, tokens.refresh_token))).to.deep.equal(refusedGrant);
  });
});
