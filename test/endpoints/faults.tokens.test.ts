// Faults in tokens and token responses. Each response is compared member by member with a correct one.
import { createHash, createHmac, createPublicKey, verify as verifySignature, X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { faultCatalogue } from '#shared/engine/faults/catalogue/index.ts';
import { alice } from '#test/support/credentials.ts';
import { faultOf, noFaults, type ShownFault, setFault } from '#test/support/faults.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { type Answer, call, isActive, refresh, token, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const issuer = 'https://idp.example';
const attacker = 'https://attacker.example';
const other = /^.{16,}$/;

type Members = Readonly<Record<string, unknown>>;

/** The expected member: a value, a pattern, or undefined if it must be missing. */
type Difference = Readonly<Record<string, unknown>>;

describe('faults in tokens', () => {
  let idp: RunningIdp;
  let rightAnswer: Members;
  let keys: { keys: JWK[] };
  before(async () => {
    idp = await startIdp({ world: interactive, settings: { oauth: { issuer, issuer_from_request: false } } });
    keys = JSON.parse((await call(idp, '/.well-known/jwks.json')).text);
  });
  // Requested shortly before each faulty response, so that times match.
  beforeEach(async () => {
    rightAnswer = (await tokens()).body;
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  function tokens(): Promise<Answer> {
    return token(idp, { grant_type: 'password', ...alice, scope: 'openid email', nonce: 'mine' });
  }

  async function faulty(
    fault: string,
    parameters: object = {},
    ask = tokens,
  ): Promise<{ answer: Answer; fault: ShownFault }> {
    const set = await setFault(idp, fault, { parameters });
    const answer = await ask();
    expect(await faultOf(idp, set), answer.text.slice(0, 300)).to.include({ hits: 1, remaining: 0 });
    expect(answer.headers.get('X-Test-Idp-Fault')).to.equal(fault);
    return { answer, fault: set };
  }

  const textOf = (answer: Members, member: string) => String(answer[member]);
  const isSigned = async (text: string): Promise<boolean> =>
    compactVerify(text, createLocalJWKSet(keys)).then(
      () => true,
      () => false,
    );

  /** Claims without those that differ in every token. Times become minutes from now. */
  function normal({ jti: _, ...claims }: Members, accessToken: string): Members {
    const minutes = ['exp', 'iat', 'nbf', 'auth_time']
      .filter((name) => typeof claims[name] === 'number')
      .map((name) => [name, Math.round((Number(claims[name]) - Date.now() / 1000) / 60) + 0]);
    const atHash = claims.at_hash === undefined ? {} : { at_hash: claims.at_hash === hashOf(accessToken) };
    return { ...claims, ...Object.fromEntries(minutes), ...atHash };
  }

  function expectDifference(got: Members, right: Members, difference: Difference): void {
    for (const [name, value] of Object.entries(difference)) {
      if (!(value instanceof RegExp)) continue;
      expect(got[name], name).to.be.a('string').that.matches(value);
      expect(got[name], name).not.to.equal(right[name]);
    }
    const plain = Object.entries(difference).map(([name, value]) => [
      name,
      value instanceof RegExp ? got[name] : value,
    ]);
    const expected = Object.entries({ ...right, ...Object.fromEntries(plain) }).filter(
      ([, value]) => value !== undefined,
    );
    expect(got).to.deep.equal(Object.fromEntries(expected));
  }

  /** Expects that everything except `members` equals the correct response. */
  function expectSameAnswer(answer: Answer, ...members: readonly string[]): void {
    expect(answer.status).to.equal(200);
    for (const [name, value] of Object.entries(rightAnswer)) {
      if (members.includes(name)) continue;
      if (name.endsWith('_token')) expectRightToken(answer.body, name);
      else expect(answer.body[name], name).to.equal(value);
    }
    expect(Object.keys(answer.body)).to.include.members(
      Object.keys(rightAnswer).filter((each) => !members.includes(each)),
    );
  }

  function expectRightToken(answer: Members, member: string): void {
    const accessToken = textOf(answer, 'access_token');
    const right = normal(decodeJwt(textOf(rightAnswer, member)), textOf(rightAnswer, 'access_token'));
    const got = normal(decodeJwt(textOf(answer, member)), accessToken);
    if (member === 'refresh_token') expect(got).to.include.keys(Object.keys(right));
    else expect(got).to.deep.equal(right);
  }

  function nameIn({ test }: Mocha.Context): string {
    return /\] (\w+)/.exec(test?.title ?? '')?.[1] ?? '';
  }

  /** Expects an ID token with other claims and a correct signature and header. */
  function claims(difference: Difference) {
    return async function (this: Mocha.Context): Promise<void> {
      const { answer } = await faulty(nameIn(this));
      const idToken = textOf(answer.body, 'id_token');
      expect(await isSigned(idToken)).to.equal(true);
      expect(decodeProtectedHeader(idToken)).to.deep.equal(decodeProtectedHeader(textOf(rightAnswer, 'id_token')));
      const right = normal(decodeJwt(textOf(rightAnswer, 'id_token')), textOf(rightAnswer, 'access_token'));
      expectDifference(normal(decodeJwt(idToken), textOf(answer.body, 'access_token')), right, difference);
      expectSameAnswer(answer, 'id_token');
    };
  }

  /** Expects an ID token with another header, the correct claims, and a signature for which `holds` returns true. */
  function header(difference: Difference, holds: (idToken: string, fault: ShownFault) => Promise<boolean> | boolean) {
    return async function (this: Mocha.Context): Promise<void> {
      const { answer, fault } = await faulty(nameIn(this));
      const idToken = textOf(answer.body, 'id_token');
      const [encoded = ''] = idToken.split('.');
      const right = { ...decodeProtectedHeader(textOf(rightAnswer, 'id_token')) };
      expectDifference(JSON.parse(Buffer.from(encoded, 'base64url').toString()), right, difference);
      expect(await holds(idToken, fault)).to.equal(true);
      expectSameAnswer(answer, 'id_token');
      const [, payload = ''] = idToken.split('.');
      const got = normal(JSON.parse(Buffer.from(payload, 'base64url').toString()), textOf(answer.body, 'access_token'));
      expect(got).to.deep.equal(
        normal(decodeJwt(textOf(rightAnswer, 'id_token')), textOf(rightAnswer, 'access_token')),
      );
    };
  }

  function members(difference: Difference) {
    return async function (this: Mocha.Context): Promise<void> {
      const { answer } = await faulty(nameIn(this));
      const changed = Object.keys(difference);
      for (const [name, value] of Object.entries(difference)) expect(answer.body[name], name).to.deep.equal(value);
      for (const name of changed) if (difference[name] === undefined) expect(answer.body).not.to.have.property(name);
      const others = Object.keys(answer.body).filter((name) => !changed.includes(name));
      expect(others).to.have.members(Object.keys(rightAnswer).filter((name) => !changed.includes(name)));
      if (!changed.includes('access_token')) expectSameAnswer(answer, ...changed);
    };
  }

  describe('in claims', () => {
    verifies('FLT-K037', 'token_expired', claims({ exp: -60, iat: -120, nbf: -120, auth_time: -120 }));
    verifies('FLT-K038', 'token_not_yet_valid', claims({ nbf: 60, exp: 120 }));
    verifies('FLT-K039', 'token_iat_future', claims({ iat: 60, exp: 120, nbf: 0 }));
    verifies('FLT-K040', 'token_issuer_wrong', claims({ iss: attacker }));
    verifies('FLT-K041', 'token_issuer_slash', claims({ iss: `${issuer}/` }));
    verifies('FLT-K042', 'token_issuer_missing', claims({ iss: undefined }));
    verifies('FLT-K043', 'token_audience_wrong', claims({ aud: 'someone-else' }));
    verifies('FLT-K044', 'token_audience_missing', claims({ aud: undefined }));
    verifies('FLT-K045', 'token_audience_untrusted', claims({ aud: ['web', 'https://untrusted.example'], azp: 'web' }));
    verifies('FLT-K046', 'token_azp_wrong', claims({ aud: ['web', 'someone-else'], azp: 'someone-else' }));
    verifies('FLT-K047', 'token_azp_missing', claims({ aud: ['web', 'someone-else'], azp: undefined }));
    verifies('FLT-K048', 'nonce_wrong', claims({ nonce: other }));
    verifies('FLT-K049', 'nonce_missing', claims({ nonce: undefined }));
    verifies('FLT-K050', 'subject_missing', claims({ sub: undefined }));
    verifies('FLT-K051', 'subject_changed', claims({ sub: 'alice-other' }));
    verifies('FLT-K052', 'subject_not_text', claims({ sub: 4711 }));
    verifies('FLT-K053', 'expiry_missing', claims({ exp: undefined }));
    verifies('FLT-K054', 'expiry_text', claims({ exp: /^\d{10}$/ }));
    verifies('FLT-K055', 'iat_missing', claims({ iat: undefined }));
    verifies('FLT-K056', 'at_hash_wrong', claims({ at_hash: false }));
    verifies('FLT-K057', 'at_hash_missing', claims({ at_hash: undefined }));
    verifies('FLT-K058', 'auth_time_missing', claims({ auth_time: undefined }));
    verifies('FLT-K059', 'auth_time_old', claims({ auth_time: -24 * 60 }));
    verifies('FLT-K060', 'claims_odd_types', claims({ email: 4711, roles: {}, tenant: null }));

    verifies('FLT-K061', 'token_duplicate_members', async () => {
      const { answer } = await faulty('token_duplicate_members');
      const [, payload = ''] = textOf(answer.body, 'id_token').split('.');
      const subjects = Buffer.from(payload, 'base64url')
        .toString()
        .match(/"sub":"[^"]*"/g);
      expect(subjects).to.deep.equal(['"sub":"alice-other"', '"sub":"alice"']);
      expect(await isSigned(textOf(answer.body, 'id_token'))).to.equal(true);
      expectSameAnswer(answer);
    });

    verifies('FLT-K062', 'token_large', async () => {
      for (const bytes of [65_536, 100_001, 1024 * 1024]) {
        const { answer } = await faulty('token_large', bytes === 65_536 ? {} : { bytes });
        const idToken = textOf(answer.body, 'id_token');
        expect(idToken.length).to.be.within(bytes - 1, bytes);
        expect(await isSigned(idToken)).to.equal(true);
        expectSameAnswer(answer, 'id_token');
      }
    });
  });

  describe('in header and signature', () => {
    const isEmpty = (idToken: string) => idToken.endsWith('.');
    const hmacWith = (secret: string | (() => string)) => (idToken: string) => {
      const [input, signature] = partsOf(idToken);
      const key = typeof secret === 'string' ? secret : secret();
      return createHmac('sha256', key).update(input).digest('base64url') === signature;
    };
    const publicPem = () =>
      createPublicKey({ key: { ...keys.keys[0] }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const signedElsewhere = async (idToken: string) =>
      !(await isSigned(idToken)) && Buffer.from(partsOf(idToken)[1], 'base64url').length === 256;
    const fetched = async (address: unknown, fault: ShownFault) => {
      expect(address).to.equal(`${issuer}/api/faults/${fault.id}/material`);
      const material = await call(idp, new URL(String(address)).pathname);
      expect([material.status, (await faultOf(idp, fault)).fetches]).to.deep.equal([200, 1]);
      return material.text;
    };
    const verifiesWith = async (idToken: string, jwk: JWK | undefined) =>
      (await compactVerify(idToken, await importJWK(jwk ?? {}, 'RS256'))) !== undefined && !(await isSigned(idToken));
    const certified = (idToken: string, pem: string) => {
      const [input, signature] = partsOf(idToken);
      const { publicKey } = new X509Certificate(pem);
      return verifySignature('sha256', Buffer.from(input), publicKey, Buffer.from(signature, 'base64url'));
    };

    verifies('FLT-K063', 'token_not_jwt', members({ id_token: 'not-a-jwt' }));
    verifies('FLT-K064', 'alg_none', header({ alg: 'none' }, isEmpty));
    verifies('FLT-K065', 'alg_none_mixed_case', header({ alg: 'nOnE' }, isEmpty));
    verifies(
      'FLT-K066',
      'alg_hs256_public_key',
      header(
        { alg: 'HS256' },
        hmacWith(() => publicPem().toString()),
      ),
    );
    verifies('FLT-K067', 'alg_hs256_client_secret', header({ alg: 'HS256' }, hmacWith('web-secret')));
    verifies(
      'FLT-K068',
      'alg_other_rsa',
      header({ alg: 'PS256' }, async (idToken) => {
        const { alg: _, ...key } = keys.keys[0] ?? {};
        return (await compactVerify(idToken, await importJWK(key, 'PS256'))).protectedHeader.alg === 'PS256';
      }),
    );
    verifies('FLT-K069', 'signature_missing', header({}, isEmpty));
    verifies(
      'FLT-K070',
      'signature_tampered',
      header({}, async (idToken) => {
        const [input, signature] = partsOf(idToken);
        const bytes = Buffer.from(signature, 'base64url');
        bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
        return !(await isSigned(idToken)) && isSigned(`${input}.${bytes.toString('base64url')}`);
      }),
    );
    verifies('FLT-K071', 'payload_tampered', async () => {
      const { answer } = await faulty('payload_tampered');
      const idToken = textOf(answer.body, 'id_token');
      const tampered = decodeJwt(idToken);
      expect([tampered.sub, await isSigned(idToken)]).to.deep.equal(['alice-other', false]);
      const [protectedHeader, , signature] = idToken.split('.');
      const right = Buffer.from(JSON.stringify({ ...tampered, sub: 'alice' })).toString('base64url');
      expect(await isSigned([protectedHeader, right, signature].join('.'))).to.equal(true);
      expectSameAnswer(answer, 'id_token');
    });
    verifies('FLT-K072', 'key_unknown', header({ kid: other }, signedElsewhere));
    verifies('FLT-K073', 'key_unknown_same_kid', header({}, signedElsewhere));
    verifies('FLT-K074', 'kid_missing', header({ kid: undefined }, isSigned));
    verifies(
      'FLT-K075',
      'kid_wrong',
      header({ kid: other }, async (idToken) => {
        const key = await importJWK(keys.keys[0] ?? {}, 'RS256');
        return (await compactVerify(idToken, key)) !== undefined;
      }),
    );
    verifies('FLT-K076', 'kid_hostile', header({ alg: 'HS256', kid: '../../../../dev/null' }, hmacWith('')));
    verifies('FLT-K077', 'token_header_jwk', async () => {
      const { answer } = await faulty('token_header_jwk');
      const idToken = textOf(answer.body, 'id_token');
      const { jwk, kid, ...rest } = decodeProtectedHeader(idToken);
      expect(rest).to.deep.equal({ alg: 'RS256', typ: 'JWT' });
      expect(jwk).to.include({ kid }).and.not.have.property('d');
      expect(await verifiesWith(idToken, jwk)).to.equal(true);
      expectSameAnswer(answer);
    });
    verifies('FLT-K078', 'token_header_jku', async () => {
      const { answer, fault } = await faulty('token_header_jku');
      const idToken = textOf(answer.body, 'id_token');
      const { jku, kid, ...rest } = decodeProtectedHeader(idToken);
      expect(rest).to.deep.equal({ alg: 'RS256', typ: 'JWT' });
      const [jwk]: JWK[] = JSON.parse(await fetched(jku, fault)).keys;
      expect([jwk?.kid, jwk?.d, await verifiesWith(idToken, jwk)]).to.deep.equal([kid, undefined, true]);
      expectSameAnswer(answer);
    });
    verifies('FLT-K079', 'token_header_x5u', async () => {
      const { answer, fault } = await faulty('token_header_x5u');
      const idToken = textOf(answer.body, 'id_token');
      const { x5u, kid: _, ...rest } = decodeProtectedHeader(idToken);
      expect(rest).to.deep.equal({ alg: 'RS256', typ: 'JWT' });
      expect([certified(idToken, await fetched(x5u, fault)), await isSigned(idToken)]).to.deep.equal([true, false]);
      expectSameAnswer(answer);
    });
    verifies('FLT-K080', 'token_header_x5c', async () => {
      const { answer } = await faulty('token_header_x5c');
      const idToken = textOf(answer.body, 'id_token');
      const { x5c = [], kid: _, ...rest } = decodeProtectedHeader(idToken);
      expect(rest).to.deep.equal({ alg: 'RS256', typ: 'JWT' });
      const pem = `-----BEGIN CERTIFICATE-----\n${x5c[0]}\n-----END CERTIFICATE-----\n`;
      expect([x5c.length, certified(idToken, pem), await isSigned(idToken)]).to.deep.equal([1, true, false]);
      expectSameAnswer(answer);
    });
    verifies(
      'FLT-K081',
      'token_header_crit',
      header({ crit: ['x-unknown'], 'x-unknown': true }, (idToken) => {
        const [input, signature] = partsOf(idToken);
        return verifySignature('sha256', Buffer.from(input), publicPem(), Buffer.from(signature, 'base64url'));
      }),
    );
    verifies('FLT-K082', 'token_header_typ', header({ typ: 'logout+jwt' }, isSigned));

    verifies(
      ['FLT-20', 'FLT-21'],
      'change an access token in the same way, with a matching ID token, and no endpoint accepts more',
      async () => {
        const either = faultCatalogue.filter(({ parameters }) => Object.hasOwn(parameters.shape, 'token'));
        expect(either.length).to.be.greaterThan(35);
        for (const { name } of either) {
          const { answer } = await faulty(name, { token: 'access_token' });
          const accessToken = textOf(answer.body, 'access_token');
          expect(await isSigned(textOf(answer.body, 'id_token')), name).to.equal(true);
          expect(decodeJwt(textOf(answer.body, 'id_token')).at_hash, name).to.equal(hashOf(accessToken));
          if ((await isSigned(accessToken)) || name === 'kid_missing' || name === 'token_large') continue;
          const used = await userinfo(idp, accessToken);
          if (name !== 'token_header_crit') expect([name, used.status]).to.deep.equal([name, 401]);
        }
      },
    );
  });

  describe('in the response', () => {
    verifies('FLT-K083', 'id_token_missing', members({ id_token: undefined }));
    verifies('FLT-K084', 'id_token_swapped', async () => {
      const { answer } = await faulty('id_token_swapped');
      expect(answer.body.id_token).to.equal(answer.body.access_token);
      expectSameAnswer(answer, 'id_token');
    });
    verifies('FLT-K085', 'access_token_missing', members({ access_token: undefined }));
    verifies('FLT-K086', 'token_type_case', members({ token_type: 'bEARER' }));
    verifies('FLT-K087', 'token_type_missing', members({ token_type: undefined }));
    verifies('FLT-K088', 'token_type_unknown', members({ token_type: 'mac' }));
    verifies('FLT-K089', 'expires_in_missing', members({ expires_in: undefined }));
    verifies('FLT-K090', 'expires_in_text', async () => {
      const { answer } = await faulty('expires_in_text');
      expect(answer.body.expires_in).to.equal(String(rightAnswer.expires_in));
      expectSameAnswer(answer, 'expires_in');
    });
    verifies('FLT-K091', 'expires_in_negative', members({ expires_in: -1 }));
    verifies('FLT-K092', 'expires_in_zero', members({ expires_in: 0 }));
    verifies('FLT-K093', 'scope_reduced', async () => {
      const { answer } = await faulty('scope_reduced');
      expect(answer.body.scope).to.equal('openid');
      for (const member of ['access_token', 'refresh_token']) {
        const right = normal(decodeJwt(textOf(rightAnswer, member)), textOf(rightAnswer, 'access_token'));
        const { rt_family: _, ...got } = normal(decodeJwt(textOf(answer.body, member)), '');
        const { rt_family: __, ...expected } = right;
        expect(got).to.deep.equal({ ...expected, scope: 'openid' });
        expect(await isSigned(textOf(answer.body, member))).to.equal(true);
      }
      expectSameAnswer(answer, 'scope', 'access_token', 'refresh_token');
      expect((await refresh(idp, textOf(answer.body, 'refresh_token'))).body.scope).to.equal('openid');
    });
    verifies(['FLT-K093', 'PCL-08'], 'scope_reduced', async () => {
      const claim_mappings = [{ claim: 'team', from: 'username', scope: 'email' }];
      await idp.configure({ settings: { oauth: { issuer, id_token_claims: 'scope' }, claim_mappings } });
      rightAnswer = (await tokens()).body;
      const claimNames = (answer: Members, member: string) => Object.keys(decodeJwt(textOf(answer, member)));
      expect(claimNames(rightAnswer, 'id_token')).to.include.members(['email', 'email_verified', 'team']);
      const { answer } = await faulty('scope_reduced');
      expect(answer.body.scope).to.equal('openid');
      for (const member of ['id_token', 'access_token']) {
        expect(claimNames(answer.body, member), member)
          .to.not.include.members(['email'])
          .and.not.include.members(['team']);
      }
      const { at_hash } = decodeJwt(textOf(answer.body, 'id_token'));
      expect(at_hash).to.equal(hashOf(textOf(answer.body, 'access_token')));
      // For a client's own token, the fault omits only the last scope.
      const own = () => token(idp, { grant_type: 'client_credentials', scope: 'profile email' });
      expect((await faulty('scope_reduced', {}, own)).answer.body.scope).to.equal('profile');
      await idp.configure({ settings: { oauth: { issuer, issuer_from_request: false } } });
    });
    verifies('FLT-K094', 'scope_missing', members({ scope: undefined }));
    verifies('FLT-K095', 'token_extra_members', async () => {
      const { answer } = await faulty('token_extra_members');
      const further = Object.keys(answer.body).filter((name) => !Object.hasOwn(rightAnswer, name));
      expect(further).to.deep.equal(['x_unknown', 'x_nested']);
      expectSameAnswer(answer);
    });
    verifies('FLT-K096', 'refresh_token_missing', members({ refresh_token: undefined }));
  });

  describe('on refresh', () => {
    const refreshToken = async () => textOf((await tokens()).body, 'refresh_token');

    verifies('FLT-K097', 'refresh_reply_lost', async () => {
      // Tokens of a public client rotate in every profile.
      const spa = { grant_type: 'password', client_id: 'spa', ...alice, scope: 'openid' };
      const presented = textOf((await token(idp, spa, {})).body, 'refresh_token');
      const fault = await setFault(idp, 'refresh_reply_lost');
      expect((await token(idp, spa, {})).status).to.equal(200);
      const lost = await refresh(idp, presented, { client_id: 'spa' }, {}).catch((error: Error) => error);
      expect(lost).to.be.an('error');
      expect(await faultOf(idp, fault)).to.include({ hits: 1 });
      expect((await refresh(idp, presented, { client_id: 'spa' }, {})).body.error).to.equal('invalid_grant');
    });

    // Tokens of a public client rotate in every profile.
    const spa = { grant_type: 'password', client_id: 'spa', ...alice, scope: 'openid' };
    const rotating = async () => textOf((await token(idp, spa, {})).body, 'refresh_token');
    const rotate = (presented: string) => refresh(idp, presented, { client_id: 'spa' }, {});

    verifies('FLT-K098', 'refresh_not_rotated', async () => {
      const presented = await rotating();
      const { answer } = await faulty('refresh_not_rotated', {}, () => rotate(presented));
      expect([answer.status, answer.body.refresh_token]).to.deep.equal([200, presented]);
      expect(decodeJwt(textOf(answer.body, 'id_token')).sub).to.equal('alice');
      const next = await rotate(presented);
      expect(next.body.refresh_token).to.be.a('string').and.not.equal(presented);
      const set = await setFault(idp, 'refresh_not_rotated');
      expect((await rotate(presented)).body.error).to.equal('invalid_grant');
      expect(await faultOf(idp, set)).to.include({ hits: 0 });
    });

    verifies('FLT-K099', 'refresh_token_omitted', async () => {
      const presented = await rotating();
      const { answer } = await faulty('refresh_token_omitted', {}, () => rotate(presented));
      expect([answer.status, answer.body.refresh_token]).to.deep.equal([200, undefined]);
      expect((await rotate(presented)).body.refresh_token)
        .to.be.a('string')
        .and.not.equal(presented);
    });

    verifies('FLT-K100', 'refresh_revoked', async () => {
      const first = await tokens();
      const ask = () => refresh(idp, textOf(first.body, 'refresh_token'));
      const { answer } = await faulty('refresh_revoked', {}, ask);
      expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_grant']);
      expect((await ask()).body.error).to.equal('invalid_grant');
      expect(await isActive(idp, textOf(first.body, 'access_token'))).to.equal(false);
      const entry = (await idp.audit('&event_type=token_request')).at(-2);
      expect(entry?.status).to.equal('failed');
    });

    verifies('FLT-K101', 'refresh_subject_changed', async () => {
      const presented = await refreshToken();
      const { answer } = await faulty('refresh_subject_changed', {}, () => refresh(idp, presented));
      expect(decodeJwt(textOf(answer.body, 'id_token'))).to.include({ sub: 'alice-other', iss: issuer });
      expect(decodeJwt(textOf(answer.body, 'access_token')).sub).to.equal('alice');
      expect(await isSigned(textOf(answer.body, 'id_token'))).to.equal(true);
    });

    verifies('FLT-K102', 'refresh_issuer_changed', async () => {
      const presented = await refreshToken();
      const { answer } = await faulty('refresh_issuer_changed', {}, () => refresh(idp, presented));
      expect(decodeJwt(textOf(answer.body, 'id_token'))).to.include({ sub: 'alice', iss: attacker });
      expect(await isActive(idp, textOf(answer.body, 'access_token'))).to.equal(true);
    });

    // Runs last, because it changes the key that the other tests use.
    verifies('FLT-K103', 'key_rotated_before_signing', async () => {
      const { answer } = await faulty('key_rotated_before_signing');
      const known = keys.keys[0]?.kid;
      keys = JSON.parse((await call(idp, '/.well-known/jwks.json')).text);
      expect(keys.keys.map(({ kid }) => kid))
        .to.include(known)
        .and.to.have.length(2);
      for (const member of ['id_token', 'access_token', 'refresh_token']) {
        const text = textOf(answer.body, member);
        expect([decodeProtectedHeader(text).kid, await isSigned(text)]).to.deep.equal([keys.keys[0]?.kid, true]);
      }
      expectSameAnswer(answer);
      expect(await isActive(idp, textOf(answer.body, 'access_token'))).to.equal(true);
      expect((await refresh(idp, textOf(answer.body, 'refresh_token'))).status).to.equal(200);
      expect((await idp.audit('&event_type=key_rotation')).at(-1)?.details).to.include({ old_kid: known });
    });
  });
});

/** The signing input and the signature. */
function partsOf(compact: string): readonly [input: string, signature: string] {
  const at = compact.lastIndexOf('.');
  return [compact.slice(0, at), compact.slice(at + 1)];
}

/** A second implementation of `at_hash` (OIDC Core §3.1.3.6), so that the program is not checked with its own code. */
function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
}
