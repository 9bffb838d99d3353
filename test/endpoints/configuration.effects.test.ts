// One reload changes something in every area that the contract lists, and each front end of the stack then applies it
// (ACT-16).

import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { stringify } from 'yaml';
import { web } from '#test/support/credentials.ts';
import { basic, postForm, rawRequest } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

const secret = 'management-secret-of-the-test';

describe('a reload', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  const at = (path: string, host?: string) =>
    rawRequest(idp.baseUrl + path, host === undefined ? {} : { headers: { Host: host } });
  const json = async (path: string, host?: string) => JSON.parse((await at(path, host)).body);
  const write = (path: string, text: string) => writeFileSync(join(idp.root, path), text);
  const trace = () => join(idp.root, 'trace');
  const client = { Authorization: basic('web', 'changed-secret') };
  let kidBefore: string | undefined;

  before(async () => {
    idp = await startIdp({ command: 'instance' });
    kidBefore = (await json('/.well-known/jwks.json')).keys[0].kid;
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    write('private.pem', privateKey);
    write('public.pem', publicKey);
    write('plugin.mjs', 'export default { hook_api_version: 1, on_config_saved() {} };\n');
    const { oauth } = demoSettings;
    write(
      'config/settings.yaml',
      stringify({
        oauth: {
          ...oauth,
          clients: [{ ...oauth.clients[0], client_secret: 'changed-secret' }],
          issuer: 'http://issuer.example',
          issuer_allowlist: [idp.baseUrl],
          device_verification_base_url: 'https://device.example',
          token_expiry_minutes: 7,
          refresh_token_expiry_minutes: 9,
        },
        device_flow: { code_expiry_seconds: 77, polling_interval: 3 },
        saml: { entity_id: 'urn:changed', sso_url: 'https://sso.example/in' },
        login: { mode: 'persona' },
        jwt: { external_keys: { private_key: '../private.pem', public_key: '../public.pem', kid: 'changed-kid' } },
        require_ui_login: true,
        management_secret: secret,
        hooks: { on_audit_event: `echo {event_type} >> ${trace()}` },
        plugins: { '../plugin.mjs': {} },
      }),
    );
    write('config/users.yaml', stringify({ users: { ...demoUsers.users, carol: { password: 'new here' } } }));
    const { status } = await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' });
    expect(status).to.equal(200);
  });
  after(() => idp.stop());

  const passwordGrant = async () => {
    const form = { grant_type: 'password', username: 'carol', password: 'new here', scope: 'openid offline_access' };
    const answer = await postForm(`${idp.baseUrl}/token`, form, client);
    expect(answer.status).to.equal(200);
    return await answer.json();
  };

  verifies('ACT-16', 'applies clients and users', async () => {
    const form = { grant_type: 'client_credentials' };
    const old = await postForm(`${idp.baseUrl}/token`, form, web);
    expect(old.status).to.equal(401);
    expect(decodeJwt((await passwordGrant()).access_token).sub).to.equal('carol');
  });

  verifies('ACT-16', 'applies issuer, allowlist and base of the device flow', async () => {
    const discovery = '/.well-known/openid-configuration';
    expect((await json(discovery)).issuer).to.equal(idp.baseUrl);
    expect((await json(discovery, 'elsewhere.example')).issuer).to.equal('http://issuer.example');
    const device = await (await postForm(`${idp.baseUrl}/device_authorization`, {}, client)).json();
    expect(device).to.include({ verification_uri: 'https://device.example/device', expires_in: 77, interval: 3 });
  });

  verifies('ACT-16', 'applies lifetimes and key settings', async () => {
    const { access_token, refresh_token, expires_in } = await passwordGrant();
    expect(expires_in).to.equal(420);
    const { iat = 0, exp = 0 } = decodeJwt(refresh_token);
    expect(exp - iat).to.equal(540);
    expect(decodeProtectedHeader(access_token).kid).to.equal('changed-kid');
    const kids = (await json('/.well-known/jwks.json')).keys.map(({ kid }: { kid: string }) => kid);
    expect(kids).to.deep.equal(['changed-kid']).and.to.not.include(kidBefore);
  });

  verifies('ACT-16', 'applies SAML keys in the other process', async () => {
    const { body } = await at('/saml/metadata');
    expect(body).to.contain('entityID="urn:changed"').and.to.contain('Location="https://sso.example/in"');
  });

  verifies('ACT-16', 'applies login settings and gates', async () => {
    const login = await at('/login');
    expect(login.body).to.contain('carol').and.to.not.contain('type="password"');
    expect((await at('/')).status).to.equal(302);
    const create = (headers: Record<string, string>) =>
      rawRequest(`${idp.baseUrl}/api/runtime/users`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: '{"username":"made"}',
      });
    expect((await create({})).status).to.equal(401);
    expect((await create({ 'X-Management-Secret': secret })).status).to.equal(201);
  });

  verifies('ACT-16', 'applies hooks and plugins', async () => {
    await passwordGrant();
    const { hooks } = await json('/api/config');
    expect(hooks.plugins).to.deep.equal([{ module: '../plugin.mjs', events: ['on_config_saved'], failures: 0 }]);
    expect(hooks.shell.map(({ event }: { event: string }) => event)).to.deep.equal(['on_audit_event']);
    const seen = () => existsSync(trace()) && readFileSync(trace(), 'utf8').includes('token_request');
    while (!seen()) await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
