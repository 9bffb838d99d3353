// Requests that wait for a user, while the clock of their namespace is moved. They count toward a limit only if both
// clocks consider them recent.
import { expect } from 'chai';
import { verifies } from '#test/support/verifies.ts';
import { at, deviceGrant, event, type StoreUnderTest, transaction } from '../store-under-test.ts';
import { pushedRequest } from './pushed-requests.ts';
import { samlLogout } from './saml-logouts.ts';

const days = 24 * 3600;
const factor = { browser: 'browser-1', surface: '/login', purpose: '', username: 'alice' } as const;

export function describePending(under: () => StoreUnderTest, advanceReal: (seconds: number) => void): void {
  const begin = (id: string, seconds: number, clientId = 'web', address = '192.0.2.1') =>
    under().store.transactions.begin(transaction(id, { createdAt: at(seconds), clientId }), at(seconds), address);
  const push = (name: string, seconds: number, client_id = 'web') =>
    under().store.pushedRequests.push(pushedRequest(name, { expiresAt: at(seconds + 60), client_id }), at(seconds));
  const record = (id: string, seconds: number) =>
    under().store.secondFactors.record({ ...factor, id, passwordVerifiedAt: at(seconds) }, at(seconds));
  const grant = (number: number, seconds: number, given: { client_id?: string; scope?: string[] } = {}) => {
    const times = { createdAt: at(seconds), expiresAt: at(seconds + 600) };
    return under().store.deviceGrants.begin(deviceGrant(number, { ...times, ...given }), at(seconds));
  };
  const times = async (count: number, work: (number: number) => Promise<unknown>) => {
    for (let number = 0; number < count; number += 1) await work(number);
  };

  describe('a request that waits for a user', () => {
    verifies(
      'AUT-45',
      'does not count if it is a login that began while the clock was ahead, and the oldest such login is evicted',
      async () => {
        await times(1000, (number) => begin(`ahead-${number}`, 31 * days));
        expect(await begin('now', 0)).to.equal('begun');
        expect(await under().store.transactions.find('ahead-0', 'browser-1', at(31 * days))).to.equal(undefined);
        expect(await under().store.transactions.find('ahead-999', 'browser-1', at(31 * days))).to.not.equal(undefined);
      },
    );

    verifies(
      'AUT-45',
      'is evicted for any other client if one client at an address has most of the logins',
      async () => {
        await times(1000, (number) => begin(`t${number}`, 0));
        expect(await begin('same', 0)).to.equal('full');
        expect(await begin('other-client', 0, 'spa')).to.equal('begun');
        expect(await begin('other-address', 0, 'web', '192.0.2.2')).to.equal('begun');
        const found = ['t0', 't1', 't2', 'other-client'].map((id) =>
          under().store.transactions.find(id, 'browser-1', at(1)),
        );
        const pending = (await Promise.all(found)).map((each) => each?.transaction_id);
        expect(pending).to.deep.equal([undefined, undefined, 't2', 'other-client']);
        // The clock is frozen, so nothing expires by it, but logins that began 10 real minutes ago can be evicted.
        advanceReal(599);
        expect(await begin('early', 0)).to.equal('full');
        advanceReal(1);
        expect(await begin('late', 0)).to.equal('begun');
        expect(await under().store.transactions.find('t999', 'browser-1', at(1))).to.not.equal(undefined);
      },
    );

    it('does not count if it was pushed while the clock was ahead', async () => {
      await times(1000, (number) => push(`ahead-${number}`, 31 * days));
      expect(await push('now', 0)).to.equal('pushed');
    });

    it('is evicted for any other client if one client has most of the pushed requests', async () => {
      await times(1000, (number) => push(`p${number}`, 0));
      expect(await push('same', 0)).to.equal('full');
      expect(await push('other', 0, 'spa')).to.equal('pushed');
      expect(await under().store.pushedRequests.find(pushedRequest('p0').request_uri, at(1))).to.equal(undefined);
      advanceReal(60);
      expect(await push('same', 0)).to.equal('pushed');
    });

    verifies(
      'LOG-21',
      'does not count if it is a second factor that came while the clock was ahead, or 5 real minutes ago',
      async () => {
        await times(500, (number) => record(`ahead-${number}`, 31 * days));
        await times(1000, async (number) => expect(await record(`now-${number}`, 0)).to.equal('recorded'));
        expect(await record('more', 0)).to.equal('full');
        advanceReal(300);
        expect(await record('more', 0)).to.equal('recorded');
      },
    );

    it('takes no space if it is a device grant that began while the clock was ahead, or has expired in real time', async () => {
      const large = { scope: ['x'.repeat(1024 * 1024)] };
      await times(31, (number) => grant(number, 31 * days, large));
      await times(31, async (number) => expect(await grant(100 + number, 0, large)).to.equal('begun'));
      expect(await grant(200, 0, large)).to.equal('full');
      advanceReal(600);
      expect(await grant(200, 0, large)).to.equal('begun');
    });

    verifies('TIM-07', 'ends with the return to real time if it began later', async () => {
      const { store } = under();
      for (const seconds of [3600, 0]) {
        const moment = { passwordVerifiedAt: at(seconds) };
        await begin(`t${seconds}`, seconds);
        await push(`p${seconds}`, seconds);
        await grant(seconds, seconds);
        await store.secondFactors.record({ ...factor, ...moment, id: `f${seconds}` }, at(seconds));
        const confirmation = { browser: 'browser-1', sids: [], request: noRequest, askedAt: at(seconds) };
        await store.logoutConfirmations.ask({ ...confirmation, logout_id: `l${seconds}` }, at(seconds));
        await store.samlLogouts.begin({ ...samlLogout(`s${seconds}`), begunAt: at(seconds) }, at(seconds));
      }
      const living = async (seconds: number) => {
        const now = at(seconds);
        const found = [
          await store.transactions.find(`t${seconds}`, 'browser-1', now),
          await store.pushedRequests.find(pushedRequest(`p${seconds}`).request_uri, now),
          await store.deviceGrants.findByDeviceCode(`device-${seconds}`, now),
          await store.secondFactors.find({ ...factor, id: `f${seconds}` }, now),
          await store.logoutConfirmations.find(`l${seconds}`, 'browser-1', now),
          (await store.samlLogouts.recent(now)).find(({ id }) => id === `s${seconds}`),
        ];
        return found.filter((each) => each !== undefined).length;
      };
      expect([await living(0), await living(3600)]).to.deep.equal([6, 6]);
      await store.clock.move({ to: { by: 'offset', milliseconds: 0 } }, at(0));
      expect(await living(3600)).to.equal(6);
      await store.clock.move({ to: { by: 'reset' } }, at(0));
      expect([await living(0), await living(3600)]).to.deep.equal([6, 0]);
    });

    it('ends if it is ahead of the clock’s current time', async () => {
      const { store } = under();
      await begin('early', 0);
      await begin('late', 3600);
      await store.clock.move({ to: { by: 'offset', milliseconds: 3_600_000 } }, at(0));
      await store.clock.endAhead(at(0));
      expect(await store.transactions.find('late', 'browser-1', at(3600))).to.not.equal(undefined);
      await store.clock.move({ to: { by: 'offset', milliseconds: 0 } }, at(0), () => event('clock_changed'));
      await store.clock.endAhead(at(0));
      expect(await store.transactions.find('late', 'browser-1', at(3600))).to.equal(undefined);
    });

    it('is evicted for any other client if one client has most of the device grants', async () => {
      const large = { scope: ['x'.repeat(1024 * 1024)] };
      await times(31, (number) => grant(number, 0, large));
      expect(await grant(100, 0, { ...large, client_id: 'other' })).to.equal('begun');
      expect(await grant(101, 0, large)).to.equal('full');
      expect(await under().store.deviceGrants.findByDeviceCode('device-0', at(1))).to.equal(undefined);
    });
  });
}

const noRequest = { clientId: undefined, hint: undefined, address: undefined, state: undefined };
