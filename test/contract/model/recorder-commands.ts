// The recorder: what is stored, which flow an exchange joins, repetitions, waiting callers, and whether it is switched
// on.
import { expect } from 'chai';
import fc from 'fast-check';
import { plusSeconds } from '#shared/base/clock.ts';
import { joinedByAddressMilliseconds } from '#shared/model/domain/flow.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { newExchange } from '../parts/exchanges.ts';
import { type Command, command } from './command.ts';
import type { ModelExchange, ReferenceModel } from './reference-model.ts';

const address = '127.0.0.1';
const waitsMax = 2;

/** The flow of the first known key, in the order of their start, or else a new flow. */
function keep(model: ReferenceModel, exchange: Omit<ModelExchange, 'flow' | 'at'>, keys: readonly string[]): void {
  const known = model.exchanges
    .map(({ flow }) => flow)
    .filter((flow) => keys.some((key) => model.flowKeys.get(key) === flow));
  const ofAddress = model.exchanges.findLast(
    ({ name, flow, at }) => name === flow && model.now - at < joinedByAddressMilliseconds,
  );
  const begun = exchange.repeatable ? ofAddress?.flow : undefined;
  const flow = known[0] ?? begun ?? exchange.name;
  model.exchanges.push({ ...exchange, flow, at: model.now });
  for (const key of keys) if (!model.flowKeys.has(key)) model.flowKeys.set(key, flow);
}

const named = (back: number) => (model: ReferenceModel) => [`key-${model.begun - back}`];

/** Names of exchanges by their numbers, in the order recorded. */
async function namesOf({ store }: OpenedStore): Promise<ReadonlyMap<number, string>> {
  const { exchanges } = await store.exchanges.list({}, 1000);
  return new Map(exchanges.map(({ id, path }) => [id, path]));
}

export const recorderCommands: fc.Arbitrary<Command>[] = [
  fc.constantFrom(0, 1, 3, 20).map((back) =>
    command(`record a request that names the key ${back} back`, async (model, { store }) => {
      const keys = { named: named(back)(model), made: [`key-${model.begun + 1}`] };
      model.begun += 1;
      const name = `exchange-${model.begun}`;
      const secrets = back === 0 ? { 'fp:000000000000': name } : undefined;
      if (back === 20) {
        store.exchanges.lose();
        model.lost += 1;
      }
      const requestId = `request-${name}`;
      store.exchanges.add(newExchange({ at: model.now, path: name, requestId, keys, address, secrets }));
      keep(model, { name, repeatable: false, repeated: 1, secrets }, [...keys.named, ...keys.made]);
      // Its time is when the request arrived.
      await store.exchanges.announce(back === 0);
      await store.exchanges.written();
    }),
  ),
  fc.constant(
    command('ask for the keys again, once and twice at a time', async (model, { store }) => {
      model.begun += 1;
      const times = 1 + (model.begun % 2);
      const name = `jwks-${model.begun}`;
      const at = model.now;
      // As the frontend does it: an exchange that repeats another one is not read.
      for (let each = 0; each < times; each += 1) {
        if (store.exchanges.repeats('jwks', at)) continue;
        store.exchanges.add(newExchange({ at, path: name, address, repeatKey: 'jwks' }));
      }
      await store.exchanges.written();
      const index = model.exchanges.findLastIndex(({ repeatable, at: before }) => repeatable && at - before < 1000);
      const first = model.exchanges[index];
      if (first === undefined) keep(model, { name, repeatable: true, repeated: times, secrets: undefined }, []);
      else model.exchanges[index] = { ...first, repeated: first.repeated + times };
    }),
  ),
  fc.constant(
    command('read everything recorded', async (model, real) => {
      const { exchanges } = real.store;
      const names = await namesOf(real);
      const shown = (await exchanges.list({}, 1000)).exchanges.map(({ path, flow, repeated }) => {
        return [path, names.get(flow), repeated];
      });
      expect(shown).to.deep.equal(model.exchanges.map(({ name, flow, repeated }) => [name, flow, repeated]));
      const requests = model.exchanges.reduce((sum, { repeated }) => sum + repeated, 0);
      expect(await exchanges.count({ endpoint: 'token' })).to.equal(requests);
      expect(await exchanges.state()).to.include({ kept: model.exchanges.length, dropped: 0, lost: model.lost });
      expect(await exchanges.isWhole()).to.equal(model.isRecordWhole && model.lost === 0);
      const flows = (await exchanges.flows(undefined, 1000)).map((steps) => steps.map(({ id }) => names.get(id)));
      const begun = model.exchanges.filter(({ name, flow }) => name === flow).toReversed();
      expect(flows).to.deep.equal(
        begun.map(({ flow }) => model.exchanges.filter((each) => each.flow === flow).map(({ name }) => name)),
      );
    }),
  ),
  fc.constantFrom(1, 2, 5).map((back) =>
    command(`read the exchange ${back} before the end`, async (model, { store }) => {
      const expected = model.exchanges.at(-back);
      if (expected === undefined) return;
      const [found] = (await store.exchanges.list({}, back)).exchanges;
      const id = found?.id ?? 0;
      expect((await store.exchanges.find(id))?.path).to.equal(expected.name);
      expect(await store.exchanges.secrets(id)).to.deep.equal(expected.secrets);
    }),
  ),
  fc.constantFrom(1, 3, 50).map((limit) =>
    command(`index the newest ${limit} exchanges`, async (model, { store: { exchanges } }) => {
      const { entries, cursor } = await exchanges.index({}, limit);
      const ids = entries.map(({ id }) => id);
      const read = await exchanges.ofIndex(ids);
      expect(read.map(({ path }) => path)).to.deep.equal(model.exchanges.slice(-limit).map(({ name }) => name));
      expect(await exchanges.newest()).to.equal(cursor);
      const after = ids.length === 0 ? cursor : Math.min(...ids) - 1;
      expect((await exchanges.arrivals(after)).map(({ id }) => id)).to.have.members(ids);
    }),
  ),
  fc.constant(
    command('empty the recorder', async (model, { store }) => {
      expect(await store.exchanges.clear()).to.equal(model.exchanges.length);
      model.isRecordWhole &&= model.exchanges.length === 0;
      model.exchanges = [];
      model.lost = 0;
      model.flowKeys.clear();
    }),
  ),
  fc.constant(
    command('note that the recorder was reset', async (model, { store }) => {
      await store.exchanges.noteReset();
      model.isRecordWhole = false;
    }),
  ),
  fc.constantFrom(5, 60).map((seconds) =>
    command(`wait for an exchange for ${seconds} s`, async (model, { store }) => {
      model.waits = model.waits.filter(({ until }) => model.now < until);
      const until = plusSeconds(model.now, seconds);
      const wait = await store.exchanges.takeWait(until, waitsMax);
      expect(wait !== undefined).to.equal(model.waits.length < waitsMax);
      if (wait !== undefined) model.waits.push({ wait, until });
    }),
  ),
  fc.constant(
    command('wait no longer', async (model, { store }) => {
      const first = model.waits.shift();
      await store.exchanges.giveWait(first?.wait ?? 'none');
    }),
  ),
  fc.constantFrom(true, false, undefined).map((enabled) =>
    command(
      `switch the recorder ${enabled === undefined ? 'as the settings say' : enabled ? 'on' : 'off'}`,
      async (model, { store }) => {
        await store.recorderSwitch.set(enabled);
        model.recorderSwitch = enabled;
        expect(store.recorderSwitch.state()).to.equal(enabled);
      },
    ),
  ),
];
