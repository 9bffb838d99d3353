// Namespaces in addition to the default one: each is a separate store on the same connections, and leaves nothing
// behind.
import { expect } from 'chai';
import { NamespaceEndedError } from '#shared/state/store/namespace-id.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code, event, eventTypes, userEntry } from '../store-under-test.ts';

export function describeNamespaces(under: () => OpenedStore): void {
  const first = { name: 'ci', instanceId: 'one' };
  const second = { name: 'ci', instanceId: 'two' };
  const limits = { auditEntriesMax: 3 };
  const failure = (attempt: Promise<unknown>) => attempt.catch((error: unknown) => error);
  const createZoe = (id: typeof first) =>
    under().namespaces.of(id).store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));

  describe('namespaces', () => {
    verifies('TIM-10', 'do not see each other’s data', async () => {
      const { namespaces, store, audit } = under();
      await namespaces.begin(first, limits);
      await namespaces.begin(second, limits);
      await createZoe(first);
      await namespaces.of(first).store.codes.issue(code('c'), at(0));
      await namespaces.of(first).store.clock.move({ to: { by: 'offset', milliseconds: 9000 } }, at(0));
      for (const other of [namespaces.of(second), { store, audit }]) {
        expect(await other.store.identities.findUser('zoe')).to.equal(undefined);
        expect((await other.store.codes.redeem('c', 'web', 'f', at(0))).outcome).to.equal('unknown');
        expect(other.store.clock.state().offsetMilliseconds).to.equal(0);
        expect(await eventTypes(other.audit)).to.deep.equal([]);
      }
      expect(await eventTypes(namespaces.of(first).audit)).to.deep.equal(['runtime_identity_created']);
    });

    it('reject everything before they begin and after they end', async () => {
      const { namespaces } = under();
      const { store, audit } = namespaces.of(first);
      const attempts = () =>
        Promise.all(
          [
            createZoe(first),
            store.identities.findUser('zoe'),
            store.codes.issue(code('c'), at(0)),
            store.clock.move({ frozen: true }, at(0)),
            audit.record(event('logout')),
            audit.record(event('logout'), { done: true }),
          ].map(failure),
        );
      const refused = (answers: readonly unknown[]) => answers.every((answer) => answer instanceof NamespaceEndedError);
      expect(refused(await attempts())).to.equal(true);
      await namespaces.begin(first, limits);
      expect((await attempts()).some((answer) => answer instanceof Error)).to.equal(false);
      expect(await namespaces.end([first])).to.equal(1);
      expect(refused(await attempts())).to.equal(true);
    });

    it('end once, and a later namespace with the same name is empty', async () => {
      const { namespaces } = under();
      await namespaces.begin(first, limits);
      await createZoe(first);
      const ends = await Promise.all([namespaces.end([first]), namespaces.end([first, second])]);
      expect(ends.toSorted()).to.deep.equal([0, 1]);
      await namespaces.begin(second, limits);
      expect(await namespaces.of(second).store.identities.listUsers()).to.deep.equal([]);
      expect(await eventTypes(namespaces.of(second).audit)).to.deep.equal([]);
    });

    it('have separate limits for their audits', async () => {
      const { namespaces, audit } = under();
      await namespaces.begin(first, limits);
      const own = namespaces.of(first).audit;
      await Promise.all([1, 2, 3, 4, 5].flatMap(() => [own.record(event('logout')), audit.record(event('logout'))]));
      expect([(await own.read({ limit: -1 })).length, (await audit.read({ limit: -1 })).length]).to.deep.equal([3, 5]);
      expect((await own.counters()).total_requests).to.equal(5);
    });

    verifies('TIM-10', 'lose no event when others are cleared, end or begin', async () => {
      const { namespaces, audit } = under();
      const third = { name: 'ci', instanceId: 'three' };
      for (const id of [first, second, third]) await namespaces.begin(id, limits);
      const audits = [audit, ...[first, second, third].map((id) => namespaces.of(id).audit)];
      const recordedInAll = async () => {
        for (const each of audits) for (const type of ['login', 'logout'] as const) await each.record(event(type));
      };
      const lengths = async () => {
        const [all, newest] = [-1, 10].map((limit) =>
          Promise.all(audits.map(async (each) => (await each.read({ limit })).length)),
        );
        expect(await all).to.deep.equal(await newest);
        return all;
      };
      await recordedInAll();
      expect(await lengths()).to.deep.equal([2, 2, 2, 2]);
      await audits[2]?.clear();
      expect(await lengths()).to.deep.equal([2, 2, 0, 2]);
      await namespaces.end([second]);
      const fourth = { name: 'ci', instanceId: 'four' };
      await namespaces.begin(fourth, limits);
      audits[2] = namespaces.of(fourth).audit;
      expect(await lengths()).to.deep.equal([2, 2, 0, 2]);
      await recordedInAll();
      expect(await lengths()).to.deep.equal([4, 3, 2, 3]);
      await audit.clear();
      expect(await lengths()).to.deep.equal([0, 3, 2, 3]);
    });

    it('report to which of them an event belongs', async () => {
      const opened = under();
      const recorded: string[] = [];
      opened.onAuditRecorded(({ event_type }, namespace) => recorded.push(`${namespace} ${event_type}`));
      await opened.namespaces.begin(first, limits);
      await opened.namespaces.of(first).audit.record(event('logout'));
      await createZoe(first);
      await opened.audit.record(event('login'));
      expect(recorded).to.deep.equal(['ci/one logout', 'ci/one runtime_identity_created', 'default login']);
    });
  });
}
