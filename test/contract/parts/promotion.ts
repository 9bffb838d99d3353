// Promotions: one claim at a time, exactly one event, and how a load settles those that waited for it.
import { expect } from 'chai';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, clientEntry, event, eventTypes, type StoreUnderTest, userEntry } from '../store-under-test.ts';

const created = event('runtime_identity_created');
const nothing: ReadonlySet<string> = new Set();

function promoting(kind: 'user' | 'client', name: string): AuditEvent {
  return event('runtime_identity_promoted', {
    username: kind === 'user' ? name : undefined,
    endpoint: `/api/runtime/${kind}s/${name}/promote`,
    method: 'POST',
    ip_address: '127.0.0.1',
    user_agent: 'tests',
    details: { kind, name },
  });
}

export function describePromotion(under: () => StoreUnderTest): void {
  const claim = async (name: string) => {
    const claiming = await under().store.identities.claimPromotion('user', name, promoting('user', name));
    if (claiming.outcome !== 'claimed') throw new Error(claiming.outcome);
    return claiming.claim;
  };
  /** A user that is in the file although the load failed. */
  const written = async (name: string) => {
    const { identities } = under().store;
    await identities.createUser(name, userEntry(), at(0), created);
    await identities.noteWritten(await claim(name));
  };

  describe('a promotion', () => {
    it('is claimed by one of several processes, and the others find it in progress', async () => {
      const { identities } = under().store;
      await identities.createUser('alice', userEntry(), at(0), created);
      const outcomes = await Promise.all(
        [1, 2, 3].map(() => identities.claimPromotion('user', 'alice', promoting('user', 'alice'))),
      );
      expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal([
        'claimed',
        'promotion_in_progress',
        'promotion_in_progress',
      ]);
      const [first] = outcomes;
      expect(first?.outcome === 'claimed' && first.identity.entry).to.deep.equal(userEntry());
      const unknown = await identities.claimPromotion('client', 'alice', promoting('client', 'alice'));
      expect(unknown).to.deep.equal({ outcome: 'unknown' });
    });

    it('blocks deletes and resets while it is claimed', async () => {
      const { identities } = under().store;
      await identities.createUser('alice', userEntry(), at(0), created);
      const held = await claim('alice');
      expect(await identities.holdsClaim(held)).to.equal(true);
      expect(await identities.remove('user', 'alice', event('runtime_identity_deleted'))).to.equal(
        'promotion_in_progress',
      );
      const reset = () => identities.reset((details) => event('runtime_identities_reset', { details }));
      expect(await reset()).to.equal('promotion_in_progress');
      await identities.releaseClaim(held);
      expect(await identities.holdsClaim(held)).to.equal(false);
      expect(await reset()).to.deep.equal({ users_deleted: 1, clients_deleted: 0 });
    });

    it('removes the object once, with the single event of the promoting request', async () => {
      const { identities } = under().store;
      await identities.createUser('alice', userEntry(), at(0), created);
      const held = await claim('alice');
      const retired = await Promise.all([1, 2].map(() => identities.retirePromoted(held)));
      expect(retired).to.deep.equal([true, false]);
      expect(await identities.findUser('alice')).to.equal(undefined);
      const [, promoted, ...more] = await under().audit.read({ limit: -1 });
      expect(more).to.deep.equal([]);
      expect(promoted).to.deep.equal({
        timestamp: '2026-01-01T00:00:00.000Z',
        clock: null,
        event_type: 'runtime_identity_promoted',
        username: 'alice',
        client_id: null,
        ip_address: '127.0.0.1',
        user_agent: 'tests',
        endpoint: '/api/runtime/users/alice/promote',
        method: 'POST',
        status: 'success',
        details: { kind: 'user', name: 'alice' },
      });
    });

    verifies('RUN-32', 'is not taken from its own process, which is alive', async () => {
      const { identities } = under().store;
      await identities.createUser('alice', userEntry(), at(0), created);
      await claim('alice');
      expect(await identities.deadClaims()).to.deep.equal([]);
    });

    it('waits for a later configuration once it is written', async () => {
      const { identities, generations } = under().store;
      const before = await generations.accept('a', 'users');
      await written('alice');
      expect(await identities.remove('user', 'alice', event('runtime_identity_deleted'))).to.equal(
        'promotion_in_progress',
      );
      // Another worker that still has the earlier configuration does not know the entry.
      expect(
        await identities.reconcile({ generation: before, users: nothing, clients: nothing }, { at: at(1) }),
      ).to.deep.equal([]);
      const generation = await generations.accept('a', 'users with alice');
      const reconciled = await identities.reconcile(
        { generation, users: new Set(['alice']), clients: nothing },
        { at: at(2) },
      );
      expect(reconciled).to.deep.equal([{ kind: 'user', name: 'alice', outcome: 'promoted' }]);
      expect(await identities.findUser('alice')).to.equal(undefined);
      expect(await eventTypes(under().audit)).to.deep.equal(['runtime_identity_created', 'runtime_identity_promoted']);
    });

    it('is abandoned if the file no longer contains its entry, even if the file has its earlier content', async () => {
      const { identities, generations } = under().store;
      await generations.accept('a', 'users');
      await written('alice');
      const generation = await generations.accept('a', 'users');
      const reconciled = await identities.reconcile({ generation, users: nothing, clients: nothing }, { at: at(2) });
      expect(reconciled).to.deep.equal([{ kind: 'user', name: 'alice', outcome: 'abandoned' }]);
      expect((await identities.findUser('alice'))?.promotion).to.deep.equal({ state: 'free' });
      const [last] = await under().audit.read({ limit: 1 });
      const reason = String(last?.details.reason);
      expect(reason).to.include('the file did not declare it');
      expect(last).to.deep.equal({
        timestamp: '2026-01-01T00:00:02.000Z',
        clock: null,
        event_type: 'runtime_identity_promotion_abandoned',
        username: 'alice',
        client_id: null,
        ip_address: '127.0.0.1',
        user_agent: 'tests',
        endpoint: '/api/runtime/users/alice/promote',
        method: 'POST',
        status: 'failed',
        details: { kind: 'user', name: 'alice', reason },
      });
    });

    it('protects an object that waits for a reload from a reset, which does not count it', async () => {
      const { identities } = under().store;
      await written('alice');
      await identities.createUser('bob', userEntry(), at(0), created);
      const counts = await identities.reset((details) => event('runtime_identities_reset', { details }));
      expect(counts).to.deep.equal({ users_deleted: 1, clients_deleted: 0 });
      expect((await identities.listUsers()).map(({ name }) => name)).to.deep.equal(['alice']);
    });
  });

  describe('a load', () => {
    it('removes free objects that it declares, with one event each, in any number of processes', async () => {
      const { identities, generations } = under().store;
      await identities.createUser('alice', userEntry(), at(0), created);
      await identities.createClient(clientEntry('alice'), at(0), created);
      await identities.createUser('bob', userEntry(), at(0), created);
      const generation = await generations.accept('a', 'b');
      const declared = { generation, users: new Set(['alice', 'carol']), clients: nothing };
      const outcomes = await Promise.all([1, 2].map(() => identities.reconcile(declared, { at: at(1) })));
      expect(outcomes.flat()).to.deep.equal([{ kind: 'user', name: 'alice', outcome: 'removed' }]);
      expect((await identities.listUsers()).map(({ name }) => name)).to.deep.equal(['bob']);
      expect(await identities.findClient('alice')).to.not.equal(undefined);
      const [last] = await under().audit.read({ limit: 1 });
      expect(last?.event_type).to.equal('runtime_identity_removed_on_reload');
      expect(last?.details).to.deep.equal({ kind: 'user', name: 'alice' });
    });

    it('decides nothing once a newer one was accepted, and does not change claimed objects', async () => {
      const { identities, generations } = under().store;
      await identities.createUser('alice', userEntry(), at(0), created);
      const old = await generations.accept('a', 'b');
      const generation = await generations.accept('a', 'c');
      const users = new Set(['alice']);
      expect(await identities.reconcile({ generation: old, users, clients: nothing }, { at: at(1) })).to.deep.equal([]);
      await claim('alice');
      expect(await identities.reconcile({ generation, users, clients: nothing }, { at: at(1) })).to.deep.equal([]);
      expect(await identities.findUser('alice')).to.not.equal(undefined);
    });
  });
}
