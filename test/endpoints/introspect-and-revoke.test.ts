// Introspection and revocation: which tokens are active, what the response contains, and how far a revocation reaches.

import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { forgeToken } from '#test/support/forge-token.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  call,
  introspect,
  isActive,
  lastEvent,
  postTo,
  publicTokens,
  refresh,
  refusalOf,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const open = { Authorization: basic('open', 'open-secret') };
const inactive = '{"active":false}';

describe('introspection and revocation', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());
  afterEach(() => idp.setClock(0));

  const own = async (form: Record<string, string> = {}) =>
    String((await token(idp, { grant_type: 'client_credentials', ...form })).body.access_token);
  const revoke = async (text: string | undefined, form: Record<string, string> = {}, headers = web) => {
    const answer = await postTo(idp, '/revoke', { token: text ?? '', ...form }, headers);
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
  };

  it('rejects a body that is not a form instead of ignoring it (RFC 7662 §2.1, RFC 7009 §2.1, RFC 8628 §3.1)', async () => {
    const text = await own();
    for (const path of ['/introspect', '/revoke', '/device_authorization']) {
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', undefined]) {
        const headers = type === undefined ? web : { ...web, 'Content-Type': type };
        const body = new TextEncoder().encode(JSON.stringify({ token: text }));
        const answer = await call(idp, path, { method: 'POST', headers, body });
        expect(refusalOf(answer), `${path} ${type}`).to.deep.equal([400, 'invalid_request']);
        expect(answer.body.error_description).to.contain('application/x-www-form-urlencoded');
      }
      expect((await call(idp, path, { method: 'POST', headers: web })).status, path).to.equal(200);
    }
    const refused = await lastEvent(idp, 'revocation_request');
    expect(refused?.status).to.equal('failed');
    expect(await isActive(idp, text)).to.equal(true);
  });

  verifies(['INT-01', 'INT-04'], 'reports a live token as active with any hint', async () => {
    const tokens = await tokensFor(idp);
    for (const text of [tokens.access_token ?? '', tokens.refresh_token ?? '']) {
      for (const hint of ['access_token', 'refresh_token', 'id_token', 'nonsense', '']) {
        const answer = await postTo(idp, '/introspect', { token: text, token_type_hint: hint });
        expect([answer.status, answer.body.active]).to.deep.equal([200, true]);
        expect(answer.headers.get('content-type')).to.equal('application/json');
        expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).to.deep.equal([
          'no-store',
          'no-cache',
        ]);
      }
    }
  });

  verifies('INT-02', 'reports only inactive for anything but a live access or refresh token', async () => {
    const tokens = await tokensFor(idp);
    const access = tokens.access_token ?? '';
    const claims = claimsOf(access);
    const dead = [
      '',
      'x',
      'a.b.c',
      `${access}x`,
      access.replace(/\.[^.]*$/, '.'),
      tokens.id_token ?? '',
      'é',
      'x'.repeat(65_536),
    ];
    dead.push(forgeToken(idp, { ...claims, exp: undefined }), forgeToken(idp, { ...claims, exp: 'soon' }));
    dead.push(forgeToken(idp, claims, { alg: 'none' }), forgeToken(idp, claims, { kid: 'nobody' }));
    for (const text of dead) expect((await introspect(idp, text)).text, text.slice(0, 40)).to.equal(inactive);
    const without = await postTo(idp, '/introspect', {});
    expect([without.status, without.text]).to.deep.equal([200, inactive]);
    const short = await own({ exp: '1' });
    expect(await isActive(idp, short)).to.equal(true);
    await idp.setClock(61_000);
    expect((await introspect(idp, short)).text).to.equal(inactive);
    const twice = await postTo(idp, '/introspect', [
      ['token', access],
      ['token', access],
    ]);
    expect(refusalOf(twice)).to.deep.equal([400, 'invalid_request']);
  });

  verifies('INT-03', 'reports a refresh token as inactive after rotation or revocation of its family', async () => {
    const tokens = await publicTokens(idp);
    const next = await refresh(idp, tokens.refresh_token, { client_id: 'spa' }, {});
    expect(await isActive(idp, tokens.refresh_token)).to.equal(false);
    expect(await isActive(idp, String(next.body.refresh_token))).to.equal(true);
    await refresh(idp, tokens.refresh_token, { client_id: 'spa' }, {});
    expect((await introspect(idp, String(next.body.refresh_token))).text).to.equal(inactive);
  });

  verifies(
    ['INT-05', 'INT-06', 'INT-07', 'INT-11'],
    'returns the claims of the token, including its client',
    async () => {
      const tokens = await tokensFor(idp, { scope: 'openid email', resource: 'https://api.example' });
      const claims = claimsOf(tokens.access_token ?? '');
      const answer = await postTo(idp, '/introspect', { token: tokens.access_token ?? '' }, open);
      expect(answer.body).to.deep.equal({
        active: true,
        token_type: 'Bearer',
        sub: 'alice',
        client_id: 'web',
        scope: 'openid email',
        aud: 'https://api.example',
        iss: idp.baseUrl,
        exp: claims.exp,
        iat: claims.iat,
        nbf: claims.nbf,
        jti: claims.jti,
        username: 'alice',
      });
      const refreshClaims = claimsOf(tokens.refresh_token ?? '');
      expect((await introspect(idp, tokens.refresh_token)).body).to.deep.equal({
        active: true,
        token_type: 'Bearer',
        sub: 'alice',
        client_id: 'web',
        scope: 'openid email',
        aud: 'default',
        iss: idp.baseUrl,
        exp: refreshClaims.exp,
        iat: refreshClaims.iat,
        nbf: refreshClaims.nbf,
        jti: refreshClaims.jti,
        username: 'alice',
      });
      const bare = forgeToken(idp, { exp: claims.exp, sub: 'alice' });
      expect((await introspect(idp, bare)).body).to.deep.equal({
        active: true,
        token_type: 'Bearer',
        sub: 'alice',
        exp: claims.exp,
        username: 'alice',
      });
    },
  );

  verifies(
    ['INT-07', 'INT-09'],
    "omits username from a client's own token, and scope if none was requested",
    async () => {
      const body = (await introspect(idp, await own())).body;
      expect(body).to.include({ active: true, sub: 'web', client_id: 'web' });
      expect(body).not.to.have.any.keys('username', 'scope');
    },
  );

  verifies(['INT-08', 'INT-10'], 'returns scope and client_id as in the token', async () => {
    const claims = claimsOf(await own({ scope: 'email' }));
    expect((await introspect(idp, await own({ scope: 'email' }))).body.scope).to.equal('email');
    expect((await introspect(idp, forgeToken(idp, { ...claims, scope: '' }))).body.scope).to.equal('');
    expect((await introspect(idp, forgeToken(idp, { ...claims, scope: undefined }))).body).not.to.have.property(
      'scope',
    );
    const unbound = await introspect(idp, forgeToken(idp, { ...claims, sub: 'alice', client_id: null }));
    expect(unbound.body).to.include({ client_id: null, username: 'alice' });
  });

  verifies('REV-01', 'returns an empty 200 to an authenticated client for any token', async () => {
    const tokens = await tokensFor(idp);
    const short = await own({ exp: '1' });
    for (const text of [
      '',
      'x',
      'a.b.c',
      tokens.id_token,
      tokens.access_token,
      tokens.access_token,
      tokens.refresh_token,
    ])
      await revoke(text);
    await idp.setClock(61_000);
    await revoke(short);
    const answer = await postTo(idp, '/revoke', {});
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    const foreign = await tokensFor(idp);
    await revoke(foreign.access_token, {}, open);
  });

  verifies('REV-02', 'revokes an access token alone', async () => {
    const tokens = await tokensFor(idp);
    const sibling = await refresh(idp, tokens.refresh_token);
    await revoke(tokens.access_token);
    expect((await introspect(idp, tokens.access_token)).text).to.equal(inactive);
    expect((await userinfo(idp, tokens.access_token)).status).to.equal(401);
    expect(await isActive(idp, String(sibling.body.access_token))).to.equal(true);
    expect(await isActive(idp, tokens.refresh_token)).to.equal(true);
    expect((await refresh(idp, tokens.refresh_token)).status).to.equal(200);
    const mine = await own();
    const other = await own();
    await revoke(mine);
    expect([await isActive(idp, mine), await isActive(idp, other)]).to.deep.equal([false, true]);
  });

  verifies(
    ['REV-03', 'REV-04'],
    'revokes a refresh token with its family and the access tokens of the grant',
    async () => {
      const tokens = await tokensFor(idp);
      const next = await refresh(idp, tokens.refresh_token);
      const stranger = await tokensFor(idp);
      await revoke(String(next.body.refresh_token));
      for (const text of [tokens.refresh_token, String(next.body.refresh_token)]) {
        expect(refusalOf(await refresh(idp, text))).to.deep.equal([400, 'invalid_grant']);
        expect((await introspect(idp, text)).text).to.equal(inactive);
      }
      for (const text of [tokens.access_token, String(next.body.access_token)]) {
        expect((await introspect(idp, text)).text).to.equal(inactive);
        expect((await userinfo(idp, text)).status).to.equal(401);
      }
      expect(await isActive(idp, stranger.access_token)).to.equal(true);
      expect((await refresh(idp, stranger.refresh_token)).status).to.equal(200);
    },
  );

  verifies('REV-03', 'keeps a family revoked for 31 days', async () => {
    try {
      await idp.configure({ settings: { oauth: { refresh_token_expiry_minutes: 43_200 } } });
      const tokens = await tokensFor(idp);
      await revoke(tokens.refresh_token);
      for (const days of [8, 29]) {
        await idp.setClock(days * 24 * 3600_000);
        expect(refusalOf(await refresh(idp, tokens.refresh_token))).to.deep.equal([400, 'invalid_grant']);
        expect((await introspect(idp, tokens.refresh_token)).text).to.equal(inactive);
      }
    } finally {
      await idp.setClock(0);
      await idp.configure();
    }
  });

  verifies('REV-05', "does not revoke another client's token", async () => {
    const tokens = await tokensFor(idp);
    for (const text of [tokens.access_token, tokens.refresh_token]) await revoke(text, {}, open);
    expect(await isActive(idp, tokens.access_token)).to.equal(true);
    expect((await refresh(idp, tokens.refresh_token)).status).to.equal(200);
  });

  verifies('REV-06', 'revokes nothing for a token that does not verify, with any jti', async () => {
    const tokens = await tokensFor(idp);
    for (const text of [tokens.access_token ?? '', tokens.refresh_token ?? '']) {
      await revoke(forgeToken(idp, claimsOf(text), { alg: 'none' }));
      await revoke(text.replace(/.{6}$/, 'AAAAAA'));
      await revoke(forgeToken(idp, { ...claimsOf(text), exp: 1 }));
    }
    expect(await isActive(idp, tokens.access_token)).to.equal(true);
    expect(await isActive(idp, tokens.refresh_token)).to.equal(true);
  });

  verifies('REV-07', 'ignores a wrong hint', async () => {
    for (const hint of ['refresh_token', 'nonsense']) {
      const text = await own();
      await revoke(text, { token_type_hint: hint });
      expect(await isActive(idp, text), hint).to.equal(false);
    }
    for (const hint of ['access_token', 'nonsense']) {
      const tokens = await tokensFor(idp);
      await revoke(tokens.refresh_token, { token_type_hint: hint });
      expect(await isActive(idp, tokens.access_token), hint).to.equal(false);
    }
  });

  it('records each request and its result', async () => {
    const tokens = await tokensFor(idp);
    await postTo(idp, '/introspect', { token: tokens.access_token ?? '' }, open);
    expect(await lastEvent(idp, 'introspection_request')).to.deep.include({
      status: 'success',
      client_id: 'open',
      username: 'alice',
      endpoint: '/introspect',
      details: { active: true },
    });
    await introspect(idp, 'x');
    expect((await lastEvent(idp, 'introspection_request'))?.details).to.deep.equal({
      active: false,
      reason: sentences.tokenNotSignedJwt,
      refusal: 'token_malformed',
    });
    await postTo(idp, '/introspect', { token: 'x', client_id: 'spa' }, {});
    expect(await lastEvent(idp, 'introspection_request')).to.deep.include({
      status: 'failed',
      client_id: 'spa',
      details: { reason: 'A public client cannot introspect tokens', refusal: 'introspection_by_public_client' },
    });
    await revoke(tokens.access_token);
    expect(await lastEvent(idp, 'revocation_request')).to.deep.include({
      status: 'success',
      client_id: 'web',
      username: 'alice',
      endpoint: '/revoke',
      details: { revoked: true },
    });
    await revoke('x');
    expect((await lastEvent(idp, 'revocation_request'))?.status).to.equal('failed');
    const mine = await own();
    await introspect(idp, mine);
    expect((await lastEvent(idp, 'introspection_request'))?.username).to.equal(null);
    expect(JSON.stringify(await idp.audit())).not.to.contain(tokens.access_token);
  });
});
