import { expect } from 'chai';
import { corsPolicy } from '#shared/engine/exchange/cors.ts';
import { isCrossSiteWrite } from '#shared/engine/exchange/cross-site.ts';
import { parseRate } from '#shared/engine/exchange/rate-limit.ts';
import { verifies } from '#test/support/verifies.ts';

const expose = {
  'Access-Control-Expose-Headers':
    'WWW-Authenticate, DPoP-Nonce, Location, Retry-After, ETag, X-Test-Idp-Clock, X-Test-Idp-Fault',
};
const dev = { defaultCorsOrigins: 'any', allowCredentialsOfEveryOrigin: true } as const;
const any = { defaultCorsOrigins: 'any', allowCredentialsOfEveryOrigin: false } as const;
const loopback = { defaultCorsOrigins: 'loopback', allowCredentialsOfEveryOrigin: false } as const;

describe('cross-origin rules', () => {
  verifies(
    'HDR-04',
    'allow every origin on public endpoints, and none elsewhere, without a list under dev or oauth21',
    () => {
      const policy = corsPolicy(undefined, any);
      for (const origin of [undefined, 'https://spa.example']) {
        for (const reach of ['every', 'every_with_credentials'] as const) {
          const headers = { 'Access-Control-Allow-Origin': '*', ...expose };
          expect(policy.headersFor(origin, reach)).to.deep.equal(headers);
          expect(corsPolicy(undefined, dev).headersFor(origin, 'every')).to.deep.equal(headers);
        }
        expect(policy.headersFor(origin, 'listed')).to.deep.equal({});
        expect(corsPolicy(undefined, dev).headersFor(origin, 'listed')).to.deep.equal({});
      }
      expect(policy.applied).to.deep.equal(['*']);
    },
  );

  verifies('HDR-05', 'allow loopback origins with any or no port without a list under stricter-dev', () => {
    const policy = corsPolicy(undefined, loopback);
    for (const origin of ['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:80']) {
      expect(policy.headersFor(origin, 'listed')).to.include({ 'Access-Control-Allow-Origin': origin });
    }
    for (const origin of [
      'https://localhost',
      'http://localhost.evil.example',
      'http://127.0.0.2',
      'http://[::1]',
      'null',
    ]) {
      expect(policy.headersFor(origin, 'listed')).to.deep.equal({ Vary: 'Origin' });
    }
  });

  verifies(['HDR-06', 'HDR-07', 'HDR-11'], 'allow exactly the listed origins, ignoring case', () => {
    const policy = corsPolicy(['https://spa.example'], any);
    expect(policy.headersFor('https://SPA.example', 'listed')).to.deep.equal({
      'Access-Control-Allow-Origin': 'https://SPA.example',
      'Access-Control-Allow-Credentials': 'true',
      Vary: 'Origin',
      ...expose,
    });
    expect(policy.headersFor('https://other.example', 'listed')).to.deep.equal({ Vary: 'Origin' });
    expect(policy.headersFor(undefined, 'listed')).to.deep.equal({ Vary: 'Origin' });
  });

  verifies(['HDR-07', 'HDR-08', 'HDR-11'], 'allow any origin without credentials if the list has a star', () => {
    const policy = corsPolicy(['*'], loopback);
    expect(policy.headersFor('https://x.example', 'listed')).to.deep.equal({
      'Access-Control-Allow-Origin': 'https://x.example',
      Vary: 'Origin',
      ...expose,
    });
    expect(policy.headersFor(undefined, 'listed')).to.deep.equal({ Vary: 'Origin' });
  });

  verifies(
    ['CRS-01', 'CRS-03', 'HDR-04', 'HDR-08', 'HDR-11'],
    'allow credentials of every origin under dev where no cookie is read, without a list or with a star',
    () => {
      const origin = 'http://localhost:5173';
      const withCredentials = {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Credentials': 'true',
        Vary: 'Origin',
        ...expose,
      };
      for (const declared of [undefined, ['*'], ['https://spa.example', '*']]) {
        const policy = corsPolicy(declared, dev);
        expect(policy.headersFor(origin, 'every_with_credentials')).to.deep.equal(withCredentials);
        for (const reach of ['every', 'listed'] as const) {
          expect(policy.headersFor(origin, reach)).to.not.have.property('Access-Control-Allow-Credentials');
        }
      }
      const withoutOrigin = corsPolicy(undefined, dev).headersFor(undefined, 'every_with_credentials');
      expect(withoutOrigin).to.deep.equal({ 'Access-Control-Allow-Origin': '*', Vary: 'Origin', ...expose });
      for (const [declared, rules] of [
        [['https://spa.example'], dev],
        [[], dev],
        [['*'], any],
        [['*'], loopback],
        [undefined, any],
        [undefined, loopback],
      ] as const) {
        const headers = corsPolicy(declared, rules).headersFor(origin, 'every_with_credentials');
        expect(headers).to.not.have.property('Access-Control-Allow-Credentials');
      }
    },
  );

  verifies('HDR-09', 'allow no origin if the list is empty', () => {
    expect(corsPolicy([], any).headersFor('http://localhost', 'listed')).to.deep.equal({ Vary: 'Origin' });
  });

  verifies(
    ['HDR-12', 'HDR-13'],
    'use Sec-Fetch-Site, else Origin and Host, and allow writes from a listed origin but not from a star',
    () => {
      const requestOrigin = 'http://127.0.0.1:8000';
      const judge = (headers: Record<string, string>, declared?: string[]) =>
        isCrossSiteWrite({ headers }, { requestOrigin, cors: corsPolicy(declared, any) });
      expect(judge({})).to.equal(false);
      expect(judge({ 'sec-fetch-site': 'same-origin' })).to.equal(false);
      expect(judge({ 'sec-fetch-site': 'none' })).to.equal(false);
      expect(judge({ 'sec-fetch-site': 'cross-site' })).to.equal(true);
      expect(judge({ 'sec-fetch-site': 'same-site' })).to.equal(true);
      expect(judge({ origin: 'http://127.0.0.1:8000' })).to.equal(false);
      expect(judge({ origin: 'https://evil.example' })).to.equal(true);
      expect(judge({ origin: 'null' })).to.equal(true);
      expect(judge({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, ['*'])).to.equal(true);
      expect(
        judge({ origin: 'https://spa.example', 'sec-fetch-site': 'cross-site' }, ['https://spa.example']),
      ).to.equal(false);
    },
  );
});

describe('the rate limit of the token endpoint', () => {
  it('accepts only <positive integer>/<unit>', () => {
    expect(parseRate('10/minute')).to.deep.equal({ limit: 10, windowSeconds: 60 });
    expect(parseRate('1/day')).to.deep.equal({ limit: 1, windowSeconds: 86400 });
    for (const text of ['0/minute', '-1/minute', '10', '10/week', '1.5/second', '10/toString', '']) {
      expect(parseRate(text), text).to.equal(undefined);
    }
  });
});
