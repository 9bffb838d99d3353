// Keys among real processes: the first start on one empty directory, rotations beside signing and verifying, a process
// killed at every step of a change, a directory that cannot be written to.
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { publicationSteps } from '#shared/keys/publish-keys.ts';
import { runScript } from '#test/support/run-script.ts';
import { type KeysRoot, newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const script = 'keys-process.ts';
const settledFiles = ['idp-cert.pem', 'keys.json', 'kid.txt', 'previous', 'rsa_private.pem', 'rsa_public.pem'];

describe('keys among processes', function () {
  this.timeout(120_000);
  let keys: KeysRoot;
  beforeEach(() => {
    keys = newKeysRoot();
  });
  afterEach(() => keys.remove());

  const kidFile = () => readFileSync(join(keys.keysDirectory, 'kid.txt'), 'utf8').trim();

  /** What a process that starts now, and the next rotation, make of the directory. */
  async function expectWhole(acceptable: readonly string[]): Promise<string> {
    const ring = await openTestKeys(keys, { max_previous_keys: 10 });
    const { kid } = await ring.signingKey();
    expect(acceptable).to.include(kid);
    expect(kidFile()).to.equal(kid);
    const { old_kid: oldKid } = await ring.rotate();
    expect(oldKid).to.equal(kid);
    const left = readdirSync(keys.keysDirectory).filter((name) => name !== '.lock');
    expect(left.sort()).to.deep.equal(settledFiles);
    const listed = (await ring.information()).previous_kids.map((each) => `${each}_public.pem`);
    expect(readdirSync(join(keys.keysDirectory, 'previous')).sort()).to.deep.equal([...listed].sort());
    return kid;
  }

  verifies(
    'KEY-05',
    'ends with one key, the same in all, however many start at once on an empty directory',
    async () => {
      for (let round = 0; round < 3; round += 1) {
        rmSync(keys.keysDirectory, { recursive: true, force: true });
        const ended = await Promise.all([1, 2, 3, 4].map(() => runScript(script, ['open', keys.root])));
        expect(ended.map(({ code, log }) => [code, log])).to.deep.equal(Array.from({ length: 4 }, () => [0, '']));
        const kids = new Set(ended.map(({ lines }) => lines[0]?.kid));
        expect([...kids]).to.deep.equal([kidFile()]);
      }
    },
  );

  verifies(
    ['KEY-08', 'KEY-12', 'KEY-13', 'SAM-09', 'CLM-05'],
    'serves a key set that verifies every token ever made, while four processes sign and rotate',
    async () => {
      const ended = await Promise.all([1, 2, 3, 4].map(() => runScript(script, ['work', keys.root, '2', '40'])));
      const lines = ended.flatMap((each) => each.lines);
      expect(ended.map(({ code, log }) => [code, log])).to.deep.equal(Array.from({ length: 4 }, () => [0, '']));
      expect(lines.filter((line) => 'broken' in line)).to.deep.equal([]);

      const rotations = lines.filter((line) => 'new_kid' in line);
      expect(rotations).to.have.length(8);
      expect(new Set(rotations.map((line) => line.new_kid)).size).to.equal(8);
      expect(new Set(rotations.map((line) => line.old_kid)).size).to.equal(8);

      const ring = await openTestKeys(keys, { max_previous_keys: 10 });
      const published = (await ring.publicKeys()).map((jwk) => ({ ...jwk }));
      const keySet = createLocalJWKSet({ keys: published });
      const tokens = lines.map((line) => line.token).filter((token) => typeof token === 'string');
      expect(tokens).to.have.length(4 * 3 * 40);
      const signers = new Set<string | undefined>();
      for (const token of tokens) {
        signers.add(decodeProtectedHeader(token).kid);
        await jwtVerify(token, keySet);
      }
      expect(signers.size).to.be.greaterThan(2);
    },
  );

  const committed = publicationSteps.indexOf('committed');
  for (const [index, step] of publicationSteps.entries()) {
    const outcome = index < committed ? 'the old keys' : 'the new keys';
    verifies('KEY-14', `a process killed right after "${step}" of a rotation leaves ${outcome}, whole`, async () => {
      const before = (await (await openTestKeys(keys)).rotate()).new_kid;
      const ended = await runScript(script, ['die', keys.root, step]);
      expect(ended.signal).to.equal('SIGKILL');
      const after = kidFile();
      expect(after === before).to.equal(index < committed);
      await expectWhole([after]);
    });
  }

  for (const step of ['private_key_staged', 'kid_staged', 'committed', 'idp-cert.pem_moved'] as const) {
    verifies(['KEY-14', 'KEY-05'], `a first start killed right after "${step}" is made good by the next`, async () => {
      const ended = await runScript(script, ['die-first', keys.root, step]);
      expect(ended.signal).to.equal('SIGKILL');
      const published = existsSync(join(keys.keysDirectory, 'kid.txt')) ? kidFile() : undefined;
      const ring = await openTestKeys(keys);
      const { kid } = await ring.signingKey();
      if (published !== undefined) expect(kid).to.equal(published);
      await expectWhole([kid]);
    });
  }

  verifies(
    ['KEY-17', 'KEY-21'],
    'starts from the published keys where nothing may be written, and refuses to rotate',
    async () => {
      const isRoot = process.getuid?.() === 0;
      const { kid } = await (await openTestKeys(keys)).signingKey();
      const nobody = 65_534;
      chmodSync(keys.root, 0o755);
      if (isRoot) chownSync(join(keys.keysDirectory, 'rsa_private.pem'), nobody, nobody);
      const before = readdirSync(keys.keysDirectory);
      chmodSync(keys.keysDirectory, 0o555);
      const scratch = mkdtempSync(join(tmpdir(), 'test-idp-scratch-'));
      try {
        const ended = await runScript(script, ['read-only', keys.root], isRoot ? { uid: nobody } : {});
        expect(ended.lines).to.deep.equal([{ kid, refusal: 'keys_directory_not_writable' }], ended.log);
        expect(readdirSync(keys.keysDirectory)).to.deep.equal(before);
        expect(kidFile()).to.equal(kid);
      } finally {
        chmodSync(keys.keysDirectory, 0o755);
        rmSync(scratch, { recursive: true, force: true });
      }
    },
  );
});
