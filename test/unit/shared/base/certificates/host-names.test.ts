import { expect } from 'chai';
import { addressBytes, certificateName } from '#shared/base/certificates/host-names.ts';

describe('names in certificates', () => {
  it('can be host names, wildcard names and addresses', () => {
    const read = ['Localhost', 'idp.test.', '*.Idp.test', 'under_score', '127.0.0.1', '[::1]', '0:0:0:0:0:0:0:1'];
    expect(read.map(certificateName)).to.deep.equal([
      ...['localhost', 'idp.test', '*.idp.test', 'under_score', '127.0.0.1', '::1', '::1'],
    ]);
  });

  it('cannot be anything else', () => {
    const none = [
      '',
      '*',
      'a b',
      '-a',
      'a-',
      '1.2.3',
      '256.0.0.1',
      'a..b',
      'a.*.b',
      'idp.test:8000',
      'ä.test',
      '0x7f.1',
    ];
    expect(none.map(certificateName)).to.deep.equal(none.map(() => undefined));
  });

  it('are encoded as bytes if they are addresses', () => {
    const hex = (text: string) => addressBytes(text)?.toString('hex');
    expect(hex('192.0.2.7')).to.equal('c0000207');
    expect(hex('::')).to.equal('00000000000000000000000000000000');
    expect(hex('2001:db8::7')).to.equal('20010db8000000000000000000000007');
    expect(hex('1:2:3:4:5:6:7:8')).to.equal('00010002000300040005000600070008');
    expect(hex('::ffff:192.0.2.7')).to.equal('00000000000000000000ffffc0000207');
    expect(hex('idp.test')).to.equal(undefined);
  });
});
