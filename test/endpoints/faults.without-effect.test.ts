// A fault neither fires nor is used up if the response would not differ. Otherwise a correct client would seem to accept a
// faulty response (FLT-17, FLT-20).
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { loggedIn } from '#test/support/authorization-flow.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { basic } from '#test/support/http.ts';
import { authnRequest, delivered, nameIdIn, redirectQuery } from '#test/support/saml/service-provider.ts';
import { verifyWithXmlCrypto } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, token, tokensFor, userinfo } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive, saml } from '#test/support/worlds.ts';

const idle = { hits: 0, remaining: 1 };

describe('faults without effect', () => {
  let idp: RunningIdp;
  let signed: string;
  const clients = [{ client_id: 'signed', client_secret: 's', userinfo_signed_response_alg: 'RS256' }];
  before(async () => {
    idp = await startIdp({ world: interactive, clients });
    const form = { grant_type: 'password', username: 'alice', password: 'wonderland', scope: 'openid email' };
    signed = String((await token(idp, form, { Authorization: basic('signed', 's') })).body.access_token);
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  verifies(['FLT-17', 'FLT-K008', 'FLT-K015', 'FLT-K018'], 'ignore a signed userinfo if they need JSON', async () => {
    const right = await userinfo(idp, signed);
    for (const name of ['malformed_json', 'huge_body', 'duplicate_members']) {
      const fault = await setFault(idp, name, { at: 'userinfo' });
      const answer = await userinfo(idp, signed);
      expect(answer.headers.get('Content-Type')).to.equal('application/jwt');
      expect([answer.headers.get('X-Test-Idp-Fault'), answer.text], name).to.deep.equal([null, right.text]);
      expect(await faultOf(idp, fault), name).to.include(idle);
    }
  });

  verifies(['FLT-17', 'FLT-K010', 'FLT-K016'], 'apply to a signed userinfo if they need only a body', async () => {
    for (const name of ['empty_body', 'wrong_content_type', 'truncated_body']) {
      const fault = await setFault(idp, name, { at: 'userinfo' });
      await userinfo(idp, signed).catch(() => undefined);
      expect((await faultOf(idp, fault)).hits, name).to.equal(1);
    }
  });

  verifies(
    ['FLT-17', 'FLT-K123'],
    'ignore userinfo_signed for a client that registered for a signed userinfo',
    async () => {
      const fault = await setFault(idp, 'userinfo_signed');
      expect((await userinfo(idp, signed)).headers.get('X-Test-Idp-Fault')).to.equal(null);
      expect(await faultOf(idp, fault)).to.include(idle);
      const { access_token } = await tokensFor(idp, { scope: 'openid' });
      expect((await userinfo(idp, String(access_token))).headers.get('Content-Type')).to.equal('application/jwt');
      expect(await faultOf(idp, fault)).to.include({ hits: 1 });
    },
  );

  verifies(
    ['FLT-17', 'FLT-K009', 'FLT-K015'],
    'ignore parameters that equal the correct media type or fit the actual length',
    async () => {
      for (const [name, parameters] of [
        ['wrong_content_type', { type: 'application/json' }],
        ['huge_body', { bytes: 10 }],
      ] as const) {
        const fault = await setFault(idp, name, { at: 'jwks', parameters });
        expect((await call(idp, '/.well-known/jwks.json')).headers.get('X-Test-Idp-Fault'), name).to.equal(null);
        expect(await faultOf(idp, fault), name).to.include(idle);
      }
    },
  );

  verifies('FLT-17', 'ignore document faults in the response to HEAD', async () => {
    const bearer = { Authorization: `Bearer ${(await tokensFor(idp, { scope: 'openid' })).access_token}` };
    for (const [name, path] of [
      ['discovery_issuer_mismatch', '/.well-known/openid-configuration'],
      ['jwks_empty', '/.well-known/jwks.json'],
      ['userinfo_subject_mismatch', '/userinfo'],
    ] as const) {
      const fault = await setFault(idp, name);
      const head = await fetch(idp.baseUrl + path, { method: 'HEAD', headers: bearer });
      expect([head.status, head.headers.get('X-Test-Idp-Fault')], name).to.deep.equal([200, null]);
      expect(await faultOf(idp, fault), name).to.include(idle);
      const got = await call(idp, path, { headers: bearer });
      expect(got.headers.get('X-Test-Idp-Fault')).to.equal(name);
    }
  });

  verifies(['FLT-17', 'FLT-K103'], 'ignore key rotation from settings.yaml if the key cannot be rotated', async () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const inFiles = (name: string, text: string | Buffer) => writeFileSync(join(idp.configDirectory, name), text);
    inFiles('private.pem', pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    inFiles('public.pem', pair.publicKey.export({ type: 'spki', format: 'pem' }));
    const jwt = { external_keys: { private_key: 'private.pem', public_key: 'public.pem' } };
    await idp.configure({ settings: { jwt, faults: [{ fault: 'key_rotated_before_signing' }] }, clients });
    const answer = await token(idp, { grant_type: 'client_credentials' });
    expect([answer.status, answer.headers.get('X-Test-Idp-Fault')]).to.deep.equal([200, null]);
    expect((await idp.api('GET', '/api/faults')).body.faults[0]).to.include(idle);
    await idp.configure({ clients });
  });
});

describe('faults without effect on a SAML login', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml });
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  const login = async (relayState?: string) => {
    const query = redirectQuery(authnRequest({ issuer: 'https://sp.example' }), relayState);
    return delivered(await (await loggedIn(idp)).get(`/saml/sso?${query}`));
  };

  verifies(['FLT-17', 'FLT-K143'], "ignore a tampered name that equals the user's name", async () => {
    const name_id = 'alice@example.com';
    const fault = await setFault(idp, 'saml_content_tampered', { parameters: { name_id } });
    const { xml, root } = await login();
    expect(nameIdIn(root).value).to.equal(name_id);
    verifyWithXmlCrypto(xml, await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text());
    expect(await faultOf(idp, fault)).to.include(idle);
  });

  verifies(['FLT-17', 'FLT-K188'], 'ignore a changed RelayState that equals the sent one', async () => {
    const fault = await setFault(idp, 'saml_relay_state_changed', { parameters: { relay_state: 'sent' } });
    expect((await login('sent')).relayState).to.equal('sent');
    expect(await faultOf(idp, fault)).to.include(idle);
    expect((await login('other')).relayState).to.equal('sent');
    expect(await faultOf(idp, fault)).to.include({ hits: 1 });
  });
});
