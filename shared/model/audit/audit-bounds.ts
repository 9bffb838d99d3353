// The limits of the audit in entries and bytes. The store engines remove the surplus. `audit-entry.ts` limits a single
// entry, and `model/domain/sandbox.ts` the audit of a sandbox.

/** For the default identity provider. */
export const auditEntriesMax = 10_000;

interface AuditBounds {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * The byte limit for an audit of `entriesMax` entries: far more than usual entries need, and far less than the largest
 * entries would take.
 */
export function auditBounds(entriesMax: number): AuditBounds {
  return { entries: entriesMax, bytes: entriesMax * 3 * 1024 };
}

/**
 * How many of the oldest entries to remove, so that the rest is within both limits. `oldest` is read only as far as
 * needed.
 */
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
