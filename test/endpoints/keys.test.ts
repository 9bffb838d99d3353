// Keys over HTTP: rotation and its errors, a reload that changes key settings, and tokens across rotations.

import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { newConfigRoot } from '#test/support/mcp-client.ts';
import { sentences } from '#test/support/sentences.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { pemPair } from '#test/support/test-keys.ts';
import { call, token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('signing keys over HTTP', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'oidc' });
  });
  after(() => idp.stop());

  const inKeys = (name: string) => join(idp.root, 'keys', name);
  const info = async () => (await call(idp, '/api/keys/info')).body;
  const rotate = () => call(idp, '/api/keys/rotate', { method: 'POST' });
  const publishedKids = async () => {
    const { keys } = (await call(idp, '/.well-known/jwks.json')).body;
    return Array.isArray(keys) ? keys.map((key) => key.kid) : [];
  };
  async function reloadWith(jwt: object) {
    writeFileSync(join(idp.configDirectory, 'settings.yaml'), stringify({ ...demoSettings, jwt }));
    return await call(idp, '/api/config/reload', { method: 'POST' });
  }
  const accessToken = async () =>
    String((await token(idp, { grant_type: 'password', username: 'alice', password: 'wonderland' })).body.access_token);
  const userinfo = (bearer: string) => call(idp, '/userinfo', { headers: { Authorization: `Bearer ${bearer}` } });

  verifies(['KEY-10', 'KEY-11', 'KEY-07'], 'rotate, and report active and previous kids, newest first', async () => {
    const first = (await info()).active_kid;
    const rotated = await rotate();
    expect(rotated.status).to.equal(200);
    const { new_kid: second, rotated_at: at } = rotated.body;
    expect(rotated.body).to.deep.equal({
      success: true,
      old_kid: first,
      new_kid: second,
      previous_keys_count: 1,
      rotated_at: new Date(String(at)).toISOString(),
    });
    const third = (await rotate()).body.new_kid;
    expect(await info()).to.deep.equal({
      active_kid: third,
      previous_keys_count: 2,
      previous_kids: [second, first],
      max_previous_keys: 2,
    });
    expect(await publishedKids()).to.deep.equal([third, second, first]);
  });

  verifies(['KEY-08', 'CLM-05', 'KEY-09'], 'verify a token only while its key is kept', async () => {
    const bearer = await accessToken();
    expect((await userinfo(bearer)).status).to.equal(200);
    await rotate();
    await rotate();
    expect((await userinfo(bearer)).status).to.equal(200);
    await rotate();
    expect((await userinfo(bearer)).status).to.equal(401);
  });

  verifies(['KEY-09', 'ACT-16'], 'are trimmed by the reload that lowers max_previous_keys', async () => {
    expect(await publishedKids()).to.have.length(3);
    expect((await reloadWith({ max_previous_keys: 1 })).status).to.equal(200);
    expect(await publishedKids()).to.have.length(2);
    const { old_kid: retired } = (await rotate()).body;
    expect((await publishedKids())[1]).to.equal(retired);
    expect((await reloadWith({ max_previous_keys: 0 })).status).to.equal(200);
    const bearer = await accessToken();
    await rotate();
    expect(await publishedKids()).to.have.length(1);
    expect((await userinfo(bearer)).status).to.equal(401);
    expect((await reloadWith({})).status).to.equal(200);
  });

  const sentence = {
    external_keys_not_rotatable: sentences.keysComeFromFiles,
    lock_namespace_unavailable: sentences.keysDirectoryNotWritable,
  } as const;

  verifies(['KEY-21', 'KEY-23'], 'return 409 with the fixed body if the lock file cannot be created', async () => {
    const before = await info();
    writeFileSync(inKeys('.lock'), '');
    const refused = await rotate();
    rmSync(inKeys('.lock'));
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([409, null]);
    expect(refused.body).to.deep.equal({
      success: false,
      error: sentence.lock_namespace_unavailable,
      kind: 'lock_namespace_unavailable',
    });
    expect(await info()).to.deep.equal(before);
    expect(idp.log()).to.include(idp.root);
  });

  verifies(['KEY-18', 'ACT-08', 'ACT-11'], 'stay in use when a reload has unusable external keys', async () => {
    const before = await info();
    const pair = pemPair();
    writeFileSync(join(idp.root, 'own.pem'), pair.privatePem);
    writeFileSync(join(idp.root, 'own.pub'), pemPair().publicPem);
    for (const external_keys of [
      { private_key: '../missing.pem', public_key: '../own.pub' },
      { private_key: '../own.pem', public_key: '../own.pub' },
    ]) {
      const refused = await reloadWith({ external_keys });
      expect(refused.status).to.equal(422);
      expect(Object.keys(refused.body)).to.deep.equal(['status', 'error', 'kind']);
      expect(refused.body).to.include({ status: 'error', kind: 'activation' });
    }
    expect(await info()).to.deep.equal(before);
    expect((await userinfo(await accessToken())).status).to.equal(200);
  });

  verifies(
    ['KEY-19', 'KEY-21', 'KEY-20', 'DIS-15'],
    'are only the external keys after a reload, and cannot be rotated',
    async () => {
      const { privatePem, publicPem } = pemPair();
      writeFileSync(join(idp.root, 'own.pem'), privatePem);
      writeFileSync(join(idp.root, 'own.pub'), publicPem);
      const generated = await accessToken();
      const reloaded = await reloadWith({
        external_keys: { private_key: '../own.pem', public_key: '../own.pub', kid: 'mine' },
      });
      expect(reloaded.status).to.equal(200);
      expect(await publishedKids()).to.deep.equal(['mine']);
      expect((await userinfo(await accessToken())).status).to.equal(200);
      expect((await userinfo(generated)).status).to.equal(401);
      const refused = await rotate();
      expect(refused.status).to.equal(409);
      expect(refused.body).to.deep.equal({
        success: false,
        error: sentence.external_keys_not_rotatable,
        kind: 'external_keys_not_rotatable',
      });
      expect((await reloadWith({})).status).to.equal(200);
      expect((await userinfo(generated)).status).to.equal(200);
    },
  );
});

describe('a start with unusable external keys', () => {
  verifies('KEY-18', 'ends with exit code 1 and names the file', () => {
    const settings = { jwt: { external_keys: { private_key: '../no.pem', public_key: '../no.pub' } } };
    const { root, configDirectory } = newConfigRoot({ settings });
    const args = [cliPath, 'oidc', '--config-dir', configDirectory, '--port', '0'];
    const ended = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
    rmSync(root, { recursive: true, force: true });
    expect(ended.status).to.equal(1);
    expect(ended.stderr).to.include('jwt.external_keys.private_key').and.include('no.pem');
  });
});
