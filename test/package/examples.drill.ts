// Validates the example files with the schemas that their consumers publish, from the Python package check-jsonschema.
// No npm package has the schema of the GitLab file (IMG-18).
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { downloadsOrSkip, toolOrSkip } from '#test/support/debian-programs.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

const checker = 'check-jsonschema==0.39.0';

describe('the example files', function () {
  this.timeout(300_000);
  let folder: string;
  let python: string;
  before(function () {
    downloadsOrSkip(this, 'PyPI');
    python = toolOrSkip(this, 'python3');
    folder = mkdtempSync(join(tmpdir(), 'test-idp-schemas-'));
    execFileSync(
      python,
      ['-m', 'pip', 'install', '--quiet', '--root-user-action=ignore', '--target', folder, checker],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  });
  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  function check(schema: string, ...files: readonly string[]) {
    const args = ['-m', 'check_jsonschema', '--builtin-schema', `vendor.${schema}`, ...files];
    const env = { ...process.env, PYTHONPATH: folder };
    const { status, stdout, stderr } = spawnSync(python, args, { cwd: repositoryRoot, encoding: 'utf8', env });
    return { status, said: stdout + stderr };
  }

  for (const [schema, files, broken] of [
    ['gitlab-ci', ['examples/ci/gitlab.yml'], 'test:\n  script: [ls]\n  services: [{ alias: test-idp }]\n'],
    [
      'github-workflows',
      ['examples/ci/github-npx.yml', 'examples/ci/github-services.yml', '.github/workflows/image.yml'],
      'on: [push]\njobs: { a: { steps: [] } }\n',
    ],
    ['compose-spec', ['examples/compose.yaml'], 'services: { a: { imagee: x } }\n'],
  ] as const) {
    verifies('IMG-18', `are valid according to ${schema}, which rejects invalid ones`, () => {
      const fine = check(schema, ...files);
      expect(fine.status, fine.said).to.equal(0);
      const path = join(folder, `${schema}.yml`);
      writeFileSync(path, broken);
      const refused = check(schema, path);
      expect([refused.status, refused.said.includes('Schema validation errors')]).to.deep.equal([1, true]);
    });
  }
});
