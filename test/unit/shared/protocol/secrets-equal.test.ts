import { expect } from 'chai';
import fc from 'fast-check';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';

describe('the comparison of secrets', () => {
  it('is true for equal strings only', () => {
    expect(secretsEqual('', '')).to.equal(true);
    expect(secretsEqual('secret', 'secret')).to.equal(true);
    expect(secretsEqual('secret', 'Secret')).to.equal(false);
    expect(secretsEqual('secret', 'secret ')).to.equal(false);
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(secretsEqual(one, other)).to.equal(one === other);
        expect(secretsEqual(one, one)).to.equal(true);
      }),
    );
  });
});
