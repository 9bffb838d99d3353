// The cost for a process to read the active faults when one of many was added or deleted.
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { openCachedState } from '#shared/state/store/sqlite/cached-state.ts';
import { StoreDatabase } from '#shared/state/store/sqlite/database.ts';
import { openInMemory } from '#shared/state/store/sqlite/database-file.ts';
import type { Connection } from '#shared/state/store/sqlite/engine.ts';
import { runtimeSchema } from '#shared/state/store/sqlite/schema/runtime-schema.ts';

const entry = JSON.stringify({
  ...{ fault: 'status', at: ['token'], when: {}, times: 1, parameters: {}, ttl_seconds: null, quiet: false },
});

describe('the faults that a process has loaded', () => {
  let connection: Connection;
  let rows = 0;
  beforeEach(() => {
    connection = openInMemory(runtimeSchema);
    rows = 0;
  });
  afterEach(() => connection.close());

  const counting = (): Connection => ({
    ...connection,
    prepare: (sql) => {
      const statement = connection.prepare(sql);
      const counted = <Found>(found: Found, number: number) => {
        rows += number;
        return found;
      };
      return {
        run: (bindings) => statement.run(bindings),
        get: (bindings) => counted(statement.get(bindings), 1),
        all: (bindings) => {
          const found = statement.all(bindings);
          return counted(found, found.length);
        },
      };
    },
  });
  const make = (id: string, namespace = '') =>
    connection
      .prepare(
        `INSERT INTO faults (namespace, id, origin, entry, remaining, created_at)
         VALUES (@namespace, @id, 'runtime', @entry, 1, 0)`,
      )
      .run({ namespace, id, entry });

  it('are read once each, so an added or deleted fault costs the same however many exist', () => {
    const known = openCachedState(new StoreDatabase(counting(), systemStopwatch));
    const refresh = () => {
      connection.exec('UPDATE head SET fault_changes = fault_changes + 1');
      rows = 0;
      known.refresh('');
      return rows;
    };
    // In addition to the faults themselves: the counters, and the list of all numbers in one row.
    const always = 2;
    for (let each = 0; each < 200; each += 1) make(`f${each}`, each % 2 === 0 ? '' : 'n');
    expect(refresh()).to.equal(always + 200);
    make('late');
    expect(refresh()).to.equal(always + 1);
    connection.exec("DELETE FROM faults WHERE id = 'f1'; UPDATE faults SET remaining = 0 WHERE id = 'f0'");
    expect(refresh()).to.equal(always);
    const [ours, others] = [known.faultsOf(''), known.faultsOf('n')].map((faults) => faults.map(({ id }) => id));
    expect([ours?.length, ours?.at(0), ours?.at(-1)]).to.deep.equal([100, 'f2', 'late']);
    expect([others?.length, others?.at(0), others?.at(-1)]).to.deep.equal([99, 'f3', 'f199']);
  });
});
