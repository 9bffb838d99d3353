import { expect } from 'chai';
import fc from 'fast-check';
import {
  checkResources as checkNamedResources,
  narrowResources as narrowNamedResources,
} from '#shared/model/oauth-rules/resource.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { isAbsoluteUri } from '#shared/protocol/oauth2/absolute-uri.ts';
import { verifies } from '#test/support/verifies.ts';

const any = { allowed_resources: [] };

const accepted = [
  'https://api.example.org',
  'https://api.example.org/',
  'https://api.example.org:8443/v1?tenant=1&x=/?',
  'https://user:pa%20ss@api.example.org/a',
  'urn:example:api',
  'urn:ietf:params:oauth:grant-type:device_code',
  'mailto:someone@example.org',
  'HTTP://EXAMPLE.ORG',
  'http://[2001:db8::1]:80/',
  'http://[::]/',
  'http://[::ffff:192.0.2.1]/',
  'http://[1:2:3:4:5:6:7::]/',
  'http://[::2:3:4:5:6:7:8]/',
  'http://[v1.a:b]/',
  'file:///etc/passwd',
  'a:',
  'a:b/c//d',
  'x-y+z.1:/path',
  "http://host/~!$&'()*+,;=:@-._",
  'http://host/%20%7E',
  'http://host:/',
  'http://',
];

const refused = [
  '',
  'api',
  '/v1',
  '//api.example.org',
  ':x',
  '1a://host',
  'ht tp://host',
  'https://api.example.org#',
  'https://api.example.org/#frag',
  'https://api.example.org/a b',
  'https://api.example.org/\u00e9',
  'https://b\u00fccher.example/',
  'https://api.example.org/%',
  'https://api.example.org/%zz',
  'https://api.example.org/%2',
  'https://api.example.org/"',
  'https://api.example.org/<a>',
  'https://api.example.org/{id}',
  'https://api.example.org/a|b',
  'https://api.example.org/a^b`',
  'https://api.example.org\\evil',
  'https://api.example.org/[x]',
  'https://api.example.org?[x]',
  'https://host:80a/',
  'https://a@b@c/',
  'https://[::1/',
  'https://::1/',
  'https://[1:2:3:4:5:6:7]/',
  'https://[1:2:3:4:5:6:7:8:9]/',
  'https://[1::2::3]/',
  'https://[::12345]/',
  'https://[::256.1.1.1]/',
  'https://[::1.2.3]/',
  'https://[1.2.3.4]/',
  'https://[fe80::1%25eth0]/',
  'https://[v.a]/',
  'https://[::1]x/',
  'https://host/\u0000',
  'https://host/\r\nSet-Cookie: a=b',
  ' https://host/',
  'https://host/ ',
  'https://host/\ud800',
];

type Restricted = Parameters<typeof checkNamedResources>[1];
const named = (resource: readonly string[]) => ({ resource, audience: [] });
const checkResources = (resource: readonly string[], client: Restricted) =>
  checkNamedResources(named(resource), client);
const narrowResources = (resource: readonly string[], bound: readonly string[], client: Restricted) =>
  narrowNamedResources(named(resource), bound, client);

describe('the check of resource indicators', () => {
  for (const uri of accepted) {
    verifies('RES-03', `accepts ${uri}`, () => {
      expect(isAbsoluteUri(uri)).to.equal(true);
    });
  }
  for (const uri of refused) {
    verifies('RES-03', `rejects ${JSON.stringify(uri)}`, () => {
      expect(isAbsoluteUri(uri)).to.equal(false);
      expect(() => checkResources([uri], any))
        .to.throw(OAuthError)
        .with.property('error', 'invalid_target');
    });
  }

  verifies('RES-01', 'ignores duplicates and keeps the order', () => {
    expect(checkResources(['https://b/', 'https://a/', 'https://b/'], any)).to.deep.equal(['https://b/', 'https://a/']);
  });

  verifies('RES-04', 'limits a client with allowed_resources to exactly these values', () => {
    const client = { allowed_resources: ['https://a/'] };
    expect(checkResources(['https://a/'], client)).to.deep.equal(['https://a/']);
    for (const other of ['https://a', 'https://A/', 'https://a/b']) {
      expect(() => checkResources([other], client))
        .to.throw(OAuthError)
        .with.property('error', 'invalid_target');
    }
  });

  it('narrows to a subset of the bound set, or all of it if none is named', () => {
    const bound = ['https://a/', 'https://b/'];
    expect(narrowResources([], bound, any)).to.deep.equal(bound);
    expect(narrowResources(['https://b/', 'https://b/'], bound, any)).to.deep.equal(['https://b/']);
    expect(() => narrowResources(['https://c/'], bound, any)).to.throw(OAuthError);
    expect(() => narrowResources(['https://a/'], [], any)).to.throw(OAuthError);
    expect(() => narrowResources([], bound, { allowed_resources: ['https://a/'] })).to.throw(OAuthError);
    expect(narrowResources(['https://a/'], bound, { allowed_resources: ['https://a/'] })).to.deep.equal(['https://a/']);
  });

  it('agrees with the grammar as a single expression', () => {
    // A second check: RFC 3986 appendix A for everything but IP literals.
    const unit = "(?:[A-Za-z0-9\\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})";
    const pchar = `(?:${unit}|[:@])`;
    const authority = `(?:(?:${unit}|:)*@)?${unit}*(?::[0-9]*)?`;
    const hier = `(?://${authority}(?:/${pchar}*)*|/(?:${pchar}+(?:/${pchar}*)*)?|${pchar}+(?:/${pchar}*)*|)`;
    const grammar = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:${hier}(?:\\?(?:${pchar}|[/?])*)?$`);
    const piece = fc.constantFrom(
      'a',
      'Z',
      '0',
      '/',
      '//',
      ':',
      '@',
      '?',
      '#',
      '%41',
      '%',
      '.',
      '-',
      ' ',
      '\\',
      '"',
      'é',
      '&',
      '=',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = `a:${pieces.join('')}`;
        expect(isAbsoluteUri(text), text).to.equal(grammar.test(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('never throws and stays fast for hostile input', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void isAbsoluteUri(text)));
    for (const filler of ['a', '%41', '/', '[', ':', '@', '0:', '?']) {
      const long = filler.repeat(65_536 / filler.length);
      for (const uri of [`a:${long}`, `a://${long}`, `a://[${long}]`, `a:?${long}`, long]) isAbsoluteUri(uri);
    }
  });
});
