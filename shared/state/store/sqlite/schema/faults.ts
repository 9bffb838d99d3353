// Faults and exams.
export const faultTables = `
  CREATE TABLE faults (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    origin TEXT NOT NULL,
    entry TEXT NOT NULL,
    remaining INTEGER,
    hits INTEGER NOT NULL DEFAULT 0,
    met INTEGER NOT NULL DEFAULT 0,
    fetches INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    unknown_key TEXT,
    UNIQUE (namespace, id)
  );

  CREATE TABLE exams (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    held_until INTEGER NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX exams_by_end ON exams (held_until);
`;
