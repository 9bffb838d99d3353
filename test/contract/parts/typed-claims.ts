// Claims typed for one login, and what keeps them for tokens. They go by real time, which these tests move by hand.
import { expect } from 'chai';
import { verifies } from '#test/support/verifies.ts';
import { at, code, deviceGrant, type StoreUnderTest, transaction } from '../store-under-test.ts';
import { logIn } from './sessions.ts';

const days = 24 * 3600;
const claims = { name: 'Al', 'https://example.com/plan': { tier: ['gold', null] }, off: false };

export function describeTypedClaims(under: () => StoreUnderTest, advanceReal: (seconds: number) => void): void {
  const typedClaims = () => under().store.typedClaims;

  describe('typed claims', () => {
    it('are found as they were typed, by their name alone', async () => {
      const strange = JSON.parse('{"__proto__":{"x":1},"constructor":"c"}');
      await typedClaims().save({ name: 'one', claims }, at(60));
      await typedClaims().save({ name: 'two', claims: strange }, at(60));
      expect(await typedClaims().find('one')).to.deep.equal(claims);
      expect(JSON.stringify(await typedClaims().find('two'))).to.equal('{"__proto__":{"x":1},"constructor":"c"}');
      expect(await typedClaims().find('three')).to.equal(undefined);
    });

    verifies(['PCL-18', 'TIM-22'], 'are kept for 31 days, as long as tokens live, longer with each use', async () => {
      await typedClaims().save({ name: 'short', claims }, at(60));
      await typedClaims().save({ name: 'long', claims }, at(90 * days));
      await typedClaims().save({ name: 'used', claims }, at(60));
      advanceReal(31 * days - 1);
      expect(await typedClaims().find('short')).to.deep.equal(claims);
      await typedClaims().save({ name: 'used', claims }, at(60));
      advanceReal(1);
      // Whoever keeps something new forgets what is over.
      await typedClaims().save({ name: 'new', claims }, at(60));
      expect(await typedClaims().find('short')).to.equal(undefined);
      expect(await typedClaims().find('used')).to.deep.equal(claims);
      expect(await typedClaims().find('long')).to.deep.equal(claims);
      // Nothing is kept shorter than was said before.
      await typedClaims().save({ name: 'long', claims }, at(0));
      advanceReal(59 * days - 1);
      expect(await typedClaims().find('long')).to.deep.equal(claims);
      advanceReal(3 * days);
      expect(await typedClaims().find('long')).to.equal(undefined);
    });

    it('stay where the clock of the namespace goes back', async () => {
      await typedClaims().save({ name: 'one', claims }, at(60));
      await under().store.clock.move({ to: { by: 'offset', milliseconds: 400 * days * 1000 } }, at(0));
      await under().store.clock.move({ to: { by: 'offset', milliseconds: -1000 } }, at(0));
      expect(await typedClaims().find('one')).to.deep.equal(claims);
    });

    verifies('PCL-18', 'go along with a transaction, a session, a code and what redeems it', async () => {
      const { transactions, codes, sessions } = under().store;
      const began = transaction('t', { browser: 'b' });
      await transactions.begin(began, at(0));
      const login = { username: 'alice', method: 'persona', authenticatedAt: at(0), amr: undefined } as const;
      const progress = { ...login, loggedIn: true, chosen: false, claims };
      const step = { progress, logIn: logIn('s1', { claims }) };
      expect(await transactions.advance(began, step, at(0))).to.equal('advanced');
      const found = await transactions.find('t', 'b', at(1));
      expect(found?.progress?.claims).to.deep.equal(claims);
      // Whoever has seen it like this takes the next step.
      const limits = { lifetimeSeconds: 28_800, idleSeconds: 3600 };
      const [account] = await sessions.accounts('cookie-1', undefined, limits, at(1));
      expect(account?.claims).to.deep.equal(claims);
      expect(found && (await transactions.advance(found, { progress }, at(1)))).to.equal('advanced');
      await sessions.logIn(logIn('s2', { formerCookie: 'cookie-1', authenticatedAt: at(2) }), at(2));
      const [renewed] = await sessions.accounts('cookie-1', undefined, limits, at(3));
      expect([renewed?.sid, renewed?.claims]).to.deep.equal(['s1', undefined]);

      await codes.issue({ ...code('c'), claims }, at(0));
      const { unused } = (await codes.find('c', at(1))) ?? {};
      expect(unused?.claims).to.deep.equal(claims);
      const redeem = (family: string) => codes.redeem('c', 'web', family, at(1), at(60), { claims });
      const outcomes = await Promise.all([redeem('f1'), redeem('f2')]);
      expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(['redeemed', 'used']);
      expect(await typedClaims().find('f1')).to.deep.equal(claims);
      expect(await typedClaims().find('f2')).to.equal(undefined);
    });

    verifies('PCL-18', 'go along with the approval of a device', async () => {
      const { deviceGrants } = under().store;
      await deviceGrants.begin(deviceGrant(1), at(0));
      const login = { username: 'alice', authenticatedAt: at(0), method: 'persona', amr: undefined } as const;
      await deviceGrants.approve('USER-1', { ...login, claims }, at(0));
      const { decision } = (await deviceGrants.findByDeviceCode('device-1', at(1))) ?? {};
      expect(decision).to.deep.include({ state: 'approved', claims });
      const redeem = (name: string) => deviceGrants.redeem('device-1', at(1), { name, claims, until: at(60) });
      expect(await Promise.all([redeem('f1'), redeem('f2')])).to.deep.equal(['redeemed', 'not_approved']);
      expect(await typedClaims().find('f1')).to.deep.equal(claims);
      expect(await typedClaims().find('f2')).to.equal(undefined);
    });
  });
}
