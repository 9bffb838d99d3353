// Pending second factors: bound to browser, page and purpose, used once.
import { expect } from 'chai';
import { userEntryModel } from '#shared/model/configuration/user-entry.ts';
import type { PendingSecondFactor } from '#shared/model/domain/pending-second-factor.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, event, type StoreUnderTest } from '../store-under-test.ts';

const pending: PendingSecondFactor = {
  id: 'p1',
  browser: 'browser-1',
  surface: '/saml/sso',
  purpose: 'digest',
  username: 'alice',
  passwordVerifiedAt: at(0),
};

export function describeSecondFactors(under: () => StoreUnderTest): void {
  describe('pending second factors', () => {
    it('are found only in their browser, at their page and for their purpose, for 300 seconds', async () => {
      const { secondFactors } = under().store;
      expect(await secondFactors.record(pending, at(0))).to.equal('recorded');
      expect(await secondFactors.find(pending, at(299))).to.deep.equal(pending);
      expect(await secondFactors.find({ ...pending, browser: 'browser-2' }, at(1))).to.equal(undefined);
      expect(await secondFactors.find({ ...pending, surface: '/login' }, at(1))).to.equal(undefined);
      expect(await secondFactors.find({ ...pending, purpose: 'other' }, at(1))).to.equal(undefined);
      expect(await secondFactors.find(pending, at(300))).to.equal(undefined);
      expect(await secondFactors.use(pending, at(300))).to.equal(false);
    });

    it('are used once, even with simultaneous attempts', async () => {
      const { secondFactors } = under().store;
      await secondFactors.record(pending, at(0));
      expect(await secondFactors.use({ ...pending, purpose: 'other' }, at(1))).to.equal(false);
      const outcomes = await Promise.all([1, 2, 3].map(() => secondFactors.use(pending, at(1))));
      expect(outcomes.filter(Boolean)).to.have.length(1);
      expect(await secondFactors.find(pending, at(1))).to.equal(undefined);
    });

    verifies(['LOG-24', 'RUN-14'], 'are invalid once their runtime user was deleted, replaced or reset', async () => {
      const { secondFactors, identities } = under().store;
      const create = (name: string, replaced?: string) =>
        identities.createUser(
          name,
          userEntryModel.parse({}),
          at(0),
          event('runtime_identity_created'),
          replaced === undefined ? undefined : event('runtime_identity_deleted'),
        );
      for (const name of ['ann', 'bea', 'cleo', 'dora']) {
        if (name !== 'dora') await create(name);
        await secondFactors.record({ ...pending, id: name, username: name }, at(0));
      }
      const withdrawn = async () => {
        const names = ['ann', 'bea', 'cleo', 'dora'];
        const found = await Promise.all(names.map((id) => secondFactors.find({ ...pending, id }, at(1))));
        return found.map((factor) => factor?.username);
      };
      await identities.remove('user', 'ann', event('runtime_identity_deleted'));
      expect(await withdrawn()).to.deep.equal(['', 'bea', 'cleo', 'dora']);
      await create('bea', 'replaced');
      expect(await withdrawn()).to.deep.equal(['', '', 'cleo', 'dora']);
      await identities.reset(() => event('runtime_identities_reset'));
      expect(await withdrawn()).to.deep.equal(['', '', '', 'dora']);
    });

    it('are discarded only by their browser', async () => {
      const { secondFactors } = under().store;
      await secondFactors.record(pending, at(0));
      await secondFactors.discard({ ...pending, browser: 'browser-2' });
      expect(await secondFactors.find(pending, at(1))).to.deep.equal(pending);
      await secondFactors.discard(pending);
      expect(await secondFactors.find(pending, at(1))).to.equal(undefined);
    });

    it('are limited to 1000, where storing one again takes no other place and an expired one frees its place', async () => {
      const { secondFactors } = under().store;
      for (let number = 0; number < 1000; number += 1) {
        await secondFactors.record({ ...pending, id: `p${number}` }, at(0));
      }
      expect(await secondFactors.record({ ...pending, id: 'more' }, at(1))).to.equal('full');
      expect(await secondFactors.record({ ...pending, id: 'p7', username: 'bob' }, at(1))).to.equal('recorded');
      expect((await secondFactors.find({ ...pending, id: 'p7' }, at(1)))?.username).to.equal('bob');
      const later = { ...pending, id: 'more', passwordVerifiedAt: at(300) };
      expect(await secondFactors.record(later, at(300))).to.equal('recorded');
    });
  });
}
