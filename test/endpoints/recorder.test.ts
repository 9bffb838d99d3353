// The recorder: what it stores of a request, how it shows that, and how it groups requests into flows (section REC).
import { expect } from 'chai';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { noFaults, setFault } from '#test/support/faults.ts';
import { basic } from '#test/support/http.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, postTo, token, tokensFor } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings } from '#test/support/worlds.ts';

const fingerprint = /^fp:[0-9a-f]{12}$/;

describe('the recorder', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  const exchanges = async (query = '') => (await idp.api('GET', `/api/exchanges${query}`)).body.exchanges;
  const flows = async (query = '') => (await idp.api('GET', `/api/flows${query}`)).body.flows;
  const namedIn = (texts: { name: string; value: string }[], name: string) =>
    texts.find((text) => text.name.toLowerCase() === name)?.value;

  verifies(
    ['REC-01', 'REC-02', 'REC-09', 'REC-13'],
    'stores a request with its response, readable as soon as that arrived, for protocol paths only',
    async () => {
      await token(idp, { grant_type: 'client_credentials', scope: 'profile' });
      const [one, ...others] = await exchanges();
      expect(others).to.deep.equal([]);
      expect(one).to.deep.include({ endpoint: 'token', method: 'POST', path: '/token', status: 200, repeated: 1 });
      expect(one).to.deep.include({ client_id: 'web', decision: 'accepted', reason: null, fault: null });
      expect(one.parameters).to.deep.equal([
        { name: 'grant_type', value: 'client_credentials' },
        { name: 'scope', value: 'profile' },
      ]);
      expect(one.answer).to.deep.include({ token_type: 'Bearer' });
      expect(Date.parse(one.at)).to.be.closeTo(Date.now(), 60_000);
      await call(idp, '/health');
      await call(idp, '/');
      await call(idp, '/token', { method: 'OPTIONS' });
      await call(idp, '/token', { method: 'GET' });
      expect(
        (await exchanges()).map(({ method, status }: { method: string; status: number }) => [method, status]),
      ).to.deep.equal([
        ['POST', 200],
        ['GET', 405],
      ]);
      expect((await idp.api('GET', `/api/exchanges/${one.id}`)).body).to.deep.equal(one);
      for (const wrong of ['?limit=0', '?limit=1001', '?endpoint=health', '?after=x', '?flow=1', '?status=abc']) {
        const { status, body } = await idp.api('GET', `/api/exchanges${wrong}`);
        expect([status, body.kind], wrong).to.deep.equal([400, 'invalid']);
      }
      expect((await idp.api('GET', '/api/exchanges/x999999')).status).to.equal(404);
    },
  );

  verifies(['REC-03'], 'stores why a request was rejected, as the audit does, and the error as sent', async () => {
    const refused = await token(idp, { grant_type: 'authorization_code', code: 'nobody', redirect_uri: callback });
    const [one] = await exchanges();
    const [entry] = await idp.audit('&event_type=token_request').then((all) => all.slice(-1));
    expect(one).to.deep.include({ decision: 'refused', status: 400, reason: entry?.details.reason });
    expect(one.refusal).to.equal(entry?.details.refusal);
    expect(one.answer).to.deep.equal(refused.body);
  });

  verifies(
    ['REC-04', 'REC-05'],
    'shows secrets as fingerprints, equal for equal values, and the content of tokens',
    async () => {
      const page = await newBrowser(idp).post(
        authorizePath({
          scope: 'openid',
          state: 'the state',
          nonce: 'the nonce',
          code_challenge: challenge,
          code_challenge_method: 'S256',
        }),
        alice,
      );
      const code = codeOf(page);
      const { body, text } = await token(idp, {
        ...{ grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier },
      });
      const { access_token, id_token } = body;
      await call(idp, '/userinfo', { headers: { Authorization: `Bearer ${access_token}` } });
      const all = await exchanges();
      const everything = JSON.stringify(all);
      const basicPart = web.Authorization?.split(' ')[1] ?? '';
      for (const secret of [code, verifier, access_token, id_token, alice.password, basicPart]) {
        expect(everything).to.not.include(String(secret));
      }
      expect(text).to.include(String(access_token));
      const [login, redeemed, userinfo] = all;
      expect(namedIn(login.parameters, 'state')).to.equal('the state');
      expect(namedIn(login.parameters, 'nonce')).to.equal('the nonce');
      expect(namedIn(login.parameters, 'code_challenge')).to.equal(challenge);
      expect(namedIn(login.parameters, 'redirect_uri')).to.equal(callback);
      expect(namedIn(login.parameters, 'password')).to.match(fingerprint);
      expect(login.answer.code).to.match(fingerprint);
      expect(namedIn(redeemed.parameters, 'code'), 'one value, one fingerprint').to.equal(login.answer.code);
      expect(namedIn(redeemed.parameters, 'code_verifier')).to.match(fingerprint);
      expect(namedIn(redeemed.request_headers, 'authorization')).to.match(/^Basic fp:[0-9a-f]{12}$/);
      expect(namedIn(userinfo.request_headers, 'authorization')).to.equal(`Bearer ${redeemed.answer.access_token}`);
      const decodedIdToken = redeemed.decoded.find(({ name }: { name: string }) => name === 'id_token');
      expect(decodedIdToken.jwt.claims).to.deep.include({ nonce: 'the nonce', sub: 'alice' });
      expect(decodedIdToken.jwt.header).to.deep.include({ alg: 'RS256' });
      const box = await makeSandbox(idp);
      await postTo({ baseUrl: idp.baseUrl }, `/s/${box.name}/token`, { grant_type: 'client_credentials' });
      const [inBox] = (await idp.api('GET', `/s/${box.name}/api/exchanges`)).body.exchanges;
      const shown = namedIn(inBox.request_headers, 'authorization');
      expect(shown, 'another namespace, another key')
        .to.match(/fp:/)
        .and.not.equal(namedIn(redeemed.request_headers, 'authorization'));
    },
  );

  verifies('REC-07', 'is switched off and on for one namespace', async () => {
    expect((await idp.api('GET', '/api/recorder')).body).to.deep.include({ enabled: true, kept: 0, bound: 10_000 });
    const box = await makeSandbox(idp, { settings: { recorder: { enabled: false } } });
    expect((await idp.api('GET', `/s/${box.name}/api/recorder`)).body).to.deep.include({ enabled: false, bound: 2000 });
    expect((await idp.api('PUT', '/api/recorder', { enabled: false })).body.enabled).to.equal(false);
    await token(idp, { grant_type: 'client_credentials' });
    expect(await exchanges()).to.deep.equal([]);
    expect((await idp.api('PUT', '/api/recorder', { enabled: true })).body.enabled).to.equal(true);
    await token(idp, { grant_type: 'client_credentials' });
    expect(await exchanges()).to.have.length(1);
    for (const wrong of [{}, { enabled: 'yes' }, { enabled: true, further: 1 }, []]) {
      const { kind, error } = (await idp.api('PUT', '/api/recorder', wrong)).body;
      expect(kind).to.equal('invalid');
      if (Array.isArray(wrong)) expect(error).to.contain('The body must be a JSON object.');
    }
  });

  verifies('REC-10', 'stores equal GETs within a second as one', async () => {
    const get = (userAgent: string) => call(idp, '/.well-known/jwks.json', { headers: { 'User-Agent': userAgent } });
    await Promise.all([get('one'), get('one'), get('one'), get('other')]);
    const seen = (await exchanges('?endpoint=jwks')) as { repeated: number }[];
    expect(seen.reduce((sum, { repeated }) => sum + repeated, 0)).to.equal(4);
    expect(seen.length, 'in one second, or in two adjacent ones').to.be.oneOf([2, 3]);
  });

  verifies(['REC-16', 'REC-17'], 'groups requests into flows, from the login to the last use of a token', async () => {
    const browser = newBrowser(idp);
    const asked = await browser.get(authorizePath({ scope: 'openid offline_access' }));
    const code = codeOf(await browser.submit(asked, alice));
    const issued = (await token(idp, { grant_type: 'authorization_code', code, redirect_uri: callback })).body;
    await call(idp, '/.well-known/jwks.json');
    await call(idp, '/userinfo', { headers: { Authorization: `Bearer ${issued.access_token}` } });
    await postTo(idp, '/introspect', { token: String(issued.access_token) });
    const renewed = (await token(idp, { grant_type: 'refresh_token', refresh_token: String(issued.refresh_token) }))
      .body;
    await postTo(idp, '/revoke', { token: String(renewed.refresh_token) });
    await token(idp, { grant_type: 'client_credentials' });
    const [other, flow, ...rest] = await flows();
    expect(rest).to.deep.equal([]);
    expect(other).to.deep.include({ kind: 'client_credentials', outcome: 'completed', exchanges: 1 });
    expect(flow).to.deep.include({
      kind: 'code',
      client_id: 'web',
      username: 'alice',
      outcome: 'completed',
      exchanges: 8,
    });
    expect((await flows('?kind=code&outcome=completed&client_id=web&username=alice')).length).to.equal(1);
    expect(await flows('?kind=saml')).to.deep.equal([]);
    expect((await idp.api('GET', '/api/flows?kind=nothing')).body.kind).to.equal('invalid');
  });

  verifies('REC-02', 'names the client of a token however it is presented at /userinfo', async () => {
    const { access_token = '' } = await tokensFor(idp, { scope: 'openid' });
    await call(idp, `/userinfo?access_token=${access_token}`);
    await postTo(idp, '/userinfo', { access_token }, {});
    const seen = await exchanges('?endpoint=userinfo');
    expect(seen.map(({ client_id }: { client_id: string }) => client_id)).to.deep.equal(['web', 'web']);
  });

  verifies(['REC-02', 'REC-17'], 'treats a flow that ends with revoking a dead token as successful', async () => {
    const { access_token = '' } = await tokensFor(idp, { scope: 'openid' });
    await idp.api('PUT', '/api/clock', { advance_seconds: 7200 });
    const revoked = await postTo(idp, '/revoke', { token: access_token });
    await idp.api('DELETE', '/api/clock');
    expect(revoked.status).to.equal(200);
    const [one] = await exchanges('?endpoint=revoke');
    expect([one.decision, one.refusal]).to.deep.equal(['accepted', null]);
    expect(one.reason, 'as in the audit').to.match(/expired/);
    expect((await flows('?kind=code'))[0].outcome).to.equal('completed');
    await postTo(idp, '/revoke', { token: access_token }, { Authorization: basic('web', 'wrong') });
    expect((await exchanges('?endpoint=revoke')).at(-1).decision).to.equal('refused');
  });

  verifies(
    ['REC-18', 'REC-19', 'REC-20', 'REC-23'],
    'explains a rejected flow, and exports it as HAR and Mermaid',
    async () => {
      const evil = 'x"\nend\nNote over S: <script>alert(1)</script>;#%%{init}%%';
      await token(idp, { grant_type: 'authorization_code', code: 'none', redirect_uri: callback, username: evil });
      const [flow] = await flows();
      const { body } = await idp.api('GET', `/api/flows/${flow.id}`);
      expect(body.exchanges).to.have.length(1);
      expect(body.explanation).to.match(/^\/token rejected the request with 400: .+ \(RFC 6749 §4\.1\.3\)\./);
      const har = await call(idp, `/api/flows/${flow.id}.har`);
      expect(har.headers.get('content-type')).to.equal('application/json');
      const { log } = har.body as {
        log: { version: string; entries: { request: { url: string }; response: { status: number } }[] };
      };
      expect([log.version, log.entries.length]).to.deep.equal(['1.2', 1]);
      expect(log.entries[0]?.request.url).to.equal(`${idp.baseUrl}/token`);
      expect(log.entries[0]?.response.status).to.equal(400);
      const mermaid = await call(idp, `/api/flows/${flow.id}.mermaid`);
      expect(mermaid.headers.get('content-type')).to.match(/^text\/plain/);
      const [first, ...lines] = mermaid.text.trimEnd().split('\n');
      expect(first).to.equal('sequenceDiagram');
      for (const line of lines) {
        expect(line).to.match(
          /^ {2}(participant [BCS] as \w+|[BCS](->>|-->>|--x)[BCS]: [^<>;"%{}]*(#\d+;[^<>;"%{}]*)*)$/,
        );
      }
      expect((await idp.api('GET', '/api/flows/f999999')).status).to.equal(404);
      expect((await call(idp, '/api/flows/f999999.har')).status).to.equal(404);
    },
  );

  verifies('REC-19', 'exports the query and body of a POST separately', async () => {
    await postTo(idp, '/token?scope=a%20b&username=x', { grant_type: 'client_credentials' });
    const [flow] = await flows();
    const { log } = (await call(idp, `/api/flows/${flow.id}.har`)).body as {
      log: { entries: { request: { url: string; queryString: object[]; postData: { params: object[] } } }[] };
    };
    const [{ request } = { request: undefined }] = log.entries;
    expect(request?.url).to.equal(`${idp.baseUrl}/token?scope=a+b&username=x`);
    expect(request?.queryString).to.deep.equal([
      { name: 'scope', value: 'a b' },
      { name: 'username', value: 'x' },
    ]);
    expect(request?.postData.params).to.deep.equal([{ name: 'grant_type', value: 'client_credentials' }]);
    await idp.api('DELETE', '/api/flows');
    await call(idp, `/userinfo?access_token=none`, { method: 'PATCH' });
    const [unread] = await flows();
    const har = (await call(idp, `/api/flows/${unread.id}.har`)).body as typeof flow;
    expect(har.log.entries[0].request.url, 'whose body was not read').to.match(/\/userinfo\?access_token=fp/);
  });

  verifies(
    ['REC-24', 'REC-25', 'REC-26', 'REC-27', 'REC-29'],
    'waits for exchanges until they arrive, or reports what arrived',
    async () => {
      const ask = (body: object) => idp.api('POST', '/api/expect', body);
      const come = () => token(idp, { grant_type: 'client_credentials' });
      const waiting = ask({ endpoint: 'token', at_least: 2, client_id: 'web', within_seconds: 20 });
      await come();
      await come();
      const held = await waiting;
      expect([held.status, held.body.held, held.body.count]).to.deep.equal([200, true, 2]);
      expect(held.body.exchanges).to.have.length(2);
      const { cursor } = held.body;
      const none = await ask({ endpoint: 'token', count: 0, after: cursor, within_seconds: 0 });
      expect([none.status, none.body.held]).to.deep.equal([200, true]);
      const twoMany = await ask({ endpoint: 'token', count: 1, within_seconds: 20 });
      expect([twoMany.status, twoMany.body.kind, twoMany.body.count]).to.deep.equal([409, 'not_held', 2]);
      const missed = await ask({ endpoint: 'token', at_least: 1, grant_type: 'password', within_seconds: 0.2 });
      expect([missed.status, missed.body.held, missed.body.expected]).to.deep.equal([409, false, 'at least 1']);
      for (const wrong of [
        { endpoint: 'token' },
        { endpoint: 'token', count: 1, at_least: 1 },
        { endpoint: 'health', count: 1 },
        { endpoint: 'token', count: 1, within_seconds: 61 },
        { endpoint: 'token', count: 1, after: 'yesterday' },
        { endpoint: 'token', count: 1, further: true },
      ]) {
        expect((await ask(wrong)).body.kind, JSON.stringify(wrong)).to.equal('invalid');
      }
      await idp.api('PUT', '/api/recorder', { enabled: false });
      const off = await ask({ endpoint: 'token', count: 0 });
      await idp.api('PUT', '/api/recorder', { enabled: true });
      expect([off.status, off.body.kind]).to.deep.equal([409, 'recorder_off']);
    },
  );

  verifies('REC-29', 'reports that the recorder was switched off during a wait', async () => {
    for (const wanted of [{ at_least: 1 }, { count: 0 }]) {
      const waiting = idp.api('POST', '/api/expect', { endpoint: 'token', within_seconds: 20, ...wanted });
      await idp.api('GET', '/api/recorder');
      await idp.api('PUT', '/api/recorder', { enabled: false });
      const { status, body } = await waiting;
      await idp.api('PUT', '/api/recorder', { enabled: true });
      expect([status, body.kind]).to.deep.equal([409, 'recorder_off']);
    }
  });

  verifies(['REC-10', 'REC-24', 'REC-26'], 'counts every request of a combined exchange', async () => {
    const ask = (body: object) => idp.api('POST', '/api/expect', { endpoint: 'jwks', ...body });
    const fetchKeys = () => call(idp, '/.well-known/jwks.json');
    const waiting = ask({ at_least: 6, within_seconds: 20 });
    for (let times = 0; times < 6; times += 1) await fetchKeys();
    const held = await waiting;
    expect([held.status, held.body.count]).to.deep.equal([200, 6]);
    expect((await exchanges('?endpoint=jwks')).length, 'in one second, or in two adjacent ones').to.be.at.most(2);
    const one = await ask({ count: 1, within_seconds: 0 });
    expect([one.status, one.body.kind, one.body.count]).to.deep.equal([409, 'not_held', 6]);
    expect((await ask({ count: 6, within_seconds: 0 })).body.held).to.equal(true);
  });

  verifies(['REC-18', 'REC-19'], 'sends a flow of many exchanges in chunks, complete and in order', async () => {
    const tokens = await tokensFor(idp, { scope: 'openid' });
    const times = 60;
    for (let count = 0; count < times; count += 1) {
      const path = count === 0 ? '/userinfo?a="exchanges":[]&b="entries":[]' : `/userinfo?count=${count}`;
      await call(idp, path, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
    }
    const [{ id, exchanges: many }] = await flows();
    expect(many).to.be.above(times);
    const { exchanges: listed, ...flow } = (await idp.api('GET', `/api/flows/${id}`)).body;
    expect(listed.length).to.equal(many);
    expect(listed.map((each: { at: string }) => each.at)).to.deep.equal(
      listed.map((each: { at: string }) => each.at).toSorted(),
    );
    expect(flow).to.include.keys('explanation', 'findings', 'outcome');
    const { log } = (await idp.api('GET', `/api/flows/${id}.har`)).body;
    expect(log.entries.map((each: { startedDateTime: string }) => each.startedDateTime)).to.deep.equal(
      listed.map((each: { at: string }) => each.at),
    );
    expect(await exchanges(`?flow=${id}&limit=1000`)).to.have.deep.members(listed);
  });

  verifies('REC-28', 'allows 100 simultaneous waits', async () => {
    const ask = (within_seconds: number) =>
      idp.api('POST', '/api/expect', { endpoint: 'revoke', at_least: 1, within_seconds });
    const waiting = Array.from({ length: 100 }, () => ask(60));
    let further = await ask(0);
    for (let tries = 0; further.status === 409 && tries < 200; tries += 1) further = await ask(0);
    expect([further.status, further.body.kind]).to.deep.equal([429, 'expect_limit']);
    await postTo(idp, '/revoke', { token: 'nothing' });
    for (const answer of await Promise.all(waiting)) expect(answer.status).to.equal(200);
  });
});

