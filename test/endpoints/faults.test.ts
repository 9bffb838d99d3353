// Setting faults, and which requests they apply to.

import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { faultOf, headerOf, noFaults, rawRequest, setFault } from '#test/support/faults.ts';
import { makeSandbox, type NamespaceUnderTest, namespaceAt } from '#test/support/sandboxes.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, codeFor, redeemCode, token, tokensFor, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

describe('faults', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  const own = (form: Record<string, string> = {}) => token(idp, { grant_type: 'client_credentials', ...form });
  const refused = async (order: object) => {
    const { status, body } = await idp.api('POST', '/api/faults', order);
    return [status, body.kind, body.error];
  };
  const openid = { scope: 'openid' };

  describe('are set', () => {
    verifies(['FLT-01', 'FLT-03', 'FLT-08'], 'with every default in the response', async () => {
      const { body } = await idp.api('POST', '/api/faults', { fault: 'cacheable_answer' });
      const { id, created_at, ...rest } = body;
      expect(rest).to.deep.equal({
        ...{ fault: 'cacheable_answer', at: ['token', 'userinfo', 'introspect'], when: {}, parameters: {} },
        ...{ times: 1, remaining: 1, hits: 0, quiet: false, origin: 'runtime', expires_at: null },
      });
      expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect((await idp.api('GET', `/api/faults/${id}`)).body).to.deep.equal(body);
      for (const times of [0, 'always']) {
        expect(await setFault(idp, 'status', { times })).to.include({ remaining: null });
      }
    });

    verifies('FLT-02', 'by a name of the catalogue, and the nearest names are suggested', async () => {
      const [status, kind, error] = await refused({ fault: 'truncated_bodi' });
      expect([status, kind]).to.deep.equal([400, 'unknown_fault']);
      expect(error).to.contain('truncated_body');
    });

    verifies(
      ['FLT-03', 'FLT-06', 'FLT-08', 'FLT-09', 'FLT-10'],
      'within bounds, and the invalid member is named',
      async () => {
        const wrong: readonly (readonly [object, string])[] = [
          [{ fault: 'cacheable_answer', at: 'jwks' }, 'at'],
          [{ fault: 'status', at: 'health' }, 'at'],
          [{ fault: 'status', times: 1_000_001 }, 'times'],
          [{ fault: 'status', ttl_seconds: 0 }, 'ttl_seconds'],
          [{ fault: 'status', ttl_seconds: 86_401 }, 'ttl_seconds'],
          [{ fault: 'status', parameters: { status: 200 } }, 'parameters.status'],
          [{ fault: 'status', parameters: { delay_ms: 60_001 } }, 'parameters.delay_ms'],
          [{ fault: 'status', parameters: { mood: 1 } }, 'parameters.mood'],
          [{ fault: 'status', when: { nth: 0 } }, 'when.nth'],
          [{ fault: 'status', when: { colour: 'red' } }, 'when.colour'],
          [{ fault: 'status', mood: 1 }, 'mood'],
          [{ fault: 'status', at: ['jwk'] }, 'at must be one or a list of discovery, jwks, authorize'],
          [{ fault: 'status', times: 'ever' }, 'times must be a whole number from 0 to 1000000 or "always"'],
          [{ fault: 'status', at: ['discovery', 'jwks'], when: { client_id: 'web' } }, 'when.client_id'],
          [{ fault: 'status', at: ['saml_sso', 'saml_attribute_query'], when: { client_id: 'web' } }, 'when.client_id'],
          [{ fault: 'saml_xsw3', when: { client_id: 'web' } }, 'when.client_id'],
          [{ fault: 'status', at: 'saml_metadata', when: { username: 'alice' } }, 'when.username'],
          [{ fault: 'status', at: 'userinfo', when: { grant_type: 'password' } }, 'when.grant_type'],
          [{ fault: 'status', at: 'token', when: { sp: 'x' } }, 'when.sp'],
          [{ fault: 'status', at: ['register', 'device_authorization'], when: { username: 'alice' } }, 'when.username'],
          [{ fault: 'status', when: { sp: 'a', client_id: 'b' } }, 'client_id and sp together'],
          [
            { fault: 'status', at: ['saml_sso', 'token'], when: { sp: 'a', grant_type: 'b' } },
            'grant_type and sp together',
          ],
          [
            { fault: 'status', at: 'token', when: { grant_type: 'client_credentials', username: 'alice' } },
            'when.username',
          ],
          [{ fault: 'status', at: 'token', when: { scope: 'a b' } }, 'when.scope'],
          [{ fault: 'status', when: { header: { name: 'a b' } } }, 'when.header.name'],
        ];
        for (const [order, place] of wrong) {
          const [status, kind, error] = await refused(order);
          expect([status, kind], place).to.deep.equal([400, 'invalid']);
          expect(error).to.contain(place);
        }
        for (const order of [[], { fault: 'status', when: 5 }])
          expect((await refused(order))[2]).to.contain('must be an object');
        expect((await refused([]))[0]).to.equal(400);
        expect((await idp.api('GET', '/api/faults')).body).to.deep.equal({ faults: [], count: 0 });
      },
    );

    verifies(['FLT-11', 'FLT-13', 'FLT-30'], 'and listed in order, and removed', async () => {
      const [first, second] = [await setFault(idp, 'status', { at: 'jwks' }), await setFault(idp, 'delay')];
      await call(idp, '/.well-known/jwks.json');
      const { faults, count } = (await idp.api('GET', '/api/faults')).body;
      expect(count).to.equal(2);
      expect(faults.map(({ id, remaining }: typeof first) => [id, remaining])).to.deep.equal([
        [first.id, 0],
        [second.id, 1],
      ]);
      const removal = await idp.api('DELETE', `/api/faults/${second.id}`);
      expect([removal.status, removal.body]).to.deep.equal([200, { deleted: second.id }]);
      expect((await idp.api('DELETE', `/api/faults/${second.id}`)).body.kind).to.equal('not_found');
      expect((await idp.api('GET', `/api/faults/${second.id}`)).status).to.equal(404);
      expect((await idp.api('DELETE', '/api/faults')).body).to.deep.equal({ deleted: 1 });
      const events = (await idp.audit()).filter(({ event_type }) => event_type.startsWith('fault_'));
      expect(events.slice(-5).map(({ event_type, details }) => [event_type, details.name, details.id])).to.deep.equal([
        ['fault_created', 'status', first.id],
        ['fault_created', 'delay', second.id],
        ['fault_fired', 'status', first.id],
        ['fault_deleted', 'delay', second.id],
        ['fault_deleted', 'status', first.id],
      ]);
    });

    verifies('FLT-12', 'from a catalogue that describes every fault completely', async () => {
      const { faults, count } = (await idp.api('GET', '/api/faults/catalogue')).body;
      expect(count).to.equal(faults.length);
      expect(faults.find(({ name }: { name: string }) => name === 'hang')).to.deep.include({
        ...{ phase: 'before', correct_client: 'recover', source: '(A)' },
        parameters: [
          {
            name: 'seconds',
            type: 'integer',
            description: 'Duration in seconds.',
            default: 60,
            minimum: 1,
            maximum: 120,
          },
          {
            ...{ name: 'delay_ms', type: 'integer', default: 0, minimum: 0, maximum: 60_000 },
            description: 'Delay of the response, in milliseconds.',
          },
        ],
      });
    });
  });

  describe('fire', () => {
    verifies(['FLT-04', 'FLT-05'], 'on requests that match all conditions', async () => {
      const fault = await setFault(idp, 'token_expired', {
        when: { username: 'alice', client_id: 'web', scope: 'openid', grant_type: 'authorization_code' },
      });
      const code = await codeFor(idp, openid);
      expect((await own()).status).to.equal(200);
      expect(await faultOf(idp, fault)).to.include({ hits: 0 });
      await redeemCode(idp, code);
      expect(await faultOf(idp, fault)).to.include({ hits: 1, remaining: 0 });
      const marked = await setFault(idp, 'status', { when: { header: { name: 'X-Mark', value: 'a' } }, at: 'jwks' });
      expect((await call(idp, '/.well-known/jwks.json', { headers: { 'x-mark': 'b' } })).status).to.equal(200);
      expect((await call(idp, '/.well-known/jwks.json', { headers: { 'x-mark': 'a' } })).status).to.equal(500);
      expect(await faultOf(idp, marked)).to.include({ hits: 1 });
      await setFault(idp, 'status', { when: { parameter: { name: 'resource' } }, at: 'token' });
      expect((await own()).status).to.equal(200);
      expect((await own({ resource: 'https://api.example' })).status).to.equal(500);
    });

    verifies('FLT-07', 'from the nth matching request on', async () => {
      await setFault(idp, 'status', { at: 'token', when: { client_id: 'web', nth: 3 }, times: 2 });
      const seen = [];
      for (let request = 1; request <= 5; request += 1) seen.push((await own()).status);
      expect(seen).to.deep.equal([200, 200, 500, 500, 200]);
    });

    verifies('FLT-10', 'after delay_ms, for every fault', async () => {
      await setFault(idp, 'status', { at: 'token', parameters: { delay_ms: 250 } });
      const began = performance.now();
      expect((await own()).status).to.equal(500);
      expect(performance.now() - began).to.be.greaterThan(245);
    });

    verifies('FLT-16', 'one at a time, in order of creation', async () => {
      const first = await setFault(idp, 'token_expired');
      const second = await setFault(idp, 'access_token_missing');
      const third = await setFault(idp, 'cacheable_answer', { at: 'token' });
      const answers = [
        await redeemCode(idp, await codeFor(idp, openid)),
        await redeemCode(idp, await codeFor(idp, openid)),
        await redeemCode(idp, await codeFor(idp, openid)),
      ];
      const names = answers.map(({ headers }) => headers.get('X-Test-Idp-Fault'));
      expect(names).to.deep.equal(['token_expired', 'access_token_missing', 'cacheable_answer']);
      for (const fault of [first, second, third]) expect(await faultOf(idp, fault)).to.include({ hits: 1 });
    });

    verifies('FLT-16', 'in place of the endpoint, although an earlier fault has no part to change', async () => {
      const first = await setFault(idp, 'token_expired', { times: 0 });
      const second = await setFault(idp, 'status', { at: 'token' });
      expect((await own()).status, 'no ID token is requested').to.equal(500);
      const code = await codeFor(idp, { scope: 'email' });
      await setFault(idp, 'status', { at: 'token' });
      expect((await redeemCode(idp, code)).status).to.equal(500);
      expect((await redeemCode(idp, code)).status, 'the code was not used up').to.equal(200);
      expect([(await faultOf(idp, first)).hits, (await faultOf(idp, second)).hits]).to.deep.equal([0, 1]);
    });

    verifies('FLT-17', 'only on responses that have the affected part', async () => {
      const fault = await setFault(idp, 'token_expired');
      expect((await own()).status).to.equal(200);
      expect((await token(idp, { grant_type: 'authorization_code', code: 'x', redirect_uri: 'y' })).status).to.equal(
        400,
      );
      expect(await faultOf(idp, fault)).to.include({ hits: 0, remaining: 1 });
    });

    verifies('FLT-19', 'before anything is used up', async () => {
      const code = await codeFor(idp, openid);
      await setFault(idp, 'status', { at: 'token' });
      expect((await redeemCode(idp, code)).status).to.equal(500);
      expect((await redeemCode(idp, code)).status).to.equal(200);
    });

    verifies(['FLT-28', 'FLT-29'], 'visibly in header and audit', async () => {
      const fault = await setFault(idp, 'access_token_missing');
      const answer = await own();
      expect(answer.headers.get('X-Test-Idp-Fault')).to.equal('access_token_missing');
      const entry = (await idp.audit('&event_type=token_request')).at(-1);
      expect(entry?.details.fault).to.deep.equal({ name: 'access_token_missing', id: fault.id });
      await setFault(idp, 'access_token_missing', { quiet: true });
      const quiet = await own();
      expect([quiet.body.access_token, quiet.headers.get('X-Test-Idp-Fault')]).to.deep.equal([undefined, null]);
      expect((await own()).headers.get('X-Test-Idp-Fault')).to.equal(null);
    });
  });

  verifies(
    'FLT-K019',
    'with an error for the client of an authorization request, whose login then continues',
    async () => {
      const browser = newBrowser(idp);
      await setFault(idp, 'oauth_error', { at: 'authorize', parameters: { error: 'temporarily_unavailable' } });
      const refusal = await browser.get(authorizePath({ state: 'mine' }));
      const location = new URL(refusal.location ?? '');
      expect(location.origin + location.pathname).to.equal(callback);
      expect(Object.fromEntries(location.searchParams)).to.deep.equal({
        ...{ error: 'temporarily_unavailable', error_description: sentences.errorByFault, state: 'mine' },
      });
      expect(refusal.headers.get('X-Test-Idp-Fault')).to.equal('oauth_error');
      expect((await browser.get(authorizePath({ client_id: 'nobody' }))).status).to.equal(400);
      const page = await browser.get(authorizePath({ state: 'mine' }));
      await setFault(idp, 'oauth_error', { at: 'authorize', when: { username: 'alice' } });
      expect(new URL((await browser.submit(page, alice)).location ?? '').searchParams.has('error')).to.equal(true);
      expect(new URL((await browser.submit(page, alice)).location ?? '').searchParams.has('code')).to.equal(true);
    },
  );

  verifies('FLT-K023', 'with a missing state', async () => {
    const fault = await setFault(idp, 'state_missing');
    const page = await newBrowser(idp).post(authorizePath({ state: 'mine' }), alice);
    const parameters = new URL(page.location ?? '').searchParams;
    expect([parameters.has('state'), parameters.has('code')]).to.deep.equal([false, true]);
    expect(await faultOf(idp, fault)).to.include({ hits: 1 });
  });

  verifies('FLT-K037', 'with an expired but validly signed token', async () => {
    const right = decodeJwt(String((await tokensFor(idp, openid)).id_token));
    await setFault(idp, 'token_expired');
    const { id_token, access_token } = await tokensFor(idp, openid);
    const { exp = 0, iat = 0, nbf, auth_time, sub, iss } = decodeJwt(String(id_token));
    const now = Date.now() / 1000;
    expect([now - exp > 3595, now - exp < 3700, exp - iat, nbf, auth_time]).to.deep.equal([true, true, 3600, iat, iat]);
    expect([sub, iss]).to.deep.equal([right.sub, right.iss]);
    expect((await userinfo(idp, access_token)).status).to.equal(200);
    await setFault(idp, 'token_expired', { parameters: { token: 'access_token' } });
    const expired = await tokensFor(idp, openid);
    expect((await userinfo(idp, expired.access_token)).status).to.equal(401);
  });

  verifies('FLT-K085', 'without an access token', async () => {
    await setFault(idp, 'access_token_missing');
    const { body } = await redeemCode(idp, await codeFor(idp, openid));
    expect(body).to.have.property('id_token');
    expect(body).not.to.have.property('access_token');
  });

  verifies('FLT-K104', 'with another issuer in the discovery document', async () => {
    const path = '/.well-known/openid-configuration';
    const right = await call(idp, path);
    await setFault(idp, 'discovery_issuer_mismatch');
    const answer = await call(idp, path);
    expect(answer.body).to.deep.equal({ ...right.body, issuer: 'https://attacker.example' });
    expect(answer.headers.get('etag')).to.match(/^"/);
    expect((await call(idp, path)).body).to.deep.equal(right.body);
  });
});

