// The clock of a namespace: moved in one place, read everywhere, and what is over stays over.
import { expect } from 'chai';
import { realTime } from '#shared/model/domain/movable-clock.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, clientEntry, code, deviceGrant, event, type StoreUnderTest, transaction } from '../store-under-test.ts';
import { samlLogout } from './saml-logouts.ts';
import { logIn } from './sessions.ts';

export function describeClock(under: () => StoreUnderTest): void {
  const clock = () => under().store.clock;

  describe('clock', () => {
    it('runs with real time at first', () => {
      expect(clock().state()).to.deep.equal(realTime);
    });

    it('tells from where to where it went', async () => {
      const moved = await clock().move({ to: { by: 'offset', milliseconds: 5000 } }, at(0));
      const ahead = { offsetMilliseconds: 5000, frozenAt: undefined };
      expect(moved).to.deep.equal({ from: realTime, to: ahead });
      expect(clock().state()).to.deep.equal(ahead);
      expect(await clock().move({ frozen: true }, at(10))).to.deep.equal({
        from: ahead,
        to: { offsetMilliseconds: 0, frozenAt: at(15) },
      });
    });

    it('is looked at without an operation', async () => {
      expect(await clock().refresh()).to.deep.equal(realTime);
      await clock().move({ to: { by: 'offset', milliseconds: 5 } }, at(0));
      expect((await clock().refresh()).offsetMilliseconds).to.equal(5);
    });

    verifies('TIM-08', 'adds simultaneous advances up', async () => {
      const advances = [1, 2, 3, 4, 5].map((seconds) =>
        clock().move({ to: { by: 'advance', milliseconds: seconds * 1000 } }, at(0)),
      );
      await Promise.all(advances);
      expect(clock().state().offsetMilliseconds).to.equal(15_000);
    });

    it('stays where it is when the move would leave its range', async () => {
      expect(await clock().move({ to: { by: 'instant', at: at(-1e9) } }, at(0))).to.equal('out_of_range');
      expect(clock().state()).to.deep.equal(realTime);
    });

    it('leaves one event for a change, none without one', async () => {
      const changed = () => event('logout');
      await clock().move({ to: { by: 'reset' } }, at(0), changed);
      expect(await under().audit.read({ limit: -1 })).to.have.length(0);
      await clock().move({ to: { by: 'offset', milliseconds: 1 } }, at(0), changed);
      expect(await under().audit.read({ limit: -1 })).to.have.length(1);
    });

    verifies(['TIM-20', 'SSO-05'], 'ends the sessions that are over when it goes back, and no other', async () => {
      const { store } = under();
      const limits = { lifetimeSeconds: 7200, idleSeconds: 3600 };
      const people = { idle: 0, used: 0, late: 3000 };
      for (const [sid, seconds] of Object.entries(people)) {
        const cookie = `cookie-${sid}`;
        await store.sessions.logIn(logIn(sid, { cookie, limits, authenticatedAt: at(seconds) }), at(seconds));
      }
      await store.sessions.use('used', at(1000));
      const live = async (seconds: number) =>
        (await store.sessions.list({}, limits, at(seconds))).map(({ sid }) => sid).toSorted();
      await clock().move({ to: { by: 'offset', milliseconds: 3_600_000 } }, at(0), undefined, limits);
      expect(await live(3600)).to.deep.equal(['late', 'used']);
      expect(await live(3599)).to.deep.equal(['idle', 'late', 'used']);
      await clock().move({ to: { by: 'offset', milliseconds: 3_599_000 } }, at(0), undefined, limits);
      expect(await live(3599)).to.deep.equal(['late', 'used']);
      // The one that is later than the clock is judged by what it says then (TIM-23).
      await clock().move({ to: { by: 'reset' } }, at(0), undefined, limits);
      expect(await live(1000)).to.deep.equal(['used']);
      expect(await live(3000)).to.deep.equal(['late', 'used']);
    });

    verifies(['TIM-20', 'TIM-13'], 'ends for good what is over when it goes back, and nothing else', async () => {
      const { store } = under();
      const factor = { id: 'f', browser: 'b', surface: '/login', purpose: '', username: 'zoe' } as const;
      const document = (client_id: string, freshUntil: number) => ({
        client_id,
        entry: clientEntry(client_id),
        fetchedAt: at(0),
        freshUntil: at(freshUntil),
      });
      await store.transactions.begin(transaction('over'), at(0));
      await store.codes.issue(code('over'), at(0));
      await store.codes.issue(code('live', { issuedAt: at(600) }), at(600));
      await store.secondFactors.record({ ...factor, passwordVerifiedAt: at(0) }, at(0));
      await store.samlLogouts.begin(samlLogout('over'), at(0));
      await store.verifiedAuthnRequests.record('b', 'over', at(0));
      await store.verifiedAuthnRequests.record('b', 'live', at(300));
      await store.metadataDocuments.save(document('https://over', 600), at(0));
      await store.metadataDocuments.save(document('https://live', 601), at(0));
      await store.deviceGrants.begin(deviceGrant(1), at(0));
      await clock().move({ to: { by: 'offset', milliseconds: 600_000 } }, at(0));

      await clock().move({ to: { by: 'reset' } }, at(0));
      const then = at(1);
      expect(await store.transactions.find('over', 'browser-1', then)).to.equal(undefined);
      expect(await store.codes.find('over', then)).to.equal(undefined);
      expect((await store.codes.find('live', then))?.unused?.code).to.equal('live');
      expect(await store.secondFactors.find(factor, then)).to.equal(undefined);
      expect(await store.samlLogouts.recent(then)).to.deep.equal([]);
      expect(await store.verifiedAuthnRequests.recall('b', 'over', then)).to.equal(false);
      expect(await store.verifiedAuthnRequests.recall('b', 'live', then)).to.equal(true);
      expect(await store.metadataDocuments.find('https://over', then)).to.equal(undefined);
      expect((await store.metadataDocuments.find('https://live', then))?.client_id).to.equal('https://live');
      // Its client still hears that it is over.
      const grant = await store.deviceGrants.findByDeviceCode('device-1', then);
      expect(grant?.expiresAt).to.equal(at(0));
      const again = deviceGrant(1, { createdAt: at(600), expiresAt: at(1200) });
      expect(await store.deviceGrants.begin(again, at(600))).to.equal('begun');
    });
  });
}
