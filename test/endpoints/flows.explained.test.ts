// Which cause the explanation of a rejected flow names, and which findings a successful flow has (REC-18, REC-21).
import { expect } from 'chai';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { noFaults, setFault } from '#test/support/faults.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  beginDevice,
  call,
  codeFor,
  deviceGrantType,
  postTo,
  redeemCode,
  refresh,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('the explanation of a rejected flow', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  beforeEach(async () => {
    await noFaults(idp);
    await idp.api('DELETE', '/api/flows');
  });
  after(() => idp.stop());

  const newest = async () => (await idp.api('GET', '/api/flows?limit=1')).body.flows[0];
  const explanation = async (): Promise<string> =>
    (await idp.api('GET', `/api/flows/${(await newest()).id}`)).body.explanation;
  const findings = async (): Promise<string> => {
    const { text } = await call(idp, `/flows/${(await newest()).id}`);
    return (text.split('Findings')[1] ?? '').replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
  };
  const neverIssued = { grant_type: 'authorization_code', code: 'none', redirect_uri: 'http://127.0.0.1:9/callback' };

  for (const [fault, parameters] of [
    ['delay', { ms: 1 }],
    ['slow_drip', { bytes_per_second: 10_000 }],
    ['cacheable_answer', {}],
  ] as const) {
    verifies('REC-18', `names the rejection if ${fault} changed only its presentation`, async () => {
      await setFault(idp, fault, { at: ['token'], parameters });
      await token(idp, neverIssued);
      expect(await explanation()).to.match(
        new RegExp(
          `^/token rejected the request with 400: [^;]+ \\(RFC 6749 §4\\.1\\.3\\)\\. Fault: ${fault} at /token \\(docs/faults\\.md\\)\\. Expected: .+`,
        ),
      );
    });
  }

  verifies('REC-18', "names the fault that replaced the endpoint's response or made it reject", async () => {
    await setFault(idp, 'unavailable', { at: ['token'] });
    await token(idp, neverIssued);
    expect(await explanation()).to.match(
      /^\/token returned 503 because the fault unavailable fired: .+ \(docs\/faults\.md\)\.$/,
    );
    await setFault(idp, 'code_and_error');
    await codeFor(idp);
    expect(await explanation()).to.match(
      /^\/authorize returned 302 because the fault code_and_error fired: access_denied /,
    );
    const { refresh_token } = await tokensFor(idp, { scope: 'openid offline_access' });
    await setFault(idp, 'refresh_revoked');
    await refresh(idp, refresh_token);
    expect(await explanation()).to.match(/^\/token returned 400 because the fault refresh_revoked fired: /);
    await noFaults(idp);
    for (const name of ['device_expired', 'device_denied']) {
      const { device_code } = await beginDevice(idp);
      await setFault(idp, name);
      await token(idp, { grant_type: deviceGrantType, device_code });
      expect(await explanation()).to.match(new RegExp(`^/token returned 400 because the fault ${name} fired: `));
    }
  });

  verifies('REC-18', 'holds nothing against a client whose rejection an earlier fault caused', async () => {
    await setFault(idp, 'code_wrong');
    await redeemCode(idp, await codeFor(idp));
    const cause = await explanation();
    expect(cause).to.match(
      /^\/token rejected the request with 400: .+ \(RFC 6749 §4\.1\.3\)\. Fault: code_wrong at \/authorize \(docs\/faults\.md\)\. An earlier fault may be the cause/,
    );
    expect(await findings())
      .to.contain('code_wrong')
      .and.not.contain('Expected:');
  });

  verifies('REC-18', 'points to the page where a user approves a waiting device', async () => {
    const { device_code } = await beginDevice(idp);
    await token(idp, { grant_type: deviceGrantType, device_code });
    expect(await explanation()).to.equal(
      'Waiting for someone to approve the device at /device. The device polls /token.',
    );
    await postTo(idp, '/introspect', { token: 'none' });
    expect(await explanation()).to.equal('Requests completed. Last request: /introspect.');
  });

  verifies('REC-18', 'names the fault that made a token which is rejected later', async () => {
    await setFault(idp, 'token_expired', { parameters: { token: 'access_token' } });
    const issued = await tokensFor(idp, { scope: 'openid' });
    expect((await userinfo(idp, issued.access_token)).status).to.equal(401);
    expect(await explanation()).to.match(
      /^\/userinfo rejected the request with 401: .+ \(.+\)\. Fault: token_expired at \/token \(docs\/faults\.md\)\. An earlier fault may be the cause/,
    );
  });
});

