// State that several processes share: rate windows and secrets.
export const coordinationTables = `
  CREATE TABLE rate_windows (
    seq INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    bucket TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    UNIQUE (namespace, bucket)
  );
  CREATE INDEX rate_windows_by_expiry ON rate_windows (namespace, expires_at);

  CREATE TABLE shared_secrets (
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    secret TEXT NOT NULL,
    PRIMARY KEY (namespace, name)
  ) WITHOUT ROWID;
`;
