// A fault does not fire, and is not used up, where nothing of the answer would differ: a client that took such an answer would
// look as if it took a wrong one (FLT-17, FLT-20).
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

  verifies(['FLT-17', 'FLT-K008', 'FLT-K015', 'FLT-K018'], 'JSON is not what a signed userinfo has', async () => {
    const right = await userinfo(idp, signed);
    for (const name of ['malformed_json', 'huge_body', 'duplicate_members']) {
      const fault = await setFault(idp, name, { at: 'userinfo' });
      const answer = await userinfo(idp, signed);
      expect(answer.headers.get('Content-Type')).to.equal('application/jwt');
      expect([answer.headers.get('X-Test-Idp-Fault'), answer.text], name).to.deep.equal([null, right.text]);
      expect(await faultOf(idp, fault), name).to.include(idle);
    }
  });

  verifies(['FLT-17', 'FLT-K010', 'FLT-K016'], 'a body is what a signed userinfo has', async () => {
    for (const name of ['empty_body', 'wrong_content_type', 'truncated_body']) {
      const fault = await setFault(idp, name, { at: 'userinfo' });
      await userinfo(idp, signed).catch(() => undefined);
      expect((await faultOf(idp, fault)).hits, name).to.equal(1);
    }
  });

  verifies(['FLT-17', 'FLT-K123'], 'a client that registered for a signed userinfo asked for it', async () => {
    const fault = await setFault(idp, 'userinfo_signed');
    expect((await userinfo(idp, signed)).headers.get('X-Test-Idp-Fault')).to.equal(null);
    expect(await faultOf(idp, fault)).to.include(idle);
    const { access_token } = await tokensFor(idp, { scope: 'openid' });
    expect((await userinfo(idp, String(access_token))).headers.get('Content-Type')).to.equal('application/jwt');
    expect(await faultOf(idp, fault)).to.include({ hits: 1 });
  });

  verifies(['FLT-17', 'FLT-K009', 'FLT-K015'], 'the right media type, and a length that the body has', async () => {
    for (const [name, parameters] of [
      ['wrong_content_type', { type: 'application/json' }],
      ['huge_body', { bytes: 10 }],
    ] as const) {
      const fault = await setFault(idp, name, { at: 'jwks', parameters });
      expect((await call(idp, '/.well-known/jwks.json')).headers.get('X-Test-Idp-Fault'), name).to.equal(null);
      expect(await faultOf(idp, fault), name).to.include(idle);
    }
  });

  verifies('FLT-17', 'the answer to a HEAD has nothing of a document', async () => {
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

  verifies(
    ['FLT-17', 'FLT-K103'],
    'declared, where the key cannot be rotated, it leaves tokens as they are',
    async () => {
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
    },
  );
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

  verifies(['FLT-17', 'FLT-K143'], 'a name is not tampered with where the user bears it', async () => {
    const name_id = 'alice@example.com';
    const fault = await setFault(idp, 'saml_content_tampered', { parameters: { name_id } });
    const { xml, root } = await login();
    expect(nameIdIn(root).value).to.equal(name_id);
    verifyWithXmlCrypto(xml, await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text());
    expect(await faultOf(idp, fault)).to.include(idle);
  });

  verifies(['FLT-17', 'FLT-K188'], 'the RelayState that was sent is no other one', async () => {
    const fault = await setFault(idp, 'saml_relay_state_changed', { parameters: { relay_state: 'sent' } });
    expect((await login('sent')).relayState).to.equal('sent');
    expect(await faultOf(idp, fault)).to.include(idle);
    expect((await login('other')).relayState).to.equal('sent');
    expect(await faultOf(idp, fault)).to.include({ hits: 1 });
  });
});
