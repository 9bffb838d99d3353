// What this process read a moment ago and is about to decide about. A rule that holds of it is stored on condition that it is still
// what it was, in one round trip; where it is not, it is read again under its lock.

/** So many at a time: a request decides soon after it read. */
const most = 500;

interface RecentlyRead<Row> {
  note(id: string, row: Row): void;
  /** It is decided about: nobody looks at it again. */
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
