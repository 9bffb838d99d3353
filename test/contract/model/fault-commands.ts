// Faults: which are stored, how often each may still fire, and how often requests met it.
import { expect } from 'chai';
import fc from 'fast-check';
import type { NewFault } from '#shared/state/store/ports/index.ts';
import { type Command, command, recent } from './command.ts';
import type { ModelFault, ReferenceModel } from './reference-model.ts';

const newFault = (id: string, times: number | null, fault = 'status'): NewFault => ({
  ...{ id, fault, at: ['token'], when: {}, times, parameters: {}, ttl_seconds: null, quiet: false },
  unknownKey: undefined,
});

const back = fc.constantFrom(0, 1, 2);

const inForce = (faults: ReadonlyMap<string, ModelFault>) =>
  [...faults].filter(([, { remaining }]) => remaining !== 0).map(([id]) => id);

const runtimeOnes = (model: ReferenceModel) =>
  [...model.faults].filter(([, { origin }]) => origin === 'runtime').map(([id]) => id);

export const faultCommands: fc.Arbitrary<Command>[] = [
  fc.constantFrom(1, 2, null).map((times) =>
    command(`make a fault that fires ${times ?? 'always'}`, async (model, { store }) => {
      model.begun += 1;
      const id = `fault-${model.begun}`;
      expect(await store.faults.create(newFault(id, times))).to.include({ id, hits: 0, remaining: times });
      model.faults.set(id, { origin: 'runtime', remaining: times, hits: 0, met: 0, fetches: 0 });
    }),
  ),
  back.map((steps) =>
    command(`claim the fault ${steps} back`, async (model, { store }) => {
      const id = recent(model, 'fault', steps);
      const found = model.faults.get(id);
      const mayFire = found !== undefined && found.remaining !== 0;
      expect(await store.faults.claim(id)).to.equal(mayFire);
      if (!mayFire) return;
      const remaining = found.remaining === null ? null : found.remaining - 1;
      model.faults.set(id, { ...found, remaining, hits: found.hits + 1 });
    }),
  ),
  back.map((steps) =>
    command(`meet the fault ${steps} back, and fetch its material`, async (model, { store }) => {
      const id = recent(model, 'fault', steps);
      const found = model.faults.get(id);
      const numbers = await store.faults.meet([id]);
      await store.faults.noteFetch(id);
      expect(numbers.get(id)).to.equal(found === undefined ? 0 : found.met + 1);
      if (found !== undefined) model.faults.set(id, { ...found, met: found.met + 1, fetches: found.fetches + 1 });
    }),
  ),
  back.map((steps) =>
    command(`look for the fault ${steps} back`, async (model, { store }) => {
      const id = recent(model, 'fault', steps);
      const expected = model.faults.get(id);
      const found = await store.faults.find(id);
      expect(found && [found.origin, found.remaining, found.hits, found.fetches]).to.deep.equal(
        expected && [expected.origin, expected.remaining, expected.hits, expected.fetches],
      );
      expect((await store.faults.list()).map((each) => each.id)).to.have.members([...model.faults.keys()]);
      // The list of active faults is that of the last refresh.
      await store.generations.newest();
      expect(store.faults.inForce().map((each) => each.id)).to.have.members(inForce(model.faults));
    }),
  ),
  back.map((steps) =>
    command(`delete the fault ${steps} back`, async (model, { store }) => {
      const id = recent(model, 'fault', steps);
      const origin = model.faults.get(id)?.origin;
      const outcome = origin === undefined ? 'unknown' : origin === 'declared' ? 'declared' : 'deleted';
      expect(await store.faults.delete(id)).to.equal(outcome);
      if (outcome === 'deleted') model.faults.delete(id);
    }),
  ),
  fc.constant(
    command('delete all faults', async (model, { store }) => {
      const runtimeFaults = runtimeOnes(model);
      expect(await store.faults.deleteAll()).to.equal(runtimeFaults.length);
      for (const id of runtimeFaults) model.faults.delete(id);
    }),
  ),
  fc.constantFrom([], ['hang'], ['hang', 'delay']).map((names: readonly string[]) =>
    command(`declare ${names.join(' and ') || 'no'} faults`, async (model, { store }) => {
      const before = new Map([...model.faults].filter(([, { origin }]) => origin === 'declared'));
      await store.faults.declare(names.map((name) => newFault(`declared-${name}`, 2, name)));
      for (const id of before.keys()) model.faults.delete(id);
      for (const name of names) {
        const id = `declared-${name}`;
        const fresh = { origin: 'declared', remaining: 2, hits: 0, met: 0, fetches: 0 } as const;
        model.faults.set(id, before.get(id) ?? fresh);
      }
    }),
  ),
];
