// Which tokens /userinfo accepts and which claims it returns.

import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { forgeToken } from '#test/support/forge-token.ts';
import { claimsOf, rawRequest } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  call,
  codeFor,
  lastEvent,
  postTo,
  redeemCode,
  refusalOf,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive, interactiveUsers } from '#test/support/worlds.ts';

const users = {
  ...interactiveUsers,
  gwen: {
    password: 'g',
    email: 'gwen@example.org',
    roles: ['USER', 'ADMIN'],
    groups: ['staff'],
    tenant: 'acme',
    identity_class: 'INTERNAL',
    entitlements: ['deploy'],
    source_acl: ['acl-1'],
    attributes: { locale: 'de', level: 3, empty: '' },
  },
  plain: { password: 'p' },
  web: { password: 'w', roles: ['ADMIN'] },
};
const gwen = { username: 'gwen', password: 'g' };

function expectInvalidToken(answer: Answer) {
  expect(refusalOf(answer)).to.deep.equal([401, 'invalid_token']);
  expect(answer.headers.get('www-authenticate')).to.equal('Bearer error="invalid_token"');
}

describe('/userinfo', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, users });
  });
  after(() => idp.stop());
  afterEach(() => idp.setClock(0));

  const tokenOf = async (login: Record<string, string>, form: Record<string, string> = {}) => {
    const answer = await token(idp, { grant_type: 'password', ...login, ...form });
    expect(answer.status, answer.text).to.equal(200);
    return String(answer.body.access_token);
  };

  verifies(
    ['UIN-01', 'UIN-08', 'UIN-10', 'UIN-11'],
    'returns exactly the claims that dev always returns, for GET and POST',
    async () => {
      const headers = { Authorization: `Bearer ${await tokenOf(gwen)}` };
      for (const method of ['GET', 'POST']) {
        const answer = await call(idp, '/userinfo', { method, headers });
        expect([answer.status, answer.body]).to.deep.equal([
          200,
          {
            sub: 'gwen',
            email: 'gwen@example.org',
            email_verified: true,
            preferred_username: 'gwen',
            roles: ['USER', 'ADMIN'],
            tenant: 'acme',
            groups: ['staff'],
            identity_class: 'INTERNAL',
            attributes: { locale: 'de', level: 3, empty: '' },
          },
        ]);
        expect(answer.headers.get('content-type')).to.equal('application/json');
        expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).to.deep.equal([
          'no-store',
          'no-cache',
        ]);
      }
    },
  );

  verifies('UIN-10', 'omits empty claims, but always includes roles and tenant', async () => {
    expect((await userinfo(idp, await tokenOf({ username: 'plain', password: 'p' }))).body).to.deep.equal({
      sub: 'plain',
      email: 'plain@example.org',
      email_verified: true,
      preferred_username: 'plain',
      roles: ['USER'],
      tenant: 'default',
    });
  });

  verifies('UIN-02', 'accepts the scheme in any case', async () => {
    const text = await tokenOf(gwen);
    for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
      expect((await call(idp, '/userinfo', { headers: { Authorization: `${scheme} ${text}` } })).status).to.equal(200);
    }
  });

  verifies('UIN-03', 'accepts a form field on POST, rejects both at once, and ignores the query', async () => {
    const text = await tokenOf(gwen);
    expect((await postTo(idp, '/userinfo', { access_token: text }, {})).body.sub).to.equal('gwen');
    const both = await postTo(idp, '/userinfo', { access_token: text }, { Authorization: `Bearer ${text}` });
    expect(refusalOf(both)).to.deep.equal([400, 'invalid_request']);
    // RFC 6750 §3
    expect(both.headers.get('www-authenticate')).to.equal('Bearer error="invalid_request"');
    const twice = await postTo(
      idp,
      '/userinfo',
      [
        ['access_token', text],
        ['access_token', text],
      ],
      {},
    );
    expect(refusalOf(twice)).to.deep.equal([400, 'invalid_request']);
    expectInvalidToken(await call(idp, `/userinfo?access_token=${text}`));
    expectInvalidToken(await call(idp, `/userinfo?access_token=${text}`, { method: 'POST' }));
    const json = {
      method: 'POST',
      body: JSON.stringify({ access_token: text }),
      headers: { 'Content-Type': 'application/json' },
    };
    expectInvalidToken(await call(idp, '/userinfo', json));
    const body = `access_token=${text}`;
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(Buffer.byteLength(body)),
    };
    expect((await rawRequest(`${idp.baseUrl}/userinfo`, { method: 'GET', headers, body })).status).to.equal(401);
  });

  verifies('UIN-04', 'rejects a request without a token', async () => {
    expectInvalidToken(await call(idp, '/userinfo'));
    expectInvalidToken(await call(idp, '/userinfo', { headers: web }));
  });

  verifies('UIN-04', 'rejects a malformed token', async () => {
    const text = await tokenOf(gwen);
    const [header, payload, signature = ''] = text.split('.');
    for (const bad of [
      '',
      'x',
      'a.b.c',
      `${text}.`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`,
    ]) {
      expectInvalidToken(await userinfo(idp, bad));
    }
  });

  verifies('UIN-04', 'rejects a token with another algorithm, with an unknown key or without exp', async () => {
    const text = await tokenOf(gwen);
    for (const alg of ['none', 'HS256', 'RS512']) {
      expectInvalidToken(await userinfo(idp, forgeToken(idp, claimsOf(text), { alg })));
    }
    expectInvalidToken(await userinfo(idp, forgeToken(idp, claimsOf(text), { kid: 'nobody' })));
    expectInvalidToken(await userinfo(idp, forgeToken(idp, { ...claimsOf(text), exp: undefined })));
  });

  verifies('UIN-04', 'rejects a revoked token', async () => {
    const text = await tokenOf(gwen);
    await postTo(idp, '/revoke', { token: text });
    expectInvalidToken(await userinfo(idp, text));
  });

  verifies('UIN-04', 'rejects an expired token', async () => {
    const another = await tokenOf(gwen, { exp: '1' });
    await idp.setClock(30_000);
    expect((await userinfo(idp, another)).status).to.equal(200);
    await idp.setClock(61_000);
    expectInvalidToken(await userinfo(idp, another));
  });

  verifies('UIN-05', 'rejects ID and refresh tokens, but accepts a signed token without token_use', async () => {
    const tokens = await tokensFor(idp);
    expectInvalidToken(await userinfo(idp, tokens.id_token));
    expect((await lastEvent(idp, 'userinfo_request'))?.details.token_use).to.equal('id');
    expectInvalidToken(await userinfo(idp, tokens.refresh_token));
    const claims = claimsOf(tokens.access_token ?? '');
    // Its token_use matters, not its audience.
    expectInvalidToken(await userinfo(idp, forgeToken(idp, { ...claims, token_use: 'id' })));
    const bare = forgeToken(idp, { ...claims, token_use: undefined });
    expect((await userinfo(idp, bare)).body.sub).to.equal('alice');
  });

  verifies('UIN-06', 'rejects a token for another audience', async () => {
    expectInvalidToken(await userinfo(idp, await tokenOf(gwen, { resource: 'https://api.example' })));
    expect((await userinfo(idp, await tokenOf(gwen, { resource: 'urn:x' }))).status).to.equal(401);
    const claims = claimsOf(await tokenOf(gwen));
    expect((await userinfo(idp, forgeToken(idp, { ...claims, aud: ['https://a/', 'default'] }))).status).to.equal(200);
    expectInvalidToken(await userinfo(idp, forgeToken(idp, { ...claims, aud: ['https://a/'] })));
    expectInvalidToken(await userinfo(idp, forgeToken(idp, { ...claims, aud: undefined })));
  });

  verifies(['CAM-10', 'UIN-06'], 'names the audiences of a token for another audience', async () => {
    const claims = claimsOf(await tokenOf(gwen));
    const returned = async (aud: unknown) => {
      const { error_description } = (await userinfo(idp, forgeToken(idp, { ...claims, aud }))).body;
      const { sent, expected } = (await lastEvent(idp, 'userinfo_request'))?.details ?? {};
      return [error_description, sent, expected];
    };
    const issuedFor = (whom: string) => `The token was issued for ${whom} instead of default.`;
    expect(await returned('urn:x')).to.deep.equal([issuedFor('another audience: urn:x'), 'urn:x', 'default']);
    const several = ['urn:y', 'urn:x'];
    expect(await returned(several)).to.deep.equal([issuedFor('another audience: urn:y, urn:x'), several, 'default']);
    expect(await returned(undefined)).to.deep.equal([issuedFor('no audience'), null, 'default']);
  });

  verifies('UIN-07', "returns only a subject for a client's own token and for a deleted user", async () => {
    const own = await token(idp, { grant_type: 'client_credentials' });
    expect((await userinfo(idp, String(own.body.access_token))).body).to.deep.equal({ sub: 'web' });
    expect((await userinfo(idp, await tokenOf({ username: 'web', password: 'w' }))).body).to.deep.equal({ sub: 'web' });
    const text = await tokenOf({ username: 'plain', password: 'p' });
    try {
      await idp.configure();
      expect((await userinfo(idp, text)).body).to.deep.equal({ sub: 'plain' });
    } finally {
      await idp.configure({ users });
    }
  });

  verifies(['UIN-09', 'PRF-09'], 'returns e-mail and profile by scope under the gated profiles', async () => {
    try {
      for (const profile of ['stricter-dev', 'oauth21']) {
        await idp.configure({ users, settings: { security_profile: profile } });
        const returned = async (scope: string) => {
          const answer = await redeemCode(idp, await codeFor(idp, pkce({ scope }), gwen), { code_verifier: verifier });
          expect(answer.status, answer.text).to.equal(200);
          return Object.keys((await userinfo(idp, String(answer.body.access_token))).body);
        };
        const always = ['sub', 'roles', 'tenant', 'groups', 'identity_class', 'attributes'];
        expect(await returned('openid'), profile).to.have.members(always);
        expect(await returned('email'), profile).to.have.members([...always, 'email', 'email_verified']);
        expect(await returned('openid profile'), profile).to.have.members([...always, 'preferred_username']);
        expect(await returned('profile email'), profile).to.have.members([
          ...always,
          'email',
          'email_verified',
          'preferred_username',
        ]);
      }
    } finally {
      await idp.configure({ users });
    }
  });

  verifies(
    ['UIN-11', 'UIN-12'],
    'returns a requested claim of the user regardless of scope, and changes nothing else',
    async () => {
      const wanted = {
        email: null,
        preferred_username: { essential: true },
        entitlements: null,
        source_acl: null,
        authorities: null,
        locale: null,
        level: null,
        empty: null,
        sub: null,
        roles: null,
        made_up: null,
      };
      const claims = JSON.stringify({ userinfo: wanted });
      const ask = async () => {
        const answer = await redeemCode(idp, await codeFor(idp, pkce({ scope: 'openid', claims }), gwen), {
          code_verifier: verifier,
        });
        return (await userinfo(idp, String(answer.body.access_token))).body;
      };
      try {
        await idp.configure({ users, settings: { security_profile: 'oauth21' } });
        const expected = {
          sub: 'gwen',
          roles: ['USER', 'ADMIN'],
          tenant: 'acme',
          groups: ['staff'],
          identity_class: 'INTERNAL',
          attributes: { locale: 'de', level: 3, empty: '' },
          email: 'gwen@example.org',
          preferred_username: 'gwen',
          entitlements: ['deploy'],
          locale: 'de',
          level: 3,
        };
        expect(await ask()).to.deep.equal(expected);
        await idp.configure({ users });
        expect(await ask()).to.deep.equal({ ...expected, email_verified: true });
      } finally {
        await idp.configure({ users });
      }
    },
  );

  it('records each request with user and client', async () => {
    const text = await tokenOf(gwen);
    await userinfo(idp, text);
    expect(await lastEvent(idp, 'userinfo_request')).to.deep.include({
      status: 'success',
      username: 'gwen',
      client_id: 'web',
      endpoint: '/userinfo',
      details: {},
    });
    const own = await token(idp, { grant_type: 'client_credentials' });
    await userinfo(idp, String(own.body.access_token));
    expect(await lastEvent(idp, 'userinfo_request')).to.deep.include({ username: null, client_id: 'web' });
    await userinfo(idp, 'x');
    expect(await lastEvent(idp, 'userinfo_request')).to.deep.include({
      status: 'failed',
      username: null,
      client_id: null,
      details: {
        reason: sentences.tokenNotSignedJwt,
        refusal: 'token_malformed',
      },
    });
  });
});

const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

function pkce(parameters: Record<string, string>): Record<string, string> {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  return { code_challenge: challenge, code_challenge_method: 'S256', ...parameters };
}
