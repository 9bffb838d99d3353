// Keys under load: repeated first starts of stacks and of front ends on one empty directory, and six processes that sign
// thousands of tokens while they rotate.
import { X509Certificate } from 'node:crypto';
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

/** In two stacks, two front ends of each kind race. Without the rest of the stack this takes two thirds of the time. */
const starts = [
  { what: 'two stacks', commands: ['start', 'start'], rounds: 10 },
  { what: 'two frontends of each kind', commands: ['oidc', 'saml', 'oidc', 'saml'], rounds: 40 },
] as const;

describe('keys under load', () => {
  for (const { what, commands, rounds } of starts) {
    verifies(
      'KEY-05',
      `are one key for ${what} that start together on an empty directory, ${rounds} times`,
      async function () {
        this.timeout(600_000);
        for (let round = 1; round <= rounds; round += 1) {
          const root = mkdtempSync(join(tmpdir(), 'test-idp-first-'));
          mkdirSync(join(root, 'config'));
          writeFileSync(join(root, 'config', 'settings.yaml'), stringify(demoSettings));
          writeFileSync(join(root, 'config', 'users.yaml'), stringify(demoUsers));
          const started = await Promise.all(commands.map((command) => startIdp({ root, command })));
          try {
            const has = (front: 'oidc' | 'saml') =>
              started.filter((_, index) => commands[index] === front || commands[index] === 'start');
            const sets = await Promise.all(
              has('oidc').map(async ({ baseUrl }) => (await fetch(`${baseUrl}/.well-known/jwks.json`)).text()),
            );
            const certificates = await Promise.all(
              has('saml').map(async ({ baseUrl }) => (await fetch(`${baseUrl}/saml/cert.pem`)).text()),
            );
            expect([round, new Set(sets).size, new Set(certificates).size]).to.deep.equal([round, 1, 1]);
            const [{ keys }] = sets.map((set) => JSON.parse(set)) as [{ keys: { n: string }[] }];
            const { n } = new X509Certificate(certificates[0] ?? '').publicKey.export({ format: 'jwk' });
            expect([round, ...keys.map((key) => key.n)]).to.deep.equal([round, n]);
          } finally {
            await Promise.all(started.map((idp) => idp.stop()));
            rmSync(root, { recursive: true, force: true });
          }
        }
      },
    );
  }

  verifies(
    ['KEY-08', 'KEY-12', 'KEY-13', 'CLM-05'],
    'verify every token while six processes sign and rotate',
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
