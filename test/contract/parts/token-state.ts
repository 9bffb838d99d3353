// Refresh families and revocations. Their lifetimes use real time, which these tests move by hand.
import { expect } from 'chai';
import { verifies } from '#test/support/verifies.ts';
import { at, type StoreUnderTest } from '../store-under-test.ts';

const days = 24 * 3600;

export function describeTokenState(under: () => StoreUnderTest, advanceReal: (seconds: number) => void): void {
  const token = (line: string, number: number, rotate: boolean, family = 'f1') => ({
    family,
    place: { line, number },
    expiresAt: at(7 * days),
    rotate,
  });
  const tokenState = () => under().store.tokenState;
  const spend = (...which: Parameters<typeof token>) => tokenState().spendRefreshToken(token(...which));
  const isOver = (line: string, number: number) => tokenState().isRefreshTokenSpentOrRevoked('f1', { line, number });

  describe('the token state', () => {
    it('accepts a refresh token once with rotation, and reuse revokes the family but not its access tokens', async () => {
      const outcomes = await Promise.all([1, 2, 3].map(() => spend('l1', 0, true)));
      expect(outcomes).to.deep.equal(['spent', 'reused', 'revoked']);
      expect(await spend('l1', 1, true)).to.equal('revoked');
      expect(await isOver('l1', 1)).to.equal(true);
      expect(await tokenState().isAccessTokenRevoked('f1.x', 'f1')).to.equal(false);
      expect(await spend('l1', 0, true, 'f2')).to.equal('spent');
    });

    it('accepts only the newest refresh token of a family', async () => {
      for (const number of [0, 1, 2]) expect(await spend('l1', number, true)).to.equal('spent');
      expect(await Promise.all([0, 1, 2, 3].map((number) => isOver('l1', number)))).to.deep.equal([
        true,
        true,
        true,
        false,
      ]);
      expect(await spend('l1', 1, true)).to.equal('reused');
      expect(await spend('l1', 3, true)).to.equal('revoked');
    });

    it('keeps a refresh token valid without rotation, and an additional token is independent', async () => {
      expect(await spend('l1', 0, false)).to.equal('spent');
      expect(await spend('l1', 0, false)).to.equal('spent');
      expect(await isOver('l1', 0)).to.equal(false);
      expect([await spend('l2', 0, true), await spend('l1', 0, true)]).to.deep.equal(['spent', 'spent']);
    });

    it('rejects a used token even after rotation is turned off, but does not revoke its family', async () => {
      await spend('l1', 0, true);
      expect(await spend('l1', 0, false)).to.equal('reused');
      expect(await spend('l1', 1, false)).to.equal('spent');
    });

    verifies('SSO-50', 'accepts an assertion once, even if it is used several times at the same moment', async () => {
      const uses = await Promise.all([1, 2, 3].map(() => tokenState().useAssertion('app x', at(60))));
      expect(uses.filter((isFirst) => isFirst)).to.have.length(1);
      expect(await tokenState().useAssertion('app y', at(60))).to.equal(true);
      advanceReal(120);
      expect(await tokenState().useAssertion('app x', at(60))).to.equal(false);
    });

    it('deletes an assertion that has expired, and keeps it while the clock is frozen', async () => {
      const { clock } = under().store;
      const use = (id: string, seconds: number) => tokenState().useAssertion(id, at(seconds));
      expect(await use('short', 60)).to.equal(true);
      expect(await use('long', 7200)).to.equal(true);
      advanceReal(3600);
      expect([await use('short', 60), await use('long', 7200)]).to.deep.equal([true, false]);
      await clock.move({ frozen: true }, at(3600));
      expect(await use('standing', 3660)).to.equal(true);
      advanceReal(3600);
      expect(await use('standing', 3660)).to.equal(false);
      await clock.move({ to: { by: 'offset', milliseconds: 31 * days * 1000 }, frozen: false }, at(7200));
      expect(await use('ahead', 31 * days + 7260)).to.equal(true);
      await clock.move({ to: { by: 'reset' } }, at(7200));
      expect(await use('ahead', 31 * days + 7260)).to.equal(false);
      advanceReal(3600);
      expect(await use('ahead', 31 * days + 7260)).to.equal(true);
    });

    verifies(['REV-03', 'TIM-22'], 'restores nothing when the system clock goes 40 days forward and back', async () => {
      await tokenState().revokeFamily('f1', at(7 * days));
      await tokenState().revokeAccessToken('a1', at(7 * days));
      await spend('l1', 0, true, 'f2');
      advanceReal(40 * days);
      await tokenState().revokeAccessToken('a2', at(41 * days));
      advanceReal(-40 * days);
      expect(await tokenState().isAccessTokenRevoked('x', 'f1')).to.equal(true);
      expect(await tokenState().isAccessTokenRevoked('a1', undefined)).to.equal(true);
      expect(await spend('l1', 0, true, 'f2')).to.equal('reused');
    });

    verifies(['REF-17', 'REV-03', 'TIM-22'], 'keeps a revoked family for 31 days, with its access tokens', async () => {
      await tokenState().revokeFamily('f1', at(7 * days));
      advanceReal(31 * days - 1);
      expect(await tokenState().isAccessTokenRevoked('f1.x', 'f1')).to.equal(true);
      expect(await spend('l1', 0, false)).to.equal('revoked');
    });

    it('keeps each record as long as a token can live', async () => {
      await tokenState().revokeFamily('f1', at(90 * days));
      await tokenState().revokeAccessToken('a1', at(90 * days));
      await spend('l1', 0, true, 'f2');
      advanceReal(90 * days - 1);
      // Storing a new record deletes expired ones.
      await tokenState().revokeAccessToken('a2', at(0));
      expect(await tokenState().isAccessTokenRevoked('f1.x', 'f1')).to.equal(true);
      expect(await tokenState().isAccessTokenRevoked('a1', undefined)).to.equal(true);
      expect(await spend('l1', 0, false, 'f2')).to.equal('spent');
      advanceReal(1);
      await tokenState().revokeAccessToken('a3', at(0));
      expect(await tokenState().isAccessTokenRevoked('a1', undefined)).to.equal(false);
      expect(await tokenState().isAccessTokenRevoked('f1.x', 'f1')).to.equal(false);
    });

    it('does not restore access tokens when reuse follows a revocation', async () => {
      await spend('l1', 0, true);
      await spend('l1', 0, true);
      await tokenState().revokeFamily('f1', at(7 * days));
      expect(await tokenState().isAccessTokenRevoked('f1.x', 'f1')).to.equal(true);
    });

    it('ends one cookie and no other', async () => {
      await tokenState().endCookie('c1', at(60));
      expect(await tokenState().isCookieEnded('c1')).to.equal(true);
      expect(await tokenState().isCookieEnded('c2')).to.equal(false);
      expect(await tokenState().isAccessTokenRevoked('c1', undefined)).to.equal(false);
    });

    it('revokes one access token and no other', async () => {
      await tokenState().revokeAccessToken('a1', at(60));
      expect(await tokenState().isAccessTokenRevoked('a1', undefined)).to.equal(true);
      expect(await tokenState().isAccessTokenRevoked('a2', undefined)).to.equal(false);
    });
  });
}
