import type { PostgresLocation } from '#shared/model/runtime-store/store-location.ts';
import type { TestStoreOptions } from '#test/support/open-test-store.ts';
import { copyRow, reusedPostgresSchema } from '#test/support/postgres-rows.ts';
import { openTestPostgres, type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { describeStoreContract } from './store.contract.ts';

describe('PostgreSQL', function () {
  // A thousand commits one after another take a while.
  this.timeout(120_000);
  let server: PostgresServer;
  let emptySchema: () => Promise<PostgresLocation>;
  before(async function () {
    server = await postgresOrSkip(this);
    emptySchema = reusedPostgresSchema(server);
  });
  // Undefined if the hook before was skipped.
  after(() => (server === undefined ? undefined : server.stop()));

  describeStoreContract('postgres', async (options: TestStoreOptions) => {
    const location = await emptySchema();
    const copyDeviceGrant = (from: number, to: number) => {
      const values = { device_code: "'device-' || n", user_code: "'USER-' || n" };
      return copyRow(server, location.schema, { table: 'device_grants', values, from, to });
    };
    return { opened: await openTestPostgres(location, options), copyDeviceGrant, remove: () => undefined };
  });
});
