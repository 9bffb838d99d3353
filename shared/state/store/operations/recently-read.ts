// Records that this process read a moment ago and is about to decide about. A decision is stored on condition that its record is
// still as it was read, in one round trip; where the record changed, it is read again under its lock.

/** So many records are remembered at a time: a request decides soon after it read. */
const most = 500;

interface RecentlyRead<Row> {
  note(id: string, row: Row): void;
  /** Takes a record out, since it is being decided about and nobody looks at it again. */
  take(id: string): Row | undefined;
}

export function recentlyRead<Row>(): RecentlyRead<Row> {
  const rows = new Map<string, Row>();
  return {
    note: (id, row) => {
      rows.delete(id);
      for (const [oldest] of rows) {
        if (rows.size < most) break;
        rows.delete(oldest);
      }
      rows.set(id, row);
    },
    take: (id) => {
      const row = rows.get(id);
      rows.delete(id);
      return row;
    },
  };
}
