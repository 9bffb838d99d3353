// How large the audit may get, in entries and in bytes. The engines of the store remove the surplus. `audit-entry.ts` limits a
// single entry, and `model/domain/sandbox.ts` the audit of a sandbox.

/** Of the default identity provider. */
export const auditEntriesMax = 10_000;

interface AuditBounds {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * An audit that keeps so many entries may take so many bytes: far more than usual entries need, and far less than the
 * largest ones would.
 */
export function auditBounds(entriesMax: number): AuditBounds {
  return { entries: entriesMax, bytes: entriesMax * 3 * 1024 };
}

/** How many of the oldest go, so that the rest keeps both bounds. `oldest` is read only as far as needed. */
export function surplusEntries(kept: AuditBounds, bounds: AuditBounds, oldest: () => Iterable<number>): AuditBounds {
  let [entries, bytes] = [0, 0];
  const isOver = () => kept.entries - entries > bounds.entries || kept.bytes - bytes > bounds.bytes;
  if (!isOver()) return { entries, bytes };
  const sizes = oldest()[Symbol.iterator]();
  while (isOver()) {
    const { done, value } = sizes.next();
    if (done === true) break;
    entries += 1;
    bytes += value;
  }
  return { entries, bytes };
}
