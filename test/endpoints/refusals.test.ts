// What a rejected client sees, and what the audit adds: one stable code for each cause.
import { expect } from 'chai';
import { authorizePath, challenge, newBrowser } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { forgeToken } from '#test/support/forge-token.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  call,
  codeFor,
  introspect,
  lastEvent,
  postTo,
  redeemCode,
  refusalOf,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const clients = [{ client_id: 'post', client_secret: 'post-secret', token_endpoint_auth_method: 'client_secret_post' }];

describe('a rejection', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, clients });
  });
  after(() => idp.stop());
  afterEach(() => idp.setClock(0));

  const own = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    token(idp, { grant_type: 'client_credentials', ...form }, headers);
  const codeOfLast = async (type: string) => (await lastEvent(idp, type))?.details.refusal;
  const description = ({ body }: Answer) => String(body.error_description);

  verifies('CAM-08', 'of a client names a realm, the used method and the registered one', async () => {
    const postByBasic = await own({}, { Authorization: basic('post', 'post-secret') });
    expect(postByBasic.headers.get('www-authenticate')).to.equal(`Basic realm="${new URL(idp.baseUrl).origin}"`);
    expect(description(postByBasic)).to.contain('used client_secret_basic').and.contain('with client_secret_post');
    expect(await codeOfLast('token_request')).to.equal('client_authentication_method_differs');

    const basicByPost = await own({ client_id: 'web', client_secret: 'web-secret' });
    expect(description(basicByPost)).to.contain('used client_secret_post').and.contain('with client_secret_basic');
    const without = await own({ client_id: 'web' });
    expect(description(without)).to.contain('has no client credentials').and.contain('with client_secret_basic');
    const both = await own({ client_secret: 'web-secret' }, web);
    expect(description(both)).to.contain('used client_secret_basic and client_secret_post');

    const wrong = await own({}, { Authorization: basic('web', 'not-the-secret') });
    expect(await codeOfLast('token_request')).to.equal('client_secret_wrong');
    const unknown = await own({}, { Authorization: basic('nobody', 'not-the-secret') });
    expect(await codeOfLast('token_request')).to.equal('client_unknown');
    expect(wrong.text).to.equal(unknown.text);
    expect(description(wrong)).to.contain('client_secret_basic');
    for (const answer of [postByBasic, basicByPost, wrong])
      expect(answer.text).not.to.match(/post-secret|web-secret|not-the/);
  });

  verifies('CAM-09', 'of a scope names the scope and the setting that would allow it', async () => {
    const outside = await own({ scope: 'admin openid' }, web);
    expect(refusalOf(outside)).to.deep.equal([400, 'invalid_scope']);
    expect(description(outside)).to.match(/oauth\.scopes_supported.*: admin$/);
    expect(await codeOfLast('token_request')).to.equal('scope_not_supported');
    const narrow = await own({ scope: 'profile' }, { Authorization: basic('narrow', 'narrow-secret') });
    expect(description(narrow)).to.match(/see scope in its entry.*: profile$/);
    expect(await codeOfLast('token_request')).to.equal('scope_not_allowed_for_client');
  });

  verifies('CAM-10', 'of a token names the reason at /userinfo and in the audit, but not at /introspect', async () => {
    const text = String((await tokensFor(idp)).access_token);
    const claims = claimsOf(text);
    const { exp, iat } = claims as { exp: number; iat: number };
    const [header, payload] = text.split('.');
    const other = String(
      (await token(idp, { grant_type: 'password', ...alice, resource: 'https://api.example' })).body.access_token,
    );
    const revoked = String((await tokensFor(idp)).access_token);
    expect((await postTo(idp, '/revoke', { token: revoked })).status).to.equal(200);

    const cases: readonly (readonly [string, code: string, says: RegExp])[] = [
      [
        forgeToken(idp, { ...claims, exp: iat - 60 }),
        'token_expired',
        new RegExp(new Date((iat - 60) * 1000).toISOString()),
      ],
      [
        forgeToken(idp, { ...claims, nbf: exp - 1 }),
        'token_not_yet_valid',
        new RegExp(new Date((exp - 1) * 1000).toISOString()),
      ],
      [`${header}.${payload}.${'A'.repeat(342)}`, 'token_signature_wrong', /signature/],
      [forgeToken(idp, claims, { kid: 'nobody' }), 'token_key_unknown', /kid/],
      [forgeToken(idp, claims, { alg: 'HS256' }), 'token_algorithm_wrong', /algorithm/],
      [forgeToken(idp, { ...claims, exp: undefined }), 'token_expiry_missing', /no exp/],
      [other, 'token_of_another_audience', /https:\/\/api\.example instead of /],
      [revoked, 'token_revoked', /revoked/],
      ['x', 'token_malformed', /not a signed JWT/],
    ];
    for (const [presented, code, says] of cases) {
      const answer = await userinfo(idp, presented);
      expect(refusalOf(answer), code).to.deep.equal([401, 'invalid_token']);
      expect(description(answer)).to.match(says);
      expect(await codeOfLast('userinfo_request')).to.equal(code);
      if (code === 'token_of_another_audience') continue;
      expect((await introspect(idp, presented)).body).to.deep.equal({ active: false });
      expect(await codeOfLast('introspection_request')).to.equal(code);
    }
    const late = await tokensFor(idp);
    await idp.setClock(3 * 3600 * 1000);
    expect(description(await userinfo(idp, late.access_token))).to.match(/^The token expired at /);
  });

  it('has one code for each cause, with the sent and the expected value', async () => {
    await newBrowser(idp).get(authorizePath({ redirect_uri: 'https://evil.example/cb' }));
    expect((await lastEvent(idp, 'authorization_request'))?.details).to.deep.include({
      refusal: 'redirect_uri_not_registered',
      sent: 'https://evil.example/cb',
    });
    const code = await codeFor(idp, { code_challenge: challenge, code_challenge_method: 'S256' });
    const wrong = await redeemCode(idp, code, { code_verifier: 'x'.repeat(43) });
    expect(refusalOf(wrong)).to.deep.equal([400, 'invalid_grant']);
    expect(await codeOfLast('token_request')).to.equal('pkce_mismatch');
    await redeemCode(idp, await codeFor(idp), { redirect_uri: 'https://web.example/other' });
    expect((await lastEvent(idp, 'token_request'))?.details).to.deep.include({
      refusal: 'redirect_uri_differs',
      sent: 'https://web.example/other',
    });
  });

  it('of malformed JSON at /api/runtime has a kind', async () => {
    const headers = { 'Content-Type': 'application/json' };
    for (const path of ['/api/runtime/users', '/api/runtime/clients']) {
      const answer = await call(idp, path, { method: 'POST', headers, body: '{' });
      expect([answer.status, answer.body.kind]).to.deep.equal([400, 'invalid']);
    }
  });

  it('is explained on the audit page by a standard or a document, never by a clause of this project', async () => {
    await newBrowser(idp).post(authorizePath(), { username: 'alice', password: 'wrong' });
    await newBrowser(idp).post('/authorize', { transaction_id: 'gone' });
    const page = await call(idp, '/audit');
    expect(page.text).to.contain('docs/settings.md#login').and.contain('RFC 6749');
    expect(page.text).not.to.match(/contract|\b(?:AUT|LOG|TOK|DEV|SAM|CMD)-\d\d/);
  });
});
