// The key that the next rotation activates, and that metadata announce in advance.
import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type KeysRoot, newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

describe('announced keys', () => {
  let keys: KeysRoot;
  beforeEach(() => {
    keys = newKeysRoot();
  });
  afterEach(() => keys.remove());

  const file = (name: string) => join(keys.keysDirectory, name);
  const open = (jwt: object = {}, announces = true) => openTestKeys(keys, jwt, {}, { metadata_next_key: announces });

  verifies('SPM-31', 'become active in the next rotation, with the announced certificate', async () => {
    const ring = await open();
    const other = await open();
    const active = (await ring.signingKey()).certificatePem;
    const [first, next, ...previous] = await ring.announcedCertificates();
    expect([first, previous]).to.deep.equal([active, []]);
    expect(await other.announcedCertificates()).to.deep.equal([active, next]);
    expect((statSync(file('next.pem')).mode & 0o777).toString(8)).to.equal('600');

    const { new_kid } = await other.rotate();
    const signing = await ring.signingKey();
    expect([signing.kid, signing.certificatePem]).to.deep.equal([new_kid, next]);
    expect(new X509Certificate(next ?? '').checkPrivateKey(signing.privateKey)).to.equal(true);
    const [now, afterNext, ...before] = await ring.announcedCertificates();
    expect([now, before]).to.deep.equal([next, [active]]);
    expect(afterNext).to.be.a('string').and.not.equal(next);
  });

  verifies('SPM-31', 'are followed by the previous keys, newest first, and no others', async () => {
    const ring = await open({ max_previous_keys: 2 });
    const retired: string[] = [];
    for (let rotations = 0; rotations < 3; rotations += 1) {
      retired.unshift((await ring.signingKey()).certificatePem);
      await ring.rotate();
    }
    const [active, , ...previous] = await ring.announcedCertificates();
    expect(active).to.equal((await ring.signingKey()).certificatePem);
    expect(previous).to.deep.equal(retired.slice(0, 2));
    expect(readdirSync(file('previous'))).to.have.length(4);
  });

  verifies('SPM-31', 'are the same for simultaneous rotations and reads, and no key appears twice', async () => {
    const rings = [await open(), await open(), await open()];
    const kids = new Set<string>();
    await Promise.all(
      rings.map(async (ring) => {
        kids.add((await ring.rotate()).new_kid);
        const [active, next] = await ring.announcedCertificates();
        expect(next).to.be.a('string').and.not.equal(active);
      }),
    );
    expect(kids.size).to.equal(3);
    const announced = await Promise.all(rings.map((ring) => ring.announcedCertificates()));
    expect(announced[1]).to.deep.equal(announced[0]);
    expect(announced[2]).to.deep.equal(announced[0]);
  });

  verifies('SPM-31', 'of a killed rotation never include a key that was active already', async () => {
    const ring = await open();
    await ring.announcedCertificates();
    const announced = readFileSync(file('next.pem'));
    await ring.rotate();
    // As if the process had ended before the next key was replaced.
    writeFileSync(file('next.pem'), announced);
    const again = await open();
    const [active, next] = await again.announcedCertificates();
    expect(next).not.to.equal(active);
    writeFileSync(file('next.pem'), announced);
    const { old_kid, new_kid } = await again.rotate();
    expect(new_kid).not.to.equal(old_kid);
    expect(existsSync(file('next.pem'))).to.equal(false);
    writeFileSync(file('next.pem'), 'no key');
    expect(await again.announcedCertificates()).to.have.length(4);
  });

  verifies('SPM-31', 'are deleted when the setting is off, and do not exist if the key cannot be rotated', async () => {
    const on = await open();
    const [, next] = await on.announcedCertificates();
    const off = await open({}, false);
    await off.rotate();
    expect((await off.signingKey()).certificatePem).to.equal(next);
    expect(existsSync(file('next.pem'))).to.equal(false);
    expect(readdirSync(file('previous')).filter((name) => name.includes('cert'))).to.deep.equal([]);
    chmodSync(keys.keysDirectory, 0o500);
    try {
      const unwritable = await open();
      // root can write nevertheless.
      if (process.getuid?.() !== 0) expect(await unwritable.announcedCertificates()).to.deep.equal([next]);
    } finally {
      chmodSync(keys.keysDirectory, 0o700);
    }
  });

  verifies('SPM-31', 'exist in memory in the same way', async () => {
    const ring = await openTestKeys(keys, {}, { keysInMemory: true });
    const [active, next] = await ring.announcedCertificates();
    await ring.rotate();
    const [now, afterNext, ...previous] = await ring.announcedCertificates();
    expect([now, previous]).to.deep.equal([next, [active]]);
    expect(afterNext).not.to.equal(next);
  });
});
