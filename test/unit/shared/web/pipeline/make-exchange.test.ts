// What is made of a request that came before, word for word, is what would be made of it alone (REC-02, REC-08).
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { type Fingerprints, fingerprintsWith } from '#shared/engine/recorder/fingerprints.ts';
import { type ExchangeMade, wholeExchange } from '#shared/model/domain/exchange-alike.ts';
import { readBlock, writeBlock } from '#shared/model/domain/exchange-block.ts';
import { IncomingRequest, requestTarget } from '#shared/web/pipeline/incoming-request.ts';
import { exchangeToMake, type Heard } from '#shared/web/pipeline/make-exchange.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { event } from '../../../../contract/store-under-test.ts';

const makeExchange = (heard: Heard, fingerprints: Fingerprints) => exchangeToMake(heard, fingerprints)();

const signature = 'c2lnbmF0dXJl'.repeat(4);

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.${signature}`;
}

/** As an endpoint makes it, unless no JSON becomes that text. */
function replyOf(answer: string): Reply {
  const reply: Reply = { status: 200, headers: { 'Content-Type': 'application/json' }, body: answer };
  try {
    const value: unknown = JSON.parse(answer);
    return JSON.stringify(value) === answer ? { ...reply, json: { value, text: answer } } : reply;
  } catch {
    return reply;
  }
}

interface Asked {
  /** Its connection. */
  readonly socket: object;
  readonly endpoint: Heard['endpoint'];
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly answer: string;
  readonly heard: Partial<Heard>;
  readonly keepsSecrets: boolean;
}

let number = 0;

/** The same request in objects and texts of its own, at another time. */
function heardOf({ socket, endpoint, target, headers, body, answer, heard, keepsSecrets }: Asked): Heard {
  number += 1;
  const at = instant(1_800_000_000_000 + number);
  const named: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    named[(headers[index] ?? '').toLowerCase()] = headers[index + 1] ?? '';
  }
  const message = { method: 'POST', rawHeaders: [...headers], headers: named, socket } as unknown as IncomingMessage;
  const { path, rawQuery } = requestTarget(target);
  const octets = Buffer.from(body);
  const snapshot = { settings: { recorder: { secrets: keepsSecrets ? 'keep' : 'fingerprints' } } };
  return {
    endpoint,
    exchange: {
      ...{ message, path, target: { path, rawQuery }, requestId: `p-${number}`, furtherHeaders: {} },
      clock: { asSeen: () => ({ state: { offsetMilliseconds: 60_000 }, now: () => instant(at + 90_000) }) },
    } as unknown as Heard['exchange'],
    request: new IncomingRequest(
      message,
      { path, rawQuery },
      { body: octets, length: octets.length, refusal: undefined },
      {},
    ),
    context: { snapshot, clientAddress: '127.0.0.1' } as unknown as Heard['context'],
    event: { ...event('token_request'), client_id: 'web' },
    ...{ fault: undefined, flows: [], browser: undefined, address: '127.0.0.1' },
    reply: { ...replyOf(answer), noStore: true },
    ...{ at, durationMilliseconds: number + 0.12345 },
    ...heard,
  };
}

const form = 'application/x-www-form-urlencoded';
const usual: Asked = {
  socket: {},
  endpoint: 'token',
  target: '/token',
  headers: ['Content-Type', form, 'Authorization', 'Basic d2ViOnNlY3JldA==', 'User-Agent', 'one'],
  body: 'grant_type=client_credentials&scope=a',
  answer: JSON.stringify({ access_token: jwt({ jti: '1' }), token_type: 'Bearer', expires_in: 60 }),
  heard: {},
  keepsSecrets: false,
};
const answered = (members: object) => ({ answer: JSON.stringify({ access_token: jwt({ jti: '1' }), ...members }) });
const replied = (reply: Partial<Heard['reply']>): Partial<Asked> => ({
  heard: { reply: { ...replyOf(usual.answer), ...reply } },
});
const headers = (...lines: string[]) => ({ headers: [...usual.headers, ...lines] });

/** Each says something else than the usual request does, or is answered otherwise. */
const variants: Readonly<Record<string, Partial<Asked>>> = {
  'the usual one': {},
  'another token': answered({ token_type: 'Bearer', expires_in: 60, access_token: jwt({ jti: '2' }) }),
  'another lifetime': answered({ token_type: 'Bearer', expires_in: 61 }),
  'another header': { headers: ['Content-Type', form, 'Authorization', 'Basic d2ViOnNlY3JldA==', 'User-Agent', 'two'] },
  'another secret': { headers: ['Content-Type', form, 'Authorization', 'Basic d2ViOm90aGVy', 'User-Agent', 'one'] },
  'another client': { headers: ['Content-Type', form, 'Authorization', 'Basic b3RoZXI6c2VjcmV0', 'User-Agent', 'one'] },
  'one header more': headers('X-More', ''),
  'a header with a token': headers('X-More', jwt({ jti: 'gateway' })),
  'other header names': {
    headers: ['content-type', form, 'authorization', 'Basic d2ViOnNlY3JldA==', 'user-agent', 'one'],
  },
  'parameters in another order': { body: 'scope=a&grant_type=client_credentials' },
  'a secret in the body': { body: 'grant_type=client_credentials&client_id=other&client_secret=s' },
  'another secret in the body': { body: 'grant_type=client_credentials&client_id=other&client_secret=t' },
  'a body that goes on in the headers': { body: `${usual.body}\nX-More\n` },
  'a query': { target: '/token?scope=b' },
  'another path': { target: '/token/' },
  'no answer': { answer: '' },
  'an empty object': { answer: '{}' },
  'no token': answered({ access_token: 'opaque' }),
  'a second token': answered({ refresh_token: jwt({ jti: 'r', rt_family: 'f' }) }),
  'a token by another name': { answer: JSON.stringify({ token: jwt({ jti: '1' }), access_token: jwt({ jti: '2' }) }) },
  'an opaque second token': answered({ refresh_token: `opaque ${'x'.repeat(20)}` }),
  'an ID token': answered({ id_token: jwt({ sub: 'alice' }) }),
  'a token further down': answered({ more: { access_token: jwt({ jti: 'below' }), list: [jwt({ jti: 'listed' })] } }),
  'one token twice': { answer: JSON.stringify({ a: jwt({ jti: '1' }), access_token: jwt({ jti: '1' }) }) },
  'a number for a name': { answer: JSON.stringify({ access_token: jwt({ jti: '1' }), 1: jwt({ jti: '2' }) }) },
  'spaces in the answer': { answer: JSON.stringify(JSON.parse(usual.answer), null, 2) },
  'a doubled member': { answer: usual.answer.replace('{', `{"access_token":"${jwt({ jti: '0' })}",`) },
  'a member called __proto__': { answer: usual.answer.replace('access_token', '__proto__') },
  'quotes and other scripts': answered({ scope: 'a "b" \\ \u2028 ü \u0000' }),
  'a long value': answered({ scope: 'x'.repeat(5000) }),
  'a token too long to look into': answered({ access_token: jwt({ long: 'x'.repeat(60_000) }) }),
  'what looks like a fingerprint': answered({ scope: 'fp:0123456789ab', token: 'fp:0123456789ab' }),
  'an address with a secret': answered({ verification_uri: 'https://a.example/?code=secret&b=c' }),
  'no JSON': { answer: 'broken' },
  refused: {
    answer: JSON.stringify({ error: 'invalid_client', error_description: 'no' }),
    heard: { event: { ...event('token_request'), status: 'failed', details: { reason: 'no', refusal: 'a_code' } } },
  },
  'refused for another reason': {
    answer: JSON.stringify({ error: 'invalid_client', error_description: 'no' }),
    heard: { event: { ...event('token_request'), status: 'failed', details: { reason: 'never', refusal: 'b_code' } } },
  },
  'no event': { heard: { event: undefined } },
  'a user': { heard: { event: { ...event('token_request'), username: 'alice' } } },
  'a client known to the audit': {
    headers: ['Content-Type', form],
    heard: { event: { ...event('userinfo_request'), client_id: 'c' } },
  },
  'another status': replied({ status: 201 }),
  'another answer header': replied({ headers: { 'Content-Type': 'application/json', 'X-More': 'a' } }),
  'a list in an answer header': replied({
    headers: { 'Content-Type': 'application/json', 'Set-Cookie': ['a=b', 'c=d'] },
  }),
  'an answer that may be kept': replied({}),
  'octets for an answer': replied({ body: Buffer.from(usual.answer) }),
  'a page': replied({ headers: { 'Content-Type': 'text/html' }, body: '<title>Hello</title>' }),
  'another address': { heard: { address: '127.0.0.2' } },
  'a fault': { heard: { fault: 'token_expired' } },
  'a session': { heard: { flows: ['session:s'] } },
  'secrets that are kept': { keepsSecrets: true },
  userinfo: {
    ...headers('Authorization', `Bearer ${jwt({ client_id: 'web' })}`),
    endpoint: 'userinfo',
    target: '/userinfo',
    answer: '{"sub":"alice","roles":["a"]}',
  },
  introspection: {
    endpoint: 'introspect',
    target: '/introspect',
    body: `token=${jwt({ jti: 'i' })}`,
    answer: '{"active":true}',
  },
  revocation: { endpoint: 'revoke', target: '/revoke', body: `token=${jwt({ jti: 'i' })}`, answer: '' },
  discovery: { endpoint: 'discovery', target: '/.well-known/openid-configuration', body: '', answer: '{"issuer":"a"}' },
};

const audited = (told: Partial<Heard['event']>): Partial<Asked> => ({
  headers: ['Content-Type', form],
  heard: { event: { ...event('token_request'), ...told } },
});
const refused = (reason: string): Partial<Asked> => ({
  answer: '{"error":"invalid_grant"}',
  ...audited({ status: 'failed', details: { reason } }),
});

/** What would be taken for the one before it, if less of it counted. */
const successions: Readonly<Record<string, readonly [known: Partial<Asked>, next: Partial<Asked>]>> = {
  'another ID token': [answered({ id_token: jwt({ sub: '1' }) }), answered({ id_token: jwt({ sub: '2' }) })],
  'another client in the audit': [audited({ client_id: 'a' }), audited({ client_id: 'b' })],
  'another user in the audit': [audited({ username: 'a' }), audited({ username: 'b' })],
  'another reason': [refused('a'), refused('b')],
  'no token in its place': [answered({ scope: 'a' }), answered({ scope: 'a', access_token: 'opaque' })],
  'a token of another kind in its place': [
    answered({ scope: 'a' }),
    answered({ scope: 'a', access_token: `${jwt({ jti: '1' })}.` }),
  ],
  'other tokens where one stood twice': [
    answered({ more: { access_token: jwt({ jti: '1' }) } }),
    answered({ more: { access_token: jwt({ jti: '2' }) } }),
  ],
  'other tokens where one stood twice, the inner one first': [
    { answer: JSON.stringify({ more: { token: jwt({ jti: '1' }) }, token: jwt({ jti: '1' }) }) },
    { answer: JSON.stringify({ more: { token: jwt({ jti: '1' }) }, token: jwt({ jti: '2' }) }) },
  ],
};

describe('what is made of a request that came before', () => {
  it('says what the clock of its namespace said when it came, however late it is made', () => {
    const heard = heardOf(usual);
    const made = wholeExchange(makeExchange(heard, fingerprintsWith('clock')));
    expect([made.at, made.clock]).to.deep.equal([heard.at, heard.at + 60_000]);
  });

  const key = 'k'.repeat(43);
  /** Knows of no request before, on this connection or another. */
  const madeAlone = (heard: Heard, own = key) => {
    const message = { ...heard.exchange.message, socket: {} } as unknown as IncomingMessage;
    const exchange: Heard['exchange'] = { ...heard.exchange, message };
    return wholeExchange(makeExchange({ ...heard, exchange }, fingerprintsWith(own)));
  };
  const asText = (made: readonly ExchangeMade[]) => {
    const repetitions = (one: ExchangeMade) => ({ at: 'like' in one ? one.moment.at : one.at, times: 1, answered: 0 });
    return readBlock(JSON.parse(writeBlock(made.map((one) => [one, repetitions(one)]))));
  };

  it('is what would be made of it alone, whatever came between', () => {
    const random = seededRandom();
    const fingerprints = fingerprintsWith(key);
    const all = Object.entries(variants);
    const [made, alone]: [ExchangeMade[], ExchangeMade[]] = [[], []];
    for (let turn = 0; turn < 2000; turn += 1) {
      // Of some, much: what came twice must have come without so many others between.
      const place = random.next() < 0.5 ? random.integer(0, 5) : random.integer(0, all.length - 1);
      const [name, variant] = all[place] ?? ['', {}];
      const asked = { ...usual, ...variant };
      const token = jwt({ jti: `turn ${turn}` });
      const answer = random.next() < 0.5 ? asked.answer : asked.answer.replace(jwt({ jti: '1' }), token);
      const heard = heardOf({ ...asked, answer });
      const one = makeExchange(heard, fingerprints);
      expect(wholeExchange(one), `${name}, seed ${random.seed}`).to.deep.equal(madeAlone(heard));
      made.push(one);
      alone.push(madeAlone(heard));
    }
    expect(asText(made), `seed ${random.seed}`).to.deep.equal(asText(alone));
    expect(made.filter((one) => 'like' in one).length, 'made of another one').to.be.above(500);
  });

  for (const [name, variant] of Object.entries(variants)) {
    it(`differs where the request does, or its answer: ${name}`, () => {
      const fingerprints = fingerprintsWith(key);
      const answeredBefore = [usual, usual, usual].map((asked) => makeExchange(heardOf(asked), fingerprints));
      expect('like' in (answeredBefore[2] ?? {}), 'the usual one is known').to.equal(true);
      for (let time = 0; time < 3; time += 1) {
        const heard = heardOf({ ...usual, ...variant });
        expect(wholeExchange(makeExchange(heard, fingerprints))).to.deep.equal(madeAlone(heard));
        const again = heardOf(usual);
        expect(wholeExchange(makeExchange(again, fingerprints))).to.deep.equal(madeAlone(again));
      }
    });
  }

  for (const [name, [known, next]] of Object.entries(successions)) {
    it(`differs where what came before does, too: ${name}`, () => {
      const fingerprints = fingerprintsWith(key);
      for (const asked of [known, known, known, next]) {
        const heard = heardOf({ ...usual, ...asked });
        expect(wholeExchange(makeExchange(heard, fingerprints))).to.deep.equal(madeAlone(heard));
      }
    });
  }

  const isKnownAgain = (asked: Asked, fingerprints: Fingerprints) =>
    [1, 2, 3].map(() => 'like' in makeExchange(heardOf(asked), fingerprints));

  it('is worked out anew for a first and a second time', () => {
    expect(isKnownAgain(usual, fingerprintsWith(key))).to.deep.equal([false, false, true]);
    const { userinfo, introspection } = variants;
    expect(isKnownAgain({ ...usual, ...userinfo }, fingerprintsWith(key))).to.deep.equal([false, false, true]);
    expect(isKnownAgain({ ...usual, ...introspection }, fingerprintsWith(key))).to.deep.equal([false, false, true]);
  });

  /** How often a request is made out by its digest, which costs more than to compare it. */
  function counting(own: string): Fingerprints & { readonly digests: () => number } {
    const { of, digestOf } = fingerprintsWith(own);
    let digests = 0;
    const counted = (value: string) => {
      digests += 1;
      return digestOf(value);
    };
    return { of, digestOf: counted, digests: () => digests };
  }

  it('is known on its connection by the one before it, and by its digest on another connection', () => {
    const fingerprints = counting(key);
    const ask = (socket: object) => 'like' in makeExchange(heardOf({ ...usual, socket }), fingerprints);
    const [kept, other] = [{}, {}];
    expect([ask(kept), ask(kept), ask(kept)]).to.deep.equal([false, false, true]);
    expect(fingerprints.digests()).to.equal(3);
    expect([ask(kept), ask(kept), fingerprints.digests()]).to.deep.equal([true, true, 3]);
    expect([ask(other), fingerprints.digests()]).to.deep.equal([true, 4]);
    expect([ask(other), fingerprints.digests()]).to.deep.equal([true, 4]);
  });

  it('is never like one of another namespace, though it came on the same connection', () => {
    const socket = {};
    const namespaces = ['a', 'b'].map((own) => ({ own, fingerprints: fingerprintsWith(own) }));
    for (let turn = 0; turn < 6; turn += 1) {
      for (const { own, fingerprints } of namespaces) {
        const heard = heardOf({ ...usual, socket });
        expect(wholeExchange(makeExchange(heard, fingerprints))).to.deep.equal(madeAlone(heard, own));
      }
    }
  });

  it('keeps no secret in memory for that', () => {
    const fingerprints = fingerprintsWith(key);
    isKnownAgain({ ...usual, ...variants['a secret in the body'] }, fingerprints);
    const made = makeExchange(heardOf({ ...usual, ...variants['a secret in the body'] }), fingerprints);
    expect(made).to.have.property('like');
    expect(JSON.stringify(made)).to.not.include(signature).and.not.include('d2ViOnNlY3JldA');
  });
});
