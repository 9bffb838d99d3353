import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { persistentNameIdKey } from '#services/saml/persistent-name-id-key.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('persistentNameIdKey', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-nameid-'));
    mkdirSync(join(root, 'keys'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const needs = async (keysDirectory: string, options: { external?: string; name?: 'idp' | 'stranger' } = {}) => {
    const key = await signingKey(options.name ?? 'idp');
    return {
      paths: { keysDirectory, externalPrivateKey: options.external },
      keys: { signingKey: async () => key },
      random: systemRandomness,
      log: silentLogger(),
      sandbox: undefined,
      store: { sharedSecrets: { get: async () => 'asked for by nobody here' } },
    };
  };

  verifies('SAM-37', 'is created once for many simultaneous calls, and stored privately', async () => {
    const directory = join(root, 'keys');
    const parts = await needs(directory);
    const keys = await Promise.all(Array.from({ length: 20 }, () => persistentNameIdKey(parts)));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).to.equal(1);
    expect(readdirSync(directory)).to.deep.equal(['persistent-name-id.key']);
    expect(statSync(join(directory, 'persistent-name-id.key')).mode & 0o777).to.equal(0o600);
    const rotated = await needs(directory, { name: 'stranger' });
    expect(await persistentNameIdKey(rotated)).to.deep.equal(keys[0]);
  });

  it('is derived from the operator’s own key if there is one, and then nothing is written', async () => {
    const directory = join(root, 'keys');
    const own = await needs(directory, { external: '/somewhere.pem' });
    const key = await persistentNameIdKey(own);
    expect(key).to.have.length(32);
    expect(await persistentNameIdKey(own)).to.deep.equal(key);
    expect(await persistentNameIdKey(await needs(directory, { external: '/x', name: 'stranger' }))).to.not.deep.equal(
      key,
    );
    expect(readdirSync(directory)).to.deep.equal([]);
  });

  it('is derived from the signing key if nothing can be written', async () => {
    const missing = join(root, 'missing');
    const key = await persistentNameIdKey(await needs(missing));
    expect(await persistentNameIdKey(await needs(missing))).to.deep.equal(key);
    expect(await persistentNameIdKey(await needs(missing, { external: '/x' }))).to.deep.equal(key);
  });

  it('does not replace a file with other content', async () => {
    const directory = join(root, 'keys');
    writeFileSync(join(directory, 'persistent-name-id.key'), 'something else');
    const outcome = await persistentNameIdKey(await needs(directory)).then(
      () => 'made',
      (error: Error) => error.message,
    );
    expect(outcome).to.match(/64 hexadecimal digits/);
  });
});