describe('the findings of a successful flow', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  const pageOf = async (id: string): Promise<string> => {
    const { text } = await call(idp, `/flows/${id}`);
    return text.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
  };
  const flows = async (query: string) => (await idp.api('GET', `/api/flows?${query}`)).body.flows;

  verifies(
    ['REC-18', 'REC-21'],
    'equal those of the verdict, such as a state that another login used too',
    async () => {
      const state = 'the very same state each time';
      await tokensFor(idp, { scope: 'openid', state });
      await tokensFor(idp, { scope: 'openid', state });
      const [second, first] = await flows('kind=code');
      const { findings } = (await idp.api('GET', `/api/flows/${second.id}`)).body;
      const repeated = findings.find(({ id }: { id: string }) => id === 'state_repeated');
      expect(repeated).to.deep.include({ severity: 'error', standard: 'RFC 6749 §10.12', count: 1 });
      expect((await idp.api('GET', `/api/verdict?flow=${second.id}`)).body.findings).to.deep.equal(findings);
      const page = await pageOf(second.id);
      expect(page)
        .to.contain(repeated.title)
        .and.contain(repeated.remedy.replaceAll('`', ''))
        .and.contain(repeated.standard);
      expect((await call(idp, `/flows/${second.id}`)).text).to.contain(`href="/verdict?flow=${second.id}"`);
      expect(await pageOf(first.id), 'the state was new in the first flow').to.not.contain(repeated.title);
      expect((await call(idp, `/verdict?flow=${second.id}`)).status).to.equal(200);
    },
  );

  verifies(['REC-18', 'REC-21'], 'name what a stricter identity provider would reject in a SAML request', async () => {
    const xml = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_of-this-test" Version="2.0"
      IssueInstant="2020-01-01T12:00:00Z" AssertionConsumerServiceURL="http://127.0.0.1:9/acs"><saml:Issuer
      xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">https://sp.example/</saml:Issuer></samlp:AuthnRequest>`;
    const browser = newBrowser(idp);
    await browser.submit(await browser.post('/saml/sso', { SAMLRequest: Buffer.from(xml).toString('base64') }), alice);
    const [flow] = await flows('kind=saml');
    expect(flow.outcome).to.equal('completed');
    const { findings } = (await idp.api('GET', `/api/flows/${flow.id}`)).body;
    expect(findings.map(({ id }: { id: string }) => id)).to.deep.equal([
      'saml_destination_missing',
      'saml_issue_instant_skewed',
    ]);
    const page = await pageOf(flow.id);
    for (const { title, remedy } of findings) expect(page).to.contain(title).and.contain(remedy.replaceAll('`', ''));
  });

  verifies('REC-21', "name the fault that replaced the endpoint's response", async () => {
    await setFault(idp, 'unavailable', { at: ['token'], times: 1 });
    await token(idp, { grant_type: 'client_credentials' });
    const [flow] = await flows('kind=client_credentials');
    const page = await pageOf(flow.id);
    expect(page).to.contain('Caused by the fault unavailable').and.not.contain('No request was rejected');
  });

  verifies('REC-21', 'are empty for a correct client, and the page says so', async () => {
    await call(idp, '/.well-known/openid-configuration');
    await call(idp, '/.well-known/jwks.json');
    await token(idp, { grant_type: 'client_credentials' });
    const [flow] = await flows('kind=client_credentials');
    expect((await idp.api('GET', `/api/flows/${flow.id}`)).body.findings).to.deep.equal([]);
    expect(await pageOf(flow.id)).to.contain('No request was rejected, and the client broke no rule.');
  });
});

describe('the cited paragraph of an explanation', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      command: 'instance',
      settings: {
        ...demoSettings,
        oauth: { ...demoSettings.oauth, client_id_metadata_documents: { enabled: true } },
        rate_limit_enabled: true,
        server: { rate_limit_token_endpoint: '1/hour' },
      },
    });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  const explained = async () => {
    const { exchanges } = (await idp.api('GET', '/api/exchanges?limit=1')).body;
    const [{ flow, refusal }] = exchanges;
    return [refusal, (await idp.api('GET', `/api/flows/${flow}`)).body.explanation];
  };
  const page = { headers: { Accept: 'text/html', 'Upgrade-Insecure-Requests': '1' } };

  verifies('REC-18', 'belongs to the rejection if no audit event names it', async () => {
    await token(idp, { grant_type: 'client_credentials' });
    await token(idp, { grant_type: 'client_credentials' });
    const [limited, whyLimited] = await explained();
    expect(limited).to.equal('rate_limit_exceeded');
    expect(whyLimited).to.match(/^\/token rejected the request with 429: .+ \(RFC 6585 §4\)\. Expected: /);
    await call(idp, '/userinfo', { method: 'PATCH' });
    const [method, whyMethod] = await explained();
    expect(method).to.equal('method_not_allowed');
    expect(whyMethod).to.match(/^\/userinfo rejected the request with 405: .+ \(RFC 9110 §15\.5\.6\)/);
    await postTo(idp, '/introspect', { token: 'x'.repeat(1024 * 1024) });
    const [large, whyLarge] = await explained();
    expect(large).to.equal('payload_too_large');
    expect(whyLarge).to.match(/^\/introspect rejected the request with 413: .+ \(RFC 9110 §15\.5\.14\)/);
    for (const init of [{}, page]) {
      await call(idp, authorizePath({ client_id: 'https://nowhere.example/client.json' }), init);
      const [document, whyDocument] = await explained();
      expect(document).to.equal('metadata_document_refused');
      expect(whyDocument).to.match(
        /^\/authorize rejected the request with 4\d\d: .+ \(docs\/settings\.md#oauthclient_id_metadata_documents\)/,
      );
    }
    await call(idp, '/logout', { method: 'PUT', ...page });
    expect((await explained())[0], 'as a page').to.equal('method_not_allowed');
  });
});
