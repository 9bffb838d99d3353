// Logouts that wait for the user's confirmation (LGO-10).
import { expect } from 'chai';
import type { LogoutConfirmation } from '#shared/model/domain/logout-confirmation.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, type StoreUnderTest } from '../store-under-test.ts';

const confirmation = (logout_id: string, changes: Partial<LogoutConfirmation> = {}): LogoutConfirmation => ({
  ...{ logout_id, browser: 'b1', sids: ['s1', 's2'], askedAt: at(0) },
  request: { clientId: 'web', hint: { clientId: undefined }, address: 'https://app.example/', state: undefined },
  ...changes,
});

export function describeLogoutConfirmations(under: () => StoreUnderTest): void {
  describe('logout confirmations', () => {
    const port = () => under().store.logoutConfirmations;

    verifies('LGO-10', 'are answered once, by their browser, within ten minutes', async () => {
      await port().ask(confirmation('l1'), at(0));
      expect(await port().find('l1', 'b2', at(1))).to.equal(undefined);
      expect(await port().answer('l1', 'b2', at(1))).to.equal(undefined);
      expect(await port().answer('l1', 'b1', at(600))).to.equal(undefined);
      expect(await port().find('l1', 'b1', at(599))).to.deep.equal(confirmation('l1'));
      const answers = await Promise.all([1, 2, 3].map(() => port().answer('l1', 'b1', at(599))));
      expect(answers.filter((one) => one !== undefined)).to.deep.equal([confirmation('l1')]);
      expect(await port().find('l1', 'b1', at(1))).to.equal(undefined);
    });

    it('are limited in number, and the oldest is deleted', async () => {
      for (let number = 0; number <= 1000; number += 1) await port().ask(confirmation(`l${number}`), at(0));
      expect(await port().find('l0', 'b1', at(1))).to.equal(undefined);
      expect(await port().find('l1', 'b1', at(1))).to.deep.equal(confirmation('l1'));
      expect(await port().find('l1000', 'b1', at(1))).to.deep.equal(confirmation('l1000'));
    });

    it('are limited in bytes, and the oldest is deleted', async () => {
      const request = { ...confirmation('').request, address: 'x'.repeat(1024 * 1024) };
      for (let number = 0; number < 8; number += 1) await port().ask(confirmation(`l${number}`, { request }), at(0));
      expect(await port().find('l0', 'b1', at(1))).to.equal(undefined);
      expect(await port().find('l7', 'b1', at(1))).to.deep.equal(confirmation('l7', { request }));
    });
  });
}
