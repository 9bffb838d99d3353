import { expect } from 'chai';
import fc from 'fast-check';
import { bindsToLoopback, isLoopback } from '#shared/base/loopback.ts';
import { isGloballyRoutable, mayBeFetched } from '#shared/base/outgoing/routable-address.ts';
import { verifies } from '#test/support/verifies.ts';

const routable = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.0.1',
  '172.32.0.1',
  '192.0.1.1',
  '198.17.255.255',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::1',
  '2001:4860:4860::8888',
];

const notRoutable = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1111%lo',
  'fec0::1',
  'ff02::1',
  '',
  'localhost',
  '127.1',
  '0x7f000001',
  '2130706433',
  '010.0.0.1',
  '1.1.1.1.',
];

describe('the check of addresses for outbound requests', () => {
  for (const address of routable) {
    verifies('CMD-05', `accepts ${address}`, () => {
      expect(isGloballyRoutable(address)).to.equal(true);
    });
  }
  for (const address of notRoutable) {
    verifies('CMD-05', `rejects ${JSON.stringify(address)}`, () => {
      expect(isGloballyRoutable(address)).to.equal(false);
    });
  }

  verifies('CMD-06', 'accepts plain loopback addresses, and no others, with the exception', () => {
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '0:0:0:0:0:0:0:1']) {
      expect(mayBeFetched(address, true)).to.equal(true);
      expect(mayBeFetched(address, false)).to.equal(false);
    }
    for (const address of [
      '10.0.0.1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '::',
      '169.254.169.254',
      'fe80::1',
      '::1%lo',
      '128.0.0.1'.replace('128', '192.168'),
    ]) {
      expect(mayBeFetched(address, true)).to.equal(false);
    }
  });

  it('detects that the server itself is on loopback', () => {
    for (const host of ['127.0.0.1', '127.0.0.2', '::1', '[::1]', 'localhost', 'LOCALHOST']) {
      expect(bindsToLoopback(host), host).to.equal(true);
    }
    for (const host of ['0.0.0.0', '::', '', '192.168.1.5', 'example.org', '::ffff:127.0.0.1']) {
      expect(bindsToLoopback(host), host).to.equal(false);
    }
  });

  it('rejects every IPv6 form that contains an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const prefix of ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']) {
          expect(isGloballyRoutable(prefix + address)).to.equal(false);
          expect(isLoopback(prefix + address)).to.equal(prefix + address === '::0.0.0.1');
        }
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended()), (text) => {
        isGloballyRoutable(text);
        isLoopback(text);
      }),
    );
  });
});
