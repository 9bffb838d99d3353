// Tests each rule of the verdict with clients that break it and clients that keep it (VER-13).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { withRules } from '#build/documents/rules.ts';
import { instant } from '#shared/base/clock.ts';
import type { ClientHistory } from '#shared/engine/verdict/client-history.ts';
import { verdictRules } from '#shared/engine/verdict/rules/index.ts';
import type { Noticed } from '#shared/model/domain/exchange.ts';
import { authnRequest, judged, type Step, type Told, tokenSent, tokenWith } from '#test/support/client-histories.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const codeGrant = { grant_type: 'authorization_code' };
const deviceGrant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'fp:00000000000d' };

const right = {
  ...{ client_id: 'web', response_type: 'code', scope: 'openid', redirect_uri: 'https://app.example/cb' },
  ...{
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'af0ifjsldkj-af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj',
  },
};
type Parameters = Readonly<Record<string, string | undefined>>;

/** A correct authorization request with these changes. undefined removes a parameter. */
function authorize(changes: Parameters = {}, details: Told = {}): Step {
  return ['authorize', { ...details, query: pairsOf(changes) }];
}

function pairsOf(changes: Parameters): readonly (readonly [string, string])[] {
  return Object.entries({ ...right, ...changes }).filter((pair): pair is [string, string] => pair[1] !== undefined);
}

/** The same parameters in a request object, except the client. `claims` are the known claims of it. */
function inObject(changes: Parameters = {}, claims: unknown = Object.fromEntries(pairsOf(changes))): Step {
  const decoded = claims === null ? [] : [{ name: 'request', in: 'parameters' as const, jwt: { header: {}, claims } }];
  return ['authorize', { query: { client_id: 'web', request: 'fp:00000000000a' }, decoded }];
}

/** The request object is at a URL, so its contents are unknown. */
const elsewhere: Step = ['authorize', { query: { client_id: 'web', request_uri: 'https://app.example/object' } }];

/** Only the beginning of the request object is stored. */
const cutOff = inObject({}, '{"scope":"openid"… (5000 characters)');

function token(body: Record<string, string>, details: Told = {}): Step {
  return ['token', { answer: { access_token: 'fp:00000000000a' }, ...details, body }];
}

const redeemed = (details: Told = {}) => token({ ...codeGrant, code: 'fp:00000000000c' }, details);
const jwks = (details: Told = {}): Step => ['jwks', { clientId: undefined, ...details }];
const cc = (details: Told = {}) => token({ grant_type: 'client_credentials' }, details);

type Client = readonly [steps: readonly Step[], told?: Partial<ClientHistory>];

/** The verdict on a client for a rule: its severity, `clean` or `not_observed`. */
function verdictOn(rule: string, [steps, details = {}]: Client, after = 0): string | undefined {
  const { findings, clean, notObserved } = judged(steps, details, after);
  const found = findings.find((one) => one.rule.id === rule);
  const places = [
    ...(found === undefined ? [] : [found.severity]),
    ...(clean.some(({ id }) => id === rule) ? ['clean'] : []),
    ...(notObserved.some(({ id }) => id === rule) ? ['not_observed'] : []),
  ];
  expect(places, rule).to.have.length(1);
  return places[0];
}

interface Clients {
  readonly breaks: readonly (readonly [severity: string, ...client: Client])[];
  readonly keeps: readonly Client[];
  /** Clients for which the rule is not observed. */
  readonly silent?: readonly Client[];
}

/** Clients that break a rule, with the severity, clients that keep it, and clients for which it is not observed. */
function distinguishes(rule: string, { breaks, keeps, silent = [] }: Clients): void {
  for (const [severity, ...client] of breaks) expect(verdictOn(rule, client), `${rule}: breaks`).to.equal(severity);
  for (const client of keeps) expect(verdictOn(rule, client), `${rule}: keeps`).to.equal('clean');
  for (const client of silent) expect(verdictOn(rule, client), `${rule}: silent`).to.equal('not_observed');
}

