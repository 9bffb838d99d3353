// The audit: order, limits, filters, counters.
import { expect } from 'chai';
import { verifies } from '#test/support/verifies.ts';
import { at, event, type StoreUnderTest } from '../store-under-test.ts';

const noCounts = {
  total_requests: 0,
  token_requests: 0,
  saml_sso_requests: 0,
  saml_attribute_queries: 0,
  login_attempts: 0,
  successful_logins: 0,
  failed_logins: 0,
  refused_token_requests: 0,
  refused_saml_sso_requests: 0,
  refused_saml_attribute_queries: 0,
};

export function describeAudit(under: () => StoreUnderTest): void {
  const recordNumbers = async (from: number, to: number) => {
    const events = Array.from({ length: to - from }, (_, index) =>
      event('token_request', { at: at(1000 - index), details: { number: from + index } }),
    );
    await Promise.all(events.map((one) => under().audit.record(one)));
  };
  const numbers = async (limit: number) => (await under().audit.read({ limit })).map(({ details }) => details.number);

  describe('audit', () => {
    it('stores the first KiB of each received string', async () => {
      const { audit } = under();
      const name = 'x'.repeat(1024);
      await audit.record(
        event('login', { username: name, user_agent: `${name}y`, details: { reason: `${name}y`, n: 1 } }),
      );
      const [entry] = await audit.read({ limit: -1 });
      expect(entry?.username).to.equal(name);
      expect(entry?.user_agent).to.equal(`${name}...`);
      expect(entry?.details).to.deep.equal({ reason: `${name}...`, n: 1 });
    });

    it('has a limit in bytes, and deletes the oldest of large entries first', async function () {
      this.timeout(60_000);
      const { audit } = under();
      const text = 'x'.repeat(1024);
      const details = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`member_${index}`, text]));
      const large = (number: number) => audit.record(event('login', { details: { number, ...details } }));
      for (let from = 0; from < 6000; from += 500) {
        await Promise.all(Array.from({ length: 500 }, (_, index) => large(from + index)));
      }
      const entries = await audit.read({ limit: -1 });
      expect(Buffer.byteLength(JSON.stringify(entries))).to.be.below(10_000 * 3 * 1024 * 1.01);
      expect(entries).to.have.length.within(3_000, 5_000);
      expect(entries.at(-1)?.details.number).to.equal(5999);
      expect((await audit.counters()).total_requests).to.equal(6000);
      await audit.record(event('logout'));
      expect(await audit.read({ limit: -1, event_type: 'logout' })).to.have.length(1);
    });

    verifies('AUD-01', 'returns an entry with every member, null for absent ones', async () => {
      const { audit } = under();
      await audit.record(
        event('login', { at: at(1.5), clock: at(600), username: 'alice', status: 'failed', details: { reason: 'x' } }),
      );
      await audit.record({ event_type: 'logout', at: at(2), status: 'success' });
      expect(await audit.read({ limit: -1 })).to.deep.equal([
        {
          timestamp: '2026-01-01T00:00:01.500Z',
          clock: '2026-01-01T00:10:00.000Z',
          event_type: 'login',
          username: 'alice',
          client_id: null,
          ip_address: null,
          user_agent: null,
          endpoint: null,
          method: null,
          status: 'failed',
          details: { reason: 'x' },
        },
        {
          timestamp: '2026-01-01T00:00:02.000Z',
          clock: null,
          event_type: 'logout',
          username: null,
          client_id: null,
          ip_address: null,
          user_agent: null,
          endpoint: null,
          method: null,
          status: 'success',
          details: {},
        },
      ]);
    });

    verifies('AUD-02', 'is read in the order of recording, regardless of the clocks', async () => {
      await recordNumbers(0, 5);
      expect(await numbers(-1)).to.deep.equal([0, 1, 2, 3, 4]);
    });

    verifies(
      'AUD-03',
      'returns the newest entries up to the limit, oldest first, none for 0 and all for a negative limit',
      async () => {
        await recordNumbers(0, 5);
        expect(await numbers(2)).to.deep.equal([3, 4]);
        expect(await numbers(0)).to.deep.equal([]);
        expect(await numbers(-1)).to.deep.equal([0, 1, 2, 3, 4]);
        expect(await numbers(1e18)).to.deep.equal([0, 1, 2, 3, 4]);
      },
    );

    verifies('AUD-03', 'returns the same in chunks, as of the first query', async () => {
      const { audit } = under();
      await recordNumbers(0, 350);
      const inPieces = async (query: Parameters<typeof audit.read>[0], between = async () => {}) => {
        const pieces: unknown[][] = [];
        for await (const entries of audit.pieces(query)) {
          pieces.push(entries.map(({ details }) => details.number));
          await between();
        }
        return pieces;
      };
      const everything = Array.from({ length: 350 }, (_, number) => number);
      const all = await inPieces({ limit: -1 }, () => recordNumbers(1_000, 1_001));
      expect(all.flat()).to.deep.equal(everything);
      expect(all.length).to.be.above(2);
      await audit.clear();
      await recordNumbers(0, 350);
      expect((await inPieces({ limit: 250 })).flat()).to.deep.equal(everything.slice(-250));
      expect((await inPieces({ limit: 0 })).flat()).to.deep.equal([]);
      expect((await inPieces({ limit: -1, event_type: 'login' })).flat()).to.deep.equal([]);
      expect((await inPieces({ limit: 3, event_type: 'token_request' })).flat()).to.deep.equal([347, 348, 349]);
      expect((await inPieces({ limit: -1 }, () => audit.clear())).flat()).to.deep.equal(everything.slice(0, 100));
    });

    it('stores the parameters of a request for callers that want them', async () => {
      const { audit } = under();
      const request = {
        status: 400,
        parameters: [
          ['scope', 'a\u0000"'],
          ['password', null],
        ],
      } as const;
      await audit.record(event('token_request', { request }));
      await audit.record(event('login', { request: { parameters: [] } }));
      await audit.record(event('logout'));
      const requests = async (withRequests: boolean) =>
        (await audit.read({ limit: -1, withRequests })).map((entry) => entry.request);
      expect(await requests(true)).to.deep.equal([request, { parameters: [] }, undefined]);
      expect(await requests(false)).to.deep.equal([undefined, undefined, undefined]);
      const [newest] = await audit.read({ limit: 1, event_type: 'token_request', withRequests: true });
      expect(newest?.request).to.deep.equal(request);
    });

    verifies('AUD-04', 'filters by equality before it applies the limit, and ignores empty filters', async () => {
      const { audit } = under();
      await audit.record(event('login', { username: 'alice' }));
      await audit.record(event('login', { username: 'bob', client_id: 'web' }));
      await audit.record(event('logout', { username: 'alice' }));
      await audit.record(event('login', { username: 'alice', client_id: 'web' }));
      const matching = async (query: Parameters<typeof audit.read>[0]) =>
        (await audit.read(query)).map(({ event_type, username, client_id }) => [event_type, username, client_id]);
      expect(await matching({ limit: 1, username: 'bob' })).to.deep.equal([['login', 'bob', 'web']]);
      expect(await matching({ limit: -1, event_type: 'login', username: 'alice' })).to.deep.equal([
        ['login', 'alice', null],
        ['login', 'alice', 'web'],
      ]);
      expect(await matching({ limit: -1, client_id: 'web', username: '' })).to.have.length(2);
      expect(await matching({ limit: -1, username: 'ali%' })).to.deep.equal([]);
    });

    verifies(['AUD-05', 'AUD-06'], 'keeps the newest 10 000 entries without lowering a counter', async () => {
      await recordNumbers(0, 10_003);
      const kept = await numbers(-1);
      expect(kept).to.have.length(10_000);
      expect(kept[0]).to.equal(3);
      expect(kept.at(-1)).to.equal(10_002);
      expect(await under().audit.counters()).to.deep.equal({
        ...noCounts,
        total_requests: 10_003,
        token_requests: 10_003,
      });
    });

    verifies('AUD-06', 'counts from zero, by type and outcome', async () => {
      const { audit } = under();
      expect(await audit.counters()).to.deep.equal(noCounts);
      await audit.record(event('login'));
      await audit.record(event('login', { status: 'failed' }));
      await audit.record(event('login', { status: 'failed' }));
      await audit.record(event('token_request', { status: 'failed' }));
      await audit.record(event('token_request'));
      await audit.record(event('saml_request'));
      await audit.record(event('saml_request', { status: 'denied' }));
      await audit.record(event('saml_attribute_query', { status: 'failed' }));
      await audit.record(event('logout'));
      expect(await audit.counters()).to.deep.equal({
        total_requests: 9,
        token_requests: 2,
        saml_sso_requests: 2,
        saml_attribute_queries: 1,
        login_attempts: 3,
        successful_logins: 1,
        failed_logins: 2,
        refused_token_requests: 1,
        refused_saml_sso_requests: 1,
        refused_saml_attribute_queries: 1,
      });
    });

    verifies('AUD-07', 'is cleared with its counters, and continues from there', async () => {
      const { audit } = under();
      await recordNumbers(0, 3);
      await audit.clear();
      expect(await audit.read({ limit: -1 })).to.deep.equal([]);
      expect(await audit.counters()).to.deep.equal(noCounts);
      await recordNumbers(3, 4);
      expect(await numbers(-1)).to.deep.equal([3]);
      expect((await audit.counters()).total_requests).to.equal(1);
    });

    it('stores details unchanged, even hostile names and strings', async () => {
      const details = JSON.parse('{"__proto__":{"x":1},"text":"\\u0000\\ud83d\\ude00 \'; DROP TABLE events"}');
      await under().audit.record(event('login', { username: "' OR 1=1 --", details }));
      const [entry] = await under().audit.read({ limit: 1, username: "' OR 1=1 --" });
      expect(JSON.stringify(entry?.details)).to.equal(JSON.stringify(details));
    });
  });
}
