// Clients without findings, on recorded traffic: they do what the standards allow, but resemble clients that do not. Each
// test also has the client that gets the finding.
import { expect } from 'chai';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { basic } from '#test/support/http.ts';
import { authnRequest, redirectQuery } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { codeFor, postTo, publicTokens, redeemCode, refresh, tokensFor, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

interface Judged {
  readonly findings: readonly { readonly id: string }[];
  readonly clean: readonly string[];
}

describe('the verdict spares', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  beforeEach(() => idp.api('DELETE', '/api/flows'));
  after(() => idp.stop());

  const resultOf = async (rule: string, subject = 'client_id=web') => {
    const { findings, clean }: Judged = (await idp.api('GET', `/api/verdict?${subject}`)).body;
    if (findings.some(({ id }) => id === rule)) return 'found';
    return clean.includes(rule) ? 'clean' : 'not_observed';
  };
  const offline = { scope: 'openid offline_access' };

  verifies(['VER-K22', 'VER-13'], 'a client that keeps its refresh token without rotation', async () => {
    const { refresh_token } = await tokensFor(idp, offline);
    for (let times = 0; times < 3; times += 1) {
      const answer = await refresh(idp, refresh_token);
      expect([answer.status, answer.body.refresh_token === refresh_token]).to.deep.equal([200, false]);
    }
    expect(await resultOf('refresh_reused')).to.equal('not_observed');
    // Refresh tokens of a public client always rotate (REF-14).
    const rotated = await publicTokens(idp);
    await refresh(idp, rotated.refresh_token, { client_id: 'spa' }, {});
    expect(await resultOf('refresh_reused', 'client_id=spa')).to.equal('clean');
    await refresh(idp, rotated.refresh_token, { client_id: 'spa' }, {});
    expect(await resultOf('refresh_reused', 'client_id=spa')).to.equal('found');
  });

  verifies(['VER-K23', 'VER-13'], 'an old access token whose refresh token is no longer valid', async () => {
    const later = async (ended: (tokens: Readonly<Record<string, string>>) => Promise<unknown>, seconds = 7200) => {
      await idp.api('DELETE', '/api/flows');
      const tokens = await tokensFor(idp, offline);
      await ended(tokens);
      await idp.api('PUT', '/api/clock', { advance_seconds: seconds });
      expect((await userinfo(idp, tokens.access_token)).status).to.equal(401);
      await idp.api('DELETE', '/api/clock');
      return resultOf('refresh_late');
    };
    expect(await later(async () => undefined)).to.equal('found');
    // Only the access token is revoked (REV-02).
    expect(await later(({ access_token }) => postTo(idp, '/revoke', { token: access_token ?? '' }))).to.equal('found');
    expect(await later(({ refresh_token }) => postTo(idp, '/revoke', { token: refresh_token ?? '' }))).to.equal(
      'not_observed',
    );
    const yearSeconds = 366 * 24 * 3600;
    expect(await later(async () => undefined, yearSeconds), 'both have expired').to.equal('not_observed');
  });

  verifies(['VER-K18', 'VER-13'], 'a code that is sent again after a failed client authentication', async () => {
    const code = await codeFor(idp);
    const wrong = { Authorization: basic('web', 'another-secret') };
    expect((await redeemCode(idp, code, {}, wrong)).status).to.equal(401);
    expect((await redeemCode(idp, code)).status).to.equal(200);
    expect(await resultOf('code_reused')).to.equal('clean');
    await redeemCode(idp, code);
    expect(await resultOf('code_reused')).to.equal('found');
  });

  verifies(['VER-K17', 'VER-13', 'CLT-05'], 'a public client that names itself by Basic without a secret', async () => {
    const redeemedBy = async (authorization: string) => {
      const query = { client_id: 'spa', code_challenge: challenge, code_challenge_method: 'S256' };
      const page = await newBrowser(idp).post(authorizePath(query), alice);
      const header = { Authorization: authorization };
      const answer = await redeemCode(idp, codeOf(page), { code_verifier: verifier }, header);
      expect(answer.status, answer.text).to.equal(200);
      return resultOf('wrong_auth_method', 'client_id=spa');
    };
    expect(await redeemedBy(basic('spa', ''))).to.equal('clean');
    expect(await redeemedBy(basic('spa', 'anything'))).to.equal('found');
  });

  verifies(
    ['VER-K03', 'VER-K06', 'VER-K09', 'VER-13'],
    'a script that posts the credentials to the page it loaded',
    async () => {
      const drawn = { state: 'a-state-of-this-one-login', nonce: 'a-nonce-of-this-one-login' };
      const path = authorizePath({
        ...drawn,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        scope: 'openid',
      });
      const repeatedBy = async (posting: BrowserClient, loading: BrowserClient) => {
        await idp.api('DELETE', '/api/flows');
        await loading.get(path);
        const answer = await redeemCode(idp, codeOf(await posting.post(path, alice)), { code_verifier: verifier });
        expect(answer.status, answer.text).to.equal(200);
        return Promise.all(
          ['pkce_challenge_repeated', 'state_repeated', 'nonce_repeated'].map((rule) => resultOf(rule)),
        );
      };
      const browser = newBrowser(idp);
      await browser.get('/login');
      expect(await repeatedBy(browser, browser)).to.deep.equal(['not_observed', 'not_observed', 'not_observed']);
      expect(await repeatedBy(browser, newBrowser(idp))).to.deep.equal(['found', 'found', 'found']);
    },
  );

  verifies(['VER-K34', 'VER-13', 'SPM-10'], 'a registered service provider beside saml.sp_certificates', async () => {
    const { certificatePem } = await signingKey('sp');
    const registered = { entity_id: 'urn:registered', acs: [{ url: 'https://sp.example/acs' }] };
    const box = await makeSandbox(idp, {
      settings: { saml: { sp_certificates: [certificatePem], service_providers: [registered] } },
    });
    const unsignedOf = async (issuer: string) => {
      await newBrowser(idp).get(`${box.prefix}/saml/sso?${redirectQuery(authnRequest({ issuer }))}`);
      const verdict = async (): Promise<Judged & { status: string }> =>
        (await box.get(`/api/verdict?sp=${encodeURIComponent(issuer)}`)).body;
      await until('the request is judged', async () => (await verdict()).status !== 'nothing_seen');
      return (await verdict()).findings.map(({ id }) => id).includes('saml_request_unsigned');
    };
    expect(await unsignedOf('urn:somebody')).to.equal(true);
    expect(await unsignedOf('urn:registered')).to.equal(false);
  });

  verifies(['VER-K19', 'VER-13'], 'an introspected access token, unless it is in an address', async () => {
    const { access_token } = await tokensFor(idp);
    await postTo(idp, '/introspect', { token: access_token ?? '' });
    expect(await resultOf('token_in_query')).to.equal('clean');
    await postTo(idp, `/introspect?token=${access_token}`, {});
    expect(await resultOf('token_in_query')).to.equal('found');
  });

  verifies(['VER-K40', 'VER-13'], 'a service provider that uses real time while the clock is moved', async () => {
    const skewOf = async (issueInstant: number) => {
      await idp.api('DELETE', '/api/flows');
      const issued = new Date(issueInstant).toISOString();
      await newBrowser(idp).get(
        `/saml/sso?${redirectQuery(authnRequest().replace(/(?<=IssueInstant=")[^"]+/, issued))}`,
      );
      const skew = () => resultOf('saml_issue_instant_skewed', `sp=${encodeURIComponent('https://sp.example')}`);
      // The SAML front end of a stack reports it up to a second later (REC-09).
      await until('the request is judged', async () => (await skew()) !== 'not_observed');
      return skew();
    };
    const [now, hours] = [Date.now(), 3_600_000];
    await idp.api('PUT', '/api/clock', { advance_seconds: 8 * 3600 });
    expect(await skewOf(now)).to.equal('clean');
    expect(await skewOf(now + 8 * hours)).to.equal('clean');
    expect(await skewOf(now + 4 * hours)).to.equal('found');
    await idp.api('DELETE', '/api/clock');
  });

  verifies(
    ['VER-K28', 'VER-13'],
    'a client that may have requested discovery before the sandbox was reset',
    async () => {
      const box = await makeSandbox(idp);
      const below = `/s/${box.name}`;
      const found = async () => {
        await postTo(idp, `${below}/token`, { grant_type: 'client_credentials' });
        const { findings }: Judged = (await idp.api('GET', `${below}/api/verdict?client_id=web`)).body;
        return findings.map(({ id }) => id);
      };
      expect(await found()).to.deep.equal(['discovery_not_used']);
      expect((await idp.api('POST', `/api/sandboxes/${box.name}/reset`, {})).status).to.equal(200);
      expect(await found()).to.deep.equal([]);
    },
  );
});
