// Refresh families and revocations.
import { expect } from 'chai';
import { at, type StoreUnderTest } from '../store-under-test.ts';

const days = 24 * 3600;

export function describeTokenState(under: () => StoreUnderTest): void {
  const use = (jti: string, rotate: boolean) => ({ family: 'f1', jti, expiresAt: at(7 * days), rotate });

  describe('token state', () => {
    it('spends a refresh token once under rotation; reuse revokes the family but not its access tokens', async () => {
      const { tokenState } = under().store;
      const outcomes = await Promise.all([1, 2, 3].map(() => tokenState.spendRefreshToken(use('j1', true), at(0))));
      expect(outcomes).to.deep.equal(['spent', 'reused', 'revoked']);
      expect(await tokenState.spendRefreshToken(use('j2', true), at(1))).to.equal('revoked');
      expect(await tokenState.isRefreshTokenSpentOrRevoked('j2', 'f1', at(1))).to.equal(true);
      expect(await tokenState.isAccessTokenRevoked('f1.x', 'f1', at(1))).to.equal(false);
      expect(await tokenState.spendRefreshToken({ ...use('j9', true), family: 'f2' }, at(1))).to.equal('spent');
    });

    it('leaves a refresh token valid without rotation', async () => {
      const { tokenState } = under().store;
      expect(await tokenState.spendRefreshToken(use('j1', false), at(0))).to.equal('spent');
      expect(await tokenState.spendRefreshToken(use('j1', false), at(1))).to.equal('spent');
      expect(await tokenState.isRefreshTokenSpentOrRevoked('j1', 'f1', at(1))).to.equal(false);
    });

    it('keeps refusing a used token when rotation is turned off meanwhile, without revoking its family', async () => {
      const { tokenState } = under().store;
      await tokenState.spendRefreshToken(use('j1', true), at(0));
      expect(await tokenState.spendRefreshToken(use('j1', false), at(1))).to.equal('reused');
      expect(await tokenState.spendRefreshToken(use('j2', false), at(1))).to.equal('spent');
    });

    it('remembers a revoked family for 31 days, with its access tokens', async () => {
      const { tokenState } = under().store;
      await tokenState.revokeFamily('f1', at(0));
      expect(await tokenState.isAccessTokenRevoked('f1.x', 'f1', at(31 * days - 1))).to.equal(true);
      expect(await tokenState.spendRefreshToken(use('j1', false), at(31 * days - 1))).to.equal('revoked');
      expect(await tokenState.isAccessTokenRevoked('f1.x', 'f1', at(31 * days))).to.equal(false);
    });

    it('does not give access tokens back when reuse follows a revocation', async () => {
      const { tokenState } = under().store;
      await tokenState.spendRefreshToken(use('j1', true), at(0));
      await tokenState.spendRefreshToken(use('j1', true), at(1));
      await tokenState.revokeFamily('f1', at(2));
      expect(await tokenState.isAccessTokenRevoked('f1.x', 'f1', at(3))).to.equal(true);
    });

    it('revokes one access token until it expires, and no other', async () => {
      const { tokenState } = under().store;
      await tokenState.revokeAccessToken('a1', at(60), at(0));
      expect(await tokenState.isAccessTokenRevoked('a1', undefined, at(59))).to.equal(true);
      expect(await tokenState.isAccessTokenRevoked('a2', undefined, at(59))).to.equal(false);
      expect(await tokenState.isAccessTokenRevoked('a1', undefined, at(60))).to.equal(false);
    });
  });
}
