// A newer program migrates the schema of an open store. The store does not notice compatible changes, and reports
// incompatible ones with its next operation.
import { expect } from 'chai';
import { pino } from 'pino';
import { version } from '#shared/base/version.ts';
import type { PostgresLocation } from '#shared/model/runtime-store/store-location.ts';
import { prepareSchema } from '#shared/state/store/postgres/schema/prepare-schema.ts';
import { firstVersion, schemaSteps } from '#shared/state/store/postgres/schema/steps.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { StoreRefusedError } from '#shared/state/store/store-refused.ts';
import {
  connectTo,
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code } from './store-under-test.ts';

const present = firstVersion + schemaSteps.length;
const addition = { oldestFormat: present, sql: "ALTER TABLE codes ADD COLUMN of_the_next text NOT NULL DEFAULT 'x';" };

describe('a PostgreSQL schema that a newer program migrates', function () {
  this.timeout(60_000);
  let server: PostgresServer;
  usePostgres((started) => {
    server = started;
  });

  const migrate = ({ schema }: PostgresLocation, ...further: readonly (typeof addition)[]) =>
    prepareSchema(connectTo(server, schema), schema, { steps: [...schemaSteps, ...further] });
  const failure = (doing: Promise<unknown>) =>
    doing.then(
      () => undefined,
      (error: unknown) => error,
    );
  /** The store of a stack, and the reports to its operator. */
  const processOf = async (location: PostgresLocation) => {
    const told: string[] = [];
    const opened = await openTestPostgres(location, { onOutgrown: (reason) => told.push(reason) });
    return { ...opened, told };
  };

  verifies('CLU-05', 'still works for the previous format after all steps of a minor version', () => {
    for (const [index, { oldestFormat }] of schemaSteps.entries()) {
      const format = firstVersion + index + 1;
      // Programs before format 3 do not check.
      if (format > 2) expect(oldestFormat, `the step to ${format}`).to.be.lessThan(format);
    }
  });

  verifies('CLU-05', 'still works for an older program and its replacements after a compatible step', async () => {
    const location = emptyPostgresLocation(server);
    const { store, told, close } = await processOf(location);
    await store.codes.issue(code('before'), at(0));
    await migrate(location, addition, { ...addition, sql: 'CREATE TABLE of_the_next (id text);' });
    expect(await store.generations.newest()).to.equal(0);
    expect(await store.codes.issue(code('after'), at(0))).to.equal('issued');
    const replacement = await openTestPostgres(location, { mustExist: true });
    expect(await replacement.store.generations.newest()).to.equal(0);
    expect((await replacement.store.codes.find('after', at(1)))?.client_id).to.equal('web');
    expect(told).to.deep.equal([]);
    const refused = await failure(openTestPostgres(location));
    expect(refused, 'a start is a start of the newest').to.be.instanceOf(StoreRefusedError);
    await Promise.all([close(), replacement.close()]);
  });

  const leaving: readonly (readonly [name: string, sql: string])[] = [
    ['that only says so', ''],
    ['that takes away what the look asks for', 'ALTER TABLE head RENAME TO heads;'],
    ['that renames what the look reads', 'ALTER TABLE head RENAME COLUMN clock_moves TO moves;'],
  ];
  for (const [name, sql] of leaving) {
    verifies(
      'CLU-05',
      `is reported to an older program in one sentence, which then stops using it, after a step ${name}`,
      async () => {
        const location = emptyPostgresLocation(server);
        const { store, told, close } = await processOf(location);
        await store.generations.newest();
        await migrate(location, addition, { oldestFormat: present + 2, sql });
        const met = [await failure(store.generations.newest()), await failure(store.generations.newest())];
        for (const error of met) expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
        const sentence = [
          `runtime.schema: a newer program migrated the schema ${location.schema} to the format ${present + 2}, `,
          `which requires a program of the format ${present + 2} or newer. This program, test-idp ${version}, has the format ${present}, so it ends. `,
          'Start the newer program, or name another schema.',
        ];
        expect(told).to.deep.equal([sentence.join('')]);
        const toldLater: string[] = [];
        const onOutgrown = (reason: string) => toldLater.push(reason);
        const refused = await failure(openTestPostgres(location, { mustExist: true, onOutgrown }));
        expect(refused, 'a replacement').to.be.instanceOf(StoreRefusedError);
        expect(toldLater).to.deep.equal(told);
        await close();
      },
    );
  }

  verifies('CLU-05', 'is reported in the log if there is no other place', async () => {
    const location = emptyPostgresLocation(server);
    const lines: string[] = [];
    const { store, close } = await openTestPostgres(location, {
      log: pino({ level: 'error' }, { write: (line) => void lines.push(line) }),
    });
    await migrate(location, { oldestFormat: present + 1, sql: '' });
    expect(await failure(store.generations.newest())).to.be.instanceOf(RuntimeStoreUnavailableError);
    expect(lines.filter((line) => line.includes(`requires a program of the format ${present + 1}`))).to.have.length(1);
    await close();
  });

  verifies('CLU-05', 'is not blamed if a check fails for another reason', async () => {
    const location = emptyPostgresLocation(server);
    const { store, told, close } = await processOf(location);
    await server.ask(`ALTER TABLE ${location.schema}.head RENAME TO heads`);
    const error = await failure(store.generations.newest());
    // What another program deleted is a problem of the store.
    expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
    expect(String((error as RuntimeStoreUnavailableError).cause)).to.contain('head');
    expect(told).to.deep.equal([]);
    await server.ask(`ALTER TABLE ${location.schema}.heads RENAME TO head`);
    expect(await store.generations.newest()).to.equal(0);
    await close();
  });
});
