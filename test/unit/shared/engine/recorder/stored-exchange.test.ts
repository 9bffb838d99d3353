// What is stored of an exchange: no secret, no value without a bound, and nothing that depends on exchanges before it.
import { expect } from 'chai';
import { fingerprintsWith } from '#shared/engine/recorder/fingerprints.ts';
import type { HeaderValues, ObservedExchange } from '#shared/engine/recorder/observed-exchange.ts';
import { storedExchange } from '#shared/engine/recorder/stored-exchange.ts';
import { decodedExchange } from '#shared/model/domain/decoded-exchange.ts';
import { observedExchange } from '#test/support/observed-exchange.ts';
import { verifies } from '#test/support/verifies.ts';

const fingerprints = fingerprintsWith('a key');
const stored = (given: Partial<ObservedExchange>, keepsSecrets = false) =>
  storedExchange(observedExchange(given), fingerprints, keepsSecrets);
const read = (given: Partial<ObservedExchange>) => decodedExchange(stored(given)).content;

const signature = 'c2lnbmF0dXJl'.repeat(4);
function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.${signature}`;
}

describe('what is stored of an exchange', () => {
  const secret = 'c2VjcmV0LXZhbHVl';
  const requestHeaders: readonly (readonly [name: string, value: string, shown: RegExp])[] = [
    ['authorization', `Basic ${secret}`, /^Basic fp:[0-9a-f]{12}$/],
    ['authorization', `Bearer ${jwt({ jti: '1' })}`, /^Bearer fp:[0-9a-f]{12}$/],
    ['proxy-authorization', `Basic ${secret}`, /^Basic fp:[0-9a-f]{12}$/],
    ['authorization', secret, /^fp:[0-9a-f]{12}$/],
    ['cookie', `session=${secret}; theme=${secret}`, /^session=fp:[0-9a-f]{12}; theme=fp:[0-9a-f]{12}$/],
    ['x-api-key', secret, /^fp:[0-9a-f]{12}$/],
    ['referer', `https://app.test/?code=${secret}&state=s`, /^https:\/\/app\.test\/\?code=fp:[0-9a-f]{12}&state=s$/],
    ['x-forwarded-jwt', jwt({}), /^fp:[0-9a-f]{12}$/],
  ];
  for (const [name, value, shown] of requestHeaders) {
    verifies('REC-04', `has a fingerprint where the header ${name} carries a secret`, () => {
      // The second time is no other: nothing is known of requests before.
      for (let time = 0; time < 2; time += 1) {
        const given = { requestHeaders: { host: 'idp.test', [name]: value } };
        expect(read(given).request_headers[0]).to.deep.equal({ name: 'host', value: 'idp.test' });
        expect(read(given).request_headers[1]?.value).to.match(shown);
        expect(JSON.stringify(stored(given)))
          .to.not.include(secret)
          .and.not.include(signature);
      }
    });
  }

  verifies('REC-04', 'has a fingerprint where a header of the answer carries a secret', () => {
    const lists: readonly HeaderValues[] = [
      { location: `https://app.test/callback?code=${secret}&state=s` },
      { 'set-cookie': [`session=${secret}; Path=/; HttpOnly`, `other=${secret}`] },
    ];
    for (const responseHeaders of lists) {
      const shown = read({ responseHeaders }).response_headers;
      expect(shown.map(({ value }) => value.includes('fp:'))).to.not.include(false);
      expect(JSON.stringify(stored({ responseHeaders }))).to.not.include(secret);
    }
  });

  const answers: Readonly<Record<string, ObservedExchange['answer']>> = {
    'a token': { access_token: jwt({ jti: '1' }) },
    'an opaque token': { access_token: secret, refresh_token: secret },
    'tokens further down': { more: { access_token: secret, list: [jwt({ jti: 'listed' })] } },
    'a token by another name': { value: jwt({ jti: '1' }) },
    'a member called __proto__': JSON.parse(`{"__proto__":"${jwt({ jti: '1' })}"}`),
    'an address with a secret': { verification_uri: `https://a.example/?code=${secret}&b=c` },
    'a token too long to decode': { access_token: `${jwt({ long: 'x'.repeat(60_000) })}` },
  };
  for (const [name, answer] of Object.entries(answers)) {
    verifies('REC-04', `has a fingerprint where its answer has ${name}`, () => {
      const text = JSON.stringify(stored({ answer }));
      expect(text).to.include('fp:').and.not.include(secret).and.not.include(signature);
      expect(Object.keys(read({ answer }).answer)).to.deep.equal(Object.keys(answer));
    });
  }

  verifies('REC-04', 'has the same fingerprint for the same value, wherever that stands', () => {
    const given = {
      parameters: [['client_secret', secret]],
      requestHeaders: { 'x-api-key': secret },
      answer: { token: secret },
    } as const;
    const { parameters, request_headers, answer } = read(given);
    const [shown] = parameters;
    expect([request_headers[0]?.value, answer.token]).to.deep.equal([shown?.value, shown?.value]);
    const { content } = storedExchange(observedExchange(given), fingerprintsWith('another key'), false);
    expect(content.answer.token).to.not.equal(answer.token);
  });

  verifies('REC-06', 'has whole values by their fingerprints only where the settings keep them', () => {
    const given = { answer: { access_token: secret } };
    expect(stored(given).secrets).to.equal(undefined);
    expect(Object.values(stored(given, true).secrets ?? {})).to.deep.equal([secret]);
  });

  verifies(
    'REC-05',
    'has the claims of tokens in parameters, headers and answer, in that order, unless too long',
    () => {
      const { decoded } = read({
        parameters: [['token', jwt({ jti: 'asked' })]],
        requestHeaders: { authorization: `Bearer ${jwt({ jti: 'sent' })}` },
        answer: { access_token: jwt({ jti: 'answered' }), id_token: jwt({ long: 'x'.repeat(60_000) }) },
      });
      expect(decoded.map((one) => [one.in, one.name, one.jwt?.claims])).to.deep.equal([
        ['parameters', 'token', { jti: 'asked' }],
        ['request_headers', 'authorization', { jti: 'sent' }],
        ['answer', 'access_token', { jti: 'answered' }],
      ]);
    },
  );

  verifies('REC-11', 'ends each value at its bound, with its length', () => {
    const long = 'x'.repeat(5000);
    const bounded = `${'x'.repeat(4096)}… (5000 characters)`;
    const content = read({
      parameters: [['scope', long]],
      requestHeaders: { 'x-long': long },
      answer: { scope: long },
      responseHeaders: { 'x-long': long },
    });
    expect(content.parameters[0]?.value).to.equal(bounded);
    expect(content.request_headers[0]?.value).to.equal(bounded);
    expect(content.response_headers[0]?.value).to.equal(bounded);
    expect(content.answer.scope).to.equal(bounded);
  });
});
