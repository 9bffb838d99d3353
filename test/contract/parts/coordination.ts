// Rate windows, shared secrets, verified redirect requests and accepted configurations.
import { expect } from 'chai';
import { verifies } from '#test/support/verifies.ts';
import { at, type StoreUnderTest } from '../store-under-test.ts';

export function describeCoordination(under: () => StoreUnderTest): void {
  describe('rate counters', () => {
    it('let so many through in a window, then say when it ends', async () => {
      const { rateCounters } = under().store;
      const counts = [];
      for (let number = 0; number < 4; number += 1) counts.push(await rateCounters.count('token', 3, 60, at(number)));
      expect(counts).to.deep.equal([undefined, undefined, undefined, 57]);
      expect(await rateCounters.count('register', 3, 60, at(4))).to.equal(undefined);
      expect(await rateCounters.count('token', 3, 60, at(59.5))).to.equal(1);
      expect(await rateCounters.count('token', 3, 60, at(60))).to.equal(undefined);
    });
  });

  describe('shared secrets', () => {
    it('are made once and stay', async () => {
      const { sharedSecrets } = under().store;
      let made = 0;
      const create = () => {
        made += 1;
        return `secret-${made}`;
      };
      const asked = await Promise.all([1, 2, 3].map(() => sharedSecrets.get('cookie', create)));
      expect(asked).to.deep.equal(['secret-1', 'secret-1', 'secret-1']);
      expect(await sharedSecrets.get('other', create)).to.equal('secret-2');
    });
  });

  describe('verified redirect requests', () => {
    it('are remembered for their browser for 600 seconds after their last use', async () => {
      const { verifiedAuthnRequests } = under().store;
      await verifiedAuthnRequests.record('browser-1', 'd1', at(0));
      expect(await verifiedAuthnRequests.recall('browser-2', 'd1', at(1))).to.equal(false);
      expect(await verifiedAuthnRequests.recall('browser-1', 'd1', at(599))).to.equal(true);
      expect(await verifiedAuthnRequests.recall('browser-1', 'd1', at(1198))).to.equal(true);
      expect(await verifiedAuthnRequests.recall('browser-1', 'd1', at(1798))).to.equal(false);
    });

    it('are the newest 10 of a browser', async () => {
      const { verifiedAuthnRequests } = under().store;
      for (let number = 0; number < 11; number += 1) {
        await verifiedAuthnRequests.record('browser-1', `d${number}`, at(number));
      }
      await verifiedAuthnRequests.record('browser-2', 'd0', at(11));
      expect(await verifiedAuthnRequests.recall('browser-1', 'd0', at(12))).to.equal(false);
      expect(await verifiedAuthnRequests.recall('browser-1', 'd1', at(12))).to.equal(true);
      expect(await verifiedAuthnRequests.recall('browser-2', 'd0', at(12))).to.equal(true);
    });
  });

  describe('delivered Responses', () => {
    it('are the last one of each service provider', async () => {
      const { deliveredResponses } = under().store;
      expect(await deliveredResponses.last('sp-1')).to.equal(undefined);
      await deliveredResponses.record('sp-1', 'first');
      await deliveredResponses.record('sp-2', 'other');
      await deliveredResponses.record('sp-1', 'second');
      expect(await deliveredResponses.last('sp-1')).to.equal('second');
      expect(await deliveredResponses.last('sp-2')).to.equal('other');
      await deliveredResponses.record('sp-1', 'x'.repeat(256 * 1024 + 1));
      expect(await deliveredResponses.last('sp-1')).to.equal(undefined);
    });

    it('are those of 200 service providers; who got nothing for longest is forgotten', async () => {
      const { deliveredResponses } = under().store;
      for (let number = 0; number < 200; number += 1) await deliveredResponses.record(`sp-${number}`, 'x');
      await deliveredResponses.record('sp-0', 'again');
      await deliveredResponses.record('sp-200', 'x');
      expect(await deliveredResponses.last('sp-0')).to.equal('again');
      expect(await deliveredResponses.last('sp-1')).to.equal(undefined);
      expect(await deliveredResponses.last('sp-2')).to.equal('x');
    });
  });

  describe('configuration generations', () => {
    it('are declared by what changed in a directory, never by files that merely differ', async () => {
      const { generations } = under().store;
      expect(await generations.declare('a', 'users', 'one')).to.equal(1);
      expect(await generations.declare('b', 'users', 'two')).to.equal(2);
      expect(await generations.declare('a', 'users', 'one')).to.equal('behind');
      expect(await generations.declare('b', 'users', 'two')).to.equal(2);
      // A directory that nobody knows brings back what was superseded: it joins.
      expect(await generations.declare('a', 'users', 'three')).to.equal('behind');
      expect(await generations.declare('c', 'users', 'three')).to.equal(3);
      expect(await generations.declare('b', 'users', 'two')).to.equal('behind');
      // Changed back in its own directory, or asked for: declared.
      expect(await generations.declare('d', 'users', 'one')).to.equal(4);
      expect(await generations.declare('a', 'users', 'one')).to.equal(5);
      expect(await generations.accept('b', 'users', 'two')).to.equal(6);
      expect(await generations.declare(undefined, 'users', 'one')).to.equal(7);
      expect(await generations.declare('', 'users', 'one')).to.equal(8);
      expect(await generations.newest()).to.equal(8);
    });

    verifies('CLU-14', 'are not declared by files that say an earlier generation of another directory', async () => {
      const { generations } = under().store;
      const edited = { edited: true } as const;
      await generations.declare('a', 'users', 'one');
      await generations.declare('a', 'users', 'two');
      await generations.accept('first', 'users', 'one');
      await generations.accept('second', 'users', 'one');
      expect(await generations.declare('first', 'users', 'two'), 'copied meanwhile').to.equal('behind');
      expect(await generations.declare('own', 'users', 'two'), 'was never in force').to.equal(4);
      expect(await generations.declare('first', 'users', 'two'), 'its own declaration, taken back').to.equal(5);
      await generations.accept('second', 'users', 'one');
      expect(await generations.declare('own', 'users', 'two')).to.equal('behind');
      expect(await generations.declare('own', 'users', 'two', edited), 'edited while it runs').to.equal(7);
      expect(await generations.declare('own', 'users', 'two', edited)).to.equal(7);
      await generations.accept('second', 'users', 'one');
      expect(await generations.declare('own', 'users', 'two', edited), 'declared before').to.equal('behind');
    });

    verifies('CLU-19', 'are the same where only what belongs to a machine differs', async () => {
      const { generations } = under().store;
      const of = (says: string) => ({ sharedDigest: says });
      expect(await generations.declare('port: 1', 'users', 'one', of('x'))).to.equal(1);
      expect(await generations.declare('port: 2', 'users', 'two', of('x'))).to.equal(1);
      expect(await generations.accept('port: 3', 'users', 'two', of('x'))).to.equal(1);
      expect(await generations.read(1)).to.deep.equal({
        generation: 1,
        settingsText: 'port: 1',
        usersText: 'users',
        ...of('x'),
      });
      expect(await generations.accept('port: 2', 'users', 'two', { ...of('x'), anew: true })).to.equal(2);
      expect(await generations.accept('port: 2 y', 'users', 'two', of('y'))).to.equal(3);
      expect(await generations.declare('port: 9', 'users', 'one', { ...of('x'), edited: true })).to.equal('behind');
      expect(await generations.declare('port: 9', 'users', 'three', of('x')), 'was in force').to.equal('behind');
      const settings = (settingsText: string, says: string) => ({ settingsText, usersText: 'users', ...of(says) });
      const made = settings('port: 1 z', 'z');
      expect(await generations.acceptOver(settings('port: 1', 'x'), made, 'one')).to.equal('moved_on');
      expect(await generations.acceptOver(settings('port: 1', 'y'), made, 'one')).to.equal(4);
    });

    verifies('CLU-19', 'are recognized by their whole texts where an older program declared them', async () => {
      const { generations } = under().store;
      const of = (says: string) => ({ sharedDigest: says });
      await generations.accept('old', 'users', 'one');
      await generations.accept('new', 'users', 'two');
      expect(await generations.declare('old', 'users', 'one', of('o')), 'declared before').to.equal('behind');
      expect(await generations.declare('old', 'users', 'three', of('o')), 'was in force').to.equal('behind');
      expect(await generations.declare('new', 'users', 'three', of('n')), 'is in force').to.equal(2);
    });

    verifies('CLU-21', 'take a change of what is newest, never of what was superseded', async () => {
      const { generations } = under().store;
      const of = (settingsText: string, usersText?: string) => ({ settingsText, usersText });
      expect(await generations.acceptOver(of('a'), of('b'), 'one'), 'nothing to change').to.equal('moved_on');
      await generations.accept('a', undefined, 'one');
      expect(await generations.acceptOver(of('a'), of('b'), 'one')).to.equal(2);
      for (const base of [of('a'), of('b', ''), of('c')]) {
        expect(await generations.acceptOver(base, of('d'), 'two')).to.equal('moved_on');
      }
      expect(await generations.read(2)).to.deep.equal({ generation: 2, ...of('b') });
      expect(await generations.newest()).to.equal(2);
      // What was refused is no declaration of that directory; what was taken is.
      expect(await generations.acceptOver(of('b'), of('e'), 'two')).to.equal(3);
      expect(await generations.acceptOver(of('e'), of('e'), 'two'), 'nothing changed').to.equal(3);
      expect(await generations.acceptOver(of('e'), of('e'), 'two', true), 'other files may have').to.equal(4);
      await generations.accept('f', undefined, 'one');
      expect(await generations.declare('e', undefined, 'two')).to.equal('behind');
    });

    verifies('CLU-21', 'take one of the changes that are made of one base at the same time', async () => {
      const { generations } = under().store;
      const of = (settingsText: string) => ({ settingsText, usersText: undefined });
      await generations.accept('base', undefined, 'one');
      const changes = ['a', 'b', 'c', 'd'].map((text) => generations.acceptOver(of('base'), of(text), `of ${text}`));
      const accepted = await Promise.all(changes);
      expect(accepted.toSorted()).to.deep.equal([2, 'moved_on', 'moved_on', 'moved_on']);
      const winner = ['a', 'b', 'c', 'd'][accepted.indexOf(2)];
      expect((await generations.read(2))?.settingsText).to.equal(winner);
    });

    it('begin with none', async () => {
      const { generations } = under().store;
      expect(await generations.newest()).to.equal(0);
      expect(await generations.read(0)).to.equal(undefined);
    });

    it('grow with every accepted pair of texts; the same texts again are the same generation', async () => {
      const { generations } = under().store;
      expect(await generations.accept('a', undefined)).to.equal(1);
      expect(await generations.accept('a', undefined)).to.equal(1);
      expect(await generations.accept('a', '')).to.equal(2);
      expect(await generations.accept('a', undefined)).to.equal(3);
      expect(await generations.newest()).to.equal(3);
      expect(await generations.read(2)).to.deep.equal({ generation: 2, settingsText: 'a', usersText: '' });
      expect(await generations.read(3)).to.deep.equal({ generation: 3, settingsText: 'a', usersText: undefined });
    });

    it('take the first of several that boot together', async () => {
      const { generations } = under().store;
      const accepted = await Promise.all(['a', 'b', 'c'].map((text) => generations.acceptFirst(text, text)));
      expect(accepted).to.deep.equal(
        Array.from({ length: 3 }, () => ({ generation: 1, settingsText: 'a', usersText: 'a' })),
      );
    });
  });
}
