// What makes a presented token invalid, identically at every endpoint that accepts tokens. An independent implementation
// creates the tokens with the server's own key.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, postTo, token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

describe('presented tokens', () => {
  let idp: RunningIdp;
  let privateKey: KeyObject;
  let kid: string;
  before(async () => {
    idp = await startIdp({ command: 'oidc' });
    const read = (name: string) => readFileSync(join(idp.root, 'keys', name), 'utf8');
    privateKey = createPrivateKey(read('rsa_private.pem'));
    kid = read('kid.txt').trim();
  });
  after(() => idp.stop());

  const claims = { sub: 'alice', aud: 'default', client_id: 'web', token_use: 'access', jti: 'family.one' };
  const refreshClaims = { ...claims, token_use: 'refresh', token_type: 'refresh', rt_family: 'family', jti: 'two' };

  function made(payload: object, { alg = 'RS256', exp = true }: { alg?: string; exp?: boolean } = {}): Promise<string> {
    const jwt = new SignJWT({ ...payload }).setProtectedHeader({ alg, typ: 'JWT', kid }).setIssuedAt();
    if (exp) jwt.setExpirationTime('5m');
    return jwt.sign(alg === 'HS256' ? Buffer.from('a secret of at least 32 bytes length') : privateKey);
  }

  function unsigned(payload: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...payload, exp: 4_000_000_000 })}.`;
  }

  const userinfo = (bearer: string) => call(idp, '/userinfo', { headers: { Authorization: `Bearer ${bearer}` } });
  const introspect = (presented: string) => postTo(idp, '/introspect', { token: presented });
  const refresh = (presented: string) => token(idp, { grant_type: 'refresh_token', refresh_token: presented });

  verifies('CLM-07', 'are invalid everywhere with another alg or without exp', async () => {
    expect((await userinfo(await made(claims))).status).to.equal(200);
    expect((await introspect(await made(claims))).body.active).to.equal(true);
    expect((await refresh(await made(refreshClaims))).status).to.equal(200);
    const variants = [
      (payload: object) => Promise.resolve(unsigned(payload)),
      (payload: object) => made(payload, { alg: 'HS256' }),
      (payload: object) => made(payload, { alg: 'RS384' }),
      (payload: object) => made(payload, { exp: false }),
    ];
    for (const variant of variants) {
      const bad = await variant(claims);
      expect((await userinfo(bad)).status).to.equal(401);
      expect((await introspect(bad)).body).to.deep.equal({ active: false });
      const answer = await refresh(await variant(refreshClaims));
      expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_grant']);
    }
  });

  verifies('CLM-08', 'are accepted with any issuer', async () => {
    expect((await userinfo(await made({ ...claims, iss: 'https://elsewhere.example' }))).status).to.equal(200);
  });

  verifies(
    'CLM-17',
    'belong to the client if subject and client are the same, even if a user has that name',
    async () => {
      const own = await made({ ...claims, sub: 'alice', client_id: 'alice' });
      expect((await userinfo(own)).body).to.deep.equal({ sub: 'alice' });
      expect((await introspect(own)).body).not.to.have.property('username');
    },
  );

  verifies(['CLM-01', 'CLM-02'], 'name the key of this server by the published kid', async () => {
    const { body } = await token(idp, { grant_type: 'client_credentials' });
    const [header = ''] = String(body.access_token).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))).to.deep.equal({
      alg: 'RS256',
      typ: 'JWT',
      kid,
    });
  });
});
