// What well-known clients do by habit, and the keys that let them: either way for the secret, the fragment, `audience`,
// access tokens of RFC 9068, another name for the server than the browser's.
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  approveDevice,
  beginDevice,
  call,
  codeFor,
  lastEvent,
  pollDevice,
  postTo,
  redeemCode,
  refresh,
  refusalOf,
  token,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const either = {
  client_id: 'either',
  client_secret: 'e s',
  token_endpoint_auth_method: 'client_secret_any',
  redirect_uris: [callback],
};
const inHeader = { Authorization: basic('either', 'e s') };
const inBody = { client_id: 'either', client_secret: 'e s' };

describe('habits of clients', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, clients: [either] });
  });
  after(() => idp.stop());

  const settled = (oauth: object = {}) => idp.configure({ clients: [either], settings: { oauth } });
  const discovery = async (path = '') => (await call(idp, `${path}/.well-known/openid-configuration`)).body;
  const password = { grant_type: 'password', ...alice };

  verifies('CAM-01', 'client_secret_any takes the secret by Basic or in the body, one of them at a time', async () => {
    await settled();
    expect((await token(idp, password, inHeader)).status).to.equal(200);
    const { body } = await token(idp, { ...password, ...inBody }, {});
    for (const path of ['/introspect', '/revoke']) {
      expect((await postTo(idp, path, { token: String(body.access_token) }, inHeader)).status).to.equal(200);
      expect((await postTo(idp, path, { token: String(body.access_token), ...inBody }, {})).status).to.equal(200);
    }
    expect((await postTo(idp, '/device_authorization', inBody, {})).status).to.equal(200);
    expect((await postTo(idp, '/device_authorization', {}, inHeader)).status).to.equal(200);
    const both = await token(idp, { ...password, client_secret: 'e s' }, inHeader);
    expect(refusalOf(both)).to.deep.equal([401, 'invalid_client']);
    expect(both.body.error_description).to.include('client_secret_basic and client_secret_post');
    const refused = [
      await token(idp, { ...password, client_id: 'either' }, {}),
      await token(idp, { ...password, ...inBody, client_secret: 'wrong' }, {}),
    ];
    expect(refused.map((answer) => refusalOf(answer))).to.deep.equal([
      [400, 'invalid_client'],
      [400, 'invalid_client'],
    ]);
    expect(refusalOf(await token(idp, password, { Authorization: basic('either', 'x') }))).to.deep.equal([
      401,
      'invalid_client',
    ]);
    const runtime = { ...either, client_id: 'made' };
    expect((await idp.api('POST', '/api/runtime/clients', runtime)).status).to.equal(201);
    expect((await token(idp, { ...password, ...inBody, client_id: 'made' }, {})).status).to.equal(200);
    expect((await token(idp, password, { Authorization: basic('made', 'e s') })).status).to.equal(200);
    const { client_secret: _secret, ...open } = runtime;
    expect((await idp.api('POST', '/api/runtime/clients', { ...open, client_id: 'x' })).body.kind).to.equal('invalid');
  });

  verifies('CAM-02', 'it is nothing to register, and no discovery document lists it', async () => {
    await settled({ dynamic_registration: { enabled: true } });
    const asked = { redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_any' };
    const refused = await idp.api('POST', '/register', asked);
    expect([refused.status, refused.body.error]).to.deep.equal([400, 'invalid_client_metadata']);
    expect(JSON.stringify(await discovery())).not.to.include('client_secret_any');
  });

  verifies('CAM-03', 'what response_modes lists is offered, success and errors in the fragment too', async () => {
    await settled();
    expect((await discovery()).response_modes_supported).to.deep.equal(['query', 'form_post']);
    await settled({ response_modes: ['query', 'fragment'] });
    expect((await discovery()).response_modes_supported).to.deep.equal(['query', 'fragment']);
    const path = authorizePath({ response_mode: 'fragment', state: 'a b' });
    const browser = newBrowser(idp);
    const location = new URL((await browser.post(path, alice)).location ?? '');
    expect(location.search).to.equal('');
    const sent = new URLSearchParams(location.hash.slice(1));
    expect(sent.get('state')).to.equal('a b');
    expect((await redeemCode(idp, sent.get('code') ?? '')).status).to.equal(200);
    const failing = authorizePath({ response_mode: 'fragment', response_type: 'token', state: 's' });
    const refused = new URL((await newBrowser(idp).get(failing)).location ?? '');
    expect([refused.search, new URLSearchParams(refused.hash.slice(1)).get('error')]).to.deep.equal([
      '',
      'unsupported_response_type',
    ]);
    const posted = new URL((await newBrowser(idp).get(authorizePath({ response_mode: 'form_post' }))).location ?? '');
    expect([posted.hash, posted.searchParams.get('error')]).to.deep.equal(['', 'invalid_request']);
    const wrong = await fetch(new URL('/authorize?response_mode=fragment&client_id=nobody', idp.baseUrl), {
      redirect: 'manual',
    });
    expect([wrong.status, wrong.headers.get('location')]).to.deep.equal([400, null]);
    await settled({ response_modes: ['query'] });
    expect((await discovery()).response_modes_supported).to.deep.equal(['query']);
  });

  verifies('CAM-04', 'a fragment that is not offered is refused in the fragment', async () => {
    await settled();
    const asked = await newBrowser(idp).get(authorizePath({ response_mode: 'fragment', state: 's' }));
    const location = new URL(asked.location ?? '');
    const sent = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    expect([location.search, sent.error, sent.state]).to.deep.equal(['', 'invalid_request', 's']);
    expect(sent.error_description).to.equal(
      'The response_mode must be query or form_post. The setting oauth.response_modes allows others.',
    );
  });

  verifies('CAM-05', 'audience is one more resource of any form, where it is read', async () => {
    await settled({ audience_parameter: true });
    const audienceOf = (body: Readonly<Record<string, unknown>>) => claimsOf(String(body.access_token)).aud;
    expect(audienceOf((await token(idp, { ...password, audience: 'my api' })).body)).to.equal('my api');
    const several = [
      ...Object.entries(password),
      ['audience', 'one'],
      ['resource', 'urn:two'],
      ['audience', 'three'],
    ] as [string, string][];
    expect(audienceOf((await token(idp, several)).body)).to.deep.equal(['urn:two', 'one', 'three']);
    const own = await token(idp, { grant_type: 'client_credentials', audience: 'svc' });
    expect(audienceOf(own.body)).to.equal('svc');
    const code = await codeFor(idp, `${authorizePath({ scope: 'openid offline_access' })}&audience=shop`);
    const redeemed = await redeemCode(idp, code, { audience: 'shop' });
    expect(audienceOf(redeemed.body)).to.equal('shop');
    expect(audienceOf((await refresh(idp, String(redeemed.body.refresh_token))).body)).to.equal('shop');
    const other = await redeemCode(idp, await codeFor(idp, `${authorizePath()}&audience=shop`), { audience: 'else' });
    expect(refusalOf(other)).to.deep.equal([400, 'invalid_target']);
    expect(other.body.error_description).to.equal('The original grant does not include this audience: else');
    const grant = await beginDevice(idp, { audience: 'tv' });
    await approveDevice(idp, grant.user_code);
    expect(audienceOf((await pollDevice(idp, grant.device_code)).body)).to.equal('tv');
    const narrow = { Authorization: basic('narrow', 'narrow-secret') };
    const refused = await token(idp, { ...password, audience: 'x' }, narrow);
    expect(refusalOf(refused)).to.deep.equal([400, 'invalid_target']);
    expect(refused.body.error_description).to.equal('This client may not request this audience: x');
  });

  verifies('CAM-05', 'audience is ignored by default, and the audit says so', async () => {
    await settled();
    expect(claimsOf(String((await token(idp, { ...password, audience: 'x' })).body.access_token)).aud).to.equal(
      'default',
    );
    const ignored = async (type: string) => (await lastEvent(idp, type))?.details.ignored_parameters;
    expect(await ignored('token_request')).to.deep.equal(['audience']);
    await codeFor(idp, `${authorizePath()}&audience=shop`);
    expect(await ignored('authorization_request')).to.deep.equal(['audience']);
    const browser = newBrowser(idp);
    const page = await browser.get(`${authorizePath()}&audience=shop`);
    await browser.submit(page, alice);
    expect(await ignored('authorization_request')).to.deep.equal(['audience']);
    await beginDevice(idp, { audience: 'tv' });
    expect(await ignored('device_authorization_request')).to.deep.equal(['audience']);
    await token(idp, password);
    expect(await ignored('token_request')).to.equal(undefined);
  });

  verifies('CAM-06', 'access tokens of RFC 9068, of every grant, and both kinds are taken here', async () => {
    await settled();
    const before = (await token(idp, password)).body;
    expect(decodeProtectedHeader(String(before.access_token)).typ).to.equal('JWT');
    await settled({ access_token_typ: 'at+jwt' });
    const grant = await beginDevice(idp);
    await approveDevice(idp, grant.user_code);
    const redeemed = (await redeemCode(idp, await codeFor(idp, { scope: 'openid offline_access' }))).body;
    const answers = [
      (await token(idp, password)).body,
      (await token(idp, { grant_type: 'client_credentials' })).body,
      redeemed,
      (await refresh(idp, String(redeemed.refresh_token))).body,
      (await pollDevice(idp, grant.device_code)).body,
    ];
    for (const { access_token: text } of answers) {
      expect(decodeProtectedHeader(String(text)).typ).to.equal('at+jwt');
      expect(claimsOf(String(text))).to.include.all.keys('client_id', 'jti', 'iat', 'exp', 'sub', 'aud', 'iss');
      expect((await postTo(idp, '/introspect', { token: String(text) }, web)).body.active).to.equal(true);
      expect((await userinfo(idp, String(text))).status).to.equal(200);
    }
    for (const name of ['id_token', 'refresh_token']) {
      expect(decodeProtectedHeader(String(redeemed[name])).typ).to.equal('JWT');
    }
    expect((await userinfo(idp, String(before.access_token))).status).to.equal(200);
    await settled();
    expect((await userinfo(idp, String(answers[0]?.access_token))).status).to.equal(200);
  });

  verifies('CAM-07', 'applications find what they ask themselves at another base', async () => {
    const base = 'http://idp.internal:8000/base';
    await settled({ backchannel_base_url: `${base}/`, dynamic_registration: { enabled: true } });
    const expectAddresses = async (prefix: string) => {
      const document = await discovery(prefix);
      const issuer = `${idp.baseUrl}${prefix}`;
      const addresses = Object.entries(document).filter(([name]) => /_endpoint$|_uri$|^issuer$/.test(name));
      expect(Object.fromEntries(addresses)).to.deep.equal({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        end_session_endpoint: `${issuer}/logout`,
        token_endpoint: `${base}${prefix}/token`,
        userinfo_endpoint: `${base}${prefix}/userinfo`,
        jwks_uri: `${base}${prefix}/.well-known/jwks.json`,
        introspection_endpoint: `${base}${prefix}/introspect`,
        revocation_endpoint: `${base}${prefix}/revoke`,
        device_authorization_endpoint: `${base}${prefix}/device_authorization`,
        registration_endpoint: `${base}${prefix}/register`,
      });
      const made = await call(idp, `${prefix}/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://app.example/callback'] }),
      });
      const { client_id, registration_access_token, registration_client_uri } = made.body;
      expect(registration_client_uri).to.equal(`${base}${prefix}/register/${String(client_id)}`);
      const headers = { Authorization: `Bearer ${String(registration_access_token)}` };
      const read = await call(idp, `${prefix}/register/${String(client_id)}`, { headers });
      expect(read.body.registration_client_uri).to.equal(registration_client_uri);
    };
    await expectAddresses('');
    expect((await idp.api('POST', '/api/sandboxes', { name: 'box' })).status).to.equal(201);
    await expectAddresses('/s/box');
    await settled();
    expect((await discovery()).token_endpoint).to.equal(`${idp.baseUrl}/token`);
  });
});
