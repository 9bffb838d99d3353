import { expect } from 'chai';
import fc from 'fast-check';
import { isAllowedHost, parseClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';
import { verifies } from '#test/support/verifies.ts';

const refused = [
  'http://client.example/doc',
  'HTTPS://client.example/doc',
  'https://client.example',
  'https://client.example?x=1',
  'https:///doc',
  'https://client.example/do c',
  'https://client.example/doc ',
  ' https://client.example/doc',
  'https://client.example/doc\n',
  'https://client.example/\tdoc',
  'https://user@client.example/doc',
  'https://user:secret@client.example/doc',
  'https://@client.example/doc',
  'https://client.example\\@evil.example/doc',
  'https://client.example/doc#',
  'https://client.example/doc#part',
  'https://client.example/d\u00f6c',
  'https://cl\u00efent.example/doc',
  'https://client.example/./doc',
  'https://client.example/a/../doc',
  'https://client.example/..',
  'https://client.example/a/.',
  'https://client.example/%2e/doc',
  'https://client.example/a/%2E%2e/doc',
  'https://client.example/a/.%2e/doc',
  'https://client.example:0/doc',
  'https://client.example:65536/doc',
  'https://client.example:99999999999999999999/doc',
  'https://[::1/doc',
  'https://./doc',
];

describe('client_id as a URL', () => {
  for (const clientId of refused) {
    verifies('CMD-04', `is rejected: ${JSON.stringify(clientId)}`, () => {
      expect(parseClientIdUrl(clientId)).to.be.a('string');
    });
  }

  it('is parsed without changing it', () => {
    expect(parseClientIdUrl('https://Client.Example.:8443/a/b%20c?x=../y')).to.deep.equal({
      clientId: 'https://Client.Example.:8443/a/b%20c?x=../y',
      host: 'client.example',
      port: 8443,
      authority: 'Client.Example.:8443',
      target: '/a/b%20c?x=../y',
    });
    expect(parseClientIdUrl('https://[2001:db8::1]/')).to.include({ host: '2001:db8::1', port: 443 });
    expect(parseClientIdUrl('https://client.example:1/doc')).to.include({ port: 1 });
    expect(parseClientIdUrl('https://client.example:65535/doc')).to.include({ port: 65535 });
    expect(parseClientIdUrl('https://client.example:/...')).to.include({ port: 443, target: '/...' });
  });

  verifies('CMD-03', 'is compared by host and port, ignoring only case and a trailing dot', () => {
    const at = (clientId: string, allowed: readonly string[]): boolean => {
      const url = parseClientIdUrl(clientId);
      if (typeof url === 'string') throw new Error(url);
      return isAllowedHost(url, allowed);
    };
    expect(at('https://client.example/doc', ['CLIENT.example.'])).to.equal(true);
    expect(at('https://CLIENT.example./doc', ['client.example'])).to.equal(true);
    expect(at('https://client.example:443/doc', ['client.example'])).to.equal(true);
    expect(at('https://client.example:8443/doc', ['client.example:8443'])).to.equal(true);
    expect(at('https://client.example:8443/doc', ['client.example'])).to.equal(false);
    expect(at('https://client.example/doc', ['client.example:8443'])).to.equal(false);
    expect(at('https://a.client.example/doc', ['client.example'])).to.equal(false);
    expect(at('https://evilclient.example/doc', ['client.example'])).to.equal(false);
    expect(at('https://client.example.evil/doc', ['client.example'])).to.equal(false);
    expect(at('https://client.example/doc', [])).to.equal(false);
  });

  it('has the host that the URL Standard finds, whenever it is accepted', () => {
    const piece = fc.constantFrom(
      'a',
      'B',
      '.',
      '..',
      '/',
      '//',
      ':',
      '8',
      '@',
      '?',
      '#',
      '%2e',
      '%2F',
      '\\',
      ' ',
      '[',
      ']',
      '::1',
      'é',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = `https://${pieces.join('')}`;
        const url = parseClientIdUrl(text);
        if (typeof url === 'string' || !URL.canParse(text)) return;
        const second = new URL(text);
        // Hosts that the standard reads as IPv4 addresses, and percent-encoded ones, never equal an allowed name.
        if (/^[a-z.]+$/.test(url.host)) {
          expect(second.hostname.replace(/\.$/, '')).to.equal(url.host);
          expect(second.port === '' ? 443 : Number(second.port)).to.equal(url.port);
        }
        expect(second.username + second.password + second.hash).to.equal('');
      }),
      { numRuns: 3000 },
    );
  });

  it('never causes an exception', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseClientIdUrl(`https://${text}`)));
  });
});
