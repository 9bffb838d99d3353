// Transactions and codes: at most one code for each transaction, and at most one redemption of each code.
import { expect } from 'chai';
import { at, code, type StoreUnderTest, transaction } from '../store-under-test.ts';

export function describeAuthorization(under: () => StoreUnderTest): void {
  describe('transactions', () => {
    it('are returned unchanged, and only to their browser', async () => {
      const { transactions } = under().store;
      expect(await transactions.begin(transaction('t1'), at(0))).to.equal('begun');
      expect(await transactions.find('t1', 'browser-1', at(1))).to.deep.equal(transaction('t1'));
      expect(await transactions.find('t1', 'browser-2', at(1))).to.equal(undefined);
      expect(await transactions.find('t2', 'browser-1', at(1))).to.equal(undefined);
    });

    it('expire 600 seconds after their creation', async () => {
      const { transactions } = under().store;
      await transactions.begin(transaction('t1'), at(0));
      expect(await transactions.find('t1', 'browser-1', at(599.999))).to.not.equal(undefined);
      expect(await transactions.find('t1', 'browser-1', at(600))).to.equal(undefined);
      expect(await transactions.pendingOf('browser-1', at(600))).to.deep.equal([]);
      expect(await transactions.complete('t1', 'browser-1', code('c1'), at(600))).to.equal('gone');
    });

    it('are listed for a browser, oldest first', async () => {
      const { transactions } = under().store;
      await transactions.begin(transaction('t2'), at(0));
      await transactions.begin(transaction('t1'), at(0));
      await transactions.begin(transaction('t3', { direct: true }), at(0));
      await transactions.begin(transaction('t4', { browser: 'browser-2' }), at(0));
      const pending = await transactions.pendingOf('browser-1', at(1));
      expect(pending.map(({ transaction_id }) => transaction_id)).to.deep.equal(['t2', 't1', 't3']);
    });

    it('are limited to 1000 pending ones, and expired ones free their places', async () => {
      const { transactions } = under().store;
      for (let number = 0; number < 1000; number += 1) {
        const createdAt = at(number < 500 ? 0 : 100);
        expect(await transactions.begin(transaction(`t${number}`, { createdAt }), at(100))).to.equal('begun');
      }
      expect(await transactions.begin(transaction('more', { createdAt: at(100) }), at(100))).to.equal('full');
      expect(await transactions.find('t0', 'browser-1', at(100))).to.not.equal(undefined);
      expect(await transactions.begin(transaction('more', { createdAt: at(600) }), at(600))).to.equal('begun');
    });

    it('evict the oldest embedded one at the limit', async () => {
      const { transactions } = under().store;
      for (let number = 0; number < 1000; number += 1) {
        const embedded = number === 300 || number === 600;
        await transactions.begin(transaction(`t${number}`, { embedded }), at(0));
      }
      const held = async (id: string) => (await transactions.find(id, 'browser-1', at(1))) !== undefined;
      expect(await transactions.begin(transaction('first'), at(1))).to.equal('begun');
      expect([await held('t300'), await held('t600')]).to.deep.equal([false, true]);
      expect(await transactions.begin(transaction('second', { embedded: true }), at(1))).to.equal('begun');
      expect([await held('t600'), await held('second'), await held('t0')]).to.deep.equal([false, true, true]);
      expect(await transactions.begin(transaction('third'), at(1))).to.equal('begun');
      expect(await held('second')).to.equal(false);
      expect(await transactions.begin(transaction('fourth'), at(1))).to.equal('full');
    });

    it('are consumed together with the second factor that waits for them', async () => {
      const { transactions, secondFactors } = under().store;
      const login = { browser: 'browser-1', username: 'carol', passwordVerifiedAt: at(0) };
      const own = { id: 't1', surface: '/authorize', purpose: 't1', ...login } as const;
      const other = { id: 'f1', surface: '/login', purpose: 't1', ...login } as const;
      await transactions.begin(transaction('t1'), at(0));
      await secondFactors.record(own, at(0));
      await secondFactors.record(other, at(0));
      expect(await transactions.complete('t1', 'browser-2', code('c1'), at(1))).to.equal('gone');
      expect(await secondFactors.find(own, at(1))).to.not.equal(undefined);
      expect(await transactions.complete('t1', 'browser-1', code('c1'), at(1))).to.equal('completed');
      expect(await secondFactors.find(own, at(1))).to.equal(undefined);
      expect(await secondFactors.find(other, at(1))).to.not.equal(undefined);
    });

    it('complete once, even with simultaneous attempts', async () => {
      const { transactions, codes } = under().store;
      await transactions.begin(transaction('t1'), at(0));
      const outcomes = await Promise.all(
        ['a', 'b', 'c', 'd'].map((value) => transactions.complete('t1', 'browser-1', code(value), at(1))),
      );
      expect(outcomes.toSorted()).to.deep.equal(['completed', 'gone', 'gone', 'gone']);
      const found = await Promise.all(['a', 'b', 'c', 'd'].map((value) => codes.find(value, at(2))));
      expect(found.filter((record) => record !== undefined)).to.have.length(1);
    });

    it('are not completed by another browser, and stay for their own', async () => {
      const { transactions } = under().store;
      await transactions.begin(transaction('t1'), at(0));
      expect(await transactions.complete('t1', 'browser-2', code('c1'), at(1))).to.equal('gone');
      expect(await transactions.complete('t1', 'browser-1', code('c1'), at(1))).to.equal('completed');
    });

    it('can end without a code', async () => {
      const { transactions } = under().store;
      await transactions.begin(transaction('t1'), at(0));
      await transactions.end('t1', at(1));
      expect(await transactions.complete('t1', 'browser-1', code('c1'), at(1))).to.equal('gone');
    });
  });

  describe('codes', () => {
    it('return the record for 600 seconds, used or not', async () => {
      const { codes } = under().store;
      await codes.issue(code('c1'), at(0));
      expect(await codes.find('c1', at(599))).to.deep.equal({
        client_id: 'web',
        username: 'alice',
        unused: code('c1'),
      });
      await codes.redeem('c1', 'web', 'family-1', at(1));
      expect(await codes.find('c1', at(599))).to.deep.equal({ client_id: 'web', username: 'alice', unused: undefined });
      expect(await codes.find('c1', at(600))).to.equal(undefined);
      expect(await codes.redeem('c1', 'web', 'family-2', at(600))).to.deep.equal({ outcome: 'unknown' });
    });

    it('are redeemed once, and a second redemption revokes the first one’s family with its access tokens', async () => {
      const { codes, tokenState } = under().store;
      await codes.issue(code('c1'), at(0));
      const outcomes = await Promise.all(
        ['f1', 'f2', 'f3'].map(async (family) => ({ family, ...(await codes.redeem('c1', 'web', family, at(1))) })),
      );
      const winner = outcomes.find(({ outcome }) => outcome === 'redeemed');
      expect(outcomes.map(({ outcome }) => outcome).toSorted()).to.deep.equal(['redeemed', 'used', 'used']);
      expect(await tokenState.isAccessTokenRevoked('x', winner?.family)).to.equal(true);
      const loser = outcomes.find(({ outcome }) => outcome === 'used');
      expect(await tokenState.isAccessTokenRevoked('x', loser?.family)).to.equal(false);
    });

    it('are unknown to another client, whose attempt revokes nothing', async () => {
      const { codes, tokenState } = under().store;
      await codes.issue(code('c1'), at(0));
      await codes.redeem('c1', 'web', 'family-1', at(1));
      expect(await codes.redeem('c1', 'other', 'family-2', at(2))).to.deep.equal({ outcome: 'unknown' });
      expect(await tokenState.isAccessTokenRevoked('x', 'family-1')).to.equal(false);
    });
  });
}
