// Another program holds the store just after the start.
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { makeSharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a new store that another program locks', () => {
  verifies('STO-16', 'does not delay a recorded first request that needs no write', async () => {
    const shared = makeSharedRoot(sharedSettings);
    const idp = await startIdp({ root: shared.root, command: 'oidc' });
    const foreign = new Database(shared.storePath);
    try {
      foreign.exec('BEGIN IMMEDIATE');
      const start = performance.now();
      expect((await fetch(`${idp.baseUrl}/.well-known/openid-configuration`)).status).to.equal(200);
      expect(performance.now() - start).to.be.below(3_000);
      foreign.exec('COMMIT');
    } finally {
      foreign.close();
      await idp.stop();
      shared.remove();
    }
  });
});
