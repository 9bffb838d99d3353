// Device grants: decided once, redeemed once, and kept for a while after their expiry.
import { expect } from 'chai';
import { at, deviceGrant, type StoreUnderTest } from '../store-under-test.ts';

const approval = {
  username: 'alice',
  authenticatedAt: at(10),
  method: 'password+totp',
  amr: ['pwd', 'otp'],
} as const;

/** The grants of these numbers, including the last, as `deviceGrant` creates them. */
export type CopyDeviceGrant = (from: number, to: number) => Promise<void>;

export function describeDeviceGrants(
  under: () => StoreUnderTest,
  copying: () => CopyDeviceGrant | undefined = () => undefined,
): void {
  describe('device grants', () => {
    it('are found by either code, unchanged', async () => {
      const { deviceGrants } = under().store;
      expect(await deviceGrants.begin(deviceGrant(1), at(0))).to.equal('begun');
      expect(await deviceGrants.findByUserCode('USER-1', at(1))).to.deep.equal(deviceGrant(1));
      expect(await deviceGrants.findByDeviceCode('device-1', at(1))).to.deep.equal(deviceGrant(1));
      expect(await deviceGrants.findByUserCode('device-1', at(1))).to.equal(undefined);
    });

    it('record which client of a name began them', async () => {
      const { deviceGrants } = under().store;
      const grant = deviceGrant(1, { clientInstance: 'instance-1' });
      await deviceGrants.begin(grant, at(0));
      expect(await deviceGrants.findByDeviceCode('device-1', at(1))).to.deep.equal(grant);
      await deviceGrants.approve('USER-1', approval, at(10));
      expect(await deviceGrants.findByUserCode('USER-1', at(11))).to.include({ clientInstance: 'instance-1' });
    });

    it('are rejected if either code is in use', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      expect(await deviceGrants.begin(deviceGrant(2, { user_code: 'USER-1' }), at(0))).to.equal('collision');
      expect(await deviceGrants.begin(deviceGrant(2, { device_code: 'device-1' }), at(0))).to.equal('collision');
      expect(await deviceGrants.begin(deviceGrant(2), at(0))).to.equal('begun');
    });

    it('are kept 600 seconds after expiry, so that the client learns of the expiry', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      expect(await deviceGrants.findByDeviceCode('device-1', at(1199))).to.deep.equal(deviceGrant(1));
      expect(await deviceGrants.findByDeviceCode('device-1', at(1200))).to.equal(undefined);
      expect(await deviceGrants.begin(deviceGrant(1, { expiresAt: at(1800) }), at(1200))).to.equal('begun');
    });

    it('are ended, denied or slowed down by a fault while they live, approved or not', async () => {
      const { deviceGrants } = under().store;
      for (const number of [1, 2, 3]) await deviceGrants.begin(deviceGrant(number), at(0));
      await deviceGrants.approve('USER-2', approval, at(10));
      const { intervalSeconds } = deviceGrant(1);
      const found = async (number: number) => deviceGrants.findByDeviceCode(`device-${number}`, at(21));
      expect(await deviceGrants.interfere('device-1', 'expire', at(20))).to.deep.equal(await found(1));
      expect((await found(1))?.expiresAt).to.equal(at(20));
      expect(await deviceGrants.interfere('device-2', 'deny', at(20))).to.deep.equal(await found(2));
      expect(await deviceGrants.redeem('device-2', at(21))).to.equal('not_approved');
      expect(await deviceGrants.interfere('device-3', 'slow_down', at(20))).to.deep.equal(await found(3));
      expect((await found(3))?.intervalSeconds).to.equal(intervalSeconds + 5);
      for (const code of ['device-1', 'device-2', 'nobody']) {
        expect(await deviceGrants.interfere(code, 'deny', at(21))).to.equal(undefined);
      }
    });

    it('are deleted 600 seconds after an end that a fault caused', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      await deviceGrants.interfere('device-1', 'expire', at(20));
      const again = deviceGrant(1, { createdAt: at(619), expiresAt: at(1219) });
      expect(await deviceGrants.begin(again, at(619))).to.equal('collision');
      expect(await deviceGrants.begin(again, at(620))).to.equal('begun');
    });

    it('return the newest other pending grant', async () => {
      const { deviceGrants } = under().store;
      expect(await deviceGrants.newestPendingBeside('device-1', at(0))).to.equal(undefined);
      for (const number of [1, 2, 3]) await deviceGrants.begin(deviceGrant(number), at(0));
      await deviceGrants.deny('USER-3', at(1));
      expect((await deviceGrants.newestPendingBeside('device-1', at(2)))?.user_code).to.equal('USER-2');
      expect((await deviceGrants.newestPendingBeside('device-2', at(2)))?.user_code).to.equal('USER-1');
      expect(await deviceGrants.newestPendingBeside('device-2', at(600))).to.equal(undefined);
    });

    it('are approved once, and then neither denied nor approved again', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      const outcomes = await Promise.all([
        deviceGrants.approve('USER-1', approval, at(10)),
        deviceGrants.approve('USER-1', approval, at(10)),
        deviceGrants.deny('USER-1', at(10)),
      ]);
      expect(outcomes).to.deep.equal(['approved', 'not_pending', 'not_pending']);
      const found = await deviceGrants.findByDeviceCode('device-1', at(11));
      expect(found?.decision).to.deep.equal({ state: 'approved', ...approval });
    });

    it('cannot be decided or redeemed after their expiry', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      await deviceGrants.begin(deviceGrant(2), at(0));
      await deviceGrants.approve('USER-2', approval, at(10));
      expect(await deviceGrants.approve('USER-1', approval, at(600))).to.equal('not_pending');
      expect(await deviceGrants.deny('USER-1', at(600))).to.equal('not_pending');
      expect(await deviceGrants.redeem('device-2', at(600))).to.equal('not_approved');
    });

    it('are redeemed once after approval, and never before it or after a denial', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      await deviceGrants.begin(deviceGrant(2), at(0));
      expect(await deviceGrants.redeem('device-1', at(1))).to.equal('not_approved');
      await deviceGrants.approve('USER-1', approval, at(10));
      await deviceGrants.deny('USER-2', at(10));
      const outcomes = await Promise.all([1, 2, 3].map(() => deviceGrants.redeem('device-1', at(11))));
      expect(outcomes.toSorted()).to.deep.equal(['not_approved', 'not_approved', 'redeemed']);
      expect(await deviceGrants.redeem('device-2', at(11))).to.equal('not_approved');
      expect((await deviceGrants.findByDeviceCode('device-1', at(12)))?.decision.state).to.equal('used');
      expect((await deviceGrants.findByDeviceCode('device-2', at(12)))?.decision).to.deep.equal({ state: 'denied' });
    });

    it('add 5 seconds to the interval each time a client polls too soon', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      expect(await deviceGrants.notePoll('device-1', at(0))).to.equal('in_time');
      expect(await deviceGrants.notePoll('device-1', at(5))).to.equal('in_time');
      expect(await deviceGrants.notePoll('device-1', at(9.999))).to.equal('slow_down');
      expect((await deviceGrants.findByDeviceCode('device-1', at(10)))?.intervalSeconds).to.equal(10);
      expect(await deviceGrants.notePoll('device-1', at(19.9))).to.equal('slow_down');
      expect(await deviceGrants.notePoll('device-1', at(34.9))).to.equal('in_time');
    });

    it('are limited to 10 000, without counting redeemed, denied and expired ones', async function () {
      this.timeout(120_000);
      const { deviceGrants } = under().store;
      const copy = copying();
      const begun = copy === undefined ? 9_999 : 0;
      for (let number = 0; number <= begun; number += 1) await deviceGrants.begin(deviceGrant(number), at(0));
      await copy?.(1, 9_998);
      if (copy !== undefined) expect(await deviceGrants.begin(deviceGrant(9_999), at(0))).to.equal('begun');
      expect(await deviceGrants.begin(deviceGrant(10_000), at(0))).to.equal('full');
      await deviceGrants.approve('USER-0', approval, at(1));
      expect(await deviceGrants.begin(deviceGrant(10_000), at(1))).to.equal('full');
      await deviceGrants.redeem('device-0', at(2));
      expect(await deviceGrants.begin(deviceGrant(10_000), at(2))).to.equal('begun');
      expect(await deviceGrants.begin(deviceGrant(10_001, { expiresAt: at(1200) }), at(600))).to.equal('begun');
    });
  });
}
