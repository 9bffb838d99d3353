// What faults guarantee: they live as long as the store, delay no other request and can always be removed.
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { faultOf, noFaults, rawRequest, setFault } from '#test/support/faults.ts';
import { basic } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { beginDevice, call, introspect, isActive, pollDevice, token, tokensFor } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const jwks = '/.well-known/jwks.json';

describe('a fault', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  verifies('FLT-09', 'expires by real time', async () => {
    const lasting = await setFault(idp, 'status', { at: 'jwks', ttl_seconds: 86_400 });
    const { created_at, expires_at } = (await idp.api('GET', `/api/faults/${lasting.id}`)).body;
    expect(Date.parse(expires_at) - Date.parse(created_at)).to.equal(86_400_000);
    expect((await call(idp, jwks)).status).to.equal(500);
    const short = await setFault(idp, 'status', { at: 'jwks', times: 0, ttl_seconds: 1 });
    const end = Date.parse((await idp.api('GET', `/api/faults/${short.id}`)).body.expires_at);
    while ((await call(idp, jwks)).status === 500);
    expect(Date.now()).to.be.at.least(end);
  });

  verifies('FLT-14', 'is limited to 1000 that can still fire', async () => {
    await idp.withStore(async ({ faults }) => {
      for (let number = 0; number < 999; number += 1) {
        const order = { fault: 'status', at: ['revoke'], when: {}, times: 1, parameters: {} } as const;
        await faults.create({ ...order, id: `f${number}`, ttl_seconds: null, quiet: false, unknownKey: undefined });
      }
    });
    const last = await setFault(idp, 'status', { at: 'jwks' });
    const refused = await idp.api('POST', '/api/faults', { fault: 'status' });
    expect([refused.status, refused.body.kind]).to.deep.equal([429, 'fault_limit']);
    expect((await call(idp, jwks)).status).to.equal(500);
    await setFault(idp, 'status', { at: 'jwks' });
    expect((await idp.api('GET', `/api/faults/${last.id}`)).status).to.equal(404);
    expect((await idp.api('GET', '/api/faults')).body.count).to.equal(1000);
  });

  verifies('FLT-23', 'serves the material that its token or document refers to, and counts fetches', async () => {
    for (const name of ['token_header_jku', 'token_header_x5u', 'saml_external_entity']) {
      const fault = await setFault(idp, name);
      const path = `/api/faults/${fault.id}/material`;
      expect(fault.fetches, name).to.equal(0);
      expect((await call(idp, path)).status).to.equal(200);
      expect((await call(idp, path)).text).to.match(name === 'token_header_jku' ? /"kty":"RSA"/ : /\S/);
      expect((await faultOf(idp, fault)).fetches).to.equal(2);
    }
    const { id, ...plain } = await setFault(idp, 'status');
    expect(plain).not.to.have.property('fetches');
    expect((await call(idp, `/api/faults/${id}/material`)).status).to.equal(404);
  });

  verifies(['FLT-23', 'HDR-23'], 'serves its material at every name that issues tokens', async () => {
    const fault = await setFault(idp, 'token_header_jku');
    const Host = `idp.test:${new URL(idp.baseUrl).port}`;
    const form = 'grant_type=password&username=alice&password=wonderland&scope=openid';
    const type = 'application/x-www-form-urlencoded';
    const asked = await rawRequest(idp, 'POST', '/token', { Host, ...web, 'Content-Type': type }, form);
    const { jku } = decodeProtectedHeader(JSON.parse(asked.body.toString()).id_token);
    const { host, pathname } = new URL(jku ?? '');
    expect(host).to.equal(Host);
    const material = await rawRequest(idp, 'GET', pathname, { Host });
    expect(JSON.parse(material.body.toString()).keys).to.have.length(1);
    expect((await faultOf(idp, fault)).fetches).to.equal(1);
    const list = await rawRequest(idp, 'GET', '/api/faults', { Host });
    expect(list.head).to.match(/^HTTP\/1.1 421/);
  });

  verifies('FLT-24', 'leaves the paths unchanged by which it can be removed', async () => {
    for (const fault of ['status', 'reset_connection']) await setFault(idp, fault, { times: 0 });
    for (const path of ['/api/faults', '/api/health', '/health', '/', '/faults', '/login']) {
      expect((await call(idp, path)).status, path).to.equal(200);
    }
    expect((await rawRequest(idp, 'GET', jwks)).head).to.contain('500');
  });

  verifies('FLT-21', 'accepts nothing that is rejected without it', async () => {
    await setFault(idp, 'cacheable_answer', { times: 0 });
    await setFault(idp, 'token_expired', { times: 0 });
    const wrong = await token(
      idp,
      { grant_type: 'client_credentials', client_secret: 'x' },
      {
        Authorization: basic('web', 'wrong'),
      },
    );
    expect(wrong.status).to.equal(401);
    expect((await introspect(idp, 'no.such.token')).body.active).to.equal(false);
    const page = await newBrowser(idp).post(authorizePath(), { ...alice, password: 'wrong' });
    expect(page.location).to.equal(null);
    await noFaults(idp);
    await setFault(idp, 'token_expired', { parameters: { token: 'access_token' } });
    const { access_token } = await tokensFor(idp, { scope: 'openid' });
    expect(await isActive(idp, access_token)).to.equal(false);
  });

  verifies('FLT-25', 'delays its own response and no other', async () => {
    const fault = await setFault(idp, 'hang', { at: 'jwks', times: 20, parameters: { seconds: 120 } });
    const gone = new AbortController();
    let ended = 0;
    const hanging = Array.from({ length: 20 }, async () => {
      const { bytes } = await rawRequest(idp, 'GET', jwks, {}, '', gone.signal);
      ended += 1;
      return bytes.length;
    });
    while ((await faultOf(idp, fault)).hits < 20);
    for (let request = 0; request < 20; request += 1) {
      expect((await call(idp, '/.well-known/openid-configuration')).status).to.equal(200);
    }
    expect(ended).to.equal(0);
    gone.abort();
    expect(await Promise.all(hanging)).to.deep.equal(Array.from(hanging, () => 0));
  });

  verifies('FLT-22', 'names only addresses of the server itself or below .example', async () => {
    const { faults } = (await idp.api('GET', '/api/faults/catalogue')).body;
    for (const { name, effect } of faults) {
      for (const [address] of effect.matchAll(/https?:\/\/[^\s`]+/g)) {
        expect(new URL(address.replace(/[.,]+$/, '')).hostname, name).to.match(/\.example$/);
      }
    }
    await setFault(idp, 'redirect_answer');
    expect((await token(idp, { grant_type: 'client_credentials' })).headers.get('location')).to.equal(
      `${idp.baseUrl}/`,
    );
  });

  verifies(['FLT-26', 'FLT-K128'], 'works the same in every security profile', async () => {
    for (const profile of ['stricter-dev', 'oauth21']) {
      const strict = await startIdp({ world: interactive, args: ['--profile', profile] });
      try {
        const fault = await setFault(strict, 'access_token_missing');
        const { body } = await token(strict, { grant_type: 'client_credentials' });
        expect(body, profile).to.have.property('token_type').and.not.to.have.property('access_token');
        expect(await faultOf(strict, fault)).to.include({ hits: 1 });
        // These profiles limit the polling rate. The interval counts from the poll that got slow_down.
        const { device_code } = await beginDevice(strict, { scope: 'openid' });
        await setFault(strict, 'device_slow_down');
        for (const marked of [true, false]) {
          const poll = await pollDevice(strict, device_code);
          expect([poll.body.error, poll.headers.has('X-Test-Idp-Fault')]).to.deep.equal(['slow_down', marked]);
        }
      } finally {
        await strict.stop();
      }
    }
  });
});

describe('faults of a stack', () => {
  verifies('FLT-25', 'are cut short when the stack ends', async () => {
    const stack = await startIdp();
    await setFault(stack, 'hang', { at: ['jwks', 'saml_metadata'], times: 0, parameters: { seconds: 120 } });
    const hanging = [rawRequest(stack, 'GET', jwks), rawRequest(stack, 'GET', '/saml/metadata')];
    while ((await stack.api('GET', '/api/faults')).body.faults[0].hits < 2);
    // The stack ends on its own, without being killed.
    expect(await stack.stop()).to.equal(0);
    await Promise.all(hanging);
  });
});
