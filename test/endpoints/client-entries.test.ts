// What a client entry decides about its tokens: roles, audience, default scopes, lifetimes and an optional secret (CLS).
import { expect } from 'chai';
import { challenge, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  beginDevice,
  codeFor,
  postTo,
  redeemCode,
  refresh,
  refusalOf,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const orders = 'https://orders.example.org';

const clients = [
  {
    ...{ client_id: 'reader', client_secret: 's', redirect_uris: [callback] },
    ...{ audience: orders, default_scopes: 'openid email', roles: ['Task.Read.All'], groups: ['batch'] },
    ...{ token_expiry_seconds: 5, id_token_expiry_seconds: 7, refresh_token_expiry_seconds: 9 },
  },
  { client_id: 'several', client_secret: 's', redirect_uris: [callback], audience: [orders, 'urn:b'] },
  {
    ...{ client_id: 'either', client_secret: 's', redirect_uris: [callback] },
    token_endpoint_auth_method: 'client_secret_optional',
  },
];

const reader = { Authorization: basic('reader', 's') };
const several = { Authorization: basic('several', 's') };

const lifetimeOf = (text: unknown) => {
  const { exp, iat } = claimsOf(String(text));
  return Number(exp) - Number(iat);
};

describe('a client entry', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, clients });
  });
  afterEach(async () => {
    await idp.setClock(0);
  });
  after(() => idp.stop());

  const tokensOf = (client_id: string, headers: Record<string, string>, parameters: Record<string, string> = {}) =>
    tokensFor(idp, { client_id, ...parameters }, {}, headers);
  const ownToken = (headers: Record<string, string>, form: Record<string, string> = {}) =>
    token(idp, { grant_type: 'client_credentials', ...form }, headers);

  verifies(
    ['CLS-K01', 'CLS-01'],
    'gives roles, groups and authorities to the own tokens of the client alone',
    async () => {
      const own = claimsOf(String((await ownToken(reader)).body.access_token));
      expect([own.roles, own.groups, own.authorities]).to.deep.equal([
        ['Task.Read.All'],
        ['batch'],
        ['ROLE_TASK.READ.ALL', 'GROUP_BATCH'],
      ]);
      const { access_token, id_token } = await tokensOf('reader', reader);
      for (const text of [access_token, id_token]) {
        expect(JSON.stringify(claimsOf(String(text)))).not.to.match(/Task\.Read\.All|batch/i);
      }
      const plain = claimsOf(String((await ownToken(several)).body.access_token));
      expect(plain).not.to.have.any.keys('roles', 'groups', 'authorities');
    },
  );

  verifies(['CLS-K02', 'CLS-02'], 'decides the audience of access tokens for requests without resource', async () => {
    expect(claimsOf(String((await ownToken(reader)).body.access_token)).aud).to.equal(orders);
    expect(claimsOf(String((await ownToken(several)).body.access_token)).aud).to.deep.equal([orders, 'urn:b']);
    const resource = 'https://api.example.org';
    expect(claimsOf(String((await ownToken(reader, { resource })).body.access_token)).aud).to.equal(resource);
    const tokens = await tokensOf('reader', reader);
    expect(claimsOf(String(tokens.access_token)).aud).to.equal(orders);
    expect(claimsOf(String(tokens.id_token)).aud).to.equal('reader');
    expect(claimsOf(String(tokens.refresh_token)).aud).to.equal('default');
    const refreshed = await refresh(idp, tokens.refresh_token, {}, reader);
    expect(claimsOf(String(refreshed.body.access_token)).aud).to.equal(orders);
    const made = await idp.api('POST', '/api/users/alice/token', { client_id: 'reader' });
    expect(claimsOf(String(made.body.access_token)).aud).to.equal(orders);
  });

  verifies('CLS-03', 'lets /userinfo take its audience, but no token for a resource', async () => {
    for (const [id, headers] of [
      ['reader', reader],
      ['several', several],
    ] as const) {
      const { access_token } = await tokensOf(id, headers);
      const answer = await userinfo(idp, access_token);
      expect([answer.status, answer.body.sub]).to.deep.equal([200, 'alice']);
    }
    const { access_token: bound } = await tokensOf('reader', reader, { resource: 'https://api.example.org' });
    expect((await userinfo(idp, bound)).status).to.equal(401);
    // The audience of another client does not count.
    const made = await idp.api('POST', '/api/users/alice/token', { client_id: 'web', audience: orders });
    expect((await userinfo(idp, String(made.body.access_token))).status).to.equal(401);
  });

  verifies(['CLS-K03', 'CLS-04'], 'decides the scope of requests without scope at every endpoint', async () => {
    const tokens = await tokensOf('reader', reader, { scope: '' });
    expect(tokens.scope).to.equal('openid email');
    const own = await ownToken(reader);
    // An ID token would have no user (GRT-17).
    expect(own.body.scope).to.equal('email');
    expect((await ownToken(reader, { scope: 'profile' })).body.scope).to.equal('profile');
    const password = await token(idp, { grant_type: 'password', username: 'alice', password: 'wonderland' }, reader);
    expect(password.body.scope).to.equal('openid email');
    const { user_code } = await beginDevice(idp, {}, reader);
    const grant = await idp.withStore(({ deviceGrants }) =>
      deviceGrants.findByUserCode(user_code, Date.now() as Parameters<typeof deviceGrants.findByUserCode>[1]),
    );
    expect(grant?.scope).to.deep.equal(['openid', 'email']);
    const made = await idp.api('POST', '/api/users/alice/token', { client_id: 'reader' });
    expect(made.body).not.to.have.property('scope');
  });

  verifies('CLS-04', 'rejects a runtime client whose default scopes cannot be granted', async () => {
    const body = { client_id: 'r', client_secret: 's', default_scopes: ['openid', 'read:orders'] };
    const { status, body: answer } = await idp.api('POST', '/api/runtime/clients', body);
    expect([status, answer.kind]).to.deep.equal([400, 'invalid']);
    expect(answer.error).to.contain(
      'default_scopes contains "read:orders", which oauth.scopes_supported does not have',
    );
  });

  verifies(['CLS-K05', 'CLS-06'], 'decides the lifetime of each of its tokens, unless exp does', async () => {
    const tokens = await tokensOf('reader', reader);
    expect([tokens.expires_in, ...[tokens.access_token, tokens.id_token, tokens.refresh_token].map(lifetimeOf)])
      .to.deep //
      .equal([5, 5, 7, 9]);
    const given = await redeemCode(idp, await codeFor(idp, { client_id: 'reader' }), { exp: '2' }, reader);
    expect([given.body.expires_in, ...[given.body.access_token, given.body.id_token].map(lifetimeOf)]).to.deep.equal([
      120, 120, 120,
    ]);
    expect(lifetimeOf(given.body.refresh_token)).to.equal(9);
    await idp.setClock(10_000);
    expect((await userinfo(idp, tokens.access_token)).status).to.equal(401);
    expect(refusalOf(await refresh(idp, tokens.refresh_token, {}, reader))).to.deep.equal([400, 'invalid_grant']);
  });

  verifies('CLS-06', 'comes before the seconds of the settings, and these before the minutes', async () => {
    const oauth = { id_token_expiry_seconds: 30, token_expiry_seconds: 20, refresh_token_expiry_seconds: 40 };
    const other = await startIdp({ world: interactive, clients, settings: { oauth } });
    try {
      const lifetimes = async (client_id: string, headers: Record<string, string>) => {
        const tokens = await tokensFor(other, { client_id }, {}, headers);
        return [tokens.access_token, tokens.id_token, tokens.refresh_token].map(lifetimeOf);
      };
      expect(await lifetimes('several', several)).to.deep.equal([20, 30, 40]);
      expect(await lifetimes('reader', reader)).to.deep.equal([5, 7, 9]);
      await other.configure({ clients, settings: { oauth: { token_expiry_seconds: 20 } } });
      expect(await lifetimes('several', several)).to.deep.equal([20, 20, 604_800]);
      await other.configure({ clients, settings: { oauth: { token_expiry_minutes: 3 } } });
      expect(await lifetimes('several', several)).to.deep.equal([180, 180, 604_800]);
    } finally {
      await other.stop();
    }
  });

  verifies('CLS-K06', 'gets codes that expire after the configured seconds', async () => {
    const other = await startIdp({
      world: interactive,
      clients,
      settings: { oauth: { authorization_code_expiry_seconds: 30 } },
    });
    try {
      const redeemed = async (seconds: number) => {
        await other.setClock(0);
        const code = await codeFor(other);
        await other.setClock(seconds * 1000);
        return (await redeemCode(other, code)).status;
      };
      expect([await redeemed(25), await redeemed(31)]).to.deep.equal([200, 400]);
    } finally {
      await other.stop();
    }
  });

  verifies('CLS-07', 'follows the unit that a sandbox names', async () => {
    const other = await startIdp({ world: interactive, clients, settings: { oauth: { token_expiry_seconds: 20 } } });
    try {
      const lifetimeIn = async (oauth: object) => {
        const { name } = await makeSandbox(other, { settings: { oauth } });
        const answer = await other.api('POST', `/s/${name}/api/users/alice/token`, {});
        return answer.body.expires_in;
      };
      expect(await lifetimeIn({})).to.equal(20);
      expect(await lifetimeIn({ token_expiry_minutes: 3 })).to.equal(180);
      expect(await lifetimeIn({ token_expiry_seconds: 8 })).to.equal(8);
      const both = { token_expiry_seconds: 8, token_expiry_minutes: 3 };
      const { status, body } = await other.api('POST', '/api/sandboxes', { settings: { oauth: both } });
      expect([status, body.kind]).to.deep.equal([400, 'invalid']);
      expect(body.error).to.contain('oauth.token_expiry_seconds and oauth.token_expiry_minutes set the same lifetime');
    } finally {
      await other.stop();
    }
  });

  verifies(['CLS-K07', 'CLS-08'], 'may make the secret optional', async () => {
    const withPkce = { client_id: 'either', code_challenge: challenge, code_challenge_method: 'S256' };
    const inBody = { client_id: 'either', client_secret: 's' };
    const inHeader = { Authorization: basic('either', 's') };
    // With the secret it is a confidential client: no PKCE, its own tokens, and refresh tokens that stay.
    const confidential = await tokensFor(idp, { client_id: 'either' }, {}, inHeader);
    const used = async () => (await refresh(idp, confidential.refresh_token, inBody, {})).status;
    expect([await used(), await used()]).to.deep.equal([200, 200]);
    expect((await token(idp, { grant_type: 'client_credentials', ...inBody }, {})).status).to.equal(200);
    // Without it the request is one of a public client.
    const named = { client_id: 'either' };
    const redeemed = await redeemCode(idp, await codeFor(idp, withPkce), { ...named, code_verifier: verifier }, {});
    expect(redeemed.status, redeemed.text).to.equal(200);
    const rotated = await refresh(idp, String(redeemed.body.refresh_token), named, {});
    const again = await refresh(idp, String(redeemed.body.refresh_token), named, {});
    expect([rotated.status, ...refusalOf(again)]).to.deep.equal([200, 400, 'invalid_grant']);
    const noPkce = await redeemCode(idp, await codeFor(idp, { client_id: 'either' }), named, {});
    expect(refusalOf(noPkce)).to.deep.equal([400, 'invalid_grant']);
    expect(noPkce.body.error_description).to.contain('must send its client_secret');
    const own = await token(idp, { grant_type: 'client_credentials', ...named }, {});
    expect(refusalOf(own)).to.deep.equal([400, 'unauthorized_client']);
    expect(refusalOf(await postTo(idp, '/introspect', { ...named, token: 'x' }, {}))).to.deep.equal([
      401,
      'invalid_client',
    ]);
    const wrong = await token(idp, { grant_type: 'client_credentials', ...named, client_secret: 'no' }, {});
    expect(wrong.body.error).to.equal('invalid_client');
  });

  verifies('CLS-K07', 'requires the secret in a sandbox with a stricter profile', async () => {
    const { name } = await makeSandbox(idp, { settings: { security_profile: 'stricter-dev' } });
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'either' };
    const answer = await postForm(`${idp.baseUrl}/s/${name}/token`, form);
    expect([answer.status, Object(await answer.json()).error]).to.deep.equal([400, 'invalid_client']);
  });

  verifies(['CLS-K01', 'CLS-K02', 'CLS-K03', 'CLS-K05'], 'has its fields on the form', async () => {
    const form = await newBrowser(idp).get('/clients/reader/edit');
    for (const name of ['roles', 'groups', 'audience', 'default_scopes', 'token_expiry_seconds']) {
      expect(form.body, name).to.contain(`name="${name}"`);
    }
  });
});
