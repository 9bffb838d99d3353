// The operator's own key pair, and every reason to reject a rotation.

import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock, DirectoryLockError } from '#shared/base/locking/directory-lock.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import type { KeyRing, KeyRotationRefusedError } from '#shared/state/keys/key-ring.ts';
import { refusalFor } from '#shared/state/keys/rotation-refusals.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { sentences } from '#test/support/sentences.ts';
import { type KeysRoot, newKeysRoot, openTestKeys, pemPair } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const rotationRefusals = {
  external_keys_not_rotatable: sentences.keysComeFromFiles,
  keys_directory_not_writable: 'The keys directory is not writable, so the keys cannot be rotated. Make it writable.',
  lock_namespace_unavailable: sentences.keysDirectoryNotWritable,
  lock_timeout: sentences.keysDirectoryLocked,
  lock_unsupported: 'The filesystem of the keys directory does not support locks. The keys cannot be rotated.',
} as const;

const external = { external_keys: { private_key: '../own.pem', public_key: '../own.pub' } };

describe('external keys', () => {
  let keys: KeysRoot;
  beforeEach(() => {
    keys = newKeysRoot();
  });
  afterEach(() => keys.remove());

  function writePair({ privatePem, publicPem } = pemPair()): void {
    writeFileSync(join(keys.root, 'own.pem'), privatePem);
    writeFileSync(join(keys.root, 'own.pub'), publicPem);
  }

  const unusable: readonly { what: string; prepare: () => void; says: RegExp }[] = [
    { what: 'a missing private key', prepare: () => rmSync(join(keys.root, 'own.pem')), says: /private_key/ },
    { what: 'a missing public key', prepare: () => rmSync(join(keys.root, 'own.pub')), says: /public_key/ },
    { what: 'an EC pair', prepare: () => writePair(pemPair('ec')), says: /RS256 requires RSA/ },
    { what: 'a pair of 1024 bits', prepare: () => writePair(pemPair('rsa-1024')), says: /2048/ },
    {
      what: 'halves of two pairs',
      prepare: () => writePair({ privatePem: pemPair().privatePem, publicPem: pemPair().publicPem }),
      says: /are not a pair/,
    },
  ];
  for (const { what, prepare, says } of unusable) {
    verifies('KEY-18', `do not include ${what}`, async () => {
      writePair();
      prepare();
      const refused = await openTestKeys(keys, external).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(ActivationError);
      expect(String(refused)).to.match(says).and.not.include('BEGIN');
      expect(refused).to.have.property('kind', 'activation');
    });
  }

  verifies(
    ['KEY-19', 'CLM-06', 'DIS-15'],
    'sign with this key, publish only this key, and verify with it for any kid',
    async () => {
      writePair();
      const ring = await openTestKeys(keys, external);
      const { kid, publicKey } = await ring.signingKey();
      expect((await ring.publicKeys()).map((jwk) => jwk.kid)).to.deep.equal([kid]);
      for (const kidInToken of [undefined, kid, 'whatever', '']) {
        expect((await ring.verificationKey(kidInToken))?.publicKey.equals(publicKey)).to.equal(true);
      }
      expect(publicKey.export({ type: 'spki', format: 'pem' })).to.equal(
        readFileSync(join(keys.root, 'own.pub'), 'utf8'),
      );
      expect(existsSync(join(keys.keysDirectory, 'rsa_private.pem'))).to.equal(false);
      expect((await ring.information()).previous_keys_count).to.equal(0);
    },
  );

  verifies(['KEY-03', 'CLM-02'], 'have the configured kid, or else the thumbprint', async () => {
    writePair();
    const named = await openTestKeys(keys, { external_keys: { ...external.external_keys, kid: 'mine' } });
    expect((await named.signingKey()).kid).to.equal('mine');
    expect((await named.publicKeys()).map((jwk) => jwk.kid)).to.deep.equal(['mine']);
    expect((await (await openTestKeys(keys, external)).signingKey()).kid).to.match(/^[\w-]{43}$/);
  });

  verifies(
    'KEY-20',
    'store their certificate in the keys directory under the thumbprint, one for all processes',
    async () => {
      writePair();
      const rings = await Promise.all([openTestKeys(keys, external), openTestKeys(keys, external)]);
      const { kid, certificatePem, privateKey } = await (rings[0] as KeyRing).signingKey();
      expect(readFileSync(join(keys.keysDirectory, `external-cert-${kid}.pem`), 'utf8')).to.equal(certificatePem);
      expect((await (rings[1] as KeyRing).signingKey()).certificatePem).to.equal(certificatePem);
      expect(new X509Certificate(certificatePem).checkPrivateKey(privateKey)).to.equal(true);
    },
  );

  verifies('KEY-20', 'do not change with the files until the next start', async () => {
    writePair();
    const ring = await openTestKeys(keys, external);
    const { kid } = await ring.signingKey();
    writePair();
    const directory = join(keys.root, 'config');
    (await ring.prepare(snapshotOf({ settings: { jwt: external }, directory })))();
    expect((await ring.signingKey()).kid).to.equal(kid);
    const restarted = await openTestKeys(keys, external);
    expect((await restarted.signingKey()).kid).not.to.equal(kid);
  });

  verifies('KEY-18', 'stay active if a reload names unusable keys', async () => {
    const ring = await openTestKeys(keys);
    const { kid } = await ring.signingKey();
    const directory = join(keys.root, 'config');
    const refused = await ring.prepare(snapshotOf({ settings: { jwt: external }, directory })).catch((error) => error);
    expect(refused).to.be.instanceOf(ActivationError);
    expect((await ring.signingKey()).kid).to.equal(kid);
  });

  it('can replace generated keys with a reload, and vice versa', async () => {
    writePair();
    const ring = await openTestKeys(keys);
    const generated = (await ring.signingKey()).kid;
    const directory = join(keys.root, 'config');
    (await ring.prepare(snapshotOf({ settings: { jwt: external }, directory })))();
    expect((await ring.signingKey()).kid).not.to.equal(generated);
    (await ring.prepare(snapshotOf({ settings: {}, directory })))();
    expect((await ring.signingKey()).kid).to.equal(generated);
  });

  async function refusedRotation(ring: KeyRing): Promise<KeyRotationRefusedError> {
    const before = await ring.information();
    const refusal = await ring.rotate().then(
      () => expect.fail('the rotation was not rejected'),
      (error: KeyRotationRefusedError) => error,
    );
    expect(await ring.information()).to.deep.equal(before);
    expect(refusal.message).to.equal(rotationRefusals[refusal.kind]);
    expect(refusal.message).not.to.include(keys.root);
    return refusal;
  }

  verifies(['KEY-21', 'KEY-23'], 'cannot be rotated', async () => {
    writePair();
    expect((await refusedRotation(await openTestKeys(keys, external))).kind).to.equal('external_keys_not_rotatable');
  });

  verifies(['KEY-21', 'KEY-23'], 'cannot be rotated where the lock cannot exist', async () => {
    const ring = await openTestKeys(keys);
    writeFileSync(join(keys.keysDirectory, '.lock'), '');
    expect((await refusedRotation(ring)).kind).to.equal('lock_namespace_unavailable');
    rmSync(keys.keysDirectory, { recursive: true });
    expect((await refusedRotation(ring)).kind).to.equal('lock_namespace_unavailable');
    expect(existsSync(keys.keysDirectory)).to.equal(false);
    mkdirSync(keys.keysDirectory);
  });

  verifies(['KEY-22', 'KEY-23'], 'cannot be rotated while another process holds the lock', async () => {
    const ring = await openTestKeys(keys, {}, { lockDeadlineMilliseconds: 100 });
    const lock = await acquireDirectoryLock(keys.keysDirectory, { stopwatch: systemStopwatch });
    expect((await refusedRotation(ring)).kind).to.equal('lock_timeout');
    await lock.release();
    expect((await ring.rotate()).previous_keys_count).to.equal(1);
  });

  verifies(['KEY-21', 'KEY-22'], 'report each failure of the lock and the filesystem with its kind', () => {
    const kindOf = (error: unknown) => refusalFor(error)?.kind;
    expect(kindOf(new DirectoryLockError('lock_unsupported', '/keys'))).to.equal('lock_unsupported');
    expect(kindOf(new DirectoryLockError('lock_timeout', '/keys'))).to.equal('lock_timeout');
    expect(kindOf(new DirectoryLockError('lock_namespace_unavailable', '/keys'))).to.equal(
      'lock_namespace_unavailable',
    );
    expect(kindOf(new DirectoryLockError('not_writable', '/keys'))).to.equal('keys_directory_not_writable');
    expect(kindOf(Object.assign(new Error('read-only'), { code: 'EROFS' }))).to.equal('keys_directory_not_writable');
    expect(kindOf(Object.assign(new Error('full'), { code: 'ENOSPC' }))).to.equal(undefined);
    for (const [kind, sentence] of Object.entries(rotationRefusals)) {
      const error = kind === 'external_keys_not_rotatable' || kind === 'keys_directory_not_writable' ? undefined : kind;
      if (error === 'lock_timeout' || error === 'lock_unsupported' || error === 'lock_namespace_unavailable') {
        expect(refusalFor(new DirectoryLockError(error, '/keys'))?.message).to.equal(sentence);
      }
    }
  });
});
