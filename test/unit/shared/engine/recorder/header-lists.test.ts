// Which lists of headers are still known when their exchange has been made: none that would bring a secret into a heap dump.
import { expect } from 'chai';
import { fingerprintsWith } from '#shared/engine/recorder/fingerprints.ts';
import { type HeaderValues, knownHeaders } from '#shared/engine/recorder/header-lists.ts';
import { withoutSecrets } from '#shared/engine/recorder/without-secrets.ts';
import { verifies } from '#test/support/verifies.ts';

describe('lists of headers that came lately', () => {
  const fingerprints = fingerprintsWith('a key');
  const said = (lists: { readonly requestHeaders?: HeaderValues; readonly responseHeaders?: HeaderValues }) =>
    withoutSecrets(
      { parameters: [], requestHeaders: {}, responseHeaders: {}, answer: {}, ...lists },
      fingerprints,
      false,
    );

  it('are known again as what is kept of them', () => {
    const requestHeaders = { host: 'idp.test', accept: '*/*' };
    const { headers } = said({ requestHeaders });
    expect(headers.request).to.equal('[{"name":"host","value":"idp.test"},{"name":"accept","value":"*/*"}]');
    expect(knownHeaders({ ...requestHeaders }, fingerprints)).to.equal(headers.request);
  });

  const secret: readonly (readonly [name: string, value: string])[] = [
    ['authorization', 'Basic Y2xpZW50OnNlY3JldA=='],
    ['proxy-authorization', 'Basic Y2xpZW50OnNlY3JldA=='],
    ['cookie', 'session=secret'],
    ['x-api-key', 'secret'],
    ['referer', 'https://app.test/callback?code=secret&state=s'],
    ['x-forwarded-jwt', 'eyJhbGciOiJub25lIn0.e30.c2lnbmF0dXJl'],
  ];
  for (const [name, value] of secret) {
    verifies('REC-04', `are forgotten at once where ${name} carries a secret`, () => {
      const requestHeaders = { host: 'idp.test', [name]: value };
      expect(said({ requestHeaders }).headers.request).to.contain('fp:');
      expect(knownHeaders(requestHeaders, fingerprints)).to.equal(undefined);
    });
  }

  verifies('REC-04', 'are forgotten at once where an answer hands a secret over', () => {
    for (const responseHeaders of [
      { location: 'https://app.test/callback?code=secret&state=s' },
      { 'set-cookie': 'session=secret; Path=/; HttpOnly' },
    ]) {
      expect(said({ responseHeaders }).headers.response).to.contain('fp:');
      expect(knownHeaders(responseHeaders, fingerprints)).to.equal(undefined);
    }
  });
});
