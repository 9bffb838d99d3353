import type { TestStoreOptions } from '#test/support/open-test-store.ts';
import {
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  postgresOrSkip,
} from '#test/support/postgres-server.ts';
import { describeStoreContract } from './store.contract.ts';

describe('PostgreSQL', function () {
  // A thousand commits one after another take their time.
  this.timeout(120_000);
  let server: PostgresServer;
  before(async function () {
    server = await postgresOrSkip(this);
  });
  // Nothing to stop where the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  describeStoreContract('postgres', async (options: TestStoreOptions) => ({
    opened: await openTestPostgres(emptyPostgresLocation(server), options),
    remove: () => undefined,
  }));
});
