// What every grant shares: the form, the order of the checks, `exp`, `extra`, and the shape of both responses.

import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { basic, claimsOf } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  approveDevice,
  beginDevice,
  call,
  codeFor,
  lastEvent,
  pollDevice,
  redeemCode,
  refresh,
  refusalOf,
  token,
  tokensFor,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const own = { grant_type: 'client_credentials' };
const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };

describe('the token request', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  const post = (body: string, type: string | undefined, path = '/token') =>
    call(idp, path, {
      method: 'POST',
      headers: { ...web, ...(type === undefined ? {} : { 'Content-Type': type }) },
      body: new TextEncoder().encode(body),
    });

  verifies('TOK-01', 'reads parameters from a form body, never from the query or another media type', async () => {
    const form = 'application/x-www-form-urlencoded';
    expect((await post('grant_type=client_credentials', `${form}; charset=UTF-8`)).status).to.equal(200);
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', undefined]) {
      const answer = await post('{"grant_type":"client_credentials"}', type);
      expect(refusalOf(answer), String(type)).to.deep.equal([400, 'invalid_request']);
    }
    expect(refusalOf(await post('grant_type=client_credentials', 'text/plain'))).to.deep.equal([
      400,
      'invalid_request',
    ]);
    const inQuery = await post('', form, '/token?grant_type=client_credentials');
    expect(refusalOf(inQuery)).to.deep.equal([400, 'invalid_request']);
    const widened = await post('grant_type=client_credentials', form, '/token?scope=email');
    expect(widened.body).not.to.have.property('scope');
  });

  verifies('TOK-03', 'requires grant_type', async () => {
    for (const form of [{}, { grant_type: '' }, { scope: 'openid' }]) {
      const answer = await token(idp, form);
      expect(refusalOf(answer)).to.deep.equal([400, 'invalid_request']);
      expect(answer.body.error_description).to.contain('parameter grant_type');
    }
  });

  verifies('TOK-04', 'rejects an unknown grant without repeating it', async () => {
    const answer = await token(idp, { grant_type: 'urn:example:<made-up>' });
    expect(refusalOf(answer)).to.deep.equal([400, 'unsupported_grant_type']);
    expect(answer.text).not.to.contain('made-up');
    for (const name of ['implicit', 'Password', 'authorization_code ', '__proto__', 'constructor']) {
      expect(refusalOf(await token(idp, { grant_type: name }))).to.deep.equal([400, 'unsupported_grant_type']);
    }
  });

  verifies('TOK-02', 'reports the first failing check', async () => {
    const wrong = { Authorization: basic('web', 'wrong') };
    const bad = { exp: '0', extra: '[' };
    const description = async (form: Record<string, string>, headers = web) =>
      String((await token(idp, form, headers)).body.error_description);
    const error = async (form: Record<string, string>, headers = web) => (await token(idp, form, headers)).body.error;
    expect(await description({ ...bad }, wrong)).to.contain('parameter grant_type');
    expect(await error({ grant_type: 'unheard-of', ...bad }, wrong)).to.equal('invalid_client');
    expect(await description({ grant_type: 'unheard-of', ...bad })).to.contain("'exp'");
    expect(await description({ grant_type: 'unheard-of', extra: '[' })).to.contain("'extra'");
    expect(await error({ grant_type: 'unheard-of', extra: '{}' })).to.equal('unsupported_grant_type');
    expect(await description({ grant_type: 'authorization_code', code: 'x', exp: '0' })).to.contain("'exp'");
    expect(await error({ grant_type: 'authorization_code', code: 'x', redirect_uri: 'y' })).to.equal('invalid_grant');
  });

  verifies(
    'TOK-05',
    'rejects a repeated known parameter before any lookup, but accepts repeated resource and unknown ones',
    async () => {
      const pairs = Object.entries(own);
      for (const name of [
        'grant_type',
        'scope',
        'client_id',
        'client_secret',
        'exp',
        'extra',
        'code',
        'redirect_uri',
        'code_verifier',
        'username',
        'password',
        'refresh_token',
        'device_code',
        'nonce',
      ]) {
        const answer = await token(idp, [...pairs, [name, 'x'], [name, 'x']], {});
        expect(refusalOf(answer), name).to.deep.equal([400, 'invalid_request']);
        expect(answer.body.error_description).to.contain(`parameter ${name} `);
      }
      const repeated = [
        ...pairs,
        ['resource', 'https://a/'],
        ['resource', 'https://b/'],
        ['x', '1'],
        ['x', '2'],
      ] as const;
      expect((await token(idp, repeated)).status).to.equal(200);
    },
  );

  verifies('TOK-06', 'ignores a parameter without a value', async () => {
    const answer = await token(idp, { ...own, scope: '', exp: '', extra: '', resource: '', client_id: '' });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.expires_in).to.equal(3600);
    expect(answer.body).not.to.have.property('scope');
    const once = await token(idp, [...Object.entries(own), ['scope', ''], ['scope', 'email'], ['scope', '']]);
    expect([once.status, once.body.scope], once.text).to.deep.equal([200, 'email']);
  });

  verifies(
    ['TOK-07', 'TOK-09'],
    'replaces the lifetime of access and ID token by exp on every grant, but not of the refresh token',
    async () => {
      const answers: [string, Answer][] = [
        ['password', await token(idp, { ...password, scope: 'openid', exp: '7' })],
        ['client_credentials', await token(idp, { ...own, exp: '7' })],
        ['authorization_code', await redeemCode(idp, await codeFor(idp), { exp: '7' })],
        ['refresh_token', await refresh(idp, (await tokensFor(idp)).refresh_token, { exp: '7' })],
      ];
      const device = await beginDevice(idp);
      await approveDevice(idp, device.user_code);
      answers.push(['device', await pollDevice(idp, device.device_code, { exp: '7' })]);
      for (const [grant, { status, body }] of answers) {
        expect(status, grant).to.equal(200);
        expect(body.expires_in, grant).to.equal(420);
        const access = claimsOf(String(body.access_token));
        expect(Number(access.exp) - Number(access.iat), grant).to.equal(420);
        if (grant === 'client_credentials') continue;
        const id = claimsOf(String(body.id_token));
        expect(Number(id.exp) - Number(id.iat), grant).to.equal(420);
        const refreshClaims = claimsOf(String(body.refresh_token));
        expect(Number(refreshClaims.exp) - Number(refreshClaims.iat), grant).to.equal(10_080 * 60);
      }
      for (const minutes of ['1', '1440']) {
        expect((await token(idp, { ...own, exp: minutes })).body.expires_in).to.equal(Number(minutes) * 60);
      }
    },
  );

  verifies(
    'TOK-08',
    'rejects an exp outside 1 to 1440 or that is not a decimal integer, and uses nothing up',
    async () => {
      const code = await codeFor(idp);
      const tokens = await tokensFor(idp);
      const device = await beginDevice(idp);
      await approveDevice(idp, device.user_code);
      for (const exp of [
        '0',
        '1441',
        '-5',
        '+5',
        '5.0',
        '5m',
        '0x5',
        '1e2',
        ' 5',
        'NaN',
        '99999999999999999999',
        '٥',
      ]) {
        for (const answer of [
          await token(idp, { ...own, exp }),
          await redeemCode(idp, code, { exp }),
          await refresh(idp, tokens.refresh_token, { exp }),
          await pollDevice(idp, device.device_code, { exp }),
        ]) {
          expect(refusalOf(answer), exp).to.deep.equal([400, 'invalid_request']);
          expect(answer.body.error_description).to.equal("'exp' must be a whole number of minutes from 1 to 1440.");
        }
      }
      expect((await redeemCode(idp, code)).status).to.equal(200);
      expect((await refresh(idp, tokens.refresh_token)).status).to.equal(200);
      expect((await pollDevice(idp, device.device_code)).status).to.equal(200);
    },
  );

  verifies('TOK-10', 'adds the claims of extra only to the access token, on every grant', async () => {
    const extra = JSON.stringify({ custom: { a: [1, null, 'ü'] }, tenant_id: 7 });
    const device = await beginDevice(idp);
    await approveDevice(idp, device.user_code);
    const answers: [string, Answer][] = [
      ['password', await token(idp, { ...password, scope: 'openid', extra })],
      ['client_credentials', await token(idp, { ...own, extra })],
      ['authorization_code', await redeemCode(idp, await codeFor(idp), { extra })],
      ['refresh_token', await refresh(idp, (await tokensFor(idp)).refresh_token, { extra })],
      ['device', await pollDevice(idp, device.device_code, { extra })],
    ];
    for (const [grant, { body }] of answers) {
      const access = claimsOf(String(body.access_token));
      expect(access.custom, grant).to.deep.equal({ a: [1, null, 'ü'] });
      expect(access.tenant_id, grant).to.equal(7);
      for (const other of [body.id_token, body.refresh_token]) {
        if (other !== undefined) expect(claimsOf(String(other)), grant).not.to.have.any.keys('custom', 'tenant_id');
      }
      if (grant === 'client_credentials') continue;
      const again = await refresh(idp, String(body.refresh_token));
      expect(claimsOf(String(again.body.access_token)), grant).not.to.have.any.keys('custom', 'tenant_id');
    }
  });

  verifies('TOK-11', 'requires a JSON object as extra', async () => {
    for (const extra of ['[', '[]', '[{}]', '"x"', '1', 'null', 'true', '{a:1}', "{'a':1}", 'x']) {
      const answer = await token(idp, { ...own, extra });
      expect(refusalOf(answer), extra).to.deep.equal([400, 'invalid_request']);
      expect(answer.body.error_description).to.contain("'extra'");
    }
    expect((await token(idp, { ...own, extra: '{}' })).status).to.equal(200);
  });

  verifies('TOK-12', 'lists the rejected names of extra, sorted', async () => {
    const answer = await token(idp, { ...own, extra: '{"sub":"x","fine":1,"iss":"y","email":"z","aud":[]}' });
    expect(answer.body).to.deep.equal({
      error: 'invalid_request',
      error_description: "'extra' cannot set: aud, email, iss, sub",
    });
    expect(answer.status).to.equal(400);
  });

  const ofTheServer = [
    ...[
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'nbf',
      'jti',
      'client_id',
      'scope',
      'token_use',
      'azp',
      'nonce',
      'auth_time',
    ],
    ...['amr', 'at_hash', 'token_type', 'rt_family', 'resource', 'roles', 'authorities', 'tenant', 'groups'],
    ...[
      'entitlements',
      'identity_class',
      'source_acl',
      'attributes',
      'username',
      'req_',
      'req_userinfo',
      'req_anything',
    ],
  ];
  const standardClaims = [
    ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
    ...['website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'],
    ...['phone_number_verified', 'address', 'updated_at'],
  ];

  async function expectEachRefused(names: readonly string[]) {
    for (const name of names) {
      const answer = await token(idp, { ...own, extra: JSON.stringify({ [name]: null }) });
      expect(answer.body, name).to.deep.equal({
        error: 'invalid_request',
        error_description: `'extra' cannot set: ${name}`,
      });
    }
  }

  verifies('TOK-13', 'rejects every claim in extra that the server sets', () => expectEachRefused(ofTheServer));
  verifies('TOK-14', 'rejects every standard claim of OpenID Connect in extra', () =>
    expectEachRefused(standardClaims),
  );

  verifies(
    'TOK-15',
    'rejects a forbidden name in extra even with its correct value or beside permitted names',
    async () => {
      const extra = JSON.stringify({ fine: 1, sub: 'web', client_id: 'web' });
      expect((await token(idp, { ...own, extra })).body.error_description).to.equal(
        "'extra' cannot set: client_id, sub",
      );
      const near = JSON.stringify({ Sub: 1, requests: 2, subject: 3, ['__proto__']: { a: 1 }, constructor: 4 });
      const answer = await token(idp, { ...own, extra: near });
      expect(answer.status, answer.text).to.equal(200);
      const claims = claimsOf(String(answer.body.access_token));
      expect(claims).to.include({ Sub: 1, requests: 2, subject: 3, sub: 'web' });
    },
  );

  verifies('TOK-16', 'keeps code, device code and refresh token usable after a rejected extra', async () => {
    const code = await codeFor(idp);
    const tokens = await tokensFor(idp);
    const device = await beginDevice(idp);
    await approveDevice(idp, device.user_code);
    const extra = '{"roles":["ADMIN"]}';
    for (const answer of [
      await redeemCode(idp, code, { extra }),
      await refresh(idp, tokens.refresh_token, { extra }),
      await pollDevice(idp, device.device_code, { extra }),
    ]) {
      expect(answer.body.error_description).to.equal("'extra' cannot set: roles");
    }
    expect((await redeemCode(idp, code)).status).to.equal(200);
    expect((await refresh(idp, tokens.refresh_token)).status).to.equal(200);
    expect((await pollDevice(idp, device.device_code)).status).to.equal(200);
  });

  verifies(
    ['TOK-18', 'TOK-19', 'TOK-20'],
    'returns exactly the members that the grant and the scope require',
    async () => {
      const members = async (answer: Promise<Answer>) => Object.keys((await answer).body);
      expect(await members(token(idp, own))).to.deep.equal(['access_token', 'token_type', 'expires_in']);
      expect(await members(token(idp, password))).to.deep.equal([
        'access_token',
        'token_type',
        'expires_in',
        'refresh_token',
      ]);
      expect(await members(token(idp, { ...password, scope: 'email' }))).to.deep.equal([
        'access_token',
        'token_type',
        'expires_in',
        'scope',
        'refresh_token',
      ]);
      const full = await redeemCode(idp, await codeFor(idp, { scope: 'openid email' }));
      expect(Object.keys(full.body)).to.have.members([
        'access_token',
        'token_type',
        'expires_in',
        'scope',
        'id_token',
        'refresh_token',
      ]);
      expect(full.body).to.include({ token_type: 'Bearer', expires_in: 3600, scope: 'openid email' });
      expect(full.headers.get('content-type')).to.equal('application/json');
      const offline = await redeemCode(idp, await codeFor(idp, { scope: 'openid offline_access' }));
      expect(offline.body).to.have.property('refresh_token');
    },
  );

  verifies('TOK-20', 'issues no more tokens to a deleted client', async () => {
    const created = await call(idp, '/api/runtime/clients', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_id: 'passing',
        client_secret: 'by',
        redirect_uris: ['http://127.0.0.1:9/callback'],
      }),
    });
    expect(created.status, created.text).to.equal(201);
    const headers = { Authorization: basic('passing', 'by') };
    const answer = await token(idp, password, headers);
    expect(answer.body).to.have.property('refresh_token');
    expect((await call(idp, '/api/runtime/clients/passing', { method: 'DELETE' })).status).to.equal(200);
    expect((await refresh(idp, String(answer.body.refresh_token), {}, headers)).body.error).to.equal('invalid_client');
  });

  verifies(
    'TOK-21',
    'rejects with JSON that contains error and a description of characters that RFC 6749 allows',
    async () => {
      const hostile = ['\u0000', '\r\nX: y', '"\\', 'é'.repeat(50), '\u{1F600}', 'x'.repeat(65_536)];
      for (const text of hostile) {
        for (const form of [
          { grant_type: text },
          { ...own, scope: text },
          { ...own, resource: text },
          { ...own, exp: text },
          { ...own, extra: text },
          { ...password, username: text },
          { grant_type: 'authorization_code', code: text, redirect_uri: text, code_verifier: text },
          { grant_type: 'refresh_token', refresh_token: text },
          { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: text },
        ]) {
          const answer = await token(idp, form);
          expect(answer.status, answer.text).to.equal(400);
          expect(refusalOf(answer)[0]).to.equal(400);
          expect(answer.body.error_description).to.match(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,400}$/);
        }
      }
    },
  );

  it('records one event for each request, with the details that the contract lists', async () => {
    await token(idp, { ...password, scope: 'openid' });
    expect(await lastEvent(idp, 'token_request')).to.deep.include({
      status: 'success',
      username: 'alice',
      client_id: 'web',
      endpoint: '/token',
      details: { grant_type: 'password', authorities_count: 1 },
    });
    await token(idp, own);
    expect(await lastEvent(idp, 'token_request')).to.deep.include({
      status: 'success',
      username: null,
      client_id: 'web',
      details: { grant_type: 'client_credentials' },
    });
    await token(idp, { ...own, scope: 'admin' });
    expect(await lastEvent(idp, 'token_request')).to.deep.include({
      status: 'failed',
      username: null,
      details: {
        reason: sentences.scopeAdminUnsupported,
        refusal: 'scope_not_supported',
        rejected_scopes: ['admin'],
        grant_type: 'client_credentials',
      },
    });
    const foreign = await tokensFor(idp);
    await refresh(idp, foreign.refresh_token, {}, { Authorization: basic('open', 'open-secret') });
    expect(await lastEvent(idp, 'token_request')).to.deep.include({
      status: 'failed',
      client_id: 'open',
      details: {
        reason: 'The refresh token was issued to another client',
        refusal: 'refresh_token_of_another_client',
        bound_client: 'web',
        grant_type: 'refresh_token',
      },
    });
    const before = (await idp.audit('&event_type=token_request')).length;
    const device = await beginDevice(idp);
    expect((await pollDevice(idp, device.device_code)).body.error).to.equal('authorization_pending');
    expect(await idp.audit('&event_type=token_request')).to.have.length(before);
  });

  it('never writes a code, token or password into the audit', async () => {
    const code = await codeFor(idp);
    const answer = await redeemCode(idp, code);
    const device = await beginDevice(idp);
    await pollDevice(idp, device.device_code);
    await token(idp, { ...password, password: 'not-the-password' });
    const auditText = JSON.stringify(await idp.audit());
    for (const secret of [
      code,
      device.device_code,
      'not-the-password',
      'wonderland',
      String(answer.body.refresh_token),
    ]) {
      expect(auditText).not.to.contain(secret);
    }
  });
});