describe('the rules of the verdict', () => {
  verifies('VER-13', 'number 48, each with a unique id, a clause and a standard', () => {
    const numbered = (series: string, length: number) =>
      Array.from({ length }, (_, index) => `${series}${String(index + 1).padStart(2, '0')}`);
    expect(verdictRules.map(({ clause }) => clause)).to.deep.equal([...numbered('VER-K', 46), ...numbered('SHV-', 2)]);
    expect(new Set(verdictRules.map(({ id }) => id)).size).to.equal(48);
    for (const { id, standard, remedy, title } of verdictRules) {
      expect(id).to.match(/^[a-z0-9_]+$/);
      expect(standard.reference).to.match(/§/);
      expect(remedy).to.match(/\.$/);
      expect(title).to.match(/^[A-Z].*[^.]$/);
    }
  });

  it('are listed in docs/verdict.md', () => {
    const document = readFileSync(join(repositoryRoot, 'docs/verdict.md'), 'utf8');
    expect(withRules(document)).to.equal(document);
    expect(document).to.include(`${verdictRules.length} rules`);
  });

  verifies('VER-K01', 'report pkce_missing only for a client that breaks it', () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    distinguishes('pkce_missing', {
      breaks: [
        ['error', [authorize(without)]],
        ['error', [authorize({ ...without, nonce: undefined })], { client: { isPublic: false, isDocument: false } }],
        ['warning', [authorize(without)], { client: { isPublic: false, isDocument: false } }],
        ['error', [authorize(without)], { client: { isPublic: true, isDocument: false } }],
        ['warning', [authorize(without), redeemed({ headers: { authorization: 'Basic fp:00000000000b' } })]],
        ['error', [inObject(without)]],
      ],
      keeps: [[[authorize()]], [[inObject()]]],
      silent: [
        [[cc()]],
        [[['authorize', { body: { transaction_id: 't' } }]]],
        [[elsewhere]],
        [[cutOff]],
        [[inObject({}, null)]],
      ],
    });
  });

  verifies('VER-K02', 'report pkce_plain only for a client that breaks it', () => {
    distinguishes('pkce_plain', {
      breaks: [
        ['error', [authorize({ code_challenge_method: 'plain' })]],
        ['error', [authorize({ code_challenge_method: undefined })]],
      ],
      keeps: [[[authorize()]]],
      silent: [[[authorize({ code_challenge: undefined, code_challenge_method: undefined })]]],
    });
  });

  const repeats = (rule: string, name: 'code_challenge' | 'state' | 'nonce') => {
    const others = { code_challenge: 'b'.repeat(43), state: 'another-state-of-theirs', nonce: 'another' };
    const again = authorize({ ...others, [name]: right[name] });
    const browser = (id: string): Told => ({ noticed: { browser: { id, drawn: false } } });
    distinguishes(rule, {
      breaks: [
        ['error', [authorize(), again]],
        ['error', [authorize(), authorize()]],
        ['error', [authorize({}, browser('one')), authorize({}, browser('two'))]],
        // The browser is known for only one of the two requests.
        ['error', [authorize(), authorize({}, browser('one'))]],
        ['error', [authorize({}, browser('one')), authorize()]],
        // The same browser, but another request.
        ['error', [authorize({}, browser('one')), ['authorize', { ...again[1], ...browser('one') }]]],
        [
          'error',
          [
            authorize({}, { flow: 1, ...browser('one') }),
            redeemed({ flow: 1 }),
            authorize({}, { flow: 3, ...browser('one') }),
            token({ ...codeGrant, code: 'fp:0000000000cc' }, { flow: 3 }),
          ],
        ],
      ],
      keeps: [[[authorize(), authorize(others)]]],
      silent: [
        [[authorize()]],
        // The user reloaded the page.
        [[authorize({}, browser('one')), authorize({}, browser('one'))]],
        // The user posted the credentials on the loaded page.
        [[authorize({}, browser('one')), authorize({}, { ...browser('one'), body: { username: 'alice' } })]],
        [[authorize({}, { flow: 1, ...browser('one') }), redeemed({ flow: 1 }), authorize({}, browser('one'))]],
        [[authorize({}, browser('one')), authorize({}, { flow: 3, ...browser('one') }), redeemed({ flow: 3 })]],
        [[authorize(), authorize({}, { decision: 'refused' })]],
      ],
    });
  };
  verifies('VER-K03', 'report pkce_challenge_repeated only for a client that breaks it', () =>
    repeats('pkce_challenge_repeated', 'code_challenge'),
  );

  verifies('VER-K04', 'report verifier_short only for a client that breaks it', () => {
    const verifier = (length: number, hasOtherCharacters = false) =>
      redeemed({ noticed: { verifier: { length, hasOtherCharacters } } });
    distinguishes('verifier_short', {
      breaks: [
        ['warning', [verifier(42)]],
        ['warning', [verifier(129)]],
        ['warning', [verifier(43, true)]],
      ],
      keeps: [[[verifier(43)]], [[verifier(128)]]],
      silent: [[[redeemed()]]],
    });
  });

  verifies('VER-K05', 'report state_missing only for a client that breaks it', () => {
    const bare = { code_challenge: undefined, code_challenge_method: undefined, state: undefined };
    distinguishes('state_missing', {
      breaks: [
        ['warning', [authorize({ state: undefined })]],
        ['error', [authorize(bare)]],
        ['error', [authorize({ state: undefined, code_challenge_method: 'plain' })]],
        ['error', [authorize({ state: undefined, code_challenge: undefined })]],
        ['error', [inObject(bare)]],
      ],
      keeps: [[[authorize()]], [[inObject()]], [[authorize({ request: '', request_uri: '' })]]],
      silent: [[[cc()]], [[elsewhere]], [[cutOff]]],
    });
  });

  verifies('VER-K06', 'report state_repeated only for a client that breaks it', () =>
    repeats('state_repeated', 'state'),
  );

  verifies('VER-K07', 'report state_short only for a client that breaks it', () => {
    distinguishes('state_short', {
      breaks: [['warning', [authorize({ state: '123456789012345' })]]],
      keeps: [[[authorize({ state: '1234567890123456' })]], [[authorize({ state: 'fp:0123456789ab' })]]],
      silent: [[[authorize({ state: undefined })]]],
    });
  });

  verifies('VER-K08', 'report nonce_missing only for a client that breaks it', () => {
    distinguishes('nonce_missing', {
      breaks: [
        ['warning', [authorize({ nonce: undefined })]],
        ['warning', [inObject({ nonce: undefined })]],
      ],
      keeps: [[[authorize()]], [[inObject()]]],
      silent: [[[authorize({ nonce: undefined, scope: 'profile' })]], [[elsewhere]], [[cutOff]]],
    });
  });

  verifies('VER-K09', 'report nonce_repeated only for a client that breaks it', () =>
    repeats('nonce_repeated', 'nonce'),
  );

  verifies('VER-K10', 'report scope_openid_missing only for a client that breaks it', () => {
    distinguishes('scope_openid_missing', {
      breaks: [
        ['advice', [authorize({ scope: 'profile' })]],
        ['advice', [authorize({ scope: undefined, nonce: undefined, max_age: '1' })]],
        ['advice', [inObject({}, { nonce: 'n', scope: 'profile', max_age: 1 })]],
      ],
      keeps: [[[authorize()]], [[inObject()]], [[inObject({}, { scope: 'openid', claims: { id_token: {} } })]]],
      silent: [[[authorize({ scope: 'profile', nonce: undefined })]]],
    });
  });

  verifies('SHV-01', 'report redirect_uri_not_exact only for a client that breaks it', () => {
    const accepted = (...redirectUri: NonNullable<Noticed['redirectUri']>) => ({ noticed: { redirectUri } });
    distinguishes('redirect_uri_not_exact', {
      breaks: [
        ['warning', [authorize({ redirect_uri: 'http://localhost:3001/cb' }, accepted('localhost_port'))]],
        ['warning', [authorize({ redirect_uri: 'cursor://host/cb' }, accepted('scheme_without_period'))]],
        ['warning', [authorize({ redirect_uri: 'myapp:/b/1' }, accepted('pattern', 'scheme_without_period'))]],
      ],
      keeps: [[[authorize()]], [[authorize({ redirect_uri: 'http://localhost:3000/cb' })]]],
      silent: [[[authorize({ redirect_uri: undefined })]], [[authorize({}, { decision: 'refused' })]], [[elsewhere]]],
    });
  });

  verifies(['SHV-02', 'VER-13'], 'report scope_unknown only for a client that breaks it', () => {
    const noticed = { scopesSupported: ['openid', 'email'] };
    const unknown = { scope: 'openid mcp:read' };
    const own = { grant_type: 'client_credentials' };
    distinguishes('scope_unknown', {
      breaks: [
        ['advice', [authorize(unknown, { noticed })]],
        ['advice', [token({ ...own, scope: 'mcp:read' }, { noticed })]],
        ['advice', [['device_authorization', { body: unknown, noticed }]]],
        ['advice', [['authorize', { ...inObject(unknown)[1], noticed }]]],
      ],
      keeps: [[[authorize({ scope: 'openid email' }, { noticed })]], [[authorize({}, { noticed }), cc({ noticed })]]],
      silent: [
        [[authorize(unknown)]],
        [[cc({ noticed })]],
        [[token({ ...own, ...unknown }, { noticed, decision: 'refused', status: 400 })]],
      ],
    });
  });

  verifies('VER-K11', 'report redirect_uri_http only for a client that breaks it', () => {
    distinguishes('redirect_uri_http', {
      breaks: [['error', [authorize({ redirect_uri: 'http://app.example/cb' })]]],
      keeps: [
        [[authorize()]],
        [[authorize({ redirect_uri: 'http://127.0.0.1:9/cb' })]],
        [[authorize({ redirect_uri: 'http://[::1]/cb' })]],
        [[authorize({ redirect_uri: 'http://localhost:3000/cb' })]],
        [[authorize({ redirect_uri: 'com.example.app:/cb' })]],
      ],
      silent: [[[authorize({ redirect_uri: undefined })]], [[authorize({ redirect_uri: '/cb' })]]],
    });
  });

  verifies('VER-K12', 'report redirect_uri_localhost only for a client that breaks it', () => {
    distinguishes('redirect_uri_localhost', {
      breaks: [['advice', [authorize({ redirect_uri: 'http://localhost:3000/cb' })]]],
      keeps: [[[authorize({ redirect_uri: 'http://127.0.0.1:3000/cb' })]], [[authorize()]]],
      silent: [[[authorize({ redirect_uri: undefined })]], [[authorize({ redirect_uri: '/cb' })]]],
    });
  });

  verifies('VER-K13', 'report redirect_uri_fragment only for a client that breaks it', () => {
    distinguishes('redirect_uri_fragment', {
      breaks: [['error', [authorize({ redirect_uri: 'https://app.example/cb#there' })]]],
      keeps: [[[authorize()]]],
      silent: [[[authorize({ redirect_uri: undefined })]], [[authorize({ redirect_uri: '/cb' })]]],
    });
  });

  verifies('VER-K14', 'report redirect_uri_mismatch only for a client that breaks it', () => {
    const redeem = (redirect_uri: string) => token({ ...codeGrant, redirect_uri }, { flow: 1 });
    distinguishes('redirect_uri_mismatch', {
      breaks: [['error', [authorize({}, { flow: 1 }), redeem('https://app.example/other')]]],
      keeps: [[[authorize({}, { flow: 1 }), redeem(right.redirect_uri)]]],
      silent: [
        [[redeem(right.redirect_uri)]],
        [[authorize({}, { flow: 1 }), redeemed({ flow: 1 })]],
        [
          [
            ['authorize', { ...inObject({ redirect_uri: 'https://app.example/cb?token=t' })[1], flow: 1 }],
            redeem('https://app.example/cb?token=fp:00000000000d'),
          ],
        ],
      ],
    });
  });

  verifies('VER-K15', 'report secret_in_query only for a client that breaks it', () => {
    const secret = { client_secret: 'fp:00000000000e' };
    distinguishes('secret_in_query', {
      breaks: [
        ['error', [['token', { query: secret, body: codeGrant }]]],
        ['error', [authorize(secret)]],
      ],
      keeps: [[[cc({ headers: { authorization: 'Basic fp:00000000000b' } })]], [[token({ ...codeGrant, ...secret })]]],
      silent: [[[cc()]]],
    });
  });

  verifies('VER-K16', 'report secret_in_both only for a client that breaks it', () => {
    const assertion = { client_assertion: 'fp:00000000000a' };
    const basic = { headers: { authorization: 'Basic fp:00000000000b' } };
    const secret = { client_secret: 'fp:00000000000e' };
    distinguishes('secret_in_both', {
      breaks: [
        ['error', [token({ ...codeGrant, ...secret }, basic)]],
        ['error', [token({ ...codeGrant, ...assertion }, basic)]],
      ],
      keeps: [[[redeemed(basic)]], [[token({ ...codeGrant, ...secret })]], [[token({ ...codeGrant, ...assertion })]]],
      silent: [[[redeemed()]]],
    });
  });

  verifies('VER-K17', 'report wrong_auth_method only for a client that breaks it', () => {
    const refused = (refusal: string): Told => ({ refusal, decision: 'refused', status: 401, reason: 'It differs' });
    const basic = { headers: { authorization: 'Basic fp:00000000000b' } };
    distinguishes('wrong_auth_method', {
      breaks: [
        ['error', [redeemed(refused('client_authentication_method_differs'))]],
        ['error', [['device_authorization', refused('public_client_sent_credentials')]]],
        ['error', [redeemed(basic)], { client: { isPublic: true, isDocument: false } }],
        // The code was rejected, not the client authentication.
        [
          'error',
          [redeemed({ ...basic, ...refused('code_not_known'), status: 400 })],
          { client: { isPublic: true, isDocument: false } },
        ],
      ],
      keeps: [
        [[redeemed(basic)]],
        [[redeemed()], { client: { isPublic: true, isDocument: false } }],
        // An empty secret counts as absent (CLT-05).
        [
          [redeemed({ ...basic, noticed: { basicSecret: 'empty' } })],
          { client: { isPublic: true, isDocument: false } },
        ],
      ],
      silent: [
        [[redeemed(refused('client_secret_wrong'))]],
        [[['token', { ...refused('method_not_allowed'), refusal: undefined, status: 405 }]]],
      ],
    });
  });

  verifies('VER-K18', 'report code_reused only for a client that breaks it', () => {
    const late: Told = { at: instant(Date.parse('2026-03-01T12:00:05Z')) };
    const unauthenticated: Told = { status: 401, decision: 'refused', answer: { error: 'invalid_client' } };
    distinguishes('code_reused', {
      breaks: [
        ['error', [redeemed(), redeemed()]],
        ['error', [redeemed({ status: 400, decision: 'refused' }), redeemed()]],
        ['error', [redeemed({ status: 503 }), redeemed(late)]],
        // Sent before the first response arrived, so it is not a retry.
        ['error', [redeemed({ status: 503, durationMilliseconds: 7000 }), redeemed(late)]],
      ],
      keeps: [
        [[redeemed(), token({ ...codeGrant, code: 'fp:0000000000cc' })]],
        [[redeemed({ status: 500 }), redeemed()]],
        [[redeemed(), token({ grant_type: 'refresh_token', code: 'fp:00000000000c' })]],
        // The first response was slow.
        [[redeemed({ status: 503, durationMilliseconds: 4000 }), redeemed(late)]],
        // A request with failed client authentication does not count as using the code.
        [[redeemed(unauthenticated), redeemed()]],
        [[redeemed(), redeemed(unauthenticated)]],
        // Neither does a request that has to be repeated with a DPoP proof (RFC 9449 §8, §5.2).
        ...['use_dpop_nonce', 'invalid_dpop_proof'].map((error): [Step[]] => [
          [redeemed({ status: 400, decision: 'refused', answer: { error } }), redeemed()],
        ]),
        [[redeemed({ status: 400, decision: 'refused', refusal: 'dpop_proof_missing' }), redeemed()]],
      ],
      silent: [[[cc()]], [[redeemed(unauthenticated)]]],
    });
  });

  const userinfo = (details: Told = {}): Step => [
    'userinfo',
    { headers: { authorization: 'Bearer fp:00000000000a' }, ...details },
  ];
  verifies('VER-K19', 'report token_in_query only for a client that breaks it', () => {
    const named = { token: 'fp:00000000000a' };
    distinguishes('token_in_query', {
      breaks: [
        ['error', [['userinfo', { query: { access_token: 'fp:00000000000a' } }]]],
        ['error', [['introspect', { query: named, decoded: tokenSent('token', { token_use: 'access' }) }]]],
        ['error', [['revoke', { query: named, decoded: tokenSent('token', { token_use: 'access' }) }]]],
      ],
      keeps: [
        [[userinfo()]],
        [[['userinfo', { body: { access_token: 'fp:00000000000a' } }]]],
        [[['introspect', { body: named, decoded: tokenSent('token', { token_use: 'access' }) }]]],
      ],
      // The rule does not apply to other kinds of tokens.
      silent: [
        [[cc()]],
        [[['userinfo', {}]]],
        [[['revoke', { query: named, decoded: tokenSent('token', { token_use: 'refresh' }) }]]],
      ],
    });
  });

  verifies('VER-K20', 'report wrong_token_used only for a client that breaks it', () => {
    const issued = redeemed({
      answer: { access_token: 'fp:00000000000a', id_token: 'fp:00000000001d', refresh_token: 'fp:00000000002d' },
    });
    const bearer = (value: string) => userinfo({ headers: { authorization: `Bearer ${value}` } });
    distinguishes('wrong_token_used', {
      breaks: [
        ['error', [issued, bearer('fp:00000000001d')]],
        ['error', [issued, bearer('fp:00000000002d')]],
        ['error', [userinfo({ refusal: 'token_not_an_access_token', decision: 'refused', status: 401 })]],
      ],
      keeps: [[[issued, bearer('fp:00000000000a')]]],
      silent: [[[issued]], [[issued, ['userinfo', {}]]]],
    });
  });

  verifies('VER-K21', 'report grant_deprecated only for a client that breaks it', () => {
    distinguishes('grant_deprecated', {
      breaks: [['error', [token({ grant_type: 'password' })]]],
      keeps: [[[cc()]]],
      silent: [[[authorize()]]],
    });
  });

  verifies('VER-K22', 'report refresh_reused only for a client that breaks it', () => {
    // `next` is the jti of the new refresh token: `one.1` continues the family `one`, another value begins a new
    // family.
    const refresh = (next: string | undefined, details: Told = {}) =>
      token(
        { grant_type: 'refresh_token', refresh_token: 'fp:00000000000f' },
        {
          answer: { access_token: 'fp:00000000000a', ...(next && { refresh_token: `fp:${next}` }) },
          decoded: [
            ...tokenSent('refresh_token', { jti: 'one' }),
            ...(next === undefined ? [] : tokenWith('refresh_token', {}, { jti: next })),
          ],
          ...details,
        },
      );
    const refused = refresh(undefined, { answer: { error: 'invalid_grant' }, status: 400, decision: 'refused' });
    distinguishes('refresh_reused', {
      breaks: [['error', [refresh('one.1'), refused]]],
      keeps: [[[refresh('one.1')]], [[refresh('another'), refresh('one.1')]]],
      silent: [
        [[refresh(undefined), refresh(undefined)]],
        // Without rotation the token stays valid, and each response adds another (REF-12, REF-13).
        [[refresh('another'), refresh('a-third')]],
        [[refused, refused]],
      ],
    });
  });

  verifies('VER-K23', 'report refresh_late only for a client that breaks it', () => {
    const seconds = Date.parse('2026-03-01T12:00:00Z') / 1000;
    const issuedUntil = (exp?: number) =>
      redeemed({
        flow: 1,
        answer: { access_token: 'fp:00000000000a', refresh_token: 'fp:00000000000f' },
        decoded: tokenWith('refresh_token', {}, { exp }),
      });
    const issued = issuedUntil(seconds + 3600);
    const used = (exp: number, details: Told = {}) =>
      userinfo({
        ...details,
        flow: 1,
        decoded: [{ name: 'authorization', in: 'request_headers', jwt: { header: {}, claims: { exp } } }],
      });
    const refresh = { grant_type: 'refresh_token', refresh_token: 'fp:00000000000f' };
    const refused: Told = { status: 400, decision: 'refused', answer: { error: 'invalid_grant' } };
    const busy: Told = { status: 503, decision: 'refused', answer: { error: 'temporarily_unavailable' } };
    distinguishes('refresh_late', {
      breaks: [
        ['advice', [issued, used(seconds + 1)]],
        ['advice', [issuedUntil(), used(seconds + 1)]],
        ['advice', [issued, ['userinfo', { flow: 1, decoded: tokenSent('access_token', { exp: seconds + 1 }) }]]],
        ['advice', [issued, token(refresh, { flow: 1, ...busy }), used(seconds + 1)]],
        ['advice', [issued, ['revoke', { flow: 1, status: 401, decision: 'refused' }], used(seconds + 1)]],
      ],
      keeps: [[[issued, used(seconds + 2)]]],
      silent: [
        [[redeemed({ flow: 1 }), used(seconds + 1)]],
        // No usable refresh token was left: it was revoked, rejected, or expired itself.
        [[issued, ['revoke', { flow: 1 }], used(seconds + 1)]],
        [[issued, token(refresh, { flow: 1, ...refused }), used(seconds + 1)]],
        [[issuedUntil(seconds + 1), used(seconds + 1)]],
      ],
    });
    const detail = (...steps: readonly Step[]) =>
      judged(steps).findings.find(({ rule }) => rule.id === 'refresh_late')?.detail;
    expect(detail(issued, used(seconds + 1))).to.not.include('real time');
    const anHourLater = instant((seconds + 3600) * 1000);
    const long = issuedUntil(seconds + 9999);
    expect(detail(long, used(seconds + 1800, { clock: anHourLater }))).to.include(
      'In real time, the token had not expired',
    );
    expect(detail(long, used(seconds + 1800, { clock: anHourLater, at: anHourLater }))).to.not.include('real time');
  });

  const poll = (error: string, details: Told = {}) =>
    token(deviceGrant, { answer: { error }, status: 400, ...details });
  verifies('VER-K24', 'report poll_too_fast only for a client that breaks it', () => {
    const details = (interval?: number): Step => [
      'device_authorization',
      { answer: { device_code: deviceGrant.device_code, ...(interval === undefined ? {} : { interval }) } },
    ];
    const began = details(2);
    const time = (second: number) => instant(Date.parse('2026-03-01T12:00:00Z') + second * 1000);
    const pollAt = (second: number, error = 'authorization_pending', clock = second) =>
      poll(error, { at: time(second), clock: time(clock) });
    distinguishes('poll_too_fast', {
      breaks: [
        ['error', [details(), pollAt(0), pollAt(4.5)]],
        ['error', [began, pollAt(1), pollAt(2.5)]],
        ['error', [began, pollAt(1), pollAt(2.5, 'slow_down'), pollAt(9)]],
        // The interval of the device is not recorded, but the response reveals it.
        ['error', [pollAt(0), pollAt(1, 'slow_down')]],
      ],
      keeps: [
        [[details(), pollAt(0), pollAt(4.9)]],
        [[began, pollAt(1), pollAt(3)]],
        // With a clock that was moved, and with one that is frozen.
        [[began, pollAt(0), pollAt(1, 'authorization_pending', 3600)]],
        [[began, pollAt(1, 'authorization_pending', 0), pollAt(3.1, 'slow_down', 0), pollAt(10.2, 'slow_down', 0)]],
      ],
      silent: [[[began, pollAt(0)]], [[pollAt(0), pollAt(1)]], [[pollAt(0), pollAt(2, 'slow_down', 0)]]],
    });
  });

  verifies('VER-K25', 'report poll_after_end only for a client that breaks it', () => {
    distinguishes('poll_after_end', {
      breaks: [
        ['error', [poll('access_denied'), poll('access_denied')]],
        ['error', [poll('expired_token'), poll('invalid_grant')]],
      ],
      keeps: [[[poll('authorization_pending'), poll('expired_token')]]],
      silent: [[[poll('authorization_pending')]]],
    });
  });

  const keys = (...kids: string[]): Told => ({ answer: { keys: kids.map((kid) => ({ kid })) } });
  const signedBy = (kid: string): Told => ({ decoded: tokenWith('access_token', { kid }) });
  verifies('VER-K26', 'report jwks_every_time only for a client that breaks it', () => {
    const rounds = (number: number, ...each: Step[]) => Array.from({ length: number }, () => each).flat();
    const apart: Told = { headers: { 'user-agent': 'other/1' } };
    distinguishes('jwks_every_time', {
      breaks: [
        ['warning', rounds(6, cc(signedBy('a')), jwks(keys('a')))],
        ['warning', [cc(signedBy('a')), jwks({ ...keys('a'), repeated: 6 })]],
      ],
      keeps: [
        [rounds(5, cc(signedBy('a')), jwks(keys('a')))],
        [rounds(9, cc(), cc(), jwks(keys('a')))],
        [[cc(signedBy('a')), ...['b', 'c', 'd', 'e', 'f', 'g'].flatMap((kid) => [jwks(keys('a')), cc(signedBy(kid))])]],
      ],
      silent: [
        [[cc()]],
        // Another program fetches the keys, or another client uses the same program.
        [rounds(9, cc(), jwks(apart))],
        [[...rounds(9, cc(), jwks()), cc({ clientId: 'other' })]],
      ],
    });
    // Twelve exchanges with a fetch each time, and six of a client that has learnt.
    const steps = [...rounds(6, cc(signedBy('a')), jwks(keys('a'))), ...rounds(2, cc(), cc(), jwks(keys('a')))];
    expect(verdictOn('jwks_every_time', [steps])).to.equal('warning');
    expect(verdictOn('jwks_every_time', [steps], 11)).to.equal('warning');
    expect(verdictOn('jwks_every_time', [steps], 12)).to.equal('clean');
    // Exchanges before the cursor count if the series continues after it.
    expect(verdictOn('jwks_every_time', [rounds(7, cc(signedBy('a')), jwks(keys('a')))], 12)).to.equal('warning');
  });

  verifies('VER-K27', 'report jwks_not_refetched only for a client that breaks it', () => {
    const idTokenBy = (kid: string) => redeemed({ decoded: tokenWith('id_token', { kid }) });
    const rotated = [idTokenBy('a'), jwks(keys('a')), idTokenBy('b')];
    const later = (seconds: number): Told => ({ at: instant(Date.parse('2026-03-01T12:00:02Z') + seconds * 1000) });
    distinguishes('jwks_not_refetched', {
      breaks: [
        ['warning', rotated],
        ['warning', [...rotated, jwks({ ...keys('a', 'b'), ...later(11) })]],
      ],
      keeps: [
        [[...rotated, jwks(keys('a', 'b'))]],
        [[idTokenBy('a'), jwks(keys('a', 'b')), idTokenBy('b'), idTokenBy('c'), jwks(keys('c'))]],
      ],
      silent: [
        [[idTokenBy('a'), idTokenBy('b')]],
        [[idTokenBy('a'), jwks(keys('a', 'b')), idTokenBy('b')]],
        // An access token is for the API, so its client does not verify it.
        [[idTokenBy('a'), jwks(keys('a')), cc(signedBy('b'))]],
        [rotated, { now: instant(Date.parse('2026-03-01T12:00:10Z')) }],
      ],
    });
  });

  verifies('VER-K28', 'report discovery_not_used only for a client that breaks it', () => {
    const discovery: Step = ['discovery', { clientId: undefined }];
    distinguishes('discovery_not_used', {
      breaks: [['advice', [cc()]]],
      keeps: [[[discovery, cc()]], [[cc(), jwks()]]],
      silent: [
        [[authorize()]],
        [[cc()], { isWhole: false }],
        // One library requests tokens, and another one keys.
        [[jwks({ headers: { 'user-agent': 'keys/1' } }), cc()]],
      ],
    });
  });

  verifies('VER-K29', 'report resource_missing only for a client that breaks it', () => {
    const resource = 'https://mcp.example/mcp';
    distinguishes('resource_missing', {
      breaks: [
        ['warning', [authorize({ resource }, { flow: 1 }), redeemed({ flow: 1 })]],
        ['warning', [authorize({}, { flow: 1 }), token({ ...codeGrant, resource }, { flow: 1 })]],
        ['warning', [authorize()], { client: { isPublic: true, isDocument: true } }],
      ],
      keeps: [
        [[authorize({ resource }), token({ ...codeGrant, resource })]],
        [[inObject({ resource }), token({ ...codeGrant, resource })]],
        [[inObject({}, { resource: [resource] }), token({ ...codeGrant, resource })]],
        [[elsewhere, token({ ...codeGrant, resource })]],
        // One login is for an API, the other only for the login itself.
        [
          [
            authorize({ resource }),
            token({ ...codeGrant, resource }),
            authorize({}, { flow: 3 }),
            redeemed({ flow: 3 }),
          ],
        ],
      ],
      silent: [[[authorize(), redeemed()]]],
    });
  });

  verifies('VER-K30', 'report accept_refuses_json only for a client that breaks it', () => {
    const accept = (value: string) => cc({ headers: { accept: value } });
    distinguishes('accept_refuses_json', {
      breaks: [
        ['warning', [accept('text/html')]],
        ['warning', [accept('*/*, application/json;q=0')]],
        ['warning', [accept('application/xml, text/plain;q=0.5')]],
        ['warning', [accept('application/jwt')]],
      ],
      keeps: [
        [[cc()]],
        [[accept('application/json')]],
        [[accept('text/html, image/gif, *; q=.2, */*; q=.2')]],
        [[accept('application/*')]],
        [[userinfo({ headers: { accept: 'application/jwt' } })]],
        [
          [
            [
              'introspect',
              { body: { token: 'fp:00000000000a' }, headers: { accept: 'application/token-introspection+jwt' } },
            ],
          ],
        ],
      ],
      silent: [[[authorize()]]],
    });
  });

  verifies('VER-K31', 'report content_type_wrong only for a client that breaks it', () => {
    const typed = (value: string) => cc({ headers: { 'content-type': value } });
    distinguishes('content_type_wrong', {
      breaks: [['error', [typed('application/json')]]],
      keeps: [[[cc()]], [[typed('application/x-www-form-urlencoded;charset=UTF-8')]]],
      silent: [[[authorize()]]],
    });
  });

  verifies('VER-K32', 'report parameter_repeated only for a client that breaks it', () => {
    const doubled = (name: string) =>
      [
        'token',
        {
          body: [
            ['grant_type', 'client_credentials'],
            [name, 'a'],
            [name, 'b'],
          ],
        },
      ] as const;
    distinguishes('parameter_repeated', {
      breaks: [
        ['error', [doubled('scope')]],
        ['error', [['token', { query: { scope: 'a' }, body: { scope: 'a' } }]]],
        [
          'error',
          [
            [
              'authorize',
              {
                query: [
                  ['client_id', 'web'],
                  ['state', 'a'],
                  ['state', 'a'],
                ],
              },
            ],
          ],
        ],
      ],
      keeps: [
        [[doubled('resource')]],
        [[authorize()]],
        [[['token', { query: { resource: 'a', tenant: 't' }, body: { resource: 'a' } }]]],
        [[authorize({}, { body: { client_id: 'web' } })]],
      ],
      silent: [[[userinfo()]]],
    });
  });

  verifies('VER-K33', 'report hint_missing_at_logout only for a client that breaks it', () => {
    const logout = (query: Record<string, string>): Step => ['logout', { query }];
    const back = { post_logout_redirect_uri: 'https://app.example/' };
    distinguishes('hint_missing_at_logout', {
      breaks: [['advice', [logout(back)]]],
      keeps: [[[logout({ ...back, id_token_hint: 'fp:00000000001d' })]]],
      silent: [[[logout({})]]],
    });
  });

  const signed = { signed: ['AuthnRequest'] };
  verifies('VER-K34', 'report saml_request_unsigned only for a client that breaks it', () => {
    const declared: Told = { noticed: { sso: { address: 'https://idp.example/saml/sso', hasCertificates: true } } };
    distinguishes('saml_request_unsigned', {
      breaks: [['warning', [authnRequest({}, declared)]]],
      keeps: [[[authnRequest(signed, declared)]], [[authnRequest({}, { ...declared, query: { Signature: 'c2ln' } })]]],
      silent: [[[authnRequest()]], [[authnRequest({}, declared)], { isRegisteredProvider: true }]],
    });
  });

  verifies('VER-K35', 'report saml_request_weak_algorithm only for a client that breaks it', () => {
    const [sha1, sha256] = [
      'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
      'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    ];
    const query = (SigAlg: string): Told => ({ query: { Signature: 'c2ln', SigAlg } });
    distinguishes('saml_request_weak_algorithm', {
      breaks: [
        ['warning', [authnRequest({}, query(sha1))]],
        [
          'warning',
          [authnRequest({ ...signed, signature_methods: [sha256, 'http://www.w3.org/2000/09/xmldsig#sha1'] })],
        ],
      ],
      keeps: [[[authnRequest({}, query(sha256))]], [[authnRequest({ ...signed, signature_methods: [sha256] })]]],
      silent: [[[authnRequest()]]],
    });
  });

  verifies('VER-K36', 'report saml_destination_missing only for a client that breaks it', () => {
    distinguishes('saml_destination_missing', {
      breaks: [
        ['warning', [authnRequest({ destination: undefined })]],
        ['error', [authnRequest({ ...signed, destination: undefined })]],
      ],
      keeps: [[[authnRequest()]]],
      silent: [[[authorize()]]],
    });
  });

  verifies('VER-K37', 'report saml_destination_wrong only for a client that breaks it', () => {
    distinguishes('saml_destination_wrong', {
      breaks: [['error', [authnRequest({ destination: 'https://idp.example/saml/sso/' })]]],
      keeps: [[[authnRequest()]]],
      silent: [[[authnRequest({ destination: undefined })]]],
    });
  });

  verifies('VER-K38', 'report saml_request_id_repeated only for a client that breaks it', () => {
    const by = (id: string, drawn = false): Told => ({ noticed: { browser: { id, drawn } } });
    const posted: Told = { ...by('drawn', true), method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } };
    const form: Told = { query: { saml_original_verb: 'GET' }, ...by('one') };
    distinguishes('saml_request_id_repeated', {
      breaks: [
        ['error', [authnRequest({}, by('one')), authnRequest({}, by('two'))]],
        ['error', [authnRequest({}, by('one')), authnRequest({ force_authn: true }, by('one'))]],
        // The requests name their origin, and send their cookie or use GET.
        ['error', [authnRequest({}, { ...posted, ...by('one') }), authnRequest({}, { ...posted, ...by('two') })]],
        [
          'error',
          [
            authnRequest({}, { ...posted, method: 'GET' }),
            authnRequest({}, { ...posted, ...by('drawn again', true), method: 'GET' }),
          ],
        ],
      ],
      keeps: [[[authnRequest(), authnRequest({ id: '_two' })]]],
      silent: [
        [[authnRequest()]],
        [[authnRequest({}, by('one')), authnRequest({}, by('one')), authnRequest({}, form)]],
        [[authnRequest({ id: undefined }), authnRequest({ id: undefined, force_authn: true })]],
        [[authnRequest({ id: '' }), authnRequest({ id: '', force_authn: true })]],
        // Without the cookie, the browser that posts is unknown.
        [[authnRequest({}, posted), authnRequest({}, { ...posted, ...by('drawn again', true) })]],
      ],
    });
  });

  verifies('VER-K39', 'report saml_request_id_malformed only for a client that breaks it', () => {
    distinguishes('saml_request_id_malformed', {
      breaks: [
        ['error', [authnRequest({ id: '9ab' })]],
        ['error', [authnRequest({ id: 'a:b' })]],
        ['error', [authnRequest({ id: undefined })]],
      ],
      keeps: [[[authnRequest()]], [[authnRequest({ id: 'id-1.ä' })]]],
      silent: [[[authorize()]]],
    });
  });

  verifies('VER-K40', 'report saml_issue_instant_skewed only for a client that breaks it', () => {
    const issued = (issue_instant: string) => authnRequest({ issue_instant });
    const late = (issue_instant: string) =>
      authnRequest({ issue_instant }, { at: instant(Date.parse('2026-03-01T12:06:00Z')) });
    const moved = (issue_instant: string) =>
      authnRequest({ issue_instant }, { clock: instant(Date.parse('2026-03-01T20:00:00Z')) });
    distinguishes('saml_issue_instant_skewed', {
      breaks: [
        ['warning', [issued('2026-03-01T11:54:59Z')]],
        ['warning', [issued('2026-03-01T12:05:01')]],
        ['warning', [moved('2026-03-01T16:00:00Z')]],
        ['warning', [issued('2026-03-01T11:59:59Z'), late('2026-03-01T11:54:00Z')]],
      ],
      keeps: [
        [[issued('2026-03-01T11:55:00Z')]],
        [[issued('2026-03-01T12:05:00.000')]],
        // The user reloaded the page.
        [[issued('2026-03-01T12:00:00Z'), late('2026-03-01T12:00:00Z')]],
        // The tester moved the clock. Clients may use either clock.
        [[moved('2026-03-01T12:00:00Z')]],
        [[moved('2026-03-01T20:00:00Z')]],
      ],
      silent: [[[issued('yesterday')]]],
    });
  });

  verifies('VER-K41', 'report saml_passive_and_forced only for a client that breaks it', () => {
    distinguishes('saml_passive_and_forced', {
      breaks: [['warning', [authnRequest({ is_passive: true, force_authn: true })]]],
      keeps: [
        [[authnRequest({ is_passive: true, force_authn: false })]],
        [[authnRequest({ is_passive: false, force_authn: true })]],
      ],
      silent: [[[authorize()]]],
    });
  });

  verifies('VER-K42', 'report saml_acs_http only for a client that breaks it', () => {
    distinguishes('saml_acs_http', {
      breaks: [['error', [authnRequest({ acs_url: 'http://sp.example/acs' })]]],
      keeps: [
        [[authnRequest({ acs_url: 'https://sp.example/acs' })]],
        [[authnRequest({ acs_url: 'http://127.0.0.1:9/acs' })]],
      ],
      silent: [[[authnRequest()]], [[authnRequest({ acs_url: '/acs' })]]],
    });
  });

  verifies('VER-K43', 'report saml_relay_state_long only for a client that breaks it', () => {
    const relayed = (relayStateBytes: number) => authnRequest({}, { noticed: { relayStateBytes } });
    distinguishes('saml_relay_state_long', {
      breaks: [['error', [relayed(81)]]],
      keeps: [[[relayed(80)]]],
      silent: [[[authnRequest()]]],
    });
  });

  verifies('VER-K45', 'report assertion_for_token_endpoint only for a client that breaks it', () => {
    const asserted = (aud: unknown) =>
      token({ ...codeGrant, client_assertion: 'fp:00000000000a' }, { decoded: tokenSent('client_assertion', { aud }) });
    distinguishes('assertion_for_token_endpoint', {
      breaks: [
        ['advice', [asserted('https://idp.example/token')]],
        ['advice', [asserted(['https://idp.example', 'https://idp.example/token'])]],
      ],
      keeps: [[[asserted('https://idp.example')]], [[asserted(['https://idp.example/s/box'])]]],
      silent: [[[asserted(undefined)]], [[redeemed()]]],
    });
  });

  verifies('VER-K46', 'report client_keys_unusable only for a client that breaks it', () => {
    const asserted = (changes: object) => token({ ...codeGrant, client_assertion: 'fp:00000000000a' }, changes);
    const refused = { decision: 'refused' as const, reason: 'The keys of the client cannot be used: it is empty' };
    distinguishes('client_keys_unusable', {
      breaks: [['error', [asserted({ ...refused, refusal: 'client_keys_unusable' })]]],
      keeps: [[[asserted({})]], [[asserted({ ...refused, refusal: 'client_assertion_refused' })]]],
      silent: [[[redeemed()]]],
    });
  });

  verifies('VER-K44', 'report saml_issuer_missing only for a client that breaks it', () => {
    distinguishes('saml_issuer_missing', {
      breaks: [['error', [authnRequest({ issuer: undefined })]]],
      keeps: [[[authnRequest()]]],
      silent: [[[authorize()]]],
    });
  });
});