describe('faults of the whole stack', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  verifies(['FLT-K003', 'FLT-K007', 'FLT-K014', 'FLT-K002'], 'break connections behind the relay too', async () => {
    const ask = () => rawRequest(idp, 'GET', '/saml/metadata');
    const right = await ask();
    await setFault(idp, 'reset_connection', { at: 'saml_metadata' });
    const reset = await ask();
    expect([reset.bytes.length, reset.ended]).to.deep.equal([0, 'ECONNRESET']);
    await setFault(idp, 'truncated_body', { at: 'saml_metadata' });
    const half = await ask();
    expect(headerOf(half, 'Content-Length')).to.equal(String(right.body.length));
    expect(half.body).to.deep.equal(right.body.subarray(0, Math.floor(right.body.length / 2)));
    expect(half.head.toLowerCase()).not.to.contain('x-test-idp-delivery');
    await setFault(idp, 'wrong_content_length', { at: 'saml_metadata' });
    const short = await ask();
    expect([headerOf(short, 'Content-Length'), short.body.length]).to.deep.equal([
      String(right.body.length - 10),
      right.body.length,
    ]);
    await setFault(idp, 'hang', { at: 'saml_metadata', parameters: { seconds: 1 } });
    const hung = await ask();
    expect([hung.bytes.length, hung.ended, hung.milliseconds > 990]).to.deep.equal([0, 'end', true]);
    expect((await ask()).body).to.deep.equal(right.body);
  });

  verifies(['FLT-04', 'FLT-06'], 'distinguish service providers', async () => {
    const request = (issuer: string) =>
      `<p:AuthnRequest xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0" IssueInstant="2026-01-01T00:00:00Z" AssertionConsumerServiceURL="https://sp.example/acs"><a:Issuer>${issuer}</a:Issuer></p:AuthnRequest>`;
    const begin = (issuer: string) =>
      call(idp, `/saml/sso?SAMLRequest=${encodeURIComponent(deflateRawSync(request(issuer)).toString('base64'))}`);
    await setFault(idp, 'status', { when: { sp: 'https://one.example' }, times: 0 });
    expect((await begin('https://one.example')).status).to.equal(500);
    expect((await begin('https://two.example')).status).to.equal(200);
  });

  verifies('FLT-15', 'fire at every front end of the default identity provider and in no sandbox', async () => {
    expect((await idp.api('POST', '/api/sandboxes', { name: 'box' })).status).to.equal(201);
    await setFault(idp, 'status', { at: ['jwks', 'saml_metadata'], times: 0 });
    const statuses = async (prefix: string) => [
      (await call(idp, `${prefix}/.well-known/jwks.json`)).status,
      (await call(idp, `${prefix}/saml/metadata`)).status,
    ];
    expect(await statuses('')).to.deep.equal([500, 500]);
    expect(await statuses('/s/box')).to.deep.equal([200, 200]);
    await noFaults(idp);
    const made = await idp.api('POST', '/s/box/api/faults', {
      fault: 'status',
      at: ['jwks', 'saml_metadata'],
      times: 0,
    });
    expect(made.status).to.equal(201);
    expect(await statuses('')).to.deep.equal([200, 200]);
    expect(await statuses('/s/box')).to.deep.equal([500, 500]);
    expect((await idp.api('GET', '/api/faults')).body.count).to.equal(0);
    expect((await idp.api('GET', '/s/box/api/faults')).body.count).to.equal(1);
  });

  verifies(
    ['FLT-15', 'FLT-K003', 'FLT-K004', 'FLT-K103'],
    'stay within one sandbox, even if they rotate a key',
    async () => {
      const own = await makeSandbox(idp, { keys: 'own' });
      const other = await makeSandbox(idp, { keys: 'own' });
      const home = namespaceAt(idp, '');
      const all = [home, own, other];
      const kids = async ({ get }: NamespaceUnderTest) =>
        (await get('/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid);
      const issued = ({ post }: NamespaceUnderTest) => post('/token', { grant_type: 'client_credentials' });

      const before = await Promise.all(all.map(kids));
      const rotation = await setFault(own, 'key_rotated_before_signing');
      for (const one of [home, other]) expect((await issued(one)).status).to.equal(200);
      const { body } = await issued(own);
      expect(await faultOf(own, rotation)).to.include({ hits: 1, remaining: 0 });
      const [homeKids, ownKids, otherKids] = await Promise.all(all.map(kids));
      expect([homeKids, otherKids]).to.deep.equal([before[0], before[2]]);
      expect(ownKids)
        .to.include.members(before[1] ?? [])
        .and.to.have.length(2);
      expect(decodeProtectedHeader(body.access_token).kid).to.equal(ownKids[0]);
      expect(before[1]).not.to.include(ownKids[0]);

      await setFault(own, 'status', { at: 'token', times: 0 });
      const statuses = async () => Promise.all(all.map(async (one) => (await issued(one)).status));
      expect(await statuses()).to.deep.equal([200, 500, 200]);
      await noFaults(own);
      await setFault(other, 'reset_connection', { at: 'token' });
      expect((await rawRequest(idp, 'POST', '/token', {}, 'grant_type=none')).head).to.contain('400');
      expect((await rawRequest(idp, 'POST', `${other.prefix}/token`, {}, 'x')).ended).to.equal('ECONNRESET');
      // A sandbox with shared keys gets its own keys by this rotation, as by any other.
      const shared = await makeSandbox(idp);
      await setFault(shared, 'key_rotated_before_signing');
      const { kid } = decodeProtectedHeader((await issued(shared)).body.access_token);
      expect(await kids(shared)).to.deep.equal([kid, ...(before[0] ?? [])]);
      expect(await kids(home)).to.deep.equal(before[0]);
    },
  );
});
