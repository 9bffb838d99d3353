// Keys under pressure: first starts of two stacks on one empty directory again and again, and six processes that sign
// thousands of tokens while they rotate.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { stringify } from 'yaml';
import { runScript } from '#test/support/run-script.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { newKeysRoot, openTestKeys } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

describe('keys under pressure', () => {
  verifies(
    'KEY-05',
    'two stacks that start at once on an empty directory agree on one key, 50 times',
    async function () {
      this.timeout(900_000);
      for (let round = 1; round <= 50; round += 1) {
        const root = mkdtempSync(join(tmpdir(), 'test-idp-first-'));
        mkdirSync(join(root, 'config'));
        writeFileSync(join(root, 'config', 'settings.yaml'), stringify(demoSettings));
        writeFileSync(join(root, 'config', 'users.yaml'), stringify(demoUsers));
        const stacks = await Promise.all([startIdp({ root }), startIdp({ root })]);
        try {
          const sets = await Promise.all(
            stacks.map(async ({ baseUrl }) => (await fetch(`${baseUrl}/.well-known/jwks.json`)).text()),
          );
          const certificates = await Promise.all(
            stacks.map(async ({ baseUrl }) => (await fetch(`${baseUrl}/saml/cert.pem`)).text()),
          );
          expect([round, new Set(sets).size, new Set(certificates).size]).to.deep.equal([round, 1, 1]);
        } finally {
          await Promise.all(stacks.map((stack) => stack.stop()));
          rmSync(root, { recursive: true, force: true });
        }
      }
    },
  );

  verifies(
    ['KEY-08', 'KEY-12', 'KEY-13', 'CLM-05'],
    'six processes sign and rotate: every token verifies',
    async function () {
      this.timeout(600_000);
      const keys = newKeysRoot();
      try {
        const ended = await Promise.all(
          Array.from({ length: 6 }, () => runScript('keys-process.ts', ['work', keys.root, '1', '1500'])),
        );
        expect(ended.map(({ code, log }) => [code, log])).to.deep.equal(Array.from({ length: 6 }, () => [0, '']));
        const lines = ended.flatMap((each) => each.lines);
        expect(lines.filter((line) => 'broken' in line)).to.deep.equal([]);
        expect(new Set(lines.flatMap(({ new_kid }) => (new_kid === undefined ? [] : [new_kid]))).size).to.equal(6);
        const ring = await openTestKeys(keys, { max_previous_keys: 10 });
        const keySet = createLocalJWKSet({ keys: (await ring.publicKeys()).map((jwk) => ({ ...jwk })) });
        const tokens = lines.map(({ token }) => token).filter((token) => typeof token === 'string');
        expect(tokens).to.have.length(6 * 2 * 1500);
        for (const token of tokens) await jwtVerify(token, keySet);
      } finally {
        keys.remove();
      }
    },
  );
});
