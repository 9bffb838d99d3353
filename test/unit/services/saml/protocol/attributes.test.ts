import { expect } from 'chai';
import { attributeStatement, attributesOf, selectedAttributes } from '#services/saml/protocol/attributes.ts';
import { userEntryModel, userFromEntry } from '#shared/model/configuration/user-entry.ts';

const rules = { export_roles: false, export_groups: false, roles_attr_name: 'roles', groups_attr_name: 'groups' };
const user = (entry: object) => userFromEntry('u', userEntryModel.parse(entry));
const list = (entry: object, changes: object = {}, occasion: 'sso' | 'query' = 'sso') =>
  attributesOf(user(entry), { ...rules, ...changes }, occasion).map(({ name, values }) => [name, ...values]);

describe('attributesOf', () => {
  it('orders fixed attributes, roles, groups and custom ones', () => {
    const entry = {
      email: 'u@example.org',
      identity_class: 'I',
      entitlements: ['e'],
      source_acl: ['s'],
      roles: ['r'],
      groups: ['g'],
      attributes: { z: 1, a: 2 },
    };
    const both = { export_roles: true, export_groups: true };
    expect(list(entry, both, 'query').map(([name]) => name)).to.deep.equal([
      'email',
      'identity_class',
      'entitlements',
      'source_acl',
      'roles',
      'groups',
      'z',
      'a',
    ]);
    expect(list(entry, both).map(([name]) => name)).to.not.include('source_acl');
  });

  it('writes each value according to its type', () => {
    const attributes = {
      text: 'a,b',
      number: 1.5,
      flag: true,
      object: { a: null },
      mixed: ['x', 1, { b: 2 }, null, ''],
    };
    expect(list({ email: '', attributes })).to.deep.equal([
      ['text', 'a,b'],
      ['number', '1.5'],
      ['flag', 'true'],
      ['object', '{"a":null}'],
      ['mixed', 'x', '1', '{"b":2}', 'null', ''],
    ]);
  });

  it('omits missing and empty attributes, also when a custom attribute replaces another', () => {
    expect(list({ email: '', attributes: { a: '', b: [], c: null } })).to.deep.equal([]);
    expect(list({ email: 'u@example.org', attributes: { email: '' } })).to.deep.equal([]);
    expect(attributeStatement([])).to.equal(undefined);
  });

  it('merges roles and groups under one name, roles first', () => {
    const entry = { email: '', roles: ['b', 'a'], groups: ['c', 'a'] };
    const changes = { export_roles: true, export_groups: true, roles_attr_name: 'm', groups_attr_name: 'm' };
    expect(list(entry, changes)).to.deep.equal([['m', 'b', 'a', 'c']]);
  });

  it('keeps a custom attribute whose name is a JavaScript property', () => {
    const attributes = JSON.parse('{"__proto__":"p","constructor":"c"}');
    expect(attributesOf({ ...user({ email: '' }), attributes }, rules, 'sso')).to.deep.equal([
      { name: '__proto__', values: ['p'] },
      { name: 'constructor', values: ['c'] },
    ]);
  });
});

describe('selectedAttributes', () => {
  it('returns the named attributes in the order of the list, or all if none is named', () => {
    const all = ['a', 'b', 'c'].map((name) => ({ name, values: ['x'] }));
    const requested = new Map(['c', 'x', 'a'].map((name) => [name, []]));
    expect(selectedAttributes(all, requested).map(({ name }) => name)).to.deep.equal(['a', 'c']);
    expect(selectedAttributes(all, new Map())).to.equal(all);
  });

  it('returns only requested values, and no attribute without a value (SAML core §3.3.2.3)', () => {
    const all = ['a', 'b', 'c'].map((name) => ({ name, values: ['x', 'y', 'z'] }));
    const requested = new Map([
      ['a', ['z', 'x', 'w']],
      ['b', ['w']],
      ['c', []],
    ]);
    expect(selectedAttributes(all, requested)).to.deep.equal([
      { name: 'a', values: ['x', 'z'] },
      { name: 'c', values: ['x', 'y', 'z'] },
    ]);
  });
});
