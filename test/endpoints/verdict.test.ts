// The verdict on recorded clients: a careless one, one affected by faults and a service provider, and its form in API, page
// and downloads (section VER).
import { expect } from 'chai';
import { verdictRules } from '#shared/engine/verdict/rules/index.ts';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { setFault } from '#test/support/faults.ts';
import { basic } from '#test/support/http.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  call,
  codeFor,
  pollDevice,
  postTo,
  publicTokens,
  redeemCode,
  refresh,
  token,
  tokensFor,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

interface Found {
  readonly id: string;
  readonly severity: string;
  readonly evidence: string[];
}

describe('GET /api/verdict', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
    // Something was deleted, so from now on no client is accused of never requesting the discovery document.
    await token(idp, { grant_type: 'client_credentials' });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  const verdict = async (query: string) => (await idp.api('GET', `/api/verdict?${query}`)).body;
  const idsOf = ({ findings }: { findings: Found[] }) => findings.map(({ severity, id }) => `${severity} ${id}`);

  /** A login of a careless client. */
  const sloppyLogin = async () => {
    const code = await codeFor(idp, { scope: 'openid', state: 'login' });
    const { body } = await redeemCode(idp, code);
    await redeemCode(idp, code);
    await call(idp, `/userinfo?access_token=${body.access_token}`);
    await call(idp, '/userinfo', { headers: { Authorization: `Bearer ${body.id_token}` } });
    return code;
  };

  verifies(
    ['VER-01', 'VER-02', 'VER-03', 'VER-04', 'VER-05'],
    'reports what a careless client did wrong, with standard, remedy and evidence',
    async () => {
      await sloppyLogin();
      await sloppyLogin();
      await token(idp, { grant_type: 'password', ...alice });
      const body = await verdict('client_id=web');
      expect(body.subject).to.deep.equal({ client_id: 'web', sp: null, flow: null });
      expect(body.status).to.equal('error');
      expect(idsOf(body)).to.deep.equal([
        'error code_reused',
        'error grant_deprecated',
        'error pkce_missing',
        'error state_repeated',
        'error token_in_query',
        'error wrong_token_used',
        'warning nonce_missing',
        'warning state_short',
      ]);
      const mentioned = [...body.findings.map(({ id }: Found) => id), ...body.clean, ...body.not_observed];
      expect(mentioned.sort()).to.deep.equal(verdictRules.map(({ id }) => id).sort());
      expect(body.clean).to.include.members(['content_type_wrong', 'redirect_uri_http', 'parameter_repeated']);
      expect(body.not_observed).to.include.members(['poll_too_fast', 'saml_issuer_missing']);
      const reused = body.findings.find(({ id }: Found) => id === 'code_reused');
      expect(reused).to.deep.include({
        title: 'Authorization code presented twice',
        standard: 'RFC 6749 §4.1.2',
        count: 2,
      });
      expect(reused.remedy).to.match(/^Redeem each code once/);
      for (const { evidence } of body.findings as Found[]) {
        expect(evidence.length).to.be.within(1, 20);
        for (const id of evidence) expect((await idp.api('GET', `/api/exchanges/${id}`)).status).to.equal(200);
      }
      const { exchanges } = (await idp.api('GET', '/api/exchanges')).body;
      expect(body.exchanges).to.equal(exchanges.length);
      expect(await verdict('client_id=web')).to.deep.equal(body);
    },
  );

  verifies(['VER-01', 'VER-03'], 'covers a client, a flow, the traffic after a cursor, or all clients', async () => {
    await sloppyLogin();
    const { flows } = (await idp.api('GET', '/api/flows?kind=code')).body;
    const { cursor } = (await idp.api('GET', '/api/exchanges')).body;
    await token(idp, { grant_type: 'client_credentials', client_id: 'post', client_secret: 'post-secret' }, {});
    const ofFlow = await verdict(`flow=${flows[0].id}`);
    expect(ofFlow.subject.flow).to.equal(flows[0].id);
    expect(idsOf(ofFlow)).to.include('error code_reused');
    expect((await verdict(`client_id=web&after=${cursor}`)).status).to.equal('nothing_seen');
    expect(await verdict('client_id=stranger')).to.deep.include({ status: 'nothing_seen', exchanges: 0, findings: [] });
    const { verdicts } = await verdict('');
    expect(
      verdicts.map(({ subject, status }: { subject: { client_id: string }; status: string }) => [
        subject.client_id,
        status,
      ]),
    ).to.deep.equal([
      ['web', 'error'],
      ['post', 'clean'],
    ]);
    for (const wrong of ['flow=1', 'after=x', 'format=yaml', 'format=', 'fail_on=never']) {
      const { status, body } = await idp.api('GET', `/api/verdict?${wrong}`);
      expect([status, body.kind], wrong).to.deep.equal([400, 'invalid']);
    }
  });

  verifies('VER-06', 'holds nothing against a client that a fault misled', async () => {
    const code = await codeFor(idp, {
      state: 'a state of many characters',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    await setFault(idp, 'truncated_body', { at: 'token' });
    await redeemCode(idp, code, { code_verifier: verifier }).catch(() => undefined);
    await redeemCode(idp, code, { code_verifier: verifier });
    const body = await verdict('client_id=web');
    expect([body.status, idsOf(body)]).to.deep.equal(['clean', []]);
    expect(body.exchanges, 'the authorization request alone').to.equal(1);
  });

  verifies(['VER-08', 'VER-09', 'VER-10'], 'returns JSON, text, JUnit XML and SARIF', async () => {
    await sloppyLogin();
    const as = (format: string) => call(idp, `/api/verdict?client_id=web&format=${format}`);
    expect((await as('json')).body).to.deep.equal(await verdict('client_id=web'));
    const text = await as('text');
    expect(text.headers.get('content-type')).to.match(/^text\/plain/);
    expect(text.text).to.match(
      /^web: error \(\d+ exchanges? judged\)\n {2}error code_reused: .+ \(RFC 6749 §4\.1\.2\)\n/,
    );
    const junit = await as('junit');
    expect(junit.headers.get('content-type')).to.equal('application/xml');
    expect(junit.text.match(/<testcase /g)).to.have.length(48);
    const { findings, not_observed } = await verdict('client_id=web');
    const failures = (findings as Found[]).filter(({ severity }) => severity !== 'advice').length;
    expect(junit.text.match(/<failure /g)).to.have.length(failures);
    expect(junit.text.match(/<skipped /g)).to.have.length(not_observed.length);
    expect(junit.text).to.include(`tests="48" failures="${failures}" errors="0" skipped="${not_observed.length}"`);
    const sarif = await as('sarif');
    expect(sarif.headers.get('content-type')).to.equal('application/sarif+json');
    const log = JSON.parse(sarif.text);
    expect([log.version, log.runs.length]).to.deep.equal(['2.1.0', 1]);
    const [{ tool, results }] = log.runs;
    expect(tool.driver.rules.map(({ id }: Found) => id)).to.deep.equal(verdictRules.map(({ id }) => id));
    const levels = { error: 'error', warning: 'warning', advice: 'note' } as Record<string, string>;
    expect(results.map(({ ruleId, level }: { ruleId: string; level: string }) => [ruleId, level])).to.deep.equal(
      (findings as Found[]).map(({ id, severity }) => [id, levels[severity]]),
    );
    for (const { locations } of results) {
      // GitHub shows no result without a place in a file (SARIF 2.1.0 §3.28, §3.29.3, §3.30.5).
      const [{ physicalLocation, logicalLocations }] = locations;
      expect(physicalLocation.artifactLocation.uri).to.be.oneOf(['authorize', 'token', 'userinfo']);
      expect(physicalLocation.region).to.deep.equal({ startLine: 1 });
      expect(logicalLocations).to.deep.equal([{ fullyQualifiedName: 'web', kind: 'module' }]);
    }
    for (const { ruleId, ruleIndex, message } of results) {
      expect(tool.driver.rules[ruleIndex].id).to.equal(ruleId);
      expect(message.text).to.match(/\.\s\(?.*§/);
    }
  });

  verifies('VER-08', 'escapes the content of requests in every format', async () => {
    const evil = '</testsuite><script>alert("x")</script>\u0000\u001b[31m\n  error made_up: nothing';
    await token(idp, { grant_type: 'password', client_id: evil }, {});
    const as = async (format: string) => (await call(idp, `/api/verdict?format=${format}`)).text;
    expect((await as('text')).split('\n').filter((line) => line.includes('made_up'))).to.have.length(1);
    for (const format of ['text', 'junit']) {
      for (const control of ['\u0000', '\u001b']) expect(await as(format)).to.not.include(control);
    }
    expect(await as('junit')).to.not.include('<script');
    expect(JSON.parse(await as('sarif')).runs[0].results).to.have.length.greaterThan(0);
    const { text } = await call(idp, '/verdict');
    expect(text).to.include('&lt;script').and.not.include('<script>alert');
  });

  verifies('VER-11', 'rejects an unknown parameter, because a misspelt fail_on would never fail', async () => {
    for (const query of ['client_id=web&fail-on=error', 'client=web', 'fail_on=error&Format=junit']) {
      const { status, body } = await idp.api('GET', `/api/verdict?${query}`);
      expect([status, body.kind], query).to.deep.equal([400, 'invalid']);
      expect(body.error).to.contain('Unknown query parameter');
    }
  });

  verifies('VER-11', 'returns 409 for findings of the severity in fail_on', async () => {
    const statusOf = async (query: string) => (await idp.api('GET', `/api/verdict?${query}`)).status;
    expect(await statusOf('client_id=web&fail_on=error'), 'nothing seen').to.equal(409);
    expect(await statusOf('fail_on=error'), 'no client seen').to.equal(409);
    await call(idp, '/logout?client_id=web&post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fbye');
    const asked = async (on: string) => statusOf(`client_id=web&fail_on=${on}`);
    expect([await asked('error'), await asked('warning'), await asked('advice')]).to.deep.equal([200, 200, 409]);
    const failed = await idp.api('GET', '/api/verdict?client_id=web&fail_on=advice');
    expect(failed.body).to.deep.equal(await verdict('client_id=web'));
    expect((await call(idp, '/api/verdict?client_id=web&fail_on=advice&format=junit')).status).to.equal(409);
  });

  verifies('REC-29', 'returns 409 recorder_off while nothing is recorded', async () => {
    await idp.api('PUT', '/api/recorder', { enabled: false });
    const { status, body } = await idp.api('GET', '/api/verdict?client_id=web');
    await idp.api('PUT', '/api/recorder', { enabled: true });
    expect([status, body.kind]).to.deep.equal([409, 'recorder_off']);
  });

  verifies('VER-12', 'appears on a page with links to the evidence, in a sandbox too', async () => {
    await sloppyLogin();
    const everybody = await call(idp, '/verdict');
    expect(everybody.text).to.include('href="/verdict?client_id=web"');
    const page = await call(idp, '/verdict?client_id=web');
    expect(page.status).to.equal(200);
    const { findings } = await verdict('client_id=web');
    const { exchanges } = (await idp.api('GET', '/api/exchanges')).body;
    const flowOf = (id: string) => exchanges.find((one: Found) => one.id === id).flow;
    for (const { id, evidence } of findings as Found[]) {
      expect(page.text).to.include(`<code>${id}</code>`);
      for (const exchange of evidence) expect(page.text).to.include(`href="/flows/${flowOf(exchange)}#${exchange}"`);
    }
    expect(page.text).to.include('href="/api/verdict?client_id=web&amp;format=sarif"');
    expect((await call(idp, '/verdict?flow=x')).status).to.equal(400);
    const box = await makeSandbox(idp);
    await postTo(idp, `/s/${box.name}/token`, { grant_type: 'client_credentials' });
    const inBox = (await idp.api('GET', `/s/${box.name}/api/verdict?client_id=web`)).body;
    expect([inBox.status, inBox.exchanges]).to.deep.equal(['advice', 1]);
    expect(idsOf(inBox)).to.deep.equal(['advice discovery_not_used']);
    expect((await call(idp, `/s/${box.name}/verdict`)).text).to.include(`href="/s/${box.name}/verdict?client_id=web"`);
    const client = await call(idp, '/clients/web/edit');
    expect(client.text).to.include('href="/verdict?client_id=web"');
  });

  verifies('VER-13', 'judges the sent values, not their fingerprints', async () => {
    const short = 'too-short';
    const browser = newBrowser(idp);
    const page = await browser.post(
      authorizePath({ code_challenge: challenge, code_challenge_method: 'S256', state: 'a state of many characters' }),
      alice,
    );
    await redeemCode(idp, codeOf(page), { code_verifier: short });
    await token(idp, [
      ['grant_type', 'client_credentials'],
      ['scope', 'profile'],
      ['scope', 'email'],
      ['client_secret', 'web-secret'],
    ]);
    const found = idsOf(await verdict('client_id=web'));
    expect(found).to.include.members(['warning verifier_short', 'error parameter_repeated', 'error secret_in_both']);
  });

  verifies(
    ['REC-02', 'REC-16', 'VER-K15', 'VER-K30', 'VER-K31'],
    'identifies the client of a JSON token request, although that is not a form',
    async () => {
      const post = (body: string, query = '') =>
        call(idp, `/token${query}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'text/html' },
          body,
        });
      const code = await codeFor(idp, { scope: 'openid offline_access' });
      const asked = { grant_type: 'authorization_code', client_id: 'web', code };
      expect((await post(JSON.stringify(asked), '?client_secret=web-secret')).body.error).to.equal('invalid_request');
      const { body } = await redeemCode(idp, code);
      await post(JSON.stringify({ grant_type: 'refresh_token', refresh_token: body.refresh_token }));
      for (const nobodys of ['{', '[]', 'null', JSON.stringify({ client_id: 'web', padding: 'x'.repeat(20_000) })]) {
        await post(nobodys);
      }
      const { exchanges } = (await idp.api('GET', '/api/exchanges?endpoint=token')).body;
      const [first, second, third, ...others] = exchanges;
      expect([first.client_id, second.client_id, third.client_id]).to.deep.equal(['web', 'web', 'web']);
      expect([first.flow, third.flow]).to.deep.equal([second.flow, second.flow]);
      expect(first.parameters, 'an unknown parameter').to.have.length(1);
      expect(others.map(({ client_id }: { client_id: null }) => client_id)).to.deep.equal([null, null, null, null]);
      expect(idsOf(await verdict('client_id=web'))).to.include.members([
        ...['error content_type_wrong', 'error secret_in_query', 'warning accept_refuses_json'],
      ]);
      expect(idsOf(await verdict('client_id=web'))).to.not.include('error code_reused');
    },
  );

  verifies('VER-13', 'judges how recorded clients use tokens, polling and key sets', async () => {
    const ownHeader = { Authorization: basic('post', 'post-secret') };
    await token(idp, { grant_type: 'client_credentials' }, ownHeader);
    const issued = await publicTokens(idp);
    const rotated = await refresh(idp, issued.refresh_token, { client_id: 'spa' }, {});
    expect(rotated.status, rotated.text).to.equal(200);
    await refresh(idp, issued.refresh_token, { client_id: 'spa' }, {});
    const device = await postTo(idp, '/device_authorization', { scope: 'openid' });
    for (let polls = 0; polls < 2; polls += 1) await pollDevice(idp, String(device.body.device_code));
    await idp.api('PUT', '/api/clock', { advance_seconds: 601 });
    for (let polls = 0; polls < 2; polls += 1) await pollDevice(idp, String(device.body.device_code));
    await idp.api('DELETE', '/api/clock');
    const tokens = await tokensFor(idp, { scope: 'openid offline_access' });
    await idp.api('PUT', '/api/clock', { advance_seconds: 86_400 });
    await call(idp, '/userinfo', { headers: { Authorization: `Bearer ${tokens.access_token}` } });
    await idp.api('DELETE', '/api/clock');
    await call(idp, '/logout?client_id=web&post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fbye');
    const of = async (clientId: string) => idsOf(await verdict(`client_id=${clientId}`));
    expect(await of('post')).to.include('error wrong_auth_method');
    expect(await of('spa')).to.include('error refresh_reused');
    expect(await of('web')).to.include.members([
      ...['error poll_too_fast', 'error poll_after_end', 'advice refresh_late', 'advice hint_missing_at_logout'],
    ]);
  });

  verifies('VER-K28', 'accuses no client of a missing request that may have been deleted', async () => {
    const box = await makeSandbox(idp);
    const below = `/s/${box.name}`;
    const judged = async () => idsOf((await idp.api('GET', `${below}/api/verdict?client_id=web`)).body);
    await call(idp, `${below}/.well-known/openid-configuration`, { headers: { 'User-Agent': 'another library' } });
    await postTo(idp, `${below}/token`, { grant_type: 'client_credentials' });
    expect(await judged(), 'another client requested it').to.deep.equal([]);
    await idp.api('DELETE', `${below}/api/flows`);
    await postTo(idp, `${below}/token`, { grant_type: 'client_credentials' });
    expect(await judged(), 'before the flows were removed').to.deep.equal([]);
    const switched = await makeSandbox(idp);
    const there = `/s/${switched.name}`;
    for (const enabled of [false, true]) await idp.api('PUT', `${there}/api/recorder`, { enabled });
    await postTo(idp, `${there}/token`, { grant_type: 'client_credentials' });
    const { findings } = (await idp.api('GET', `${there}/api/verdict?client_id=web`)).body;
    expect(findings, 'while nothing was recorded').to.deep.equal([]);
  });

  verifies('VER-13', 'finds a client that requests the key set after each token', async () => {
    for (let times = 0; times < 6; times += 1) {
      await token(idp, { grant_type: 'client_credentials' });
      await call(idp, '/.well-known/jwks.json');
    }
    expect(idsOf(await verdict('client_id=web'))).to.deep.equal(['warning jwks_every_time']);
  });

  verifies(['VER-07', 'VER-13'], 'is clean for a careful client', async () => {
    const browser = newBrowser(idp);
    await call(idp, '/.well-known/openid-configuration');
    const query = { code_challenge: challenge, code_challenge_method: 'S256', state: 'a state of many characters' };
    const asked = await browser.get(authorizePath({ ...query, scope: 'openid', nonce: 'a nonce' }));
    const code = codeOf(await browser.submit(asked, alice));
    const { body } = await redeemCode(idp, code, { code_verifier: verifier });
    await call(idp, '/userinfo', { headers: { Authorization: `Bearer ${body.access_token}` } });
    const judged = await verdict('client_id=web');
    expect([judged.status, idsOf(judged)]).to.deep.equal(['clean', []]);
    expect(judged.clean).to.include.members(['pkce_missing', 'code_reused', 'wrong_token_used', 'discovery_not_used']);
  });
});
