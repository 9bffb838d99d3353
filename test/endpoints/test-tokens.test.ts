// The claims of a test token that a tester sets and removes (TTK-01 to TTK-06).
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { basic, claimsOf, postForm } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { registering } from '#test/support/worlds.ts';

describe('the claims of a test token', () => {
  let idp: RunningIdp;
  before(async () => {
    const claim_mappings = [{ claim: 'staff', from: 'groups', as: 'list', in: ['access_token', 'id_token'] }];
    idp = await startIdp({ command: 'oidc', world: registering, settings: { claim_mappings } });
  });
  after(() => idp.stop());

  async function made(body: object, path = '/api/users/alice/token') {
    const answer = await idp.api('POST', path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  }

  async function refused(body: object, path = '/api/users/alice/token') {
    const { status, body: answer } = await idp.api('POST', path, body);
    expect([status, answer.kind]).to.deep.equal([400, 'invalid']);
    return answer.error;
  }

  const userinfo = (token: string, base = '') =>
    fetch(`${idp.baseUrl}${base}/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
  const introspected = async (token: string) => {
    const headers = { Authorization: basic('web', 'web-secret') };
    return await (await postForm(`${idp.baseUrl}/introspect`, { token }, headers)).json();
  };

  verifies('TTK-01', 'are set and removed after mappings and extra, with any name and value', async () => {
    const { access_token: token } = await made({
      extra: { plan: 'tin' },
      set_claims: { plan: ['gold'], azp: 'app', staff: null, iss: 7, roles: ['ADMIN'] },
      remove_claims: ['groups', 'nbf', 'no_such_claim'],
    });
    const claims = claimsOf(token);
    expect(claims).to.deep.include({ plan: ['gold'], azp: 'app', staff: null, iss: 7, roles: ['ADMIN'], sub: 'alice' });
    expect(claims).not.to.have.any.keys('groups', 'nbf', 'no_such_claim');
    const raw = await idp.api('POST', '/api/users/alice/token', '{"set_claims":{"__proto__":{"a":1},"constructor":2}}');
    const [, payload = ''] = String(raw.body.access_token).split('.');
    expect(Buffer.from(payload, 'base64url').toString()).to.contain('"__proto__":{"a":1},"constructor":2');
  });

  verifies('TTK-01', 'are those of a client’s own token too', async () => {
    const body = { set_claims: { roles: ['Task.Read'] }, remove_claims: ['client_id'], audience: 'orders-api' };
    const claims = claimsOf((await made(body, '/api/clients/web/token')).access_token);
    expect(claims).to.deep.include({ sub: 'web', aud: 'orders-api', roles: ['Task.Read'] });
    expect(claims).not.to.have.property('client_id');
  });

  verifies('TTK-01', 'are rejected with a sentence when the change cannot be made', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`);
    expect(await refused({ set_claims: { a: 1 }, remove_claims: ['a'] })).to.equal(
      'The claim "a" is in set_claims and in remove_claims.',
    );
    expect(await refused({ set_claims: [] })).to.equal('set_claims must be an object.');
    expect(await refused({ remove_claims: 'tenant' })).to.equal('remove_claims must be a list of strings.');
    expect(await refused({ remove_claims: [7] })).to.equal('remove_claims.0 must be a string.');
    expect(await refused({ set_claims: { deep } })).to.equal('set_claims has more than 100 levels.');
    const rounded = await refused({ set_claims: { id: 2 ** 53 + 2 } });
    expect(rounded).to.match(/^The claim "id" in set_claims has a number/);
  });

  verifies('TTK-02', 'change in the ID token, and never in the refresh token', async () => {
    const whole = { client_id: 'web', scope: 'openid' };
    const { id_token, access_token, refresh_token } = await made({
      ...whole,
      set_claims: { sub: 'mallory' },
      id_token: { set_claims: { email: 'x@example.org', aud: 'other' }, remove_claims: ['staff'] },
    });
    expect(claimsOf(id_token)).to.include({ sub: 'alice', aud: 'other', email: 'x@example.org' });
    expect(claimsOf(id_token)).not.to.have.property('staff');
    expect(claimsOf(access_token)).to.include({ sub: 'mallory' });
    expect(claimsOf(refresh_token)).to.include({ sub: 'alice', aud: 'default', token_use: 'refresh' });
    expect(await refused({ id_token: { set_claims: { a: 1 } } })).to.equal(
      'id_token needs the scope openid. Without it no ID token is issued.',
    );
    expect(await refused({ scope: 'openid', id_token: { set_clams: {} } })).to.equal(
      'Unknown field "id_token.set_clams". Did you mean "id_token.set_claims"?',
    );
  });

  verifies('TTK-03', 'have any audience, but not together with resource', async () => {
    expect(claimsOf((await made({ audience: 'orders api' })).access_token).aud).to.equal('orders api');
    expect(claimsOf((await made({ audience: ['a', 'b'] })).access_token).aud).to.deep.equal(['a', 'b']);
    expect(await refused({ audience: 'a', resource: 'https://api.example' })).to.match(
      /^Send either audience or resource/,
    );
  });

  verifies('TTK-04', 'decide what our endpoints answer, under a usual signature', async () => {
    const { access_token: usual } = await made({ scope: 'openid' });
    expect((await userinfo(usual)).status).to.equal(200);
    const asBob = await made({ scope: 'openid', set_claims: { sub: 'bob' } });
    expect((await (await userinfo(asBob.access_token)).json()).sub).to.equal('bob');
    expect(await introspected(asBob.access_token)).to.include({ active: true, sub: 'bob' });
    const asNobody = await made({ scope: 'openid email', set_claims: { sub: 'no-such-user' } });
    expect(await (await userinfo(asNobody.access_token)).json()).to.deep.equal({ sub: 'no-such-user' });
    for (const set_claims of [{ exp: 1 }, { token_use: 'id' }, { aud: 'https://elsewhere' }]) {
      const { access_token: token } = await made({ scope: 'openid', set_claims });
      expect((await userinfo(token)).status, JSON.stringify(set_claims)).to.equal(401);
    }
    expect(await introspected((await made({ set_claims: { exp: 1 } })).access_token)).to.deep.equal({ active: false });
  });

  verifies('TTK-04', 'do not make a token of a sandbox valid elsewhere', async () => {
    await idp.api('POST', '/api/sandboxes', { name: 'box' });
    for (const changes of [{ remove_claims: ['jti'] }, { set_claims: { jti: 7 } }, { set_claims: { jti: 'own' } }]) {
      const { access_token: token } = await made({ scope: 'openid', ...changes }, '/s/box/api/users/alice/token');
      expect((await userinfo(token, '/s/box')).status, JSON.stringify(changes)).to.equal(200);
      expect((await userinfo(token)).status, JSON.stringify(changes)).to.equal(401);
    }
  });

  verifies('TTK-05', 'are fields of the page /test, which shows the request', async () => {
    const browser = newBrowser(idp);
    const page = await browser.post('/test', {
      username: 'alice',
      audience: 'orders-api',
      set_claims: '{"azp": "app"}',
      remove_claims: 'groups, roles',
    });
    const token = /<code id="shown-token">([^<]+)</.exec(page.body)?.[1] ?? '';
    expect(claimsOf(token)).to.include({ azp: 'app', aud: 'orders-api' }).and.not.have.any.keys('groups', 'roles');
    expect(page.text).to.include(
      `-d '{"audience":"orders-api","set_claims":{"azp":"app"},"remove_claims":["groups","roles"]}'`,
    );
    const wrong = await browser.post('/test', { username: 'alice', set_claims: '[1]' });
    expect(wrong.status).to.equal(400);
    expect(wrong.body).to.include('id="set_claims-error"');
  });

  verifies('TTK-06', 'are named in the audit event, without their values', async () => {
    await made({
      scope: 'openid',
      set_claims: { azp: 'secret-value' },
      remove_claims: ['groups'],
      id_token: { remove_claims: ['sub'] },
    });
    const [entry] = (await idp.audit('&event_type=token_request')).slice(-1);
    expect(entry?.details).to.deep.include({ set_claims: ['azp'], removed_claims: ['groups', 'id_token.sub'] });
    expect(JSON.stringify(entry)).not.to.contain('secret-value');
  });
});
