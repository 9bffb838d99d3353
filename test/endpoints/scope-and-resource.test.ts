// Scope and resource indicators at /authorize, /device_authorization and /token.
import { expect } from 'chai';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  approveDevice,
  beginDevice,
  codeFor,
  pollDevice,
  postTo,
  redeemCode,
  refresh,
  refusalOf,
  token,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const narrow = { Authorization: basic('narrow', 'narrow-secret') };
const open = { Authorization: basic('open', 'open-secret') };
const outside = 'Unsupported scopes (see oauth.scopes_supported): admin, zebra';

const audienceOf = (answer: Answer) => {
  expect(answer.status, answer.text).to.equal(200);
  return claimsOf(String(answer.body.access_token)).aud;
};

describe('scope and resource', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  const own = (form: Record<string, string>, headers?: Record<string, string>) =>
    token(idp, { grant_type: 'client_credentials', ...form }, headers);
  const password = (form: Record<string, string>, headers?: Record<string, string>) =>
    token(idp, { grant_type: 'password', ...alice, ...form }, headers);
  const device = (form: Record<string, string>, headers?: Record<string, string>) =>
    postTo(idp, '/device_authorization', form, headers);

  async function authorizeError(parameters: Record<string, string>): Promise<URLSearchParams> {
    return redirectParameters(await newBrowser(idp).get(authorizePath(parameters)));
  }

  verifies('SCO-04', 'a blank scope is no scope (RFC 6749 §3.3) and is refused everywhere', async () => {
    const { device_code, user_code } = await beginDevice(idp, { scope: 'openid' });
    await approveDevice(idp, user_code);
    const { refresh_token } = (await pollDevice(idp, device_code)).body;
    for (const scope of [' ', '  ']) {
      for (const answer of [
        await own({ scope }),
        await password({ scope }),
        await device({ scope }),
        await refresh(idp, String(refresh_token), { scope }),
      ]) {
        expect(refusalOf(answer)).to.deep.equal([400, 'invalid_scope']);
        expect(answer.body.error_description).to.contain('blank');
      }
      expect((await authorizeError({ scope })).get('error')).to.equal('invalid_scope');
    }
    expect((await refresh(idp, String(refresh_token))).body.scope).to.equal('openid');
  });

  verifies(
    ['SCO-01', 'SCO-03', 'SCO-04'],
    'a scope outside the vocabulary is refused everywhere, by its name',
    async () => {
      for (const answer of [
        await own({ scope: 'zebra openid admin' }),
        await password({ scope: 'zebra openid admin' }),
        await device({ scope: 'zebra openid admin' }),
      ]) {
        expect([answer.status, answer.body]).to.deep.equal([
          400,
          { error: 'invalid_scope', error_description: outside },
        ]);
      }
      const sent = await authorizeError({ scope: 'zebra openid admin' });
      expect([sent.get('error'), sent.get('error_description')]).to.deep.equal(['invalid_scope', outside]);
    },
  );

  verifies(
    ['SCO-02', 'SCO-03', 'SCO-04'],
    "a scope outside the client's restriction is refused after that",
    async () => {
      const answers = [
        await own({ scope: 'profile offline_access openid' }, narrow),
        await password({ scope: 'profile offline_access openid' }, narrow),
        await device({ scope: 'profile offline_access openid' }, narrow),
      ];
      for (const answer of answers) {
        expect(answer.body).to.deep.equal({
          error: 'invalid_scope',
          error_description:
            'This client may not request these scopes (see scope in its entry): offline_access, profile',
        });
      }
      const both = await own({ scope: 'profile admin zebra' }, narrow);
      expect(both.body.error_description).to.equal(outside);
      const sent = await authorizeError({ client_id: 'narrow', scope: 'profile' });
      expect(sent.get('error')).to.equal('invalid_scope');
    },
  );

  verifies('SCO-05', 'omitted at /authorize and /device_authorization it is the restriction, else openid', async () => {
    expect((await redeemCode(idp, await codeFor(idp))).body.scope).to.equal('openid');
    const restricted = await redeemCode(idp, await codeFor(idp, { client_id: 'narrow' }), {}, narrow);
    expect(restricted.body.scope).to.equal('openid email');
    for (const [headers, scope] of [
      [open, 'openid'],
      [narrow, 'openid email'],
    ] as const) {
      const grant = await beginDevice(idp, {}, headers);
      await approveDevice(idp, grant.user_code);
      expect((await pollDevice(idp, grant.device_code, {}, headers)).body.scope).to.equal(scope);
    }
  });

  verifies('SCO-06', 'omitted on the password grant it is the restriction, else none', async () => {
    expect((await password({}, narrow)).body.scope).to.equal('openid email');
    expect((await password({})).body).not.to.have.any.keys('scope', 'id_token');
  });

  verifies('SCO-07', 'omitted on client credentials it is none, restriction or not', async () => {
    for (const headers of [narrow, open]) {
      const { body } = await own({}, headers);
      expect(body).not.to.have.property('scope');
      expect(claimsOf(String(body.access_token))).not.to.have.property('scope');
    }
  });

  verifies('SCO-08', 'a refresh never applies a default', async () => {
    const first = await password({});
    const again = await refresh(idp, String(first.body.refresh_token));
    expect(again.body).not.to.have.any.keys('scope', 'id_token');
  });

  verifies(['SCO-09', 'PRF-08'], 'enforcement can be turned off under dev alone', async () => {
    try {
      const off = { oauth: { scope_enforcement: false } };
      await idp.configure({ settings: off });
      expect((await own({ scope: 'made:up admin' }, narrow)).body.scope).to.equal('made:up admin');
      for (const profile of ['stricter-dev', 'oauth21']) {
        await idp.configure({ settings: { ...off, security_profile: profile } });
        expect(refusalOf(await own({ scope: 'made:up' })), profile).to.deep.equal([400, 'invalid_scope']);
      }
    } finally {
      await idp.configure();
    }
    expect(refusalOf(await own({ scope: 'made:up' }))).to.deep.equal([400, 'invalid_scope']);
  });

  verifies('SCO-10', 'repeated names count once, in the order of first mention', async () => {
    expect((await own({ scope: 'email profile  email profile' })).body.scope).to.equal('email profile');
  });

  const two = [
    ['resource', 'https://b/'],
    ['resource', 'https://a/?x=1'],
    ['resource', 'https://b/'],
  ] as const;

  verifies(['RES-01', 'RES-02'], 'resources become the audience on every grant, in order and each once', async () => {
    const aud = ['https://b/', 'https://a/?x=1'];
    expect(audienceOf(await token(idp, [['grant_type', 'client_credentials'], ...two]))).to.deep.equal(aud);
    expect(audienceOf(await token(idp, [['grant_type', 'password'], ...Object.entries(alice), ...two]))).to.deep.equal(
      aud,
    );
    const code = await codeFor(idp, `${authorizePath()}&${new URLSearchParams(two.map(([k, v]) => [k, v]))}`);
    const redeemed = await redeemCode(idp, code);
    expect(audienceOf(redeemed)).to.deep.equal(aud);
    expect(claimsOf(String(redeemed.body.id_token)).aud).to.equal('web');
    expect(claimsOf(String(redeemed.body.refresh_token)).aud).to.equal('default');
    expect(audienceOf(await refresh(idp, String(redeemed.body.refresh_token)))).to.deep.equal(aud);
    const grant = await beginDevice(idp, two);
    await approveDevice(idp, grant.user_code);
    expect(audienceOf(await pollDevice(idp, grant.device_code))).to.deep.equal(aud);
    expect(audienceOf(await own({ resource: 'urn:example:api' }))).to.equal('urn:example:api');
    expect(audienceOf(await own({}))).to.equal('default');
  });

  verifies(
    ['RES-03', 'RES-05'],
    'a resource that is no absolute URI without fragment is refused everywhere',
    async () => {
      for (const resource of [
        'api',
        '/v1',
        '//host/x',
        'https://a/#',
        'https://a/#f',
        'https://a/ b',
        'https://ü/',
        'https://a/%zz',
        'a b:c',
      ]) {
        for (const answer of [await own({ resource }), await password({ resource }), await device({ resource })]) {
          expect(refusalOf(answer), resource).to.deep.equal([400, 'invalid_target']);
        }
        expect((await authorizeError({ resource })).get('error'), resource).to.equal('invalid_target');
      }
      for (const resource of ['urn:example:api', 'https://user:pw@a:1/b?c=d', 'https://[::1]:8/']) {
        expect(audienceOf(await own({ resource }))).to.equal(resource);
      }
    },
  );

  verifies(['RES-04', 'RES-05'], 'a client with allowed_resources names one of them, exactly', async () => {
    expect(audienceOf(await own({ resource: 'https://api.example' }, narrow))).to.equal('https://api.example');
    for (const resource of ['https://api.example/', 'https://API.example', 'https://other.example']) {
      for (const answer of [
        await own({ resource }, narrow),
        await password({ resource }, narrow),
        await device({ resource }, narrow),
      ]) {
        expect(refusalOf(answer), resource).to.deep.equal([400, 'invalid_target']);
      }
      expect((await authorizeError({ client_id: 'narrow', resource })).get('error')).to.equal('invalid_target');
    }
  });

  verifies(['RES-06', 'RES-09'], 'a redemption may name a subset, which narrows that answer alone', async () => {
    const code = await codeFor(idp, `${authorizePath()}&resource=https://a/&resource=https://b/`);
    expect(refusalOf(await redeemCode(idp, code, { resource: 'https://c/' }))).to.deep.equal([400, 'invalid_target']);
    const first = await redeemCode(idp, code, { resource: 'https://b/' });
    expect(audienceOf(first)).to.equal('https://b/');
    const refreshToken = String(first.body.refresh_token);
    expect(refusalOf(await refresh(idp, refreshToken, { resource: 'https://c/' }))).to.deep.equal([
      400,
      'invalid_target',
    ]);
    const second = await refresh(idp, refreshToken, { resource: 'https://a/' });
    expect(audienceOf(second)).to.equal('https://a/');
    expect(audienceOf(await refresh(idp, String(second.body.refresh_token)))).to.deep.equal([
      'https://a/',
      'https://b/',
    ]);
    const grant = await beginDevice(idp, [
      ['resource', 'https://a/'],
      ['resource', 'https://b/'],
    ]);
    await approveDevice(idp, grant.user_code);
    expect(refusalOf(await pollDevice(idp, grant.device_code, { resource: 'https://c/' }))).to.deep.equal([
      400,
      'invalid_target',
    ]);
    const polled = await pollDevice(idp, grant.device_code, { resource: 'https://a/' });
    expect(audienceOf(polled)).to.equal('https://a/');
    expect(audienceOf(await refresh(idp, String(polled.body.refresh_token)))).to.deep.equal([
      'https://a/',
      'https://b/',
    ]);
  });

  verifies('RES-07', 'a grant that bound none gains none later', async () => {
    const code = await codeFor(idp);
    expect(refusalOf(await redeemCode(idp, code, { resource: 'https://a/' }))).to.deep.equal([400, 'invalid_target']);
    const tokens = await redeemCode(idp, code);
    expect(refusalOf(await refresh(idp, String(tokens.body.refresh_token), { resource: 'https://a/' }))).to.deep.equal([
      400,
      'invalid_target',
    ]);
    const grant = await beginDevice(idp);
    await approveDevice(idp, grant.user_code);
    expect(refusalOf(await pollDevice(idp, grant.device_code, { resource: 'https://a/' }))).to.deep.equal([
      400,
      'invalid_target',
    ]);
  });

  verifies(['RES-08', 'GRT-08', 'GRT-27'], 'bound resources are checked again when they apply', async () => {
    const client = (allowed: string[]) => ({
      clients: [{ client_id: 'api', client_secret: 's', redirect_uris: [callback], allowed_resources: allowed }],
    });
    const api = { Authorization: basic('api', 's') };
    const resources = '&resource=https://a/&resource=https://b/';
    try {
      await idp.configure(client(['https://a/', 'https://b/']));
      const code = await codeFor(idp, `${authorizePath({ client_id: 'api' })}${resources}`);
      const tokens = await redeemCode(
        idp,
        await codeFor(idp, `${authorizePath({ client_id: 'api' })}${resources}`),
        {},
        api,
      );
      const grant = await beginDevice(
        idp,
        [
          ['resource', 'https://a/'],
          ['resource', 'https://b/'],
        ],
        api,
      );
      await approveDevice(idp, grant.user_code);
      await idp.configure(client(['https://a/']));
      const refreshToken = String(tokens.body.refresh_token);
      for (const answer of [
        await redeemCode(idp, code, {}, api),
        await refresh(idp, refreshToken, {}, api),
        await pollDevice(idp, grant.device_code, {}, api),
      ]) {
        expect(refusalOf(answer)).to.deep.equal([400, 'invalid_target']);
      }
      const chosen = { resource: 'https://a/' };
      expect(audienceOf(await redeemCode(idp, code, chosen, api))).to.equal('https://a/');
      expect(audienceOf(await refresh(idp, refreshToken, chosen, api))).to.equal('https://a/');
      expect(audienceOf(await pollDevice(idp, grant.device_code, chosen, api))).to.equal('https://a/');
    } finally {
      await idp.configure();
    }
  });
});
