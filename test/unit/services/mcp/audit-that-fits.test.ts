// Which part of a large audit fits into one MCP response.
import { expect } from 'chai';
import { newestThatFit } from '#services/mcp/audit-that-fits.ts';
import { auditEntryOf, bytesOfEntry } from '#shared/model/audit/audit-entry.ts';
import { event } from '#test/contract/store-under-test.ts';
import { verifies } from '#test/support/verifies.ts';

const entry = (number: number) => auditEntryOf(event('login', { username: String(number).padStart(4, '0') }));

/** The numbers in chunks, as the audit returns them. */
async function* pieces(count: number, size: number) {
  for (let from = 0; from < count; from += size) {
    yield Array.from({ length: Math.min(size, count - from) }, (_, index) => entry(from + index));
  }
}

describe('the audit in one response', () => {
  verifies('MCP-39', 'is complete if it fits, else the newest part with the number of omitted entries', async () => {
    const bytes = bytesOfEntry(entry(0));
    const usernames = async (bytesMax: number) => {
      const { entries, leftOut } = await newestThatFit(pieces(250, 100), bytesMax);
      return { first: entries[0]?.username, last: entries.at(-1)?.username, count: entries.length, leftOut };
    };
    expect(await usernames(250 * bytes)).to.deep.equal({ first: '0000', last: '0249', count: 250, leftOut: 0 });
    expect(await usernames(250 * bytes - 1)).to.deep.equal({ first: '0001', last: '0249', count: 249, leftOut: 1 });
    expect(await usernames(3 * bytes)).to.deep.equal({ first: '0247', last: '0249', count: 3, leftOut: 247 });
    expect(await usernames(0)).to.deep.equal({ first: undefined, last: undefined, count: 0, leftOut: 250 });
  });
});
