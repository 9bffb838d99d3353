import { expect } from 'chai';
import { authoritiesOf } from '#shared/engine/tokens/authorities.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { verifies } from '#test/support/verifies.ts';

function authorities(user: object, prefixes: Readonly<Record<string, string>> = {}): readonly string[] {
  const { users } = snapshotOf({ users: { someone: user } });
  const someone = users.get('someone');
  return someone === undefined ? expect.fail('no user') : authoritiesOf(someone, prefixes);
}

const full = {
  roles: ['admin', 'user'],
  groups: ['Staff'],
  identity_class: 'Internal',
  entitlements: ['Read'],
  source_acl: ['acl:X'],
  attributes: { department: 'IT', badges: ['a', 'b'], level: 3, nothing: '' },
};

describe('authorities', () => {
  verifies(['CLM-11', 'CLM-12'], 'are flattened in the contract’s order with the default prefixes', () => {
    expect(authorities(full)).to.deep.equal([
      'ROLE_ADMIN',
      'ROLE_USER',
      'GROUP_STAFF',
      'IDENTITY_Internal',
      'ENT_Read',
      'acl:X',
    ]);
  });

  verifies(
    ['CLM-11', 'CLM-12'],
    'have the configured prefixes, even empty ones, also for attributes with a prefix',
    () => {
      const prefixes = {
        roles: '',
        groups: 'g-',
        source_acl: 'ACL_',
        badges: 'BADGE_',
        department: '',
        level: 'L',
        other: 'x',
      };
      expect(authorities(full, prefixes)).to.deep.equal([
        'ADMIN',
        'USER',
        'g-STAFF',
        'IDENTITY_Internal',
        'ENT_Read',
        'ACL_acl:X',
        'IT',
        'BADGE_a',
        'BADGE_b',
        'L3',
      ]);
    },
  );

  verifies('CLM-11', 'are empty for a user without roles, groups and other sources', () => {
    expect(authorities({ roles: [] }, { nothing: 'x' })).to.deep.equal([]);
  });
});
