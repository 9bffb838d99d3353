// The workflow that publishes: after all checks, with provenance, without a stored token, with every action pinned
// (PKG-30).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly with?: object }[];
}

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const text = readFileSync(join(repositoryRoot, '.github', 'workflows', 'publish.yml'), 'utf8');
const { on, permissions, jobs }: Workflow = parse(text);

describe('the publishing workflow', () => {
  verifies('PKG-30', 'runs only for version tags, with minimal permissions by default', () => {
    expect(on).to.deep.equal({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    expect(permissions).to.deep.equal({ contents: 'read' });
  });

  verifies('PKG-30', 'publishes with provenance after all checks, with the identity of the run', () => {
    expect(Object.keys(jobs)).to.deep.equal(['check', 'npm']);
    expect(jobs.check?.steps.map(({ run }) => run).filter(Boolean)).to.deep.equal(['.ci/run']);
    // This includes the drills, which install the tarball.
    expect(readFileSync(join(repositoryRoot, '.ci', 'run'), 'utf8')).to.include("run 'drills' npm run drills");
    expect(jobs.npm?.needs).to.equal('check');
    expect(jobs.npm?.permissions).to.deep.equal({ contents: 'read', 'id-token': 'write' });
    expect(jobs.npm?.steps.at(-1)?.run).to.equal('npm publish --provenance --access public');
    expect(text).not.to.match(/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN/);
  });

  verifies('PKG-30', 'pins every action to a commit', () => {
    const uses = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses: action }) => action ?? []));
    expect(uses).to.have.length(4);
    for (const action of uses) expect(action).to.match(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });
});
