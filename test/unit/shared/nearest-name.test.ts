import { expect } from 'chai';
import { nearestName } from '#shared/nearest-name.ts';

describe('the nearest name', () => {
  const names = ['start', 'oidc', 'saml', 'mcp', 'validate-config', 'config-schema', 'init', 'password'];
  for (const [written, meant] of [
    ['strat', 'start'],
    ['Start', 'start'],
    ['odic', 'oidc'],
    ['pasword', 'password'],
    ['validate_config', 'validate-config'],
    ['serve', undefined],
    ['x', undefined],
    ['', undefined],
  ] as const) {
    it(`of '${written}' is ${meant ?? 'none'}`, () => expect(nearestName(written, names)).to.equal(meant));
  }

  it('is the first of several that are equally near', () => {
    expect(nearestName('hosts', ['host', 'hosta'])).to.equal('host');
  });
});
