// The keys directory of one process: its contents, changes by other processes, and damage.
import { createPublicKey, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { calculateJwkThumbprint, exportJWK, importSPKI } from 'jose';
import { pino } from 'pino';
import { instant, type Monotonic } from '#shared/base/clock.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { type KeysRoot, keyDependencies, newKeysRoot, openTestKeys, pemPair } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

/** A key ring checks its directory once within one event-loop turn. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('generated keys', () => {
  let keys: KeysRoot;
  beforeEach(() => {
    keys = newKeysRoot();
  });
  afterEach(() => keys.remove());

  const file = (name: string) => join(keys.keysDirectory, name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const mode = (name: string) => (statSync(file(name)).mode & 0o777).toString(8);

  verifies('KEY-01', 'creates the directory ../keys next to the configuration directory and a key in it', async () => {
    await openTestKeys(keys);
    expect(existsSync(join(keys.root, 'keys', 'rsa_private.pem'))).to.equal(true);
    await openTestKeys(keys, { keys_dir: '../other/deep' });
    expect(existsSync(join(keys.root, 'other', 'deep', 'kid.txt'))).to.equal(true);
  });

  verifies('KEY-02', 'creates a private directory with any umask, but does not change an existing one', async () => {
    const umask = process.umask(0);
    try {
      await openTestKeys(keys);
      expect((statSync(keys.keysDirectory).mode & 0o777).toString(8)).to.equal('700');
      mkdirSync(join(keys.root, 'made'));
      await openTestKeys(keys, { keys_dir: '../made' });
      expect((statSync(join(keys.root, 'made')).mode & 0o777).toString(8)).to.equal('777');
    } finally {
      process.umask(umask);
    }
  });

  it('warns about a keys directory that every user can write to', async () => {
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    await openTestKeys(keys, {}, { log });
    chmodSync(keys.keysDirectory, 0o770);
    await openTestKeys(keys, {}, { log });
    expect(warnings).to.deep.equal([]);
    chmodSync(keys.keysDirectory, 0o777);
    await openTestKeys(keys, {}, { log });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include(keys.keysDirectory).and.include('chmod 700');
  });

  verifies('KEY-02', 'reads keys that another product names by UUID, and rotates them like its own', async () => {
    await openTestKeys(keys);
    const uuid = '0c8e5d2e-4f0b-4f6e-9a55-9d3c5a1b7e42';
    writeFileSync(file('kid.txt'), `${uuid}\n`);
    writeFileSync(file('keys.json'), JSON.stringify({ active_kid: uuid, previous_keys: [] }));
    const ring = await openTestKeys(keys);
    expect((await ring.signingKey()).kid).to.equal(uuid);
    const { old_kid: oldKid, new_kid: newKid } = await ring.rotate();
    expect([oldKid, newKid.length]).to.deep.equal([uuid, 43]);
    const again = await openTestKeys(keys);
    expect((await again.information()).previous_kids).to.deep.equal([uuid]);
    expect(await again.verificationKey(uuid)).to.not.equal(undefined);
  });

  verifies('KEY-02', 'contains exactly the named files, with their modes under any umask', async () => {
    const umask = process.umask(0o077);
    try {
      const ring = await openTestKeys(keys);
      const { old_kid: oldKid, new_kid: newKid } = await ring.rotate();
      expect(readdirSync(keys.keysDirectory).sort()).to.deep.equal([
        'idp-cert.pem',
        'keys.json',
        'kid.txt',
        'previous',
        'rsa_private.pem',
        'rsa_public.pem',
      ]);
      expect(readdirSync(file('previous'))).to.deep.equal([`${oldKid}_public.pem`]);
      expect(read('rsa_private.pem')).to.match(/^-----BEGIN PRIVATE KEY-----\n/);
      expect(createPublicKey(read('rsa_private.pem')).asymmetricKeyDetails?.modulusLength).to.equal(2048);
      expect(mode('rsa_private.pem')).to.equal('600');
      for (const name of ['rsa_public.pem', 'idp-cert.pem', 'keys.json', 'kid.txt', `previous/${oldKid}_public.pem`]) {
        expect(mode(name), name).to.equal('644');
      }
      expect(read('kid.txt').trim()).to.equal(newKid);
      const index = JSON.parse(read('keys.json'));
      expect(Object.keys(index)).to.deep.equal(['active_kid', 'previous_keys']);
      expect(index.active_kid).to.equal(newKid);
      expect(index.previous_keys).to.have.length(1);
      expect(Object.keys(index.previous_keys[0])).to.deep.equal(['kid', 'created_at']);
      expect(index.previous_keys[0].kid).to.equal(oldKid);
      expect(new Date(index.previous_keys[0].created_at).toISOString()).to.equal(index.previous_keys[0].created_at);
    } finally {
      process.umask(umask);
    }
  });

  it('makes a private key private if others can read it', async () => {
    await openTestKeys(keys);
    chmodSync(file('rsa_private.pem'), 0o644);
    await openTestKeys(keys);
    expect(mode('rsa_private.pem')).to.equal('600');
  });

  verifies(['KEY-03', 'CLM-02'], 'names a key by its RFC 7638 thumbprint', async () => {
    const ring = await openTestKeys(keys);
    const { kid } = await ring.signingKey();
    const jwk = await exportJWK(await importSPKI(read('rsa_public.pem'), 'RS256'));
    expect(kid).to.equal(await calculateJwkThumbprint(jwk, 'sha256'));
  });

  verifies('KEY-04', 'stores a self-signed SHA-256 certificate, valid from the day before for 3650 days', async () => {
    const madeAt = instant(Date.UTC(2026, 0, 2, 3, 4, 5));
    const ring = await openTestKeys(keys, {}, { clock: { now: () => madeAt } });
    const certificate = new X509Certificate(read('idp-cert.pem'));
    expect((await ring.signingKey()).certificatePem).to.equal(read('idp-cert.pem'));
    expect(certificate.verify(certificate.publicKey)).to.equal(true);
    expect(certificate.checkPrivateKey((await ring.signingKey()).privateKey)).to.equal(true);
    expect(certificate.issuer).to.equal(certificate.subject);
    expect(new Date(certificate.validFrom).toISOString()).to.equal('2026-01-01T03:04:05.000Z');
    expect(new Date(certificate.validTo).toISOString()).to.equal('2035-12-30T03:04:05.000Z');
    // sha256WithRSAEncryption, once in the body and once with the signature.
    const algorithm = Buffer.from('06092a864886f70d01010b', 'hex').toString('latin1');
    expect(certificate.raw.toString('latin1').split(algorithm)).to.have.length(3);
  });

  verifies('KEY-04', 'creates the certificate again if it is missing or belongs to another key', async () => {
    await openTestKeys(keys);
    rmSync(file('idp-cert.pem'));
    const ring = await openTestKeys(keys);
    const { privateKey } = await ring.signingKey();
    expect(new X509Certificate(read('idp-cert.pem')).checkPrivateKey(privateKey)).to.equal(true);

    const other = newKeysRoot();
    await openTestKeys(other);
    writeFileSync(file('idp-cert.pem'), readFileSync(join(other.keysDirectory, 'idp-cert.pem')));
    other.remove();
    const again = await openTestKeys(keys);
    expect((await again.signingKey()).kid).to.equal((await ring.signingKey()).kid);
    expect((await again.signingKey()).certificatePem).to.equal(read('idp-cert.pem'));
    expect(new X509Certificate(read('idp-cert.pem')).checkPrivateKey(privateKey)).to.equal(true);
  });

  verifies(
    ['KEY-07', 'KEY-11', 'DIS-14'],
    'publishes the active key, then the previous ones, newest first',
    async () => {
      const ring = await openTestKeys(keys);
      const first = (await ring.rotate()).old_kid;
      const { old_kid: second, new_kid: third } = await ring.rotate();
      const published = await ring.publicKeys();
      expect(published.map((jwk) => jwk.kid)).to.deep.equal([third, second, first]);
      for (const jwk of published) {
        expect(Object.keys(jwk).sort()).to.deep.equal(['alg', 'e', 'kid', 'kty', 'n', 'use']);
        expect([jwk.kty, jwk.use, jwk.alg, jwk.e]).to.deep.equal(['RSA', 'sig', 'RS256', 'AQAB']);
      }
      expect(await ring.information()).to.deep.equal({
        active_kid: third,
        previous_keys_count: 2,
        previous_kids: [second, first],
        max_previous_keys: 2,
      });
    },
  );

  verifies('KEY-08', 'verifies by kid with active and previous keys, and without kid with the active one', async () => {
    const ring = await openTestKeys(keys, { max_previous_keys: 1 });
    const { old_kid: dropped } = await ring.rotate();
    const { old_kid: kept, new_kid: active } = await ring.rotate();
    expect((await ring.verificationKey(active))?.publicKey.equals((await ring.signingKey()).publicKey)).to.equal(true);
    expect((await ring.verificationKey(undefined))?.publicKey.equals((await ring.signingKey()).publicKey)).to.equal(
      true,
    );
    expect((await ring.verificationKey(kept))?.publicKey.type).to.equal('public');
    expect(await ring.verificationKey(dropped)).to.equal(undefined);
    expect(await ring.verificationKey('nobody')).to.equal(undefined);
    expect(await ring.verificationKey('')).to.equal(undefined);
  });

  verifies('KEY-09', 'shortens the key set as soon as a lower max_previous_keys is activated', async () => {
    const ring = await openTestKeys(keys);
    await ring.rotate();
    await ring.rotate();
    expect((await ring.publicKeys()).length).to.equal(3);
    const directory = join(keys.root, 'config');
    const activate = await ring.prepare(snapshotOf({ settings: { jwt: { max_previous_keys: 1 } }, directory }));
    expect((await ring.publicKeys()).length).to.equal(3);
    activate();
    expect((await ring.publicKeys()).length).to.equal(2);
    expect((await ring.information()).max_previous_keys).to.equal(1);
    expect((await openTestKeys(keys, { max_previous_keys: 0 }).then((other) => other.publicKeys())).length).to.equal(1);
  });

  verifies('KEY-09', 'drops the retired key at once with max_previous_keys 0, in other processes too', async () => {
    const ring = await openTestKeys(keys, { max_previous_keys: 0 });
    const sibling = await openTestKeys(keys, { max_previous_keys: 0 });
    const { old_kid: oldKid, previous_keys_count: count } = await ring.rotate();
    expect(count).to.equal(0);
    expect(await ring.verificationKey(oldKid)).to.equal(undefined);
    expect(await sibling.verificationKey(oldKid)).to.equal(undefined);
    expect(existsSync(file(`previous/${oldKid}_public.pem`))).to.equal(false);
  });

  verifies('KEY-12', 'signs with a key that another process published, from the next operation on', async () => {
    const one = await openTestKeys(keys);
    const other = await openTestKeys(keys);
    const { old_kid: oldKid, new_kid: newKid } = await one.rotate();
    expect((await other.signingKey()).kid).to.equal(newKid);
    const { old_kid: newer } = await other.rotate();
    expect(newer).to.equal(newKid);
    expect((await one.publicKeys()).map((jwk) => jwk.kid).slice(1)).to.deep.equal([newKid, oldKid]);
    expect((await one.signingKey()).certificatePem).to.equal(read('idp-cert.pem'));
  });

  it('returns the same key set object until a key changes', async () => {
    const ring = await openTestKeys(keys);
    const before = await ring.publicKeys();
    expect(await ring.publicKeys()).to.equal(before);
    await ring.rotate();
    expect(await ring.publicKeys()).not.to.equal(before);
  });

  verifies(
    'KEY-13',
    'runs simultaneous rotations one after the other, each retiring the currently published key',
    async () => {
      const rings = await Promise.all([1, 2, 3].map(() => openTestKeys(keys, { max_previous_keys: 10 })));
      const rotations = await Promise.all(rings.flatMap((ring) => [ring.rotate(), ring.rotate()]));
      const retiredBy = new Map(rotations.map((rotation) => [rotation.old_kid, rotation.new_kid]));
      expect(new Set(rotations.map((rotation) => rotation.new_kid)).size).to.equal(6);
      expect(retiredBy.size).to.equal(6);
      const published = (await rings[0]?.publicKeys()) ?? [];
      expect(published).to.have.length(7);
      for (let i = 1; i < published.length; i += 1) {
        expect(retiredBy.get(published[i]?.kid ?? '')).to.equal(published[i - 1]?.kid);
      }
    },
  );

  verifies('KEY-15', 'treats files without kid.txt as unpublished and creates a new key', async () => {
    const before = (await (await openTestKeys(keys)).signingKey()).kid;
    rmSync(file('kid.txt'));
    const ring = await openTestKeys(keys);
    const { kid } = await ring.signingKey();
    expect(kid).not.to.equal(before);
    expect(read('kid.txt').trim()).to.equal(kid);
    expect((await ring.publicKeys()).map((jwk) => jwk.kid)).to.deep.equal([kid]);
  });

  verifies('KEY-15', 'keeps its key and creates none while kid.txt or the whole directory is missing', async () => {
    const ring = await openTestKeys(keys);
    const { kid } = await ring.signingKey();
    rmSync(file('kid.txt'));
    await nextTurn();
    expect((await ring.signingKey()).kid).to.equal(kid);
    expect(existsSync(file('kid.txt'))).to.equal(false);
    rmSync(keys.keysDirectory, { recursive: true });
    await nextTurn();
    expect((await ring.signingKey()).kid).to.equal(kid);
    expect((await ring.publicKeys()).map((jwk) => jwk.kid)).to.deep.equal([kid]);
    expect(existsSync(keys.keysDirectory)).to.equal(false);
  });

  verifies('KEY-16', 'keeps its key while the published one cannot be loaded, and retries after 5 s', async () => {
    let elapsed = 0;
    const stopwatch = { read: () => elapsed as Monotonic, since: (start: Monotonic) => elapsed - start };
    const ring = await openTestKeys(keys, {}, { stopwatch });
    const { kid } = await ring.signingKey();
    const other = await openTestKeys(keys);
    const { new_kid: newKid } = await other.rotate();
    const whole = read('rsa_private.pem');
    writeFileSync(file('rsa_private.pem'), whole.slice(0, 900));
    expect((await ring.signingKey()).kid).to.equal(kid);
    writeFileSync(file('rsa_private.pem'), whole);
    elapsed = 4_999;
    expect((await ring.signingKey()).kid).to.equal(kid);
    elapsed = 5_000;
    expect((await ring.signingKey()).kid).to.equal(newKid);
  });

  verifies('KEY-15', 'keeps its key if kid.txt disappears between the check and the read', async () => {
    let elapsed = 0;
    const stopwatch = { read: () => elapsed as Monotonic, since: (start: Monotonic) => elapsed - start };
    const ring = await openTestKeys(keys, {}, { stopwatch });
    const { kid } = await ring.signingKey();
    await (await openTestKeys(keys)).rotate();
    writeFileSync(file('rsa_private.pem'), 'spoilt');
    await ring.signingKey();
    // Both in one turn, so that the second uses the check of the first.
    const looked = ring.signingKey();
    elapsed = 5_000;
    rmSync(file('kid.txt'));
    expect((await ring.signingKey()).kid).to.equal(kid);
    expect((await looked).kid).to.equal(kid);
  });

  const damages: readonly { what: string; file: string; content: (present: string) => string; says: RegExp }[] = [
    { what: 'a truncated private key', file: 'rsa_private.pem', content: (text) => text.slice(0, 700), says: /PEM/ },
    { what: 'a key of another type', file: 'rsa_private.pem', content: () => pemPair('ec').privatePem, says: /RSA/ },
    {
      what: 'a key of 1024 bits',
      file: 'rsa_private.pem',
      content: () => pemPair('rsa-1024').privatePem,
      says: /2048/,
    },
    { what: 'the key of another kid', file: 'rsa_private.pem', content: () => pemPair().privatePem, says: /kid\.txt/ },
    { what: 'a kid that is a path', file: 'kid.txt', content: () => '../../etc/passwd', says: /key id/ },
    { what: 'a truncated keys.json', file: 'keys.json', content: (text) => text.slice(0, 20), says: /keys\.json/ },
  ];
  for (const damage of damages) {
    it(`rejects the start with ${damage.what}, reports it, and deletes nothing`, async () => {
      await openTestKeys(keys);
      const content = damage.content(read(damage.file));
      writeFileSync(file(damage.file), content);
      const before = readdirSync(keys.keysDirectory).sort();
      const refused = await openTestKeys(keys).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(ActivationError);
      expect(String(refused)).to.match(damage.says).and.not.include('BEGIN');
      expect(read(damage.file)).to.equal(content);
      expect(readdirSync(keys.keysDirectory).sort()).to.deep.equal(before);
    });
  }

  it('omits a previous key that cannot be read', async () => {
    const ring = await openTestKeys(keys);
    const { old_kid: oldKid, new_kid: newKid } = await ring.rotate();
    writeFileSync(file(`previous/${oldKid}_public.pem`), pemPair().publicPem);
    const again = await openTestKeys(keys);
    expect((await again.publicKeys()).map((jwk) => jwk.kid)).to.deep.equal([newKid]);
  });

  it('rejects a keys directory that is a file', async () => {
    mkdirSync(keys.root, { recursive: true });
    writeFileSync(keys.keysDirectory, '');
    const refused = await openTestKeys(keys).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ActivationError);
  });

  verifies('KEY-06', 'writes no private key material to the log', async () => {
    const lines: string[] = [];
    const { createLogger } = await import('#shared/base/logger.ts');
    const { logSecrets } = await import('#shared/model/secrets/what-is-secret.ts');
    const { Writable } = await import('node:stream');
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = createLogger({ name: 'test', level: 'debug', pretty: sink, secrets: logSecrets });
    const ring = await openTestKeys(keys, {}, { ...keyDependencies, log });
    await ring.rotate();
    const secret = read('rsa_private.pem').split('\n')[1] ?? '?';
    writeFileSync(file('rsa_private.pem'), read('rsa_private.pem').slice(0, 900));
    writeFileSync(file('kid.txt'), read('kid.txt'));
    await ring.signingKey();
    expect(lines.length).to.be.greaterThan(0);
    expect(lines.join('')).not.to.include(secret).and.not.include('BEGIN');
  });
});
