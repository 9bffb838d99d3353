// Faults in the responses of endpoints other than /token. Each faulty response is compared with a correct one.
import { expect } from 'chai';
import { compactVerify, createLocalJWKSet, decodeJwt, type JWK } from 'jose';
import type { Instant } from '#shared/base/clock.ts';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import type { Page } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { basic } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  approveDevice,
  beginDevice,
  call,
  introspect,
  pollDevice,
  postTo,
  redeemCode,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const issuer = 'https://idp.example';
const attacker = 'https://attacker.example';
const discoveryPath = '/.well-known/openid-configuration';
const keySetPath = '/.well-known/jwks.json';
const oauth = {
  ...{ issuer, issuer_from_request: false, dynamic_registration: { enabled: true } },
};

type Pairs = readonly (readonly [name: string, value: string])[];
type Members = Readonly<Record<string, unknown>>;

describe('faults of responses', () => {
  let idp: RunningIdp;
  let accessToken: string;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: { oauth },
      users: {
        alice: { password: 'wonderland', email: 'alice@example.org', roles: ['USER'] },
        bob: { password: 'builder' },
      },
    });
    accessToken = String((await tokensFor(idp, { scope: 'openid email profile' })).access_token);
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  /** Sends the request once with the fault, which fires, and once without. */
  async function twice<Result extends { headers: Headers }>(
    fault: string,
    ask: () => Promise<Result>,
    parameters: object = {},
  ): Promise<readonly [faulty: Result, right: Result]> {
    const set = await setFault(idp, fault, { parameters });
    const faulty = await ask();
    expect(await faultOf(idp, set)).to.include({ hits: 1, remaining: 0 });
    expect(faulty.headers.get('X-Test-Idp-Fault')).to.equal(fault);
    const right = await ask();
    expect(right.headers.get('X-Test-Idp-Fault')).to.equal(null);
    return [faulty, right];
  }

  function nameIn({ test }: Mocha.Context): string {
    return /\] (\w+)/.exec(test?.title ?? '')?.[1] ?? '';
  }

  /** Expects the JSON that `expected` makes of the correct response. */
  function json(ask: () => Promise<Answer>, expected: (right: Members) => Members) {
    return async function (this: Mocha.Context): Promise<void> {
      const [faulty, right] = await twice(nameIn(this), ask);
      expect([faulty.status, right.status]).to.deep.equal([200, 200]);
      expect(faulty.body).to.deep.equal(expected(right.body));
    };
  }

  const without =
    (name: string) =>
    ({ [name]: removed, ...rest }: Members): Members => {
      expect(removed, name).not.to.equal(undefined);
      return rest;
    };
  const having =
    (members: Members) =>
    (right: Members): Members => ({ ...right, ...members });

  describe('at the authorization endpoint', () => {
    const ask = (): Promise<Page> => newBrowser(idp).post(authorizePath({ state: 'mine', scope: 'openid' }), alice);
    const pairsOf = ({ location }: Page): Pairs => [...new URL(location ?? '').searchParams];
    const drawn = 'drawn anew';

    /** Returns the parameters. A code or state that differs from the correct one becomes `drawn`. */
    function response(expected: Pairs) {
      return async function (this: Mocha.Context): Promise<void> {
        const [faulty] = await twice(nameIn(this), ask);
        const codes: string[] = [];
        const responseParameters = pairsOf(faulty).map(([name, value]) => {
          if (name === 'code') codes.push(value);
          return [name, name === 'code' ? 'a code' : name === 'state' && value !== 'mine' ? drawn : value];
        });
        expect(responseParameters).to.deep.equal(expected);
        expect(faulty.location?.startsWith(`${callback}?`)).to.equal(true);
        const alive = await Promise.all(codes.map(async (code) => (await redeemCode(idp, code)).status === 200));
        const never = ['mix_up', 'code_wrong'].includes(nameIn(this));
        expect(alive).to.deep.equal(codes.map((_, index) => index === 0 && !never));
      };
    }
    const [code, state, iss] = [['code', 'a code'] as const, ['state', 'mine'] as const, ['iss', issuer] as const];

    verifies('FLT-K023', 'state_missing', response([code, iss]));
    verifies('FLT-K024', 'state_wrong', response([code, ['state', drawn], iss]));
    verifies('FLT-K025', 'state_duplicated', response([code, state, ['state', drawn], iss]));
    verifies('FLT-K026', 'iss_missing', response([code, state]));
    verifies('FLT-K027', 'iss_wrong', response([code, state, ['iss', attacker]]));
    verifies('FLT-K028', 'iss_normalized', response([code, state, ['iss', `${issuer}/`]]));
    verifies('FLT-K029', 'mix_up', response([code, state, ['iss', attacker]]));
    verifies('FLT-K030', 'code_missing', response([state, iss]));
    verifies('FLT-K031', 'code_and_error', response([code, state, iss, ['error', 'access_denied']]));
    verifies('FLT-K032', 'code_wrong', response([code, state, iss]));
    verifies('FLT-K033', 'code_duplicated', response([code, code, state, iss]));
    verifies('FLT-K034', 'code_injected', async () => {
      const challenged = () =>
        newBrowser(idp).post(
          authorizePath({
            state: 'mine',
            scope: 'openid',
            nonce: 'mine',
            code_challenge: challenge,
            code_challenge_method: 'S256',
          }),
          alice,
        );
      const unchallenged = () =>
        newBrowser(idp).post(authorizePath({ state: 'mine', scope: 'openid', nonce: 'mine' }), alice);
      const [bound] = await twice('code_injected', challenged, { username: 'bob' });
      const refused = await redeemCode(idp, codeOf(bound), { code_verifier: verifier });
      expect([refused.status, refused.body.error]).to.deep.equal([400, 'invalid_grant']);
      const [unbound] = await twice('code_injected', unchallenged);
      const injected = await redeemCode(idp, codeOf(unbound));
      const { sub, nonce, aud } = decodeJwt(String(injected.body.id_token));
      expect([sub, aud, nonce === 'mine', typeof nonce]).to.deep.equal(['bob', 'web', false, 'string']);
      expect(pairsOf(unbound).map(([name]) => name)).to.deep.equal(['code', 'state', 'iss']);
    });
    verifies('FLT-K035', 'response_in_fragment', async () => {
      const [faulty] = await twice('response_in_fragment', ask);
      const { search, hash } = new URL(faulty.location ?? '');
      const responseParameters = new URLSearchParams(hash.slice(1));
      expect([search, [...responseParameters.keys()], responseParameters.get('iss')]).to.deep.equal([
        '',
        ['code', 'state', 'iss'],
        issuer,
      ]);
      expect((await redeemCode(idp, responseParameters.get('code') ?? '')).status).to.equal(200);
    });
    verifies(
      'FLT-K036',
      'response_extra_parameters',
      response([code, state, iss, ['session_state', 'of-no-meaning'], ['x_unknown', 'of-no-meaning']]),
    );

    verifies(['FLT-K027', 'FLT-K028'], 'adds iss to responses that otherwise have none', async () => {
      await idp.configure({ settings: { oauth: { dynamic_registration: { enabled: true } } } });
      for (const [name, expected] of [
        ['iss_wrong', attacker],
        ['iss_normalized', `${idp.baseUrl}/`],
      ] as const) {
        const [faulty, right] = await twice(name, ask);
        const issuers = [faulty, right].map((page) => new URL(page.location ?? '').searchParams.get('iss'));
        expect(issuers).to.deep.equal([expected, null]);
      }
      await idp.configure({ settings: { oauth } });
    });
  });

  describe('in documents', () => {
    const discover = () => call(idp, discoveryPath);
    const keySet = () => call(idp, keySetPath);
    const keysOf = ({ body }: Answer): JWK[] => (Array.isArray(body.keys) ? body.keys : []);

    verifies('FLT-K104', 'discovery_issuer_mismatch', json(discover, having({ issuer: attacker })));
    verifies('FLT-K105', 'discovery_issuer_slash', json(discover, having({ issuer: `${issuer}/` })));
    verifies('FLT-K106', 'discovery_member_missing', async () => {
      const [bare, right] = await twice('discovery_member_missing', discover);
      expect(bare.body).to.deep.equal(without('jwks_uri')(right.body));
      const [chosen] = await twice('discovery_member_missing', discover, { member: 'token_endpoint' });
      expect(chosen.body).to.deep.equal(without('token_endpoint')(right.body));
    });
    verifies(
      'FLT-K107',
      'discovery_foreign_endpoints',
      json(
        discover,
        having({
          token_endpoint: `${attacker}/token`,
          userinfo_endpoint: `${attacker}/userinfo`,
          jwks_uri: `${attacker}/.well-known/jwks.json`,
        }),
      ),
    );
    verifies('FLT-K108', 'discovery_no_pkce', json(discover, without('code_challenge_methods_supported')));
    verifies(
      'FLT-K109',
      'discovery_lists_none',
      json(discover, having({ id_token_signing_alg_values_supported: ['RS256', 'none'] })),
    );

    verifies(
      'FLT-K110',
      'jwks_empty',
      json(keySet, () => ({ keys: [] })),
    );
    verifies('FLT-K111', 'jwks_published_late', async () => {
      expect((await idp.api('POST', '/api/keys/rotate')).status).to.equal(200);
      const [faulty, right] = await twice('jwks_published_late', keySet);
      expect(keysOf(right)).to.have.length(2);
      expect(keysOf(faulty)).to.deep.equal(keysOf(right).slice(1));
    });
    verifies('FLT-K112', 'jwks_published_early', async () => {
      const [faulty, right] = await twice('jwks_published_early', keySet);
      const [further, ...others] = keysOf(faulty);
      expect(others).to.deep.equal(keysOf(right));
      expect(Object.keys(further ?? {})).to.deep.equal(Object.keys(keysOf(right)[0] ?? {}));
      expect(keysOf(right).map(({ kid }) => kid)).not.to.include(further?.kid);
    });
    verifies('FLT-K113', 'jwks_same_kid_other_key', async () => {
      const [faulty, right] = await twice('jwks_same_kid_other_key', keySet);
      const [active, ...others] = keysOf(right);
      expect(keysOf(faulty)).to.deep.equal([{ ...active, n: keysOf(faulty)[0]?.n }, ...others]);
      expect(keysOf(faulty)[0]?.n)
        .to.match(/^[\w-]{342}$/)
        .and.not.equal(active?.n);
    });
    verifies('FLT-K114', 'jwks_duplicate_kid', async () => {
      const [faulty, right] = await twice('jwks_duplicate_kid', keySet);
      const [first, ...others] = keysOf(faulty);
      expect(others).to.deep.equal(keysOf(right));
      expect([first?.kid, first?.n === others[0]?.n]).to.deep.equal([others[0]?.kid, false]);
    });
    verifies('FLT-K115', 'jwks_unknown_type_first', async () => {
      const [faulty, right] = await twice('jwks_unknown_type_first', keySet);
      const [first, ...others] = keysOf(faulty);
      expect([first?.kty, others]).to.deep.equal(['XYZ', keysOf(right)]);
    });
    for (const [member, value] of [
      ['use', 'enc'],
      ['alg', 'ES256'],
    ] as const) {
      verifies(['FLT-K116', 'FLT-K117'], `jwks_wrong_${member}`, async () => {
        const [faulty, right] = await twice(`jwks_wrong_${member}`, keySet);
        expect(keysOf(faulty)).to.deep.equal(keysOf(right).map((key) => ({ ...key, [member]: value })));
      });
    }
    verifies('FLT-K118', 'jwks_cached_long', async () => {
      const [faulty, right] = await twice('jwks_cached_long', keySet);
      expect([faulty.text, faulty.status]).to.deep.equal([right.text, 200]);
      expect(faulty.headers.get('Cache-Control')).to.equal('public, max-age=86400');
      const others = ({ headers }: Answer) =>
        [...headers].filter(([name]) => !['cache-control', 'date', 'x-test-idp-fault', 'x-request-id'].includes(name));
      expect(others(faulty)).to.deep.equal(others(right));
    });
  });

  describe('at userinfo', () => {
    const ask = () => userinfo(idp, accessToken);

    verifies('FLT-K119', 'userinfo_subject_mismatch', json(ask, having({ sub: 'alice-other' })));
    verifies('FLT-K120', 'userinfo_subject_missing', json(ask, without('sub')));
    verifies(
      'FLT-K121',
      'userinfo_claims_missing',
      json(ask, () => ({ sub: 'alice' })),
    );
    verifies('FLT-K122', 'userinfo_odd_types', json(ask, having({ email: 4711, roles: {}, tenant: null })));
    verifies('FLT-K123', 'userinfo_signed', async () => {
      const [faulty, right] = await twice('userinfo_signed', ask);
      expect(faulty.headers.get('Content-Type')).to.equal('application/jwt');
      const keys = (await call(idp, keySetPath)).body as { keys: JWK[] };
      const { payload, protectedHeader } = await compactVerify(faulty.text, createLocalJWKSet(keys));
      expect(JSON.parse(Buffer.from(payload).toString())).to.deep.equal({ ...right.body, iss: issuer, aud: 'web' });
      expect(protectedHeader.alg).to.equal('RS256');
    });
    verifies('FLT-K124', 'userinfo_unauthorized', async () => {
      const set = await setFault(idp, 'userinfo_unauthorized');
      const idToken = String((await tokensFor(idp, { scope: 'openid' })).id_token);
      for (const dead of [undefined, 'dead', `${accessToken}x`, idToken]) {
        const right = dead === undefined ? await call(idp, '/userinfo') : await userinfo(idp, dead);
        expect([right.status, right.headers.get('X-Test-Idp-Fault')]).to.deep.equal([401, null]);
      }
      expect(await faultOf(idp, set)).to.include({ hits: 0 });
      const faulty = await ask();
      expect([faulty.status, faulty.body.error, faulty.headers.get('WWW-Authenticate')]).to.deep.equal([
        ...[401, 'invalid_token', 'Bearer error="invalid_token"'],
      ]);
      expect((await ask()).status).to.equal(200);
    });
  });

  describe('at introspection', () => {
    const ask = () => introspect(idp, accessToken);

    verifies(
      'FLT-K125',
      'introspection_inactive',
      json(ask, () => ({ active: false })),
    );
    verifies('FLT-K126', 'introspection_text', json(ask, having({ active: 'true' })));
    verifies(
      'FLT-K127',
      'introspection_bare',
      json(ask, () => ({ active: true })),
    );
    verifies(['FLT-K125', 'FLT-K126', 'FLT-K127', 'FLT-21'], 'never reports a dead token as active', async () => {
      const dead = () => introspect(idp, 'dead');
      const [text] = await twice('introspection_text', dead);
      expect(text.body).to.deep.equal({ active: 'false' });
      for (const name of ['introspection_inactive', 'introspection_bare']) {
        const set = await setFault(idp, name);
        expect((await dead()).body).to.deep.equal({ active: false });
        expect(await faultOf(idp, set)).to.include({ hits: 0 });
      }
    });
  });

  describe('in the device flow', () => {
    const ask = () => postTo(idp, '/device_authorization', { scope: 'openid' });
    const members = [
      'device_code',
      'user_code',
      'verification_uri',
      'verification_uri_complete',
      'expires_in',
      'interval',
    ];

    for (const [name, member] of [
      ['device_interval_missing', 'interval'],
      ['device_complete_uri_missing', 'verification_uri_complete'],
    ] as const) {
      verifies(['FLT-K131', 'FLT-K132'], name, async () => {
        const [faulty, right] = await twice(name, ask);
        expect(Object.keys(right.body)).to.deep.equal(members);
        expect(Object.keys(faulty.body)).to.deep.equal(members.filter((each) => each !== member));
        expect([faulty.body.expires_in, faulty.body.verification_uri]).to.deep.equal([
          ...[right.body.expires_in, right.body.verification_uri],
        ]);
        expect((await beginDevice(idp)).user_code).to.be.a('string');
      });
    }
  });

  describe('at device polling', () => {
    for (const [name, error, afterwards] of [
      ['device_slow_down', 'slow_down', 'authorization_pending'],
      ['device_expired', 'expired_token', 'expired_token'],
      ['device_denied', 'access_denied', 'access_denied'],
    ] as const) {
      verifies(['FLT-K128', 'FLT-K129', 'FLT-K130'], name, async () => {
        for (const approved of [false, true]) {
          const { device_code, user_code } = await beginDevice(idp, { scope: 'openid' });
          if (approved) await approveDevice(idp, user_code);
          const set = await setFault(idp, name);
          expect((await pollDevice(idp, device_code, {}, { Authorization: basic('web', 'wrong') })).status).to.equal(
            401,
          );
          expect(await faultOf(idp, set)).to.include({ hits: 0 });
          const faulty = await pollDevice(idp, device_code);
          expect([faulty.status, faulty.body.error]).to.deep.equal([400, error]);
          expect(await faultOf(idp, set)).to.include({ hits: 1 });
          expect(faulty.headers.get('X-Test-Idp-Fault')).to.equal(name);
          const grant = await idp.withStore(({ deviceGrants }) =>
            deviceGrants.findByDeviceCode(device_code, 0 as Instant),
          );
          expect(grant?.intervalSeconds).to.equal(name === 'device_slow_down' ? 10 : 5);
          const next = await pollDevice(idp, device_code);
          const tokens = approved && name === 'device_slow_down';
          expect(next.body.error).to.equal(tokens ? undefined : afterwards);
        }
      });
    }

    verifies('FLT-K133', 'device_user_code_reused', async () => {
      const other = await beginDevice(idp, { scope: 'openid' });
      const set = await setFault(idp, 'device_user_code_reused');
      const { body } = await postTo(idp, '/device_authorization', { scope: 'openid' });
      expect(await faultOf(idp, set)).to.include({ hits: 1 });
      expect(body.user_code).to.equal(other.user_code);
      expect(body.verification_uri_complete).to.equal(`${body.verification_uri}?user_code=${other.user_code}`);
      await approveDevice(idp, other.user_code);
      expect((await pollDevice(idp, other.device_code)).status).to.equal(200);
      expect((await pollDevice(idp, String(body.device_code))).body.error).to.equal('authorization_pending');
    });
  });

  describe('at registration', () => {
    const metadata = { redirect_uris: [callback], client_name: 'Newcomer' };
    const ask = (changes: object = {}) =>
      call(idp, '/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...metadata, ...changes }),
      });

    verifies('FLT-K135', 'registration_redirects_changed', async () => {
      const set = await setFault(idp, 'registration_redirects_changed');
      const { body, status } = await ask();
      expect(await faultOf(idp, set)).to.include({ hits: 1 });
      const changed = ['https://registered.example/callback'];
      expect([status, body.redirect_uris]).to.deep.equal([201, changed]);
      const path = new URL(String(body.registration_client_uri)).pathname;
      const headers = { Authorization: `Bearer ${String(body.registration_access_token)}` };
      expect((await call(idp, path, { headers })).body.redirect_uris).to.deep.equal(changed);
      expect((await ask()).body.redirect_uris).to.deep.equal(metadata.redirect_uris);
    });
    verifies('FLT-29', 'names the fault in the event of the registration and in no other event', async () => {
      for (const name of ['registration_redirects_changed', 'registration_secret_missing', 'wrong_content_type']) {
        const { id } = await setFault(idp, name, { at: 'register' });
        const before = (await idp.audit()).length;
        expect((await ask()).status).to.equal(201);
        const events = (await idp.audit()).slice(before);
        expect(events.map(({ event_type, details }) => [event_type, details.fault])).to.deep.equal([
          ['client_registered', { name, id }],
        ]);
      }
    });
    verifies(['FLT-17', 'DCR-19'], 'changes nothing if no further client fits', async () => {
      const { body } = await idp.api('POST', '/api/sandboxes', {
        settings: { oauth: { dynamic_registration: { enabled: true, max_clients: 1 } } },
      });
      const at = {
        api: (method: string, path: string, given?: unknown) => idp.api(method, `/s/${body.name}${path}`, given),
      };
      expect((await at.api('POST', '/register', metadata)).status).to.equal(201);
      const set = await setFault(at, 'registration_secret_missing');
      expect((await at.api('POST', '/register', metadata)).status).not.to.equal(201);
      expect(await faultOf(at, set)).to.include({ hits: 0 });
    });
    verifies('FLT-K134', 'registration_secret_missing', async () => {
      const set = await setFault(idp, 'registration_secret_missing');
      expect((await ask({ token_endpoint_auth_method: 'none' })).status).to.equal(201);
      expect(await faultOf(idp, set)).to.include({ hits: 0 });
      const faulty = await ask();
      const right = await ask();
      expect(await faultOf(idp, set)).to.include({ hits: 1 });
      const expected = Object.keys(right.body).filter((name) => name !== 'client_secret');
      expect(Object.keys(faulty.body)).to.deep.equal(expected);
      expect([faulty.status, expected.length]).to.deep.equal([201, Object.keys(right.body).length - 1]);
    });
  });

  describe('at logout', () => {
    const ask = () =>
      newBrowser(idp).get(
        `/logout?${new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: callback, state: 'mine' })}`,
      );

    verifies('FLT-K136', 'logout_no_redirect', async () => {
      const [faulty, right] = await twice('logout_no_redirect', ask);
      expect([right.status, right.location]).to.deep.equal([302, `${callback}?state=mine`]);
      expect([faulty.status, faulty.location]).to.deep.equal([200, null]);
    });
    verifies('FLT-K137', 'logout_state_wrong', async () => {
      const [faulty] = await twice('logout_state_wrong', ask);
      expect(faulty.location).to.equal(`${callback}?state=another-state`);
    });
    verifies('FLT-K138', 'logout_state_missing', async () => {
      const [faulty] = await twice('logout_state_missing', ask);
      expect(faulty.location).to.equal(callback);
    });
  });
});
