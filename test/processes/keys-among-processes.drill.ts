// Keys in several processes: first starts on one empty directory, rotations while others sign and verify, a process killed
// at every step of a change, and a read-only directory.
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { publicationSteps } from '#shared/state/keys/publish-keys.ts';
import { runScript } from '#test/support/run-script.ts';
import { type KeysRoot, newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const script = 'keys-process.ts';
const settledFiles = ['idp-cert.pem', 'keys.json', 'kid.txt', 'previous', 'rsa_private.pem', 'rsa_public.pem'];

describe('keys of several processes', () => {
  let keys: KeysRoot;
  beforeEach(() => {
    keys = newKeysRoot();
  });
  afterEach(() => keys.remove());

  verifies('KEY-05', 'end as one key in all processes, however many start together on an empty directory', async () => {
    for (let round = 0; round < 2; round += 1) {
      rmSync(keys.keysDirectory, { recursive: true, force: true });
      const ended = await Promise.all([1, 2, 3, 4].map(() => runScript(script, ['open', keys.root])));
      expect(ended.map(({ code, log }) => [code, log])).to.deep.equal(Array.from({ length: 4 }, () => [0, '']));
      const kids = new Set(ended.map(({ lines }) => lines[0]?.kid));
      expect([...kids]).to.deep.equal([kidFile(keys)]);
    }
  });

  verifies(
    ['KEY-08', 'KEY-12', 'KEY-13', 'SAM-09', 'CLM-05'],
    'verify every token ever issued, while four processes sign and rotate',
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

  verifies(
    ['KEY-17', 'KEY-21'],
    'are read from the published files in a read-only directory, where rotation is rejected',
    async () => {
      const isRoot = process.getuid?.() === 0;
      const { kid } = await (await openTestKeys(keys)).signingKey();
      const nobody = 65_534;
      chmodSync(keys.root, 0o755);
      if (isRoot) chownSync(join(keys.keysDirectory, 'rsa_private.pem'), nobody, nobody);
      const before = readdirSync(keys.keysDirectory);
      chmodSync(keys.keysDirectory, 0o555);
      try {
        const ended = await runScript(script, ['read-only', keys.root], isRoot ? { uid: nobody } : {});
        expect(ended.lines).to.deep.equal([{ kid, refusal: 'keys_directory_not_writable' }], ended.log);
        expect(readdirSync(keys.keysDirectory)).to.deep.equal(before);
        expect(kidFile(keys)).to.equal(kid);
      } finally {
        chmodSync(keys.keysDirectory, 0o755);
      }
    },
  );
});

describe('a process killed while it changes the keys', () => {
  /** A directory after a process was killed right after that step. */
  interface Scene extends KeysRoot {
    /** The kid published before the change, or undefined if there was none. */
    readonly before: string | undefined;
    readonly signal: string | null;
  }

  const firstSteps = ['private_key_staged', 'kid_staged', 'committed', 'idp-cert.pem_moved'] as const;
  const scenes = new Map<string, Scene>();

  before(async () => {
    const wanted = [
      ...publicationSteps.map((step) => ({ command: 'die', step })),
      ...firstSteps.map((step) => ({ command: 'die-first', step })),
    ];
    const prepare = async (): Promise<void> => {
      for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
        const keys = newKeysRoot();
        const before = next.command === 'die' ? (await (await openTestKeys(keys)).rotate()).new_kid : undefined;
        const { signal } = await runScript(script, [next.command, keys.root, next.step]);
        scenes.set(`${next.command} ${next.step}`, { ...keys, before, signal });
      }
    };
    // The locks of the killed processes become stale in parallel.
    await Promise.all([prepare(), prepare(), prepare()]);
  });
  after(() => {
    for (const scene of scenes.values()) scene.remove();
  });

  function sceneOf(command: string, step: string): Scene {
    const scene = scenes.get(`${command} ${step}`);
    if (scene === undefined) throw new Error(`no scene for ${command} ${step}.`);
    expect(scene.signal).to.equal('SIGKILL');
    return scene;
  }

  const committed = publicationSteps.indexOf('committed');
  for (const [index, step] of publicationSteps.entries()) {
    const outcome = index < committed ? 'the old keys' : 'the new keys';
    verifies('KEY-14', `leaves ${outcome} complete right after "${step}" of a rotation`, async () => {
      const scene = sceneOf('die', step);
      const published = kidFile(scene);
      expect(published === scene.before).to.equal(index < committed);
      expect(await settledKid(scene)).to.equal(published);
    });
  }

  for (const step of firstSteps) {
    verifies(['KEY-14', 'KEY-05'], `is repaired by the next start right after "${step}" of a first start`, async () => {
      const scene = sceneOf('die-first', step);
      const published = existsSync(join(scene.keysDirectory, 'kid.txt')) ? kidFile(scene) : undefined;
      const kid = await settledKid(scene);
      if (published !== undefined) expect(kid).to.equal(published);
    });
  }
});

function kidFile({ keysDirectory }: KeysRoot): string {
  return readFileSync(join(keysDirectory, 'kid.txt'), 'utf8').trim();
}

/** Returns the kid that a new process uses. The next rotation retires exactly that one and cleans up the directory. */
async function settledKid(keys: KeysRoot): Promise<string> {
  const ring = await openTestKeys(keys, { max_previous_keys: 10 });
  const { kid } = await ring.signingKey();
  expect(kidFile(keys)).to.equal(kid);
  expect((await ring.rotate()).old_kid).to.equal(kid);
  const left = readdirSync(keys.keysDirectory).filter((name) => name !== '.lock');
  expect(left.sort()).to.deep.equal(settledFiles);
  const listed = (await ring.information()).previous_kids.map((each) => `${each}_public.pem`);
  expect(readdirSync(join(keys.keysDirectory, 'previous')).sort()).to.deep.equal([...listed].sort());
  return kid;
}
