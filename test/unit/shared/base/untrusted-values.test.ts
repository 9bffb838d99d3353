// What external values must not contain, at any place.

import { expect } from 'chai';
import { problemOfName } from '#services/management/pages/names-in-addresses.ts';
import { pathOfNul, unusableMember } from '#shared/base/untrusted-values.ts';
import { readTypedClaims } from '#shared/engine/login/read-typed-claims.ts';
import { readServiceProviderEntry } from '#shared/model/configuration/read-entry.ts';
import { sentences } from '#test/support/sentences.ts';

describe('an external value that contains U+0000', () => {
  it('is detected in strings and member names, at any depth that a value may have', () => {
    expect(pathOfNul({ a: ['b', { c: 'd\0' }] })).to.deep.equal(['a', '1', 'c']);
    expect(pathOfNul({ 'a\0': 1 })).to.deep.equal(['a\\u0000']);
    expect(pathOfNul({ a: ['\u2400', 1, null, true] })).to.equal(undefined);
    expect(unusableMember(JSON.parse('{"a":{"__proto__":1}}'))?.path).to.deep.equal(['a', '__proto__']);
  });

  it('is rejected in a service provider, in claims of a login and in a name in a form', () => {
    const refused = { outcome: 'refused', message: sentences.nulIn('entity_id') };
    expect(readServiceProviderEntry({ entity_id: 'https://sp\0' })).to.deep.equal(refused);
    const { problem } = { problem: undefined, ...readTypedClaims('{"given_name":"A\\u0000"}') };
    expect(problem).to.match(/\.given_name must not contain the character U\+0000\.$/);
    expect(problemOfName('al\0ice', 'username')).to.equal('The username must not contain the character U+0000.');
  });
});
