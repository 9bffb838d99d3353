import { expect } from 'chai';
import fc from 'fast-check';
import { systemRandomness } from '#shared/base/random.ts';
import { drawUserCode, normalizeUserCode } from '#shared/protocol/oauth2/user-code.ts';
import { verifies } from '#test/support/verifies.ts';

describe('user codes', () => {
  verifies('DEV-02', 'have eight letters that cannot be confused, and use every such letter', () => {
    const drawn = Array.from({ length: 400 }, () => drawUserCode((bound) => systemRandomness.integerBelow(bound)));
    for (const code of drawn) expect(code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
    expect([...new Set(drawn.join(''))].sort().join('')).to.equal('BCDFGHJKLMNPQRSTVWXZ');
    expect(new Set(drawn).size).to.equal(400);
  });

  verifies('DEV-10', 'are accepted in any case, with hyphens and spaces anywhere', () => {
    expect(normalizeUserCode('bcdf-ghjk')).to.equal('BCDFGHJK');
    expect(normalizeUserCode('  BcDf GhJk\t')).to.equal('BCDFGHJK');
    expect(normalizeUserCode('b-c-d-f-g-h-j-k')).to.equal('BCDFGHJK');
    expect(normalizeUserCode('bcdf–ghjk')).to.equal('BCDFGHJK');
  });

  it('do not change when they are normalized twice, and other characters never become letters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (typed) => {
        const code = normalizeUserCode(typed);
        expect(normalizeUserCode(code)).to.equal(code);
        const letters = (text: string) => text.replace(/[^a-zA-Z]/g, '').toUpperCase();
        expect(letters(code)).to.equal(letters(typed));
      }),
    );
  });
});