describe('the recorder of a stack', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  after(() => idp.stop());

  const xml = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_of-this-test" Version="2.0"
    IssueInstant="2026-11-22T12:00:00Z" AssertionConsumerServiceURL="http://127.0.0.1:9/acs"
    Destination="http://127.0.0.1:9/elsewhere"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"
    >https://sp.example/&lt;metadata&gt;</saml:Issuer></samlp:AuthnRequest>`;

  verifies(
    ['REC-05', 'REC-15', 'REC-16'],
    'combines OpenID Connect and SAML, and describes SAML messages',
    async () => {
      const browser = newBrowser(idp);
      const request = { SAMLRequest: Buffer.from(xml).toString('base64'), RelayState: 'the relay state' };
      const asked = await browser.post('/saml/sso', request);
      await browser.submit(asked, alice);
      const { body } = await idp.api('GET', '/api/flows?kind=saml');
      expect(body.flows).to.have.length(1);
      const [flow] = body.flows;
      expect(flow).to.deep.include({ sp: 'https://sp.example/<metadata>', username: 'alice', outcome: 'completed' });
      const { exchanges } = (await idp.api('GET', `/api/flows/${flow.id}`)).body;
      expect(exchanges.map(({ decision }: { decision: string }) => decision)).to.deep.equal(['asked', 'accepted']);
      const [page, answered] = exchanges;
      expect(page.decoded[0].saml).to.deep.include({
        ...{ message: 'AuthnRequest', id: '_of-this-test', issuer: 'https://sp.example/<metadata>', signed: [] },
        destination: 'http://127.0.0.1:9/elsewhere',
      });
      expect(answered.answer.SAMLResponse).to.match(fingerprint);
      const { saml } = answered.decoded.find((one: { in: string }) => one.in === 'answer');
      expect(saml).to.deep.include({ message: 'Response', in_response_to: '_of-this-test', status: 'Success' });
      expect(saml.signed).to.deep.equal(['Response', 'Assertion']);
      expect([saml.name_id, saml.audience]).to.deep.equal(['alice@example.org', 'https://sp.example/<metadata>']);
      await call(idp, '/saml/metadata');
      const came = await idp.api('POST', '/api/expect', { endpoint: 'saml_metadata', at_least: 1, within_seconds: 20 });
      expect(came.body.exchanges[0]).to.deep.include({ status: 200, decision: 'accepted' });
    },
  );

  verifies(['REC-18', 'REC-20'], 'names intended faults, however the flow ended', async () => {
    await idp.api('DELETE', '/api/flows');
    await setFault(idp, 'token_expired');
    await token(idp, { grant_type: 'password', ...alice, scope: 'openid' });
    const [{ id, outcome }] = (await idp.api('GET', '/api/flows')).body.flows;
    const { explanation } = (await idp.api('GET', `/api/flows/${id}`)).body;
    expect([outcome, explanation]).to.deep.equal([
      'completed',
      'Login completed. Last request: /token. Fault: token_expired at /token (docs/faults.md).',
    ]);
    expect((await call(idp, `/api/flows/${id}.mermaid`)).text).to.match(/200 .fault token_expired. access_token/);
  });

  verifies(['REC-21', 'REC-23'], 'draws a flow without a script, and escapes text', async () => {
    await idp.api('DELETE', '/api/flows');
    const evil = '<script>alert("x")</script>';
    await token(idp, { grant_type: 'password', username: evil, password: 'wrong', scope: evil });
    const list = await call(idp, '/flows');
    const [flow] = (await idp.api('GET', '/api/flows')).body.flows;
    expect(list.text).to.include(`href="/flows/${flow.id}"`);
    const page = await call(idp, `/flows/${flow.id}`);
    expect(page.status).to.equal(200);
    expect(page.text).to.match(
      /<svg[^>]*aria-labelledby="flow-title flow-description"[^>]*><title[^>]*>Flow f\d+<\/title><desc[^>]*>\/token rejected the request with 4/,
    );
    expect(page.text).to.include('Findings').and.include('&lt;script>alert(');
    for (const { text } of [list, page]) expect(text).to.not.include('<script>alert');
    expect((await call(idp, '/flows/f999999')).status).to.equal(404);
  });

  it('can be searched on its page, including by address', async () => {
    await idp.api('DELETE', '/api/flows');
    await token(idp, { grant_type: 'password', username: 'alice', password: 'wrong' });
    await token(idp, { grant_type: 'client_credentials' });
    const rows = (text: string) => [...text.matchAll(/href="\/flows\/f\d+">(\w+) f/g)].map(([, kind]) => kind);
    const page = async (query: string) => (await call(idp, `/flows${query}`)).text;
    expect(rows(await page(''))).to.deep.equal(['client_credentials', 'password']);
    const found = await page('?client_id=+web+&sp=&username=alice&kind=&outcome=refused&limit=100');
    expect(rows(found)).to.deep.equal(['password']);
    expect(found)
      .to.match(/<input[^>]*value="alice"/)
      .and.include('Show all');
    expect(found).to.match(/<option value="refused" selected/);
    const newest = await page('?limit=1');
    expect(rows(newest)).to.deep.equal(['client_credentials']);
    expect(newest).to.include('Showing the newest 1. There may be older flows.');
    expect(await page('?username=nobody'))
      .to.include('No matching flows')
      .and.include('must match exactly');
  });

  it('is linked from error pages and the audit, in a sandbox too, while it is on', async () => {
    const box = await makeSandbox(idp);
    const open = (path: string) =>
      call(idp, path, { headers: { Accept: 'text/html', 'Upgrade-Insecure-Requests': '1' }, redirect: 'manual' });
    const leadsTo = async (text: string) => {
      const [, address = 'nowhere'] = /href="([^"]*\/flows\?request=[^"]*)"/.exec(text) ?? [];
      const answer = await open(address);
      return [answer.status, answer.headers.get('location')];
    };
    for (const prefix of ['', `/s/${box.name}`]) {
      await idp.api('DELETE', `${prefix}/api/flows`);
      const refused = await open(prefix + authorizePath({ redirect_uri: 'https://evil.example/' }));
      expect(refused.status).to.equal(400);
      const [one] = (await idp.api('GET', `${prefix}/api/exchanges`)).body.exchanges;
      const story = [302, `${prefix}/flows/${one.flow}#${one.id}`];
      expect(await leadsTo(refused.text)).to.deep.equal(story);
      const audit = await open(`${prefix}/audit?event_type=authorization_request&failed=true`);
      expect(await leadsTo(audit.text)).to.deep.equal(story);
    }
    const saml = await open('/saml/sso');
    await idp.api('POST', '/api/expect', { endpoint: 'saml_sso', at_least: 1, within_seconds: 20 });
    expect([saml.status, (await leadsTo(saml.text))[0]]).to.deep.equal([400, 302]);
    // A fault for another service provider does not remove the link.
    await setFault(idp, 'saml_xsw3', { when: { sp: 'urn:somebody-else' } });
    expect((await open('/saml/sso')).text).to.include('/flows?request=');
    await noFaults(idp);
    expect((await open('/flows?request=nobodys')).status).to.equal(404);
    await idp.api('PUT', '/api/recorder', { enabled: false });
    const unseen = await open(authorizePath({ redirect_uri: 'https://evil.example/' }));
    expect(unseen.text).to.include('invalid request').and.not.include('/flows');
    await idp.api('PUT', '/api/recorder', { enabled: true });
  });
});

