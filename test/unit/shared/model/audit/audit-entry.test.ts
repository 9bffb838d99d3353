// How an entry shortens received values, and how many entries are stored.
import { expect } from 'chai';
import { auditBounds, surplusEntries } from '#shared/model/audit/audit-bounds.ts';
import { auditEntryOf, bytesOfEntry } from '#shared/model/audit/audit-entry.ts';
import { event } from '#test/contract/store-under-test.ts';

const kib = 1024;

describe('an audit entry', () => {
  it('stores whole characters up to the first KiB of a string, in any encoding', () => {
    const entryOf = (username: string) => auditEntryOf(event('login', { username })).username;
    expect(entryOf('é'.repeat(512))).to.equal('é'.repeat(512));
    expect(entryOf('é'.repeat(513))).to.equal(`${'é'.repeat(512)}...`);
    expect(entryOf(`x${'é'.repeat(512)}`)).to.equal(`x${'é'.repeat(511)}...`);
    expect(entryOf('😀'.repeat(300))).to.equal(`${'😀'.repeat(256)}...`);
  });

  it('stays below 16 KiB with any details', () => {
    const long = 'x'.repeat(100 * kib);
    let nested: unknown = long;
    for (let depth = 0; depth < 1000; depth += 1) nested = [nested];
    const everything = event('login', {
      username: long,
      client_id: long,
      ip_address: long,
      user_agent: long,
      endpoint: long,
      method: long,
      request: { status: 200, parameters: Array.from({ length: 30 }, () => ['state', long] as const) },
      details: {
        first: 1,
        nested,
        [long]: long,
        ...Object.fromEntries(Array.from({ length: 999 }, (_, n) => [n, long])),
      },
    });
    const entry = auditEntryOf(everything);
    expect(bytesOfEntry(entry)).to.be.below(16 * kib);
    expect(entry.details).to.include({ truncated: true });
  });

  it('stores a few short details unchanged, and measures others by their JSON size', () => {
    const of = (details: Readonly<Record<string, unknown>>) => auditEntryOf(event('login', { details })).details;
    const few = { grant_type: 'password', scopes: 3, fault: null, mfa: false, left: undefined };
    expect(of(few)).to.deep.equal(few);
    const short = (text: string, number: number) =>
      Object.fromEntries(Array.from({ length: number }, (_, place) => [`member-${place}`, text]));
    for (const details of [short('\u0001'.repeat(100), 30), short('x', 2000), short('é'.repeat(340), 20)]) {
      expect(of(details)).to.include({ truncated: true });
      expect(Buffer.byteLength(JSON.stringify(of(details)))).to.be.below(9 * kib);
    }
    expect(of({ [`${'é'.repeat(600)}`]: 1 })).to.deep.equal({ [`${'é'.repeat(512)}...`]: 1 });
    expect(of({ text: 'é'.repeat(600) })).to.deep.equal({ text: `${'é'.repeat(512)}...` });
  });

  it('is deleted when the limit of entries or bytes requires it, oldest first', () => {
    const bounds = auditBounds(10);
    expect(bounds).to.deep.equal({ entries: 10, bytes: 30 * kib });
    const oldest = () => [20 * kib, kib, kib];
    expect(surplusEntries({ entries: 10, bytes: 30 * kib }, bounds, oldest)).to.deep.equal({ entries: 0, bytes: 0 });
    expect(surplusEntries({ entries: 12, bytes: kib }, bounds, oldest)).to.deep.equal({ entries: 2, bytes: 21 * kib });
    expect(surplusEntries({ entries: 9, bytes: 31 * kib }, bounds, oldest)).to.deep.equal({
      entries: 1,
      bytes: 20 * kib,
    });
  });

  it('is measured only if it is deleted', () => {
    let calls = 0;
    function* oldest() {
      while (true) {
        calls += 1;
        yield kib;
      }
    }
    surplusEntries({ entries: 14, bytes: kib }, auditBounds(10), oldest);
    expect(calls).to.equal(4);
  });
});
