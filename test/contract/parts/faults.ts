// Faults in the store: ordered, counted exactly, limited in number, and together with those of the configuration.
import { expect } from 'chai';
import type { FaultOrder } from '#shared/model/domain/fault.ts';
import type { NewFault } from '#shared/state/store/ports/index.ts';
import { event, type StoreUnderTest } from '../store-under-test.ts';

const order = (given: Partial<FaultOrder> = {}): FaultOrder => ({
  ...{ fault: 'status', at: ['token'], when: {}, times: 1, parameters: {}, ttl_seconds: null, quiet: false },
  ...given,
});

const fault = (id: string, given: Partial<FaultOrder> = {}): NewFault => ({
  ...order(given),
  ...{ id, unknownKey: undefined },
});

export function describeFaults(under: () => StoreUnderTest, passRealSeconds: (seconds: number) => void): void {
  const faults = () => under().store.faults;
  const ids = async () => (await faults().list()).map(({ id }) => id);
  const inForce = () =>
    faults()
      .inForce()
      .map(({ id }) => id);

  describe('faults', () => {
    it('do not exist at first, and the list is always the same object', () => {
      expect(faults().inForce()).to.deep.equal([]);
      expect(faults().inForce()).to.equal(faults().inForce());
    });

    it('are returned as created, in their order', async () => {
      const when = { client_id: 'web', header: { name: 'X', value: 'y' }, nth: 2 };
      const given = { when, times: null, parameters: { a: 1 }, ttl_seconds: 5, quiet: true } as const;
      const made = await faults().create({ ...fault('b', given), unknownKey: 'pem' });
      await faults().create(fault('a'));
      const first = { id: 'b', origin: 'runtime', remaining: null, hits: 0, fetches: 0, unknownKey: 'pem' };
      expect(made).to.deep.include({ ...order(given), ...first });
      expect(await faults().find('b')).to.deep.equal(made);
      expect([await ids(), inForce()]).to.deep.equal([
        ['b', 'a'],
        ['b', 'a'],
      ]);
      expect(await faults().find('c')).to.equal(undefined);
    });

    // FLT-18
    it('fire no more often than allowed, even with simultaneous claims', async () => {
      await faults().create(fault('f', { times: 3 }));
      const claims = await Promise.all(Array.from({ length: 20 }, () => faults().claim('f')));
      expect(claims.filter(Boolean)).to.have.length(3);
      expect(await faults().find('f')).to.include({ hits: 3, remaining: 0 });
      await under().store.generations.newest();
      expect([inForce(), await ids()]).to.deep.equal([[], ['f']]);
      await faults().create(fault('g', { times: null }));
      expect([await faults().claim('g'), await faults().claim('g'), await faults().claim('x')]).to.deep.equal([
        ...[true, true, false],
      ]);
      expect(await faults().find('g')).to.include({ hits: 2, remaining: null });
    });

    it('count the requests that met them', async () => {
      await faults().create(fault('f'));
      await faults().create(fault('g'));
      await faults().meet(['f']);
      expect([...(await faults().meet(['f', 'g', 'x']))]).to.deep.equal([
        ['f', 2],
        ['g', 1],
        ['x', 0],
      ]);
      await faults().noteFetch('f');
      expect(await faults().find('f')).to.include({ fetches: 1, hits: 0 });
    });

    // FLT-09
    it('end by real time', async () => {
      await faults().create(fault('f', { ttl_seconds: 10, times: null }));
      passRealSeconds(9);
      expect([inForce(), await faults().claim('f')]).to.deep.equal([['f'], true]);
      passRealSeconds(1);
      expect([inForce(), await faults().claim('f'), await ids()]).to.deep.equal([[], false, ['f']]);
    });

    it('are deleted one by one or all at once, each with one event', async () => {
      for (const id of ['a', 'b', 'c']) await faults().create(fault(id), event('fault_created'));
      const deleted = () => event('fault_deleted');
      expect(await faults().delete('b', deleted)).to.equal('deleted');
      expect(await faults().delete('b', deleted)).to.equal('unknown');
      expect(inForce()).to.deep.equal(['a', 'c']);
      expect(await faults().deleteAll(deleted)).to.equal(2);
      expect([inForce(), await ids()]).to.deep.equal([[], []]);
      expect(await under().audit.read({ limit: -1 })).to.have.length(6);
    });

    // FLT-14
    it('are limited to 1000, and expired ones are deleted first', async () => {
      for (let number = 0; number < 1000; number += 1) await faults().create(fault(`f${number}`));
      expect(await faults().create(fault('one-too-many'))).to.equal('full');
      await faults().claim('f500');
      expect(await faults().create(fault('next'))).not.to.equal('full');
      const kept = await ids();
      expect([kept.length, kept.includes('f500'), kept.at(-1)]).to.deep.equal([1000, false, 'next']);
    });

    // FLT-33
    it('can be declared in addition to runtime ones, and unchanged ones keep their counts', async () => {
      await faults().create(fault('mine'));
      await faults().declare([fault('d1', { times: 2 }), fault('d2'), fault('d3')]);
      await faults().claim('d1');
      await faults().declare([fault('new1', { times: 2 }), fault('new2', { times: 5 }), fault('new3')]);
      const declared = (await faults().list()).filter(({ origin }) => origin === 'declared');
      expect(declared.map(({ id, hits, times }) => [id, hits, times])).to.deep.equal([
        ['d1', 1, 2],
        ['d2', 0, 1],
        ['new2', 0, 5],
      ]);
      expect(await faults().delete('d1')).to.equal('declared');
      expect(await faults().deleteAll()).to.equal(1);
      expect(inForce()).to.deep.equal(['d1', 'd2', 'new2']);
      await faults().declare([]);
      expect(inForce()).to.deep.equal([]);
    });

    // FLT-32
    it('are compared in linear time when a thousand are declared again', async () => {
      const declared = (quiet: boolean) =>
        Array.from({ length: 1000 }, (_, index) =>
          fault(`${quiet}${index}`, { quiet, when: { client_id: `c${index}` } }),
        );
      await faults().declare(declared(false));
      const { stringify } = JSON;
      let texts = 0;
      JSON.stringify = new Proxy(stringify, {
        apply: (target, self, given) => {
          texts += 1;
          return Reflect.apply(target, self, given);
        },
      });
      try {
        await faults().declare(declared(true));
      } finally {
        JSON.stringify = stringify;
      }
      expect(texts).to.be.at.most(20_000);
      expect((await ids())[999]).to.equal('true999');
    });

    it('of a configuration that was superseded meanwhile change nothing', async () => {
      const { generations } = under().store;
      const generation = await generations.accept('a', undefined);
      await faults().declare([fault('d1')], generation);
      await generations.accept('b', undefined);
      await faults().declare([], generation);
      expect(inForce()).to.deep.equal(['d1']);
    });
  });
}
