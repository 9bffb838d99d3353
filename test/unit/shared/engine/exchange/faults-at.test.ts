// The cost of a request while no fault is set: it reads one list, which is empty and always the same object. It does
// not query the store.
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import { faultsAt } from '#shared/web/pipeline/apply-faults.ts';
import { openEmptyMemoryStore } from '#test/support/open-test-store.ts';
import { verifies } from '#test/support/verifies.ts';

/** How many statements SQLite runs in this process during `work`. */
async function statementsDuring(work: () => unknown): Promise<number> {
  const statement: object = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
  const names = ['get', 'all', 'run', 'iterate'] as const;
  const kept = names.map((name) => [name, Reflect.get(statement, name)] as const);
  let count = 0;
  for (const [name, original] of kept) {
    Reflect.set(statement, name, function counted(this: unknown, ...given: unknown[]) {
      count += 1;
      return original.apply(this, given);
    });
  }
  try {
    await work();
  } finally {
    for (const [name, original] of kept) Reflect.set(statement, name, original);
  }
  return count;
}

describe('the check for faults', () => {
  verifies('FLT-27', 'runs no statement and allocates nothing while no fault is set', async () => {
    const { opened } = await openEmptyMemoryStore();
    try {
      const { store } = opened;
      const context: Pick<ManagementContext, 'store'> = { store };
      const order = {
        fault: 'status',
        at: ['jwks'],
        when: {},
        times: null,
        parameters: {},
        ttl_seconds: null,
      } as const;
      const made = await store.faults.create({ ...order, id: 'f', quiet: false, unknownKey: undefined });
      if (made === 'full') throw new Error('there is room for one');
      expect(faultsAt({ faultyAs: 'jwks' }, context)?.faults.map(({ id }) => id)).to.deep.equal(['f']);
      expect(faultsAt({ faultyAs: 'token' }, context)).to.equal(undefined);
      await store.faults.delete('f');

      const list = store.faults.inForce();
      const checkRepeatedly = () => {
        for (let request = 0; request < 1000; request += 1) {
          expect(faultsAt({ faultyAs: 'token' }, context)).to.equal(undefined);
          expect(store.faults.inForce()).to.equal(list);
        }
      };
      expect(await statementsDuring(checkRepeatedly)).to.equal(0);
      expect([list.length, Object.isFrozen(list)]).to.deep.equal([0, true]);
      expect(await statementsDuring(() => store.faults.list()), 'the counter counts').to.be.above(0);
    } finally {
      await opened.close();
    }
  });
});
