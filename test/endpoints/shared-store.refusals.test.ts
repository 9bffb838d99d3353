// A start whose store cannot be used ends with one message and leaves nothing behind.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeSharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a start with a store that cannot be used', () => {
  const failedStart = async (runtime: object, prepare: (root: string) => void = () => undefined) => {
    const shared = makeSharedRoot({ ...sharedSettings, runtime });
    prepare(shared.root);
    const before = readdirSync(shared.root, { recursive: true }).toSorted();
    let log = '';
    try {
      const idp = await startIdp({ root: shared.root, command: 'oidc' });
      await idp.stop();
      throw new Error('it started');
    } catch (error) {
      log = error instanceof Error ? error.message : '';
    }
    expect(log).to.contain('exit code 1');
    expect(readdirSync(shared.root, { recursive: true }).toSorted()).to.deep.equal(before);
    shared.remove();
    return log;
  };

  verifies('STO-01', 'needs a path with sqlite, refuses one with memory, and one that begins with ~', async () => {
    expect(await failedStart({ store: 'sqlite' })).to.contain('runtime.path');
    expect(await failedStart({ store: 'sqlite', path: '  ' })).to.contain('runtime.path');
    expect(await failedStart({ store: 'sqlite', path: '~/runtime.db' })).to.contain('runtime.path');
    expect(await failedStart({ store: 'memory', path: '../state/runtime.db' })).to.contain('runtime.path');
    expect(await failedStart({ store: 'redis' })).to.contain('runtime.store');
  });

  verifies(['PGS-01', 'PGS-06'], 'needs a URL with postgres, and a server that answers there', async function () {
    this.timeout(90_000);
    const url = 'postgres://tester:of-nobody@127.0.0.1:1/postgres';
    expect(await failedStart({ store: 'postgres' })).to.contain('runtime.store: postgres requires it');
    const away = await failedStart({ store: 'postgres', url });
    expect(away)
      .to.contain('PostgreSQL at 127.0.0.1:1 does not respond (connect ECONNREFUSED')
      .and.to.not.contain('of-nobody');
  });

  verifies('PGS-03', 'takes no name of a schema that PostgreSQL keeps for itself', async () => {
    const url = 'postgres://tester@127.0.0.1:1/postgres';
    const taken = await failedStart({ store: 'postgres', url, schema: 'pg_idp' });
    expect(taken).to.contain('runtime.schema').and.to.contain('pg_').and.to.not.contain('does not respond');
  });

  verifies(['STO-02', 'STO-05'], 'says where it is and leaves nothing behind', async () => {
    expect(await failedStart({ store: 'sqlite', path: 'runtime.db' })).to.contain('configuration directory');
    expect(
      await failedStart({ store: 'sqlite', path: '../state' }, (root) => mkdirSync(join(root, 'state'))),
    ).to.contain('is a directory');
    const text = (root: string) => writeFileSync(join(root, 'text.db'), 'no database');
    expect(await failedStart({ store: 'sqlite', path: '../text.db' }, text)).to.contain('is not an SQLite database');
  });
});
