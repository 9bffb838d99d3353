import { expect } from 'chai';
import fc from 'fast-check';
import { matchRedirectUri } from '#shared/model/oauth-rules/match-redirect-uri.ts';
import { appendToRedirectUri } from '#shared/model/oauth-rules/redirect-uri.ts';
import { acceptableRedirectUri } from '#shared/protocol/oauth2/acceptable-redirect-uri.ts';
import { verifies } from '#test/support/verifies.ts';

const dev = { lenientRedirectUris: true };
const gated = { lenientRedirectUris: false };
const eachProfile = [dev, gated];

/** Whether the only registered URI matches in this profile. */
function matchesRegisteredRedirectUri(uri: string, registered: string, rules = gated): boolean {
  return matchRedirectUri(uri, { uris: [registered], patterns: [], isAnyPort: true }, rules).how !== 'none';
}

describe('the check of redirect URIs', () => {
  for (const uri of [
    'http://127.0.0.1:9/callback',
    'https://app.example/cb?x=%2f&flag&y=%20',
    'https://app.example',
    'http://[::1]:3000/',
    'HTTPS://APP.example/cb',
    'com.example.app:/callback',
    'com.example.app://callback',
    'com.example.app:callback',
    'https://ünïcode.example/päth',
    'http://127.0.0.1:/cb',
    'http://user@app.example/cb',
    'com.example.app:///cb',
    // Not URIs according to RFC 3986, but the URL Standard parses them (D37).
    'https://app.example/a b?x[]={y}|"z"',
    'https://app.example/%zz',
  ]) {
    it(`accepts ${uri}`, () => {
      for (const rules of eachProfile) expect(acceptableRedirectUri(uri, rules)).to.equal(undefined);
    });
  }

  for (const uri of [
    '/callback',
    'callback',
    '//app.example/cb',
    'app.example/cb',
    'https:app.example/cb',
    'https:/app.example/cb',
    'https:\\\\app.example\\cb',
    'https://',
    'https:///',
    'http:///cb',
    'http:////app.example/cb',
    'http://?x',
    'https://app.example/a\\b',
    'https://app.example/\tcb',
    'https://app.ex\u0085ample/cb',
    'https://app.example/cb#',
    'https://app.example/cb#part',
    'https://app.example:99999/',
    'https://[::1',
    'https://app.example\r\nSet-Cookie: a=b/',
    ' https://app.example/cb',
    'https://app.example/cb\u0000',
    'com.example.app:',
    'com.example.app:?a=b',
    'com.example.app:#',
    '',
  ]) {
    verifies('AUT-12', `rejects ${JSON.stringify(uri)}`, () => {
      for (const rules of eachProfile) {
        expect(acceptableRedirectUri(uri, rules))
          .to.be.a('string')
          .that.matches(/^must /);
      }
    });
  }

  for (const uri of ['myapp:/cb', 'cursor://host/path', 'urn:a:b']) {
    verifies(['AUT-13', 'RDU-02'], `accepts the scheme of ${uri} only under dev`, () => {
      expect(acceptableRedirectUri(uri, dev)).to.equal(undefined);
      expect(acceptableRedirectUri(uri, gated)).to.equal(
        'must have the scheme http, https or a private-use scheme that contains a period',
      );
    });
  }

  for (const uri of [
    ...['javascript:alert(1)', 'JavaScript://app.example/%0aalert(1)', 'data:text/html,x', 'file:///etc/passwd'],
    ...['vbscript:x', 'blob:https://app.example/1', 'about:blank', 'FileSystem:https://app.example/x'],
    ...['view-source:https://app.example/', 'ws://app.example/', 'WSS://app.example/', 'ftp://app.example/cb'],
  ]) {
    verifies('RDU-03', `rejects the scheme of ${uri} in every profile`, () => {
      const scheme = uri.slice(0, uri.indexOf(':')).toLowerCase();
      for (const rules of eachProfile) {
        expect(acceptableRedirectUri(uri, rules)).to.equal(`must not have the scheme ${scheme}`);
      }
    });
  }

  it('rejects an address without http://, which parses as a scheme', () => {
    expect(acceptableRedirectUri('localhost:3000/cb', dev)).to.equal('must begin with http:// or https://');
  });

  verifies('RDU-01', 'matches a registered http://localhost with any port only under dev', () => {
    const registered = 'http://localhost/callback?a=b';
    expect(matchesRegisteredRedirectUri('http://localhost:57289/callback?a=b', registered, dev)).to.equal(true);
    expect(matchesRegisteredRedirectUri('http://localhost:1/cb', 'http://localhost:2/cb', dev)).to.equal(true);
    expect(matchesRegisteredRedirectUri('http://localhost/cb', 'http://localhost:2/cb', dev)).to.equal(true);
    for (const uri of [
      ...['http://localhost:57289/callback', 'http://localhost:57289/callback/?a=b', 'http://127.0.0.1/callback?a=b'],
      ...[
        'https://localhost:1/callback?a=b',
        'http://LOCALHOST:1/callback?a=b',
        'http://localhost:1@evil/callback?a=b',
      ],
      ...['http://localhost.evil:1/callback?a=b', 'http://app.localhost:1/callback?a=b', 'http://[::1]/callback?a=b'],
    ]) {
      expect(matchesRegisteredRedirectUri(uri, registered, dev), uri).to.equal(false);
    }
    expect(matchesRegisteredRedirectUri('http://localhost:1/cb', 'http://127.0.0.1:1/cb', dev)).to.equal(false);
    expect(matchesRegisteredRedirectUri('http://localhost:57289/callback?a=b', registered, gated)).to.equal(false);
  });

  verifies('AUT-15', 'matches a registered loopback address with any port, and otherwise exactly', () => {
    expect(matchesRegisteredRedirectUri('http://127.0.0.1:51234/cb?a=b', 'http://127.0.0.1/cb?a=b')).to.equal(true);
    expect(matchesRegisteredRedirectUri('http://127.0.0.1/cb', 'http://127.0.0.1:8080/cb')).to.equal(true);
    expect(matchesRegisteredRedirectUri('http://[::1]:4/cb', 'http://[::1]:5/cb')).to.equal(true);
    expect(matchesRegisteredRedirectUri('http://[::1]:4', 'http://[::1]')).to.equal(true);
    expect(matchesRegisteredRedirectUri('http://127.0.0.1:1/cb/', 'http://127.0.0.1:1/cb')).to.equal(false);
    expect(matchesRegisteredRedirectUri('http://127.0.0.1:1/cb?a', 'http://127.0.0.1:2/cb')).to.equal(false);
    expect(matchesRegisteredRedirectUri('http://127.0.0.1:1@evil.example/cb', 'http://127.0.0.1/cb')).to.equal(false);
    expect(matchesRegisteredRedirectUri('http://127.0.0.1.evil.example/cb', 'http://127.0.0.1/cb')).to.equal(false);
    expect(matchesRegisteredRedirectUri('http://[::1]:4/cb', 'http://127.0.0.1:4/cb')).to.equal(false);
  });

  verifies(
    'AUT-15',
    'has no such exception for localhost under gated profiles, nor for https and other 127/8 addresses',
    () => {
      expect(matchesRegisteredRedirectUri('http://localhost:2/cb', 'http://localhost:1/cb')).to.equal(false);
      expect(matchesRegisteredRedirectUri('https://127.0.0.1:2/cb', 'https://127.0.0.1:1/cb')).to.equal(false);
      expect(matchesRegisteredRedirectUri('http://127.0.0.2:2/cb', 'http://127.0.0.2:1/cb')).to.equal(false);
    },
  );

  verifies('AUT-14', 'matches every other registered URI only exactly', () => {
    const registered = 'https://app.example/cb?x=1';
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(matchesRegisteredRedirectUri(text, registered)).to.equal(text === registered);
        expect(matchesRegisteredRedirectUri(`${registered}${text}`, registered)).to.equal(text === '');
      }),
    );
    expect(matchesRegisteredRedirectUri('https://app.example/cb?x=2', registered)).to.equal(false);
    expect(matchesRegisteredRedirectUri('https://APP.example/cb?x=1', registered)).to.equal(false);
    expect(matchesRegisteredRedirectUri('https://app.example/cb/../cb?x=1', registered)).to.equal(false);
  });

  verifies('AUT-11', 'keeps an existing query byte for byte when parameters are appended', () => {
    const parameters = [
      ['code', 'a b&c'],
      ['state', 'ü='],
    ] as const;
    const added = 'code=a%20b%26c&state=%C3%BC%3D';
    expect(appendToRedirectUri('https://a.example/cb', parameters)).to.equal(`https://a.example/cb?${added}`);
    expect(appendToRedirectUri('https://a.example/cb?', parameters)).to.equal(`https://a.example/cb?${added}`);
    expect(appendToRedirectUri('https://a.example/cb?p=%2f&q=%20&flag', parameters)).to.equal(
      `https://a.example/cb?p=%2f&q=%20&flag&${added}`,
    );
    expect(appendToRedirectUri('https://a.example/cb?flag&', parameters)).to.equal(
      `https://a.example/cb?flag&${added}`,
    );
  });

  it('accepts only URIs that are printable ASCII in the header and parse to the same host', () => {
    const uris = fc.oneof(
      fc.webUrl({ withQueryParameters: true }),
      fc.string({ unit: 'binary', maxLength: 300 }).map((text) => `https://app.example/${text}`),
      fc.string({ unit: 'grapheme', maxLength: 70_000, size: 'max' }).map((text) => `https://app.example/?${text}`),
      fc.string({ unit: 'binary', maxLength: 100 }),
    );
    fc.assert(
      fc.property(uris, fc.string({ unit: 'binary' }), (uri, state) => {
        if (acceptableRedirectUri(uri, dev) !== undefined) return;
        const location = appendToRedirectUri(uri, [['state', state]]);
        expect(location).to.match(/^[\x21-\x7e]+$/);
        expect(new URL(location).host).to.equal(new URL(uri).host);
        expect(new URL(location).searchParams.getAll('state').at(-1)).to.equal(
          state.replace(/\p{Surrogate}/gu, '\ufffd'),
        );
      }),
      { numRuns: 500 },
    );
  });
});
