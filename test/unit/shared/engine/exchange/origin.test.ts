import { expect } from 'chai';
import fc from 'fast-check';
import { effectiveIssuer } from '#shared/engine/exchange/issuer.ts';
import { isValidHost, requestOrigin } from '#shared/engine/exchange/origin.ts';
import { sendsIssuerParameter } from '#shared/protocol/oidc/issuer-parameter.ts';
import { verifies } from '#test/support/verifies.ts';

const connection = { scheme: 'http', peerAddress: '192.0.2.9' } as const;
const oauth = {
  issuer: 'https://fixed.example',
  issuer_from_request: true,
  issuer_allowlist: [],
  device_verification_base_url: undefined,
};

describe('the origin of a request', () => {
  verifies('ISS-04', 'is the fixed issuer if Host is not host[:port]', () => {
    for (const host of [
      '',
      'a b',
      'x/y',
      'a@b',
      'host:0',
      'host:65536',
      'host:',
      '[::1',
      '[:::]:1',
      '[1.2.3.4]',
      '[abc]',
      'é.example',
      'a..b',
      '-a',
      'a\u0000b',
      'a#b',
      'a?b',
    ]) {
      expect(isValidHost(host), JSON.stringify(host)).to.equal(false);
      const { origin } = requestOrigin({ host }, connection, false);
      expect(origin).to.equal(undefined);
      expect(effectiveIssuer(oauth, origin)).to.equal('https://fixed.example');
    }
    for (const host of [
      'localhost',
      'idp.test:8080',
      '127.0.0.1:1',
      '[::1]:65535',
      '[fe80::1]',
      'xn--bcher-kva.example',
      'a.example.',
      'test_idp:8000',
      '_idp.my_stack_1.local',
    ]) {
      expect(isValidHost(host), host).to.equal(true);
    }
  });

  verifies('ISS-04', 'never contains a path, query, userinfo or second host from an accepted Host', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (host) => {
        if (!isValidHost(host)) return;
        const url = new URL(`http://${host}`);
        expect([url.pathname, url.search, url.hash, url.username]).to.deep.equal(['/', '', '', '']);
      }),
      { numRuns: 500 },
    );
  });

  verifies('ISS-05', 'uses the last value of trusted forwarded headers', () => {
    const headers = {
      host: 'inside:8000',
      'x-forwarded-proto': 'http, https',
      'x-forwarded-host': 'evil.example, idp.example',
      'x-forwarded-for': '203.0.113.1, 198.51.100.7',
    };
    expect(requestOrigin(headers, connection, true)).to.deep.equal({
      origin: 'https://idp.example',
      clientAddress: '198.51.100.7',
    });
  });

  verifies('AUD-11', 'accepts a forwarded address with a port, and uses the peer’s address if it is invalid', () => {
    const addressOf = (written: string) =>
      requestOrigin({ host: 'h', 'x-forwarded-for': written }, connection, true).clientAddress;
    const addresses = {
      '198.51.100.7': '198.51.100.7',
      '198.51.100.7:1234': '198.51.100.7',
      '::ffff:198.51.100.7': '198.51.100.7',
      '2001:db8::1': '2001:db8::1',
      '[2001:db8::1]': '2001:db8::1',
      'unknown, [2001:db8::1]:1234': '2001:db8::1',
    };
    for (const [written, address] of Object.entries(addresses)) expect(addressOf(written), written).to.equal(address);
    for (const written of ['unknown', '_hidden', 'unknown:80', '[]', '198.51.100.7:', '', '<script>']) {
      expect(addressOf(written), written).to.equal('192.0.2.9');
    }
  });

  verifies('ISS-06', 'ignores untrusted forwarded headers, and never reads other forwarding headers', () => {
    const headers = {
      host: 'inside:8000',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'idp.example',
      'x-forwarded-for': '198.51.100.7',
    };
    expect(requestOrigin(headers, connection, false)).to.deep.equal({
      origin: 'http://inside:8000',
      clientAddress: '192.0.2.9',
    });
    const others = {
      host: 'inside:8000',
      'x-forwarded-port': '443',
      forwarded: 'proto=https;host=idp.example;for=198.51.100.7',
    };
    expect(requestOrigin(others, connection, true)).to.deep.equal({
      origin: 'http://inside:8000',
      clientAddress: '192.0.2.9',
    });
  });

  verifies('ISS-03', 'is compared literally with the allowlist', () => {
    const listed = { ...oauth, issuer_allowlist: ['https://idp.example'] };
    expect(effectiveIssuer(listed, 'https://idp.example')).to.equal('https://idp.example');
    for (const other of [
      'https://IDP.example',
      'https://idp.example:8443',
      'https://idp.example.evil.example',
      'http://idp.example',
      'https://idp',
    ]) {
      expect(effectiveIssuer(listed, other), other).to.equal('https://fixed.example');
    }
    expect(effectiveIssuer(oauth, 'http://anything:1')).to.equal('http://anything:1');
  });

  verifies(
    'ISS-12',
    'is sent as iss only if the issuer is https with a host and has neither query nor fragment',
    () => {
      expect(sendsIssuerParameter('https://idp.example')).to.equal(true);
      expect(sendsIssuerParameter('https://idp.example/tenant')).to.equal(true);
      for (const issuer of [
        'http://idp.example',
        'https://idp.example?x',
        'https://idp.example#x',
        'https://idp.example?',
        'nonsense',
      ]) {
        expect(sendsIssuerParameter(issuer), issuer).to.equal(false);
      }
    },
  );
});
