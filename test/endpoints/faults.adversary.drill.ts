// FLT-21 from the attacker's side: with each fault of the catalogue active, this drill tries every request that is rejected
// without it. None of them may succeed.
import { expect } from 'chai';
import { faultCatalogue } from '#shared/engine/faults/catalogue/index.ts';
import type { FaultEndpoint } from '#shared/model/domain/fault.ts';
import { authorizePath, challenge } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { noFaults, setFault } from '#test/support/faults.ts';
import { basic } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, codeFor, introspect, isActive, tokensFor } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings, demoUsers } from '#test/support/worlds.ts';

/** What arrived of a response, even if the connection broke. */
interface Got {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

interface Attack {
  readonly what: string;
  readonly ask: () => Promise<Got>;
  /** True if the response shows something that only a successful attack reveals. */
  readonly gotThrough: (got: Got) => boolean;
}

/** Shortens the faults that keep clients waiting. */
const short: Readonly<Record<string, object>> = {
  delay: { ms: 1 },
  hang: { seconds: 1 },
  slow_drip: { bytes_per_second: 10_000 },
  huge_body: { bytes: 10_000 },
  token_large: { bytes: 4096 },
};
/** These faults end the connection without a response, so no attack can succeed through them. */
const withoutAnswer = new Set(['hang', 'slow_drip']);

describe('attacks under faults', () => {
  let idp: RunningIdp;
  let attacks: Readonly<Partial<Record<FaultEndpoint, readonly Attack[]>>>;
  before(async () => {
    idp = await startIdp({
      settings: { ...demoSettings, oauth: { ...demoSettings.oauth, dynamic_registration: { enabled: true } } },
      users: demoUsers,
    });
    attacks = await allAttacks();
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  const post = async (path: string, form: Readonly<Record<string, string>>, headers: Record<string, string> = {}) => {
    try {
      const body = new URLSearchParams(form);
      const answer = await fetch(idp.baseUrl + path, { method: 'POST', headers, body, redirect: 'manual' });
      const text = await answer.text().catch(() => '');
      return { status: answer.status, location: answer.headers.get('location') ?? '', text };
    } catch {
      return { status: 0, location: '', text: '' };
    }
  };
  const hasToken = ({ text }: Got) => /"(?:access|refresh|id)_token"\s*:\s*"(?!first)/.test(text);
  const hasCode = ({ location, text }: Got) => /[?&#]code=/.test(location) || /name="code"/.test(text);

  async function allAttacks(): Promise<typeof attacks> {
    const scope = 'openid email offline_access';
    const tokens = await tokensFor(idp, { scope });
    const challenged = await codeFor(idp, { scope, code_challenge: challenge, code_challenge_method: 'S256' });
    const spent = await codeFor(idp, { scope });
    const redeem = { grant_type: 'authorization_code', redirect_uri: callback };
    await post('/token', { ...redeem, code: spent }, web);
    const revoked = String((await tokensFor(idp, { scope })).access_token);
    await post('/revoke', { token: revoked }, web);
    const changed = (token: unknown) => String(token).replace(/.(?=.{9}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    const expired = (await idp.api('POST', '/api/users/alice/token', { exp_minutes: -5, scope })).body.access_token;
    const dead = {
      'one of nobody': 'no.such.token',
      'a changed one': changed(tokens.access_token),
      'a revoked one': revoked,
      'an expired one': expired,
      'an unsigned one': `${String(tokens.access_token).split('.').slice(0, 2).join('.')}.`,
    };
    const token = (what: string, form: Record<string, string>, headers: Record<string, string> = web): Attack => ({
      what,
      ask: () => post('/token', form, headers),
      gotThrough: hasToken,
    });
    const wrongSecret = { Authorization: basic('web', 'wrong') };
    return {
      token: [
        token('a wrong client secret', { grant_type: 'client_credentials' }, wrongSecret),
        token('no client secret', { grant_type: 'client_credentials', client_id: 'web' }, {}),
        token('a wrong password', { grant_type: 'password', ...alice, password: 'wrong' }),
        token('a code of nobody', { ...redeem, code: 'nobody' }),
        token('a code twice', { ...redeem, code: spent }),
        token('a code without its verifier', { ...redeem, code: challenged }),
        token('a code with another verifier', { ...redeem, code: challenged, code_verifier: 'x'.repeat(43) }),
        token('a code for another address', { ...redeem, code: challenged, redirect_uri: 'http://127.0.0.1:9/x' }),
        token('a changed refresh token', { grant_type: 'refresh_token', refresh_token: changed(tokens.refresh_token) }),
        token('an access token for a refresh', {
          grant_type: 'refresh_token',
          refresh_token: String(tokens.access_token),
        }),
        token('a device code of nobody', {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: 'nobody',
        }),
      ],
      userinfo: Object.entries(dead).map(([what, given]) => ({
        what,
        ask: () => post('/userinfo', {}, { Authorization: `Bearer ${given}` }),
        gotThrough: ({ text }: Got) => text.includes('alice'),
      })),
      introspect: [
        ...Object.entries(dead).map(([what, given]) => ({
          what,
          ask: () => post('/introspect', { token: given }, web),
          gotThrough: ({ text }: Got) => /"active"\s*:\s*"?true/.test(text),
        })),
        {
          what: 'a wrong client secret',
          ask: () => post('/introspect', { token: String(tokens.access_token) }, wrongSecret),
          gotThrough: ({ text }: Got) => /"active"\s*:\s*"?true/.test(text),
        },
      ],
      authorize: [
        {
          what: 'a wrong password',
          ask: () => post(authorizePath({ state: 's' }), { ...alice, password: 'wrong' }),
          gotThrough: hasCode,
        },
        { what: 'no password', ask: () => post(authorizePath(), { username: 'alice' }), gotThrough: hasCode },
        {
          what: 'an address that is not registered',
          ask: () => post(authorizePath({ redirect_uri: 'https://attacker.example/' }), alice),
          gotThrough: ({ location }: Got) => location.startsWith('https://attacker.example/'),
        },
      ],
      saml_sso: [
        {
          what: 'a wrong password',
          ask: async () => {
            const request = Buffer.from(
              '<p:AuthnRequest xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion" ID="_1" Version="2.0" IssueInstant="2026-01-01T00:00:00Z" AssertionConsumerServiceURL="https://sp.example/acs"><a:Issuer>https://sp.example</a:Issuer></p:AuthnRequest>',
            );
            return post('/saml/sso', { SAMLRequest: request.toString('base64'), ...alice, password: 'wrong' });
          },
          gotThrough: ({ text, location }: Got) => /SAMLResponse/.test(text + location),
        },
      ],
      register: [
        {
          what: 'a wrong registration token',
          ask: async () => {
            const answer = await call(idp, '/register/web', { headers: { Authorization: 'Bearer wrong' } });
            return { status: answer.status, location: '', text: answer.text };
          },
          gotThrough: ({ text }: Got) => text.includes('redirect_uris'),
        },
      ],
    };
  }

  /** Returns the attacks that succeed. */
  async function succeeded(at: readonly FaultEndpoint[]): Promise<readonly string[]> {
    const tried = at.flatMap((endpoint) => (attacks[endpoint] ?? []).map((attack) => ({ endpoint, attack })));
    const outcomes = await Promise.all(
      tried.map(async ({ endpoint, attack }) => {
        const got = await attack.ask().catch(() => undefined);
        return got !== undefined && attack.gotThrough(got)
          ? `${endpoint}: ${attack.what}: ${got.text.slice(0, 200)}`
          : '';
      }),
    );
    return outcomes.filter((outcome) => outcome !== '');
  }

  const attacked: readonly FaultEndpoint[] = ['token', 'userinfo', 'introspect', 'authorize', 'saml_sso', 'register'];

  it('fail without any fault', async () => {
    expect(await succeeded(attacked)).to.deep.equal([]);
    expect(await isActive(idp, String((await tokensFor(idp, { scope: 'openid' })).access_token))).to.equal(true);
  });

  verifies('FLT-21', 'fail with every fault of the catalogue', async () => {
    const through: string[] = [];
    for (const row of faultCatalogue) {
      const at = row.at.filter((endpoint) => attacked.includes(endpoint));
      if (at.length === 0 || withoutAnswer.has(row.name)) continue;
      await setFault(idp, row.name, { at, times: 'always', parameters: short[row.name] ?? {} });
      through.push(...(await succeeded(at)).map((each) => `${row.name}: ${each}`));
      await noFaults(idp);
    }
    expect(through).to.deep.equal([]);
  });

  verifies('FLT-21', 'succeed with faulty access tokens only if those are signed and not expired', async () => {
    const active: string[] = [];
    const rows = faultCatalogue.filter(({ parameters }) => 'token' in parameters.shape);
    for (const { name } of rows) {
      await setFault(idp, name, { parameters: { token: 'access_token', ...short[name] } });
      const { access_token: faulty } = await tokensFor(idp, { scope: 'openid email' });
      await noFaults(idp);
      const { body } = await introspect(idp, faulty);
      if (body.active === true) active.push(name);
    }
    expect(active).to.deep.equal([
      ...['token_iat_future', 'token_issuer_wrong', 'token_issuer_slash', 'token_issuer_missing'],
      ...['token_audience_wrong', 'token_audience_missing', 'token_audience_untrusted'],
      ...['token_azp_wrong', 'token_azp_missing', 'subject_missing', 'subject_changed', 'subject_not_text'],
      ...['iat_missing', 'token_duplicate_members', 'token_large', 'kid_missing', 'token_header_typ'],
    ]);
  });
});
