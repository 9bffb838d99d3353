import { expect } from 'chai';
import fc from 'fast-check';
import { partsOfUri, uriParts } from '#shared/protocol/oauth2/redirect-uri-parts.ts';
import { matchesPattern, problemOfRedirectUriPattern } from '#shared/protocol/oauth2/redirect-uri-pattern.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a pattern of redirect URIs', () => {
  for (const pattern of [
    'https://preview-*.example.org/callback',
    'https://*.example.org',
    'https://a*b.c-*.example.org:8443/x/*/y-*?z=1',
    'http://127.0.0.1:3000/*',
    'http://[::1]:3000/*/cb',
    'http://localhost/cb/*',
    'myapp://host/*',
    'com.example.app:/cb/*',
    'https://app.example/cb',
  ]) {
    verifies('RDU-04', `may be ${pattern}`, () => {
      expect(problemOfRedirectUriPattern(pattern)).to.equal(undefined);
    });
  }

  for (const [pattern, problem] of [
    ['https://*-*.example.org/', 'at most one *'],
    ['https://**.example.org/', 'at most one *'],
    ['https://app.example/**', 'at most one *'],
    ['https://app.example/a*b*', 'at most one *'],
    ['https://app.*/cb', 'last host label'],
    ['https://*/cb', 'last host label'],
    ['http://pr-*:3000/cb', 'last host label'],
    ['https://*.example./cb', 'empty host label'],
    ['https://*./cb', 'empty host label'],
    ['http*://app.example/cb', 'scheme, port or query'],
    ['*://app.example/cb', 'scheme, port or query'],
    ['*', 'absolute URI'],
    ['https://app.example:*/cb', 'port'],
    ['https://app.example:80*/cb', 'port'],
    ['https://app.example/cb?x=*', 'query'],
    ['https://*@app.example/cb', 'user information'],
    ['https://app.example/cb#*', 'fragment'],
    ['/cb/*', 'absolute URI'],
    ['javascript:*', 'scheme javascript'],
    ['https://', 'host'],
    ['', 'absolute URI'],
  ] as const) {
    verifies('RDU-04', `must not be ${JSON.stringify(pattern)}`, () => {
      expect(problemOfRedirectUriPattern(pattern))
        .to.match(/^must /)
        .and.contain(problem);
    });
  }

  verifies('RDU-04', 'stands for one or more characters of one host label', () => {
    const pattern = 'https://p-*.example.org/cb';
    for (const uri of ['https://p-1.example.org/cb', 'https://p-a-B_2.example.org/cb']) {
      expect(matchesPattern(uri, pattern), uri).to.equal(true);
    }
    for (const uri of [
      ...['https://p-.example.org/cb', 'https://p-a.b.example.org/cb', 'https://p-a/b.example.org/cb'],
      ...['https://p-1.example.org/cb/', 'https://p-1.example.org:443/cb', 'http://p-1.example.org/cb'],
      ...['https://p-1.example.org/cb?x', 'https://p-a@evil.example.org/cb', 'https://p-a:1@b.example.org/cb'],
      ...['https://p-a\\b.example.org/cb', 'https://p-a%2eb.example.org/cb', 'https://p-a\u3002b.example.org/cb'],
      ...['https://p-evil#.example.org/cb', 'https://p-evil?.example.org/cb', 'https://P-1.example.org/cb'],
    ]) {
      expect(matchesPattern(uri, pattern), uri).to.equal(false);
    }
  });

  verifies('RDU-04', 'stands for one or more characters of one path segment', () => {
    const pattern = 'https://app.example/b-*/cb';
    for (const uri of ['https://app.example/b-1/cb', 'https://app.example/b-ü%20(x)@y/cb']) {
      expect(matchesPattern(uri, pattern), uri).to.equal(true);
    }
    for (const uri of [
      ...['https://app.example/b-/cb', 'https://app.example/b-1/2/cb', 'https://app.example/b-1.2/cb'],
      ...['https://app.example/b-%2e/cb', 'https://app.example/b-a%2Fb/cb', 'https://app.example/b-a%5cb/cb'],
      ...['https://app.example/b-1?/cb', 'https://app.example/b-1#/cb', 'https://app.example/b-a b/cb'],
    ]) {
      expect(matchesPattern(uri, pattern), uri).to.equal(false);
    }
    expect(matchesPattern('https://app.example/../cb', 'https://app.example/*/cb')).to.equal(false);
  });

  verifies('RDU-04', 'takes every other character literally', () => {
    expect(matchesPattern('https://aXb.example.org/c+1', 'https://a*b.example.org/c+1')).to.equal(true);
    expect(matchesPattern('https://aXbzexample.org/c+1', 'https://a*b.example.org/c+1')).to.equal(false);
    expect(matchesPattern('https://aXb.example.org/cc1', 'https://a*b.example.org/c+1')).to.equal(false);
    expect(matchesPattern('https://a1.example.org/(x)?y', 'https://a*.example.org/(x)?y')).to.equal(true);
  });

  it('never matches a URI of another host', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        const uri = `https://p-${text}.example.org/cb`;
        if (!matchesPattern(uri, 'https://p-*.example.org/cb')) return;
        expect(new URL(uri).hostname.split('.').slice(1).join('.')).to.equal('example.org');
      }),
      { numRuns: 1000 },
    );
  });

  it('is compared part by part, and the parts are the URI', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: 'binary' })), (uri) => {
        const parts = partsOfUri(uri);
        expect(uriParts.map((part) => parts[part]).join('')).to.equal(uri);
      }),
    );
  });
});
