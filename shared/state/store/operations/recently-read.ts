// Records that this process has just read and is about to decide on. The decision is stored only if the record is
// unchanged, in one round trip. If the record has changed, it is read again under its lock.

/** The maximum number of cached records. It can be small, because a request decides soon after it reads. */
const most = 500;

interface RecentlyRead<Row> {
  note(id: string, row: Row): void;
  /** Removes and returns a record: it is used for one decision only. */
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
