// Authorization requests that clients push before a browser presents them (RFC 9126), according to
// `oauth.pushed_authorization_requests`.

import { expect } from 'chai';
import { calculateJwkThumbprint } from 'jose';
import { systemClock } from '#shared/base/clock.ts';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { assertionClaims, assertionType, type ClientKey, clientKey } from '#test/support/client-keys.ts';
import { alice, web } from '#test/support/credentials.ts';
import { provingKey } from '#test/support/dpop-proofs.ts';
import { basic } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { type Answer, call, lastEvent, postTo, redeemCode, refusalOf } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const basicParameters = {
  response_type: 'code',
  redirect_uri: callback,
  state: 'pushed-state-0123456789',
  scope: 'openid',
};
const asked = { client_id: 'web', ...basicParameters };
const onSqlite = { runtime: { store: 'sqlite', path: '../state/runtime.db' } };
const prefix = 'urn:ietf:params:oauth:request_uri:';

describe('pushed authorization requests', () => {
  let idp: RunningIdp;
  let key: ClientKey;
  const clients = () => [
    {
      client_id: 'keyed',
      token_endpoint_auth_method: 'private_key_jwt',
      redirect_uris: [callback],
      jwks: { keys: [key.jwk] },
    },
    {
      client_id: 'pushing',
      client_secret: 's',
      redirect_uris: [callback],
      require_pushed_authorization_requests: true,
    },
  ];
  const configured = (oauth: object = {}, further: object = {}) => ({
    settings: { oauth: { pushed_authorization_requests: 'on', ...oauth }, ...further },
    clients: clients(),
  });
  before(async () => {
    key = await clientKey('k');
    idp = await startIdp({ world: interactive, ...configured() });
  });
  after(() => idp.stop());

  const push = (fields: Readonly<Record<string, string>> = {}, headers: Readonly<Record<string, string>> = web) =>
    postTo(idp, '/par', { ...asked, ...fields }, headers);
  const uriOf = (answer: Answer) => {
    expect(answer.status, answer.text).to.equal(201);
    return String(answer.body.request_uri);
  };
  const pathWith = (request_uri: string, further: object = {}) =>
    `/authorize?${new URLSearchParams({ client_id: 'web', request_uri, ...further })}`;
  const lastRefusal = async (type = 'pushed_authorization_request') => (await lastEvent(idp, type))?.details.refusal;

  it('of another client are rejected as such, with any redirect_uri', async () => {
    const uri = uriOf(await push());
    for (const redirect_uri of ['https://evil.example/callback', 'not an address']) {
      const rejected = await call(idp, pathWith(uri, { client_id: 'keyed', redirect_uri }));
      expect([rejected.status, rejected.body.error]).to.deep.equal([400, 'invalid_request_uri']);
    }
  });

  it('are announced in discovery only while they are accepted', async () => {
    const document = async () => (await call(idp, '/.well-known/openid-configuration')).body;
    const shown = await document();
    expect(shown.pushed_authorization_request_endpoint).to.equal(`${idp.baseUrl}/par`);
    expect(shown).to.not.have.property('require_pushed_authorization_requests');
    expect(shown.request_uri_parameter_supported).to.equal(false);
    await idp.configure(configured({ pushed_authorization_requests: 'required' }));
    try {
      expect((await document()).require_pushed_authorization_requests).to.equal(true);
    } finally {
      await idp.configure({ clients: clients() });
    }
    try {
      expect(await document()).to.not.have.any.keys(
        'pushed_authorization_request_endpoint',
        'require_pushed_authorization_requests',
      );
      expect((await push()).status).to.equal(404);
      const page = await newBrowser(idp).get(pathWith(`${prefix}x`, asked));
      expect(redirectParameters(page).get('error')).to.equal('request_uri_not_supported');
    } finally {
      await idp.configure(configured());
    }
  });

  it('lead a browser to a login by their request_uri alone', async () => {
    const answer = await push({ code_challenge: challenge, code_challenge_method: 'S256', nonce: 'n-0S6_WzA2Mj' });
    expect(answer.body.expires_in).to.equal(60);
    expect(Object.keys(answer.body)).to.deep.equal(['request_uri', 'expires_in']);
    expect(uriOf(answer)).to.match(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{43}$/);
    expect(answer.headers.get('cache-control')).to.equal('no-store');
    const event = await lastEvent(idp, 'pushed_authorization_request');
    expect([event?.client_id, event?.endpoint, event?.details.scope]).to.deep.equal(['web', '/par', 'openid']);

    const browser = newBrowser(idp);
    // The server ignores all other query parameters.
    const page = await browser.get(
      pathWith(uriOf(answer), { state: 'other', scope: 'email', redirect_uri: 'https://evil.example/' }),
    );
    expect(page.status).to.equal(200);
    const done = await browser.submit(page, alice);
    expect(done.location?.startsWith(`${callback}?`)).to.equal(true);
    expect(redirectParameters(done).get('state')).to.equal(asked.state);
    const tokens = await redeemCode(idp, codeOf(done), { code_verifier: verifier });
    expect(tokens.body.scope).to.equal('openid');
    const claims = JSON.parse(Buffer.from(String(tokens.body.id_token).split('.')[1] ?? '', 'base64url').toString());
    expect(claims.nonce).to.equal('n-0S6_WzA2Mj');
  });

  it('are answered once, but a browser may load their address repeatedly until then', async () => {
    const uri = uriOf(await push());
    const browser = newBrowser(idp);
    await browser.get(pathWith(uri));
    const page = await browser.get(pathWith(uri));
    expect(page.status).to.equal(200);
    codeOf(await browser.submit(page, alice));
    for (const each of [browser, newBrowser(idp)]) {
      const again = await each.get(pathWith(uri));
      expect(again.status).to.equal(400);
      expect(JSON.parse(again.body)).to.deep.equal({
        error: 'invalid_request_uri',
        error_description: 'The request_uri is invalid: it was already used. Push the request again.',
      });
      expect(await lastRefusal('authorization_request')).to.equal('pushed_request_unusable');
    }
  });

  it('are answered once, however many logins for one complete simultaneously', async () => {
    const uri = uriOf(await push());
    const browser = newBrowser(idp);
    await browser.get(pathWith(uri));
    const pages = await Promise.all([1, 2, 3, 4].map(() => browser.post(pathWith(uri), alice)));
    const codes = pages.filter(({ location }) => location?.includes('code='));
    expect(codes).to.have.length(1);
  });

  it('are bound to their client', async () => {
    const uri = uriOf(await push());
    expect((await newBrowser(idp).get(pathWith(uri).replace('client_id=web', 'client_id=spa'))).status).to.equal(400);
    expect((await newBrowser(idp).get(pathWith(uri))).status).to.equal(200);
  });

  it('are bound to the browser that presents them first', async () => {
    const uri = uriOf(await push());
    expect((await newBrowser(idp).get(pathWith(uri))).status).to.equal(200);
    const stranger = await newBrowser(idp).get(pathWith(uri));
    expect(JSON.parse(stranger.body).error_description).to.include('another browser already used it');
  });

  it('expire after one minute', async () => {
    const late = uriOf(await push());
    await idp.api('PUT', '/api/clock', { advance_seconds: 59 });
    try {
      const inTime = uriOf(await push());
      expect((await newBrowser(idp).get(pathWith(late))).status).to.equal(200);
      await idp.api('PUT', '/api/clock', { advance_seconds: 60 });
      expect(JSON.parse((await newBrowser(idp).get(pathWith(inTime))).body).error).to.equal('invalid_request_uri');
    } finally {
      await idp.api('DELETE', '/api/clock');
    }
  });

  it('that are unknown cause an error at the redirect_uri if the request has a valid one', async () => {
    const shown = await newBrowser(idp).get(pathWith(`${prefix}nothing`, asked));
    expect(redirectParameters(shown).get('error')).to.equal('invalid_request_uri');
    expect(redirectParameters(shown).get('state')).to.equal(asked.state);
  });

  it('are used up by an error as by a code', async () => {
    const uri = uriOf(await push({ prompt: 'login' }));
    const browser = newBrowser(idp);
    const page = await browser.get(pathWith(uri));
    const transaction_id = page.forms[0]?.fields.find(([name]) => name === 'transaction_id')?.[1] ?? '';
    const refused = await browser.post('/authorize', { transaction_id, cancel: '1' });
    expect(redirectParameters(refused).get('error')).to.equal('access_denied');
    expect((await browser.get(pathWith(uri))).status).to.equal(400);
  });

  it('are rejected with the reason, directly to the client', async () => {
    const cases: readonly (readonly [Readonly<Record<string, string>>, number, string, string])[] = [
      [{ response_type: 'token' }, 400, 'unsupported_response_type', 'response_type_not_supported'],
      [{ redirect_uri: 'https://evil.example/' }, 400, 'invalid_request', 'redirect_uri_not_registered'],
      [{ scope: 'nothing-of-the-kind' }, 400, 'invalid_scope', 'scope_not_supported'],
      [{ prompt: 'none login' }, 400, 'invalid_request', 'prompt_none_not_alone'],
      [{ client_id: '' }, 400, 'invalid_request', 'client_id_missing'],
      [{ request_uri: `${prefix}x` }, 400, 'invalid_request', 'request_uri_pushed'],
      [{ request: 'e30.e30.' }, 400, 'request_not_supported', 'request_not_supported'],
      [{ state: 's'.repeat(16_384) }, 413, 'invalid_request', 'pushed_request_too_long'],
      [{ client_id: 'spa' }, 401, 'invalid_client', 'client_named_twice'],
    ];
    for (const [fields, status, error, refusal] of cases) {
      expect(refusalOf(await push(fields)), refusal).to.deep.equal([status, error]);
      expect(await lastRefusal()).to.equal(refusal);
    }
    const doubled = [...Object.entries(asked), ['state', 'other']] as const;
    expect(refusalOf(await postTo(idp, '/par', doubled))).to.deep.equal([400, 'invalid_request']);
    const asJson = await call(idp, '/par', {
      method: 'POST',
      headers: { ...web, 'Content-Type': 'application/json' },
      body: JSON.stringify(asked),
    });
    expect(refusalOf(asJson)).to.deep.equal([400, 'invalid_request']);
    expect((await call(idp, '/par')).status).to.equal(405);
  });

  it('may contain prompt=none, which is answered when a browser presents them', async () => {
    const page = await newBrowser(idp).get(pathWith(uriOf(await push({ prompt: 'none' }))));
    expect(redirectParameters(page).get('error')).to.equal('login_required');
    expect(redirectParameters(page).get('state')).to.equal(asked.state);
  });

  it('must be named once, and without a request object', async () => {
    const uri = uriOf(await push());
    const refused: readonly (readonly [string, string])[] = [
      [`${pathWith(uri)}&request_uri=${prefix}x`, 'parameter_repeated'],
      [pathWith(uri, { request: 'e30.e30.' }), 'request_objects_doubled'],
    ];
    for (const [path, refusal] of refused) {
      expect((await newBrowser(idp).get(path)).status, refusal).to.equal(400);
      expect(await lastRefusal('authorization_request')).to.equal(refusal);
    }
    expect((await newBrowser(idp).get(pathWith(uri))).status).to.equal(200);
  });

  it('that have expired lead the user back to the application', async () => {
    const uri = uriOf(await push());
    const browser = newBrowser(idp);
    codeOf(await browser.submit(await browser.get(pathWith(uri)), alice));
    for (const each of [browser, newBrowser(idp)]) {
      const page = await each.get(pathWith(uri), { Accept: 'text/html', 'Upgrade-Insecure-Requests': '1' });
      expect(page.status).to.equal(400);
      expect(page.text).to.contain('This login has ended').and.to.contain(sentences.backToApplication);
      expect(page.text).to.contain('it was already used').and.not.to.contain('cookie');
    }
  });

  it('are accepted from clients that authenticate as at /token, and from public ones', async () => {
    const wrong = await push({}, { Authorization: basic('web', 'wrong') });
    expect(refusalOf(wrong)).to.deep.equal([401, 'invalid_client']);
    expect(refusalOf(await push({ client_id: '' }, {}))).to.deep.equal([401, 'invalid_client']);
    uriOf(await push({ client_id: 'spa', code_challenge: challenge, code_challenge_method: 'S256' }, {}));
    for (const audience of [idp.baseUrl, `${idp.baseUrl}/token`, `${idp.baseUrl}/par`]) {
      const client_assertion = await key.sign(assertionClaims('keyed', audience));
      const proved = { client_id: 'keyed', client_assertion_type: assertionType, client_assertion };
      const uri = uriOf(await push(proved, {}));
      const kept = await newBrowser(idp).get(pathWith(uri).replace('client_id=web', 'client_id=keyed'));
      expect(kept.status).to.equal(200);
    }
    // At other endpoints this is not a valid audience, because other servers would reject it.
    const client_assertion = await key.sign(assertionClaims('keyed', `${idp.baseUrl}/par`));
    const elsewhere = { client_assertion_type: assertionType, client_assertion, grant_type: 'client_credentials' };
    expect(refusalOf(await postTo(idp, '/token', elsewhere, {}))).to.deep.equal([400, 'invalid_client']);
  });

  it("store none of their client's credentials", async () => {
    const shared = await startIdp({ world: interactive, ...configured({}, onSqlite) });
    try {
      const client_assertion = await key.sign(assertionClaims('keyed', shared.baseUrl));
      const proved = { client_id: 'keyed', client_assertion_type: assertionType, client_assertion, audience: 'kept' };
      const uri = uriOf(await postTo(shared, '/par', { ...asked, ...proved }, {}));
      const kept = await shared.withStore(({ pushedRequests }) => pushedRequests.find(uri, systemClock.now()));
      const names = [...Object.keys(asked), 'audience'];
      expect(kept?.parameters.map(([name]) => name)).to.deep.equal(names);
    } finally {
      await shared.stop();
    }
  });

  it('are required from clients that are configured so, and from all if required', async () => {
    const direct = async (changes: Readonly<Record<string, string>> = {}) =>
      redirectParameters(await newBrowser(idp).get(authorizePath(changes))).get('error_description');
    const shown =
      'Authorization requests must be pushed: send the parameters to /par, then the returned request_uri to this endpoint.';
    expect(await direct({ client_id: 'pushing' })).to.equal(shown);
    expect((await newBrowser(idp).get(authorizePath())).status).to.equal(200);
    const uri = uriOf(await push({ client_id: 'pushing' }, { Authorization: basic('pushing', 's') }));
    expect((await newBrowser(idp).get(pathWith(uri).replace('client_id=web', 'client_id=pushing'))).status).to.equal(
      200,
    );
    await idp.configure(configured({ pushed_authorization_requests: 'required' }));
    try {
      expect(await direct()).to.equal(shown);
      expect((await newBrowser(idp).get(pathWith(uriOf(await push())))).status).to.equal(200);
      // A login that posts its request together with credentials does not count as pushed.
      expect(redirectParameters(await newBrowser(idp).post(authorizePath(), alice)).get('error')).to.equal(
        'invalid_request',
      );
    } finally {
      await idp.configure(configured());
    }
  });

  it('can be required by a registration while they are accepted', async () => {
    const dynamic_registration = { enabled: true, metadata: 'full' };
    const register = () =>
      call(idp, '/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback], require_pushed_authorization_requests: true }),
      });
    await idp.configure(configured({ dynamic_registration }));
    try {
      const registered = await register();
      expect([registered.status, registered.body.require_pushed_authorization_requests]).to.deep.equal([201, true]);
      const client_id = String(registered.body.client_id);
      const direct = await newBrowser(idp).get(authorizePath({ client_id }));
      expect(redirectParameters(direct).get('error')).to.equal('invalid_request');
      await idp.configure(configured({ dynamic_registration, pushed_authorization_requests: 'off' }));
      expect(refusalOf(await register())).to.deep.equal([400, 'invalid_client_metadata']);
    } finally {
      await idp.configure(configured());
    }
  });

  it('are read from a request object if those are read', async () => {
    await idp.configure(configured({ request_objects: 'on' }));
    try {
      const { state, ...plain } = basicParameters;
      const request = await key.sign({ ...basicParameters, iss: 'keyed', aud: idp.baseUrl, client_id: 'keyed' });
      const client_assertion = await key.sign(assertionClaims('keyed', idp.baseUrl));
      const proved = { client_assertion_type: assertionType, client_assertion, client_id: 'keyed' };
      const uri = uriOf(await postTo(idp, '/par', { ...proved, request }, {}));
      const browser = newBrowser(idp);
      const page = await browser.get(pathWith(uri, plain).replace('client_id=web', 'client_id=keyed'));
      expect(redirectParameters(await browser.submit(page, alice)).get('state')).to.equal(state);
      // The request object is the whole request. Other pushed parameters are ignored.
      const poorer = await key.sign({ ...plain, aud: idp.baseUrl, client_id: 'keyed' });
      const again = { ...proved, client_assertion: await key.sign(assertionClaims('keyed', idp.baseUrl)) };
      const alone = uriOf(await postTo(idp, '/par', { ...again, request: poorer, state }, {}));
      const other = newBrowser(idp);
      const asking = await other.get(pathWith(alone).replace('client_id=web', 'client_id=keyed'));
      expect(redirectParameters(await other.submit(asking, alice)).get('state')).to.equal(null);
      const forged = refusalOf(await push({ request: 'e30.e30.' }));
      expect(forged).to.deep.equal([400, 'invalid_request_object']);
    } finally {
      await idp.configure(configured());
    }
  });

  it('may be posted to /authorize if posted requests are accepted', async () => {
    await idp.configure(configured({ authorize_by_post: true }));
    try {
      const browser = newBrowser(idp);
      const posted = await browser.post('/authorize', { client_id: 'web', request_uri: uriOf(await push()) });
      expect(posted.status).to.equal(303);
      expect((await browser.get(posted.location ?? '')).status).to.equal(200);
    } finally {
      await idp.configure(configured());
    }
  });

  it('bind the code to the key of a DPoP proof', async () => {
    await idp.configure(configured({ dpop: 'on' }));
    try {
      const proving = await provingKey();
      const DPoP = () => proving.proof('POST', `${idp.baseUrl}/par`);
      const browser = newBrowser(idp);
      const page = await browser.get(pathWith(uriOf(await push({}, { ...web, DPoP: await DPoP() }))));
      const code = codeOf(await browser.submit(page, alice));
      expect(refusalOf(await redeemCode(idp, code))).to.deep.equal([400, 'invalid_grant']);
      const proof = await proving.proof('POST', `${idp.baseUrl}/token`);
      expect((await redeemCode(idp, code, {}, { ...web, DPoP: proof })).body.token_type).to.equal('DPoP');

      uriOf(await push({ dpop_jkt: await calculateJwkThumbprint(proving.publicJwk) }, { ...web, DPoP: await DPoP() }));
      const other = (await provingKey()).thumbprint;
      const differing = await push({ dpop_jkt: other }, { ...web, DPoP: await DPoP() });
      expect(refusalOf(differing)).to.deep.equal([400, 'invalid_request']);
      expect(await lastRefusal()).to.equal('dpop_jkt_differs');
      const wrong = await push({}, { ...web, DPoP: await proving.proof('POST', `${idp.baseUrl}/token`) });
      expect(refusalOf(wrong)).to.deep.equal([400, 'invalid_dpop_proof']);
    } finally {
      await idp.configure(configured());
    }
  });

  it('live below the address of their sandbox and in no other namespace', async () => {
    await idp.api('POST', '/api/sandboxes', { name: 'box' });
    const shown = await call(idp, '/s/box/.well-known/openid-configuration');
    expect(shown.body.pushed_authorization_request_endpoint).to.equal(`${idp.baseUrl}/s/box/par`);
    const uri = uriOf(await postTo(idp, '/s/box/par', { ...asked }));
    expect((await newBrowser(idp).get(pathWith(uri))).status).to.equal(400);
    expect((await newBrowser(idp).get(`/s/box${pathWith(uri)}`)).status).to.equal(200);
  });

  it('and their login form one flow, and their faults count against their client', async () => {
    await idp.api('DELETE', '/api/flows');
    const { state, ...stateless } = asked;
    const uri = uriOf(await postTo(idp, '/par', stateless));
    const browser = newBrowser(idp);
    const code = codeOf(await browser.submit(await browser.get(pathWith(uri)), alice));
    await redeemCode(idp, code);
    const { body } = await idp.api('GET', '/api/flows');
    const [flow, ...others] = body.flows as readonly Record<string, unknown>[];
    expect(others).to.deep.equal([]);
    expect([flow?.kind, flow?.outcome, flow?.exchanges]).to.deep.equal(['code', 'completed', 4]);
    const verdict = await idp.api('GET', '/api/verdict?client_id=web');
    const found = (verdict.body.findings as readonly { readonly id: string }[]).map(({ id }) => id);
    expect(found).to.include.members(['state_missing', 'pkce_missing', 'nonce_missing']);
    expect(state).to.be.a('string');
  });

  verifies(['FLS-12', 'FLS-13', 'FLS-14', 'FLS-15', 'FLS-16'], 'fail on demand by fault', async () => {
    const faulty = async (fault: string) => {
      const { status, body } = await idp.api('POST', '/api/faults', { fault });
      expect(status, JSON.stringify(body)).to.equal(201);
      return push();
    };
    expect(refusalOf(await faulty('pushed_request_refused'))).to.deep.equal([400, 'invalid_request']);
    const unavailable = await faulty('pushed_request_unavailable');
    expect([unavailable.status, unavailable.headers.get('retry-after')]).to.deep.equal([503, '2']);
    expect((await faulty('pushed_request_uri_missing')).body).to.deep.equal({ expires_in: 60 });
    const over = await faulty('pushed_request_over');
    expect(JSON.parse((await newBrowser(idp).get(pathWith(uriOf(over)))).body).error).to.equal('invalid_request_uri');
    const ok = await faulty('pushed_request_status_200');
    expect([ok.status, Object.keys(ok.body)]).to.deep.equal([200, ['request_uri', 'expires_in']]);
    uriOf(await push());
  });

  it('trigger faults of /authorize whose conditions they match', async () => {
    const when = { scope: 'email' };
    await idp.api('POST', '/api/faults', { fault: 'oauth_error', at: 'authorize', when, times: 1 });
    const untouched = await newBrowser(idp).get(pathWith(uriOf(await push())));
    expect(untouched.status).to.equal(200);
    const page = await newBrowser(idp).get(pathWith(uriOf(await push({ scope: 'openid email' }))));
    expect(redirectParameters(page).get('error')).to.equal('server_error');
  });
});
