import { expect } from 'chai';
import { cacheLifetimeSeconds } from '#services/oidc/client-documents/cache-lifetime.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the cache lifetime of a metadata document', () => {
  verifies('CMD-14', 'follows max-age between one minute and one day, and is one hour without it', () => {
    const cases: [string | undefined, number][] = [
      [undefined, 3600],
      ['', 3600],
      ['public', 3600],
      ['max-age=120', 120],
      ['MAX-AGE="120"', 120],
      ['private, max-age=0', 60],
      ['max-age=59', 60],
      ['max-age=60', 60],
      ['max-age=86400', 86_400],
      ['max-age=86401', 86_400],
      [`max-age=${'9'.repeat(400)}`, 86_400],
      ['max-age=-1', 3600],
      ['max-age=soon', 3600],
      ['max-age', 3600],
      ['s-maxage=5', 3600],
    ];
    for (const [header, seconds] of cases) expect(cacheLifetimeSeconds(header), String(header)).to.equal(seconds);
  });

  verifies('CMD-13', 'is undefined for no-store and no-cache in any spelling', () => {
    for (const header of [
      'no-store',
      'No-Cache',
      'max-age=60, no-store',
      'no-cache="Set-Cookie"',
      'public,no-store,max-age=1',
    ]) {
      expect(cacheLifetimeSeconds(header), header).to.equal(undefined);
    }
  });
});
