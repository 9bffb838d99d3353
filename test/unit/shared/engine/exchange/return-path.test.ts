import { expect } from 'chai';
import { ownReturnPath } from '#shared/engine/exchange/return-path.ts';

describe('the return path of a browser', () => {
  it('is a page of this server, with its query', () => {
    expect(ownReturnPath('/audit?event_type=login&search=a%20b')).to.equal('/audit?event_type=login&search=a%20b');
    expect(ownReturnPath('/users/%2F%2Fevil.example')).to.equal('/users/%2F%2Fevil.example');
  });

  it('is never another server', () => {
    const elsewhere = [
      undefined,
      '',
      'users',
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/\t/evil.example/',
      '/.//evil.example/',
      '/x/..//evil.example/',
      '/%2e//evil.example/',
      'javascript:alert(1)',
      `/${'x'.repeat(2000)}`,
    ];
    for (const value of elsewhere) expect(ownReturnPath(value), String(value)).to.equal(undefined);
  });
});