describe('the recorder of a whole stack', () => {
  verifies('REC-02', 'stores what the client sent, without headers that the processes add', async () => {
    const idp = await startIdp({ command: 'start' });
    try {
      await call(idp, '/saml/sso', { headers: { 'X-Mark': 'mine', 'X-Test-Idp-Peer': 'forged' } });
      const came = await idp.api('POST', '/api/expect', { endpoint: 'saml_sso', at_least: 1, within_seconds: 20 });
      const names = came.body.exchanges[0].request_headers.map(({ name }: { name: string }) => name);
      expect(names).to.include('x-mark').and.not.include.oneOf(['x-test-idp-peer', 'x-test-idp-scheme', 'connection']);
    } finally {
      await idp.stop();
    }
  });
});

describe('the recorder with stored secrets', () => {
  verifies('REC-06', 'reveals them to callers with write access, and to no other origin', async () => {
    const idp = await startIdp({
      command: 'instance',
      settings: { ...demoSettings, recorder: { secrets: 'keep' }, cors_allowed_originss: ['http://app.example'] },
    });
    try {
      const issued = await token(idp, { grant_type: 'client_credentials' });
      const [one] = (await idp.api('GET', '/api/exchanges')).body.exchanges;
      expect(one.answer.access_token).to.match(fingerprint);
      const headers = { Origin: 'http://app.example' };
      const revealed = await call(idp, `/api/exchanges/${one.id}/reveal`, { method: 'POST', headers });
      if (revealed.status === 200) expect(revealed.body.answer).to.deep.include(issued.body);
      expect(revealed.headers.get('access-control-allow-origin')).to.equal(null);
      const plain = await call(idp, `/api/exchanges/${one.id}/reveal`, { method: 'POST' });
      expect(plain.status).to.equal(200);
      expect((plain.body.answer as Record<string, unknown>).access_token).to.equal(issued.body.access_token);
      await idp.configure({ settings: demoSettings });
      await token(idp, { grant_type: 'client_credentials' });
      const later = (await idp.api('GET', '/api/exchanges?limit=1')).body.exchanges[0];
      const refused = await idp.api('POST', `/api/exchanges/${later.id}/reveal`);
      expect([refused.status, refused.body.kind]).to.deep.equal([409, 'not_kept']);
    } finally {
      await idp.stop();
    }
  });
});

describe('expectations when a server stops', () => {
  verifies('REC-28', 'return 503 at once', async () => {
    const idp = await startIdp();
    const waiting = idp.api('POST', '/api/expect', { endpoint: 'revoke', at_least: 1, within_seconds: 60 });
    await token(idp, { grant_type: 'client_credentials' });
    await idp.api('GET', '/api/exchanges');
    await idp.stop();
    const { status, body } = await waiting;
    expect([status, body.kind]).to.deep.equal([503, 'stopping']);
  });
});
