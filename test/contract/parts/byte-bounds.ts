// What one kind of record may take in bytes, however few records there are.
import { expect } from 'chai';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { at, deviceGrant, event, type StoreUnderTest, transaction, userEntry } from '../store-under-test.ts';
import { samlLogout } from './saml-logouts.ts';

const mebibyte = 1024 * 1024;

export function describeByteBounds(under: () => StoreUnderTest): void {
  describe('room', () => {
    it('for runtime objects is bounded, and comes back when some are removed', async () => {
      const { identities } = under().store;
      const large = userEntry({ attributes: { text: 'x'.repeat(mebibyte) } });
      const create = (number: number) =>
        identities
          .createUser(`user-${number}`, large, at(0), event('runtime_identity_created'))
          .catch((error: unknown) => (error instanceof RuntimeStoreUnavailableError ? error.trouble : error));
      for (let number = 0; number < 31; number += 1) expect(await create(number)).to.have.property('name');
      expect(await create(31)).to.equal('full');
      await identities.remove('user', 'user-0', event('runtime_identity_deleted'));
      expect(await create(31)).to.have.property('name');
      await identities.reset((details) => event('runtime_identities_reset', { details }));
      expect(await create(0)).to.have.property('name');
    });

    it('for transactions is bounded, and comes back when they are over', async () => {
      const { transactions } = under().store;
      const begin = (number: number, seconds: number) => {
        const plain = transaction(`t-${number}`, { createdAt: at(seconds) });
        return transactions.begin({ ...plain, parameters: [['state', 'x'.repeat(mebibyte)]] }, at(seconds));
      };
      for (let number = 0; number < 31; number += 1) expect(await begin(number, 0)).to.equal('begun');
      expect(await begin(31, 0)).to.equal('full');
      expect(await begin(31, 600)).to.equal('begun');
    });

    it('for device grants is bounded', async () => {
      const { deviceGrants } = under().store;
      const begin = (number: number) =>
        deviceGrants.begin(deviceGrant(number, { scope: ['x'.repeat(mebibyte)] }), at(0));
      for (let number = 0; number < 31; number += 1) expect(await begin(number)).to.equal('begun');
      expect(await begin(31)).to.equal('full');
    });

    it('for typed claims is bounded: the oldest give way', async () => {
      const { typedClaims } = under().store;
      const claims = { text: 'x'.repeat(mebibyte) };
      for (let number = 0; number < 17; number += 1) await typedClaims.save({ name: `${number}`, claims }, at(0));
      expect(await typedClaims.find('1')).to.equal(undefined);
      expect(await typedClaims.find('2')).to.deep.equal(claims);
      await typedClaims.save({ name: '2', claims: { text: 'short' } }, at(0));
      expect(await typedClaims.find('3')).to.deep.equal(claims);
      expect(await typedClaims.find('2')).to.deep.equal({ text: 'short' });
    });

    it('for SAML logouts is bounded: the oldest gives way', async () => {
      const { samlLogouts } = under().store;
      const large = { ...samlLogout('x'), address: 'x'.repeat(mebibyte) };
      for (let number = 0; number < 9; number += 1) await samlLogouts.begin({ ...large, id: `${number}` }, at(0));
      const known = (await samlLogouts.recent(at(0))).map(({ id }) => id);
      expect(known).to.deep.equal(['8', '7', '6', '5', '4', '3', '2']);
    });
  });
}
