// State of tokens: used and revoked ones, used assertions and proofs, and the claims typed for one login.
export const tokenTables = `
  CREATE TABLE token_memory (
    namespace TEXT NOT NULL,
    kind TEXT NOT NULL,
    digest BLOB NOT NULL,
    value INTEGER NOT NULL,
    kept_until INTEGER NOT NULL,
    PRIMARY KEY (namespace, kind, digest)
  ) WITHOUT ROWID;
  CREATE INDEX token_memory_by_end ON token_memory (kept_until);

  CREATE TABLE used_assertions (
    namespace TEXT NOT NULL,
    digest BLOB NOT NULL,
    used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    real_until INTEGER NOT NULL,
    PRIMARY KEY (namespace, digest)
  ) WITHOUT ROWID;
  CREATE INDEX used_assertions_by_end ON used_assertions (namespace, real_until);

  CREATE TABLE typed_claims (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    kept_until INTEGER NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (namespace, name)
  );
  CREATE INDEX typed_claims_by_end ON typed_claims (namespace, kept_until);
`;
