// Tokens that are bound to a key (RFC 9449): at every grant, at /userinfo and at /introspect, according to `oauth.dpop`.

import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { authorizePath, challenge, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { web } from '#test/support/credentials.ts';
import { accessTokenHash, type ProvingKey, provingKey } from '#test/support/dpop-proofs.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  approveDevice,
  beginDevice,
  call,
  codeFor,
  introspect,
  lastEvent,
  pollDevice,
  redeemCode,
  refresh,
  refusalOf,
  token,
  userinfo,
} from '#test/support/token-flows.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const clients = [
  { client_id: 'bound', client_secret: 's', redirect_uris: [callback], dpop_bound_access_tokens: true },
  { client_id: 'held', token_endpoint_auth_method: 'none', redirect_uris: [callback] },
];
const oauthFault = { fault: 'oauth_error', parameters: { error: 'invalid_token' } };
const algorithms = 'algs="ES256 ES384 ES512 Ed25519 EdDSA RS256 RS384 RS512 PS256 PS384 PS512"';
const asBound = { Authorization: `Basic ${btoa('bound:s')}` };
const ofPublic = { client_id: 'held', code_challenge: challenge, code_challenge_method: 'S256' };
const byPublic = { client_id: 'held', code_verifier: verifier };

describe('tokens bound to a key', () => {
  let idp: RunningIdp;
  let key: ProvingKey;
  let other: ProvingKey;
  before(async () => {
    [key, other] = await Promise.all([provingKey(), provingKey()]);
    idp = await startIdp({ world: interactive, settings: { oauth: { dpop: 'on' } }, clients });
  });
  after(() => idp.stop());

  const proofHeader = async (by: ProvingKey = key, claims: object = {}) => ({
    DPoP: await by.proof('POST', `${idp.baseUrl}/token`, { ...claims }),
  });
  const askUserinfo = async (accessToken = '', claims: object = {}, by: ProvingKey = key) => {
    const proofClaims = { ath: accessTokenHash(accessToken), ...claims };
    const DPoP = await by.proof('GET', `${idp.baseUrl}/userinfo`, proofClaims);
    return call(idp, '/userinfo', { headers: { Authorization: `DPoP ${accessToken}`, DPoP } });
  };
  const challengeOf = (answer: Answer) => answer.headers.get('www-authenticate');
  const tokensOfPublic = async () => {
    const answer = await redeemCode(idp, await codeFor(idp, ofPublic), byPublic, await proofHeader());
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as Readonly<Record<string, string>>;
  };
  const keyOf = (text: unknown) => decodeJwt(String(text)).cnf;

  it('are announced in discovery', async () => {
    const { body } = await call(idp, '/.well-known/openid-configuration');
    expect(body.dpop_signing_alg_values_supported).to.deep.equal([
      ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
      ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
    ]);
  });

  it('are issued with a proof at every grant, and plain tokens without one', async () => {
    const password = { grant_type: 'password', username: 'alice', password: 'wonderland' };
    for (const form of [{ grant_type: 'client_credentials' }, password]) {
      const bound = await token(idp, form, { ...web, ...(await proofHeader()) });
      expect([bound.body.token_type, keyOf(bound.body.access_token)]).to.deep.equal(['DPoP', { jkt: key.thumbprint }]);
      const plain = await token(idp, form);
      expect([plain.body.token_type, keyOf(plain.body.access_token)]).to.deep.equal(['Bearer', undefined]);
    }
    const { device_code, user_code } = await beginDevice(idp);
    await approveDevice(idp, user_code);
    const polled = await pollDevice(idp, device_code, {}, { ...web, ...(await proofHeader()) });
    expect([polled.body.token_type, keyOf(polled.body.access_token)]).to.deep.equal(['DPoP', { jkt: key.thumbprint }]);
  });

  it('leave the refresh token of a confidential client unbound, and bind that of a public one', async () => {
    const answer = await redeemCode(idp, await codeFor(idp), {}, { ...web, ...(await proofHeader()) });
    const refreshToken = String(answer.body.refresh_token);
    expect(keyOf(refreshToken)).to.equal(undefined);
    const byOther = await refresh(idp, refreshToken, {}, { ...web, ...(await proofHeader(other)) });
    expect(keyOf(byOther.body.access_token)).to.deep.equal({ jkt: other.thumbprint });

    const { refresh_token } = await tokensOfPublic();
    expect(keyOf(refresh_token)).to.deep.equal({ jkt: key.thumbprint });
    for (const headers of [{}, await proofHeader(other)]) {
      const refused = await refresh(idp, refresh_token, { client_id: 'held' }, headers);
      expect(refusalOf(refused)).to.deep.equal([400, 'invalid_grant']);
      expect((await lastEvent(idp, 'token_request'))?.details?.refusal).to.equal('refresh_token_bound_to_another_key');
    }
    // None of these attempts used up the token.
    const renewed = await refresh(idp, refresh_token, { client_id: 'held' }, await proofHeader());
    expect(renewed.status, renewed.text).to.equal(200);
    expect(keyOf(renewed.body.refresh_token)).to.deep.equal({ jkt: key.thumbprint });
  });

  it('require a proof from a client that is configured so', async () => {
    const form = { grant_type: 'client_credentials' };
    const without = await token(idp, form, asBound);
    expect(refusalOf(without)).to.deep.equal([400, 'invalid_request']);
    const proved = await token(idp, form, { ...asBound, ...(await proofHeader()) });
    expect(proved.body.token_type).to.equal('DPoP');
  });

  it('are rejected for a wrong proof, which does not use up the code', async () => {
    const code = await codeFor(idp);
    const wrong = await proofHeader(key, { htm: 'GET' });
    const refused = await redeemCode(idp, code, {}, { ...web, ...wrong });
    expect(refusalOf(refused)).to.deep.equal([400, 'invalid_dpop_proof']);
    expect(refused.body.error_description).to.equal('The DPoP proof is invalid: its htm is not POST.');
    expect((await redeemCode(idp, code, {}, { ...web, ...(await proofHeader()) })).status).to.equal(200);
  });

  it('are rejected for a proof that was already used', async () => {
    const proof = await proofHeader();
    const form = { grant_type: 'client_credentials' };
    expect((await token(idp, form, { ...web, ...proof })).status).to.equal(200);
    const again = await token(idp, form, { ...web, ...proof });
    expect(refusalOf(again)).to.deep.equal([400, 'invalid_dpop_proof']);
    expect((await lastEvent(idp, 'token_request'))?.details?.refusal).to.equal('dpop_proof_used');
  });

  it('accept a proof of another client key with the same jti', async () => {
    const form = { grant_type: 'client_credentials' };
    for (const by of [key, other]) {
      const answer = await token(idp, form, { ...web, ...(await proofHeader(by, { jti: 'shared by two keys' })) });
      expect(answer.status, answer.text).to.equal(200);
    }
  });

  it('reject two proofs in one request', async () => {
    const [one, two] = [await proofHeader(), await proofHeader()];
    const answer = await token(idp, { grant_type: 'client_credentials' }, { ...web, DPoP: `${one.DPoP}, ${two.DPoP}` });
    expect(refusalOf(answer)).to.deep.equal([400, 'invalid_dpop_proof']);
  });

  it('are redeemed only by the key of dpop_jkt', async () => {
    const code = await codeFor(idp, { dpop_jkt: key.thumbprint });
    for (const headers of [{}, await proofHeader(other)]) {
      const refused = await redeemCode(idp, code, {}, { ...web, ...headers });
      expect(refusalOf(refused)).to.deep.equal([400, 'invalid_grant']);
      expect((await lastEvent(idp, 'token_request'))?.details?.refusal).to.equal('code_bound_to_another_key');
    }
    const redeemed = await redeemCode(idp, code, {}, { ...web, ...(await proofHeader()) });
    expect(redeemed.status, redeemed.text).to.equal(200);
    for (const query of ['dpop_jkt=short', `dpop_jkt=${key.thumbprint}&dpop_jkt=${key.thumbprint}`]) {
      const page = await newBrowser(idp).get(`${authorizePath()}&${query}`);
      expect(redirectParameters(page).get('error'), query).to.equal('invalid_request');
    }
  });

  it('are presented at /userinfo by the scheme DPoP with a proof of their own', async () => {
    const { access_token = '' } = await tokensOfPublic();
    const answer = await askUserinfo(access_token);
    expect([answer.status, answer.body.sub]).to.deep.equal([200, 'alice']);
    const asBearer = await userinfo(idp, access_token);
    expect(refusalOf(asBearer)).to.deep.equal([401, 'invalid_token']);
    expect(challengeOf(asBearer)).to.equal(`DPoP error="invalid_token", ${algorithms}`);
    const inForm = await call(idp, '/userinfo', { method: 'POST', body: new URLSearchParams({ access_token }) });
    expect(refusalOf(inForm)).to.deep.equal([401, 'invalid_token']);

    const faults: readonly (readonly [answer: Answer, error: string])[] = [
      [await askUserinfo(access_token, { ath: undefined }), 'invalid_dpop_proof'],
      [await askUserinfo(access_token, { ath: accessTokenHash('another') }), 'invalid_dpop_proof'],
      [await askUserinfo(access_token, { htm: 'POST' }), 'invalid_dpop_proof'],
      [await askUserinfo(access_token, { htu: `${idp.baseUrl}/token` }), 'invalid_dpop_proof'],
      [await askUserinfo(access_token, {}, other), 'invalid_token'],
      [await call(idp, '/userinfo', { headers: { Authorization: `DPoP ${access_token}` } }), 'invalid_token'],
    ];
    for (const [refused, error] of faults) {
      expect(refusalOf(refused), refused.text).to.deep.equal([401, error]);
      expect(challengeOf(refused)).to.equal(`DPoP error="${error}", ${algorithms}`);
    }
  });

  it('are distinguished at /userinfo, which challenges for both schemes without credentials', async () => {
    const { body } = await token(idp, { grant_type: 'client_credentials' });
    const refused = await askUserinfo(String(body.access_token));
    expect(refusalOf(refused)).to.deep.equal([401, 'invalid_token']);
    expect(refused.body.error_description).to.contain('not bound to a key');
    const nothing = await call(idp, '/userinfo');
    expect(challengeOf(nothing)).to.equal(`Bearer error="invalid_token", DPoP ${algorithms}`);
    const garbled = await call(idp, '/userinfo', { headers: { Authorization: 'DPoP a.b.c' } });
    expect(challengeOf(garbled)).to.equal(`DPoP error="invalid_token", ${algorithms}`);
    expect(challengeOf(await userinfo(idp, 'a.b.c'))).to.equal('Bearer error="invalid_token"');
  });

  it('are introspected with their key', async () => {
    const { access_token, refresh_token } = await tokensOfPublic();
    for (const text of [access_token, refresh_token]) {
      const { body } = await introspect(idp, text);
      expect(body).to.include({ active: true, token_type: 'DPoP' });
      expect(body.cnf).to.deep.equal({ jkt: key.thumbprint });
    }
    const plain = await token(idp, { grant_type: 'client_credentials' });
    const { body } = await introspect(idp, String(plain.body.access_token));
    expect(body).to.include({ active: true, token_type: 'Bearer' }).and.not.to.have.property('cnf');
  });

  it('are issued while the clock is moved, for proofs of real time and of that clock', async () => {
    await idp.setClock(7_200_000);
    try {
      const form = { grant_type: 'client_credentials' };
      const moved = Math.floor(Date.now() / 1000) + 7200;
      for (const claims of [{}, { iat: moved }]) {
        const answer = await token(idp, form, { ...web, ...(await proofHeader(key, claims)) });
        expect(answer.status, answer.text).to.equal(200);
      }
      const between = await token(idp, form, { ...web, ...(await proofHeader(key, { iat: moved - 3600 })) });
      expect(refusalOf(between)).to.deep.equal([400, 'invalid_dpop_proof']);
    } finally {
      await idp.setClock(0);
    }
  });

  it('are issued for proofs with Ed25519, as RFC 9864 names it', async () => {
    const by = await provingKey('Ed25519');
    const answer = await token(idp, { grant_type: 'client_credentials' }, { ...web, ...(await proofHeader(by)) });
    expect(answer.body.token_type, answer.text).to.equal('DPoP');
  });

  it('are challenged by their scheme under faults too, and keep their type when a fault changes its case', async () => {
    const { access_token = '' } = await tokensOfPublic();
    const plain = String((await redeemCode(idp, await codeFor(idp))).body.access_token);
    for (const fault of [{ fault: 'userinfo_unauthorized' }, oauthFault]) {
      expect((await idp.api('POST', '/api/faults', { ...fault, times: 1 })).status).to.equal(201);
      expect(challengeOf(await askUserinfo(access_token))).to.equal(`DPoP error="invalid_token", ${algorithms}`);
      expect((await idp.api('POST', '/api/faults', { ...fault, times: 1 })).status).to.equal(201);
      expect(challengeOf(await userinfo(idp, plain))).to.equal('Bearer error="invalid_token"');
    }
    for (const [headers, type] of [
      [{ ...web, ...(await proofHeader()) }, 'dPOP'],
      [web, 'bEARER'],
    ] as const) {
      expect((await idp.api('POST', '/api/faults', { fault: 'token_type_case', times: 1 })).status).to.equal(201);
      const answer = await token(idp, { grant_type: 'client_credentials' }, headers);
      expect(answer.body.token_type, answer.text).to.equal(type);
    }
  });

  it('become unbound once oauth.dpop is off, as do codes and refresh tokens', async () => {
    const { access_token, refresh_token = '' } = await tokensOfPublic();
    const code = await codeFor(idp, { dpop_jkt: key.thumbprint });
    await idp.configure({ clients });
    try {
      expect((await userinfo(idp, access_token)).status).to.equal(200);
      // A fault for a live token ignores a token that /userinfo would reject.
      const fault = await idp.api('POST', '/api/faults', { fault: 'userinfo_unauthorized', times: 1 });
      expect(fault.status).to.equal(201);
      expect((await askUserinfo(access_token)).body.error_description).to.contain('The access token is missing');
      expect((await userinfo(idp, access_token)).body.error_description).to.equal(sentences.errorByFault);
      for (const answer of [
        await refresh(idp, refresh_token, { client_id: 'held' }, await proofHeader()),
        await redeemCode(idp, code, {}, { ...web, ...(await proofHeader()) }),
      ]) {
        expect([answer.status, answer.body.token_type], answer.text).to.deep.equal([200, 'Bearer']);
      }
    } finally {
      await idp.configure({ settings: { oauth: { dpop: 'on' } }, clients });
    }
  });

  it('work in a sandbox only at its own addresses', async () => {
    const made = await call(idp, '/api/sandboxes', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'keys' }),
    });
    expect(made.status, made.text).to.equal(201);
    const address = `${idp.baseUrl}/s/keys`;
    const ask = (DPoP: string) =>
      call(idp, '/s/keys/token', {
        method: 'POST',
        headers: { ...web, DPoP },
        body: new URLSearchParams({ grant_type: 'password', username: 'alice', password: 'wonderland' }),
      });
    const answer = await ask(await key.proof('POST', `${address}/token`));
    expect(answer.body.token_type, answer.text).to.equal('DPoP');
    const accessToken = String(answer.body.access_token);
    const DPoP = await key.proof('GET', `${address}/userinfo`, { ath: accessTokenHash(accessToken) });
    const shown = await call(idp, '/s/keys/userinfo', { headers: { Authorization: `DPoP ${accessToken}`, DPoP } });
    expect(shown.status, shown.text).to.equal(200);
    expect(refusalOf(await ask(await key.proof('POST', `${idp.baseUrl}/token`)))).to.deep.equal([
      400,
      'invalid_dpop_proof',
    ]);
  });

  it('are recorded with the content of their proof, and the proof as a fingerprint', async () => {
    const { DPoP } = await proofHeader(key, { jti: 'of the recorded one' });
    await token(idp, { grant_type: 'client_credentials' }, { ...web, DPoP });
    const { body } = await call(idp, '/api/exchanges?endpoint=token&limit=1');
    const [{ id }] = body.exchanges as readonly [{ id: string }];
    const kept = (await call(idp, `/api/exchanges/${id}`)).body as {
      decoded: { name: string; jwt?: { claims?: object } }[];
    };
    const proof = kept.decoded.find(({ name }) => name === 'dpop');
    expect(proof?.jwt?.claims).to.include({ jti: 'of the recorded one', htm: 'POST' });
    expect(JSON.stringify(kept)).not.to.contain(DPoP.slice(DPoP.lastIndexOf('.')));
  });
});

