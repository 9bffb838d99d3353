// A newer program migrates the schema of a store that is open: what the store can live with it does not notice, what it cannot it
// says with its next operation.
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

describe('a schema in PostgreSQL that a newer program migrates', function () {
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
  /** Of a stack, and what its operator is told. */
  const processOf = async (location: PostgresLocation) => {
    const told: string[] = [];
    const opened = await openTestPostgres(location, { onOutgrown: (reason) => told.push(reason) });
    return { ...opened, told };
  };

  verifies('CLU-05', 'leaves the format before it at work, by all steps that a minor version made', () => {
    for (const [index, { oldestFormat }] of schemaSteps.entries()) {
      const format = firstVersion + index + 1;
      // What was before 3 does not look.
      if (format > 2) expect(oldestFormat, `the step to ${format}`).to.be.lessThan(format);
    }
  });

  verifies('CLU-05', 'by what an older one can live with goes on serving it and its replacements', async () => {
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
    verifies('CLU-05', `by a step ${name} is told to an older one in one sentence, and serves it no more`, async () => {
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
    });
  }

  verifies('CLU-05', 'is told in the log where nobody else is to be told', async () => {
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

  verifies('CLU-05', 'is not blamed where a look fails for another reason', async () => {
    const location = emptyPostgresLocation(server);
    const { store, told, close } = await processOf(location);
    await server.ask(`ALTER TABLE ${location.schema}.head RENAME TO heads`);
    const error = await failure(store.generations.newest());
    // What is gone by another hand is a trouble of the store.
    expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
    expect(String((error as RuntimeStoreUnavailableError).cause)).to.contain('head');
    expect(told).to.deep.equal([]);
    await server.ask(`ALTER TABLE ${location.schema}.heads RENAME TO head`);
    expect(await store.generations.newest()).to.equal(0);
    await close();
  });
});