describe('tokens bound to a key, with a nonce', () => {
  let idp: RunningIdp;
  let key: ProvingKey;
  before(async () => {
    key = await provingKey();
    idp = await startIdp({ world: interactive, settings: { oauth: { dpop: 'nonce' } }, clients });
  });
  after(() => idp.stop());

  const form = { grant_type: 'client_credentials' };
  const ask = async (claims: object = {}) =>
    token(idp, form, { ...web, DPoP: await key.proof('POST', `${idp.baseUrl}/token`, { ...claims }) });
  const nonceOf = (answer: Answer) => answer.headers.get('dpop-nonce') ?? '';

  it('are rejected without the nonce, and the response provides it', async () => {
    for (const claims of [{}, { nonce: 'guessed' }, { nonce: 7 }]) {
      const refused = await ask(claims);
      expect(refusalOf(refused)).to.deep.equal([400, 'use_dpop_nonce']);
      expect(nonceOf(refused)).to.match(/^[A-Za-z0-9_-]{43}$/);
      expect(refused.headers.get('access-control-expose-headers')).to.contain('DPoP-Nonce');
    }
    const nonce = nonceOf(await ask());
    const answer = await ask({ nonce });
    expect([answer.body.token_type, nonceOf(answer)]).to.deep.equal(['DPoP', nonce]);
    // A client without a proof needs no nonce.
    expect((await token(idp, form)).body.token_type).to.equal('Bearer');
  });

  it('cause no finding for a client that sends a new proof with the nonce', async () => {
    const code = await codeFor(idp, { state: 'long enough for this', nonce: 'long enough, too' });
    const redeem = async (claims: object) =>
      redeemCode(idp, code, {}, { ...web, DPoP: await key.proof('POST', `${idp.baseUrl}/token`, { ...claims }) });
    const refused = await redeem({});
    expect(refusalOf(refused)).to.deep.equal([400, 'use_dpop_nonce']);
    expect((await redeem({ nonce: nonceOf(refused) })).status).to.equal(200);
    const verdict = async () => {
      const { body } = await call(idp, '/api/verdict?client_id=web');
      return (body.findings as readonly { id: string }[]).map(({ id }) => id);
    };
    expect(await verdict()).not.to.include('code_reused');
    await redeem({ nonce: nonceOf(refused) });
    expect(await verdict()).to.include('code_reused');
  });

  it('need the nonce at /userinfo too', async () => {
    const accessToken = String((await ask({ nonce: nonceOf(await ask()) })).body.access_token);
    const show = async (claims: object) => {
      const proofClaims = { ath: accessTokenHash(accessToken), ...claims };
      const DPoP = await key.proof('GET', `${idp.baseUrl}/userinfo`, proofClaims);
      return call(idp, '/userinfo', { headers: { Authorization: `DPoP ${accessToken}`, DPoP } });
    };
    const refused = await show({});
    expect(refusalOf(refused)).to.deep.equal([401, 'use_dpop_nonce']);
    expect(refused.headers.get('www-authenticate')).to.equal(`DPoP error="use_dpop_nonce", ${algorithms}`);
    const answer = await show({ nonce: nonceOf(refused) });
    expect([answer.status, nonceOf(answer)]).to.deep.equal([200, nonceOf(refused)]);
  });

  it('accept a recent nonce, but not an old one', async () => {
    const begun = Date.now();
    const at = (seconds: number) => idp.setClock(seconds * 1000);
    try {
      // Starts with a fresh nonce, so the next one is 300 seconds away.
      const beginning = 300 - (Math.floor(begun / 1000) % 300);
      await at(beginning + 10);
      const nonce = nonceOf(await ask());
      await at(beginning + 310);
      const late = await ask({ nonce });
      expect(late.status, late.text).to.equal(200);
      expect(nonceOf(late)).not.to.equal(nonce);
      await at(beginning + 610);
      expect(refusalOf(await ask({ nonce }))).to.deep.equal([400, 'use_dpop_nonce']);
    } finally {
      await at(0);
    }
  });
});

describe('without oauth.dpop', () => {
  let idp: RunningIdp;
  before(async () => {
    const settings = { oauth: { dynamic_registration: { enabled: true, metadata: 'full' } } };
    idp = await startIdp({ world: interactive, settings, clients });
  });
  after(() => idp.stop());

  it('ignores proofs, announces nothing and registers no client for it', async () => {
    const found = (await call(idp, '/.well-known/openid-configuration')).body;
    expect(found).not.to.have.property('dpop_signing_alg_values_supported');
    const answer = await token(idp, { grant_type: 'client_credentials' }, { ...asBound, DPoP: 'whatever' });
    expect([answer.status, answer.body.token_type]).to.deep.equal([200, 'Bearer']);
    const shown = await call(idp, '/userinfo', { headers: { Authorization: `DPoP ${answer.body.access_token}` } });
    expect([shown.status, shown.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer error="invalid_token"']);
    const register = (member: object) =>
      call(idp, '/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback], ...member }),
      });
    const refused = await register({ dpop_bound_access_tokens: true });
    expect(refusalOf(refused)).to.deep.equal([400, 'invalid_client_metadata']);
    expect((await register({ dpop_bound_access_tokens: false })).status).to.equal(201);
  });
});
