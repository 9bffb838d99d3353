// Runtime users, clients and service providers, and the metadata documents of clients.
/** The address that identifies a user (SAM-63): the entry's address, or one made from the name. */
export const addressExpression = "coalesce(nullif(json_extract(entry, '$.email'), ''), name || '@example.org')";

export const identityTables = `
  CREATE TABLE metadata_documents (
    namespace TEXT NOT NULL,
    client_id TEXT NOT NULL,
    fetched_at INTEGER NOT NULL,
    fresh_until INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (namespace, client_id)
  ) WITHOUT ROWID;

  CREATE TABLE metadata_fetches (
    namespace TEXT PRIMARY KEY,
    fetches TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE runtime_identities (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    instance_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    entry TEXT NOT NULL,
    registration_hash TEXT,
    registration TEXT,
    promotion TEXT NOT NULL DEFAULT 'free',
    claim TEXT UNIQUE,
    owner TEXT,
    promotion_event TEXT,
    written_generation INTEGER,
    UNIQUE (namespace, kind, name)
  );
  CREATE INDEX runtime_identities_by_promotion ON runtime_identities (namespace, promotion)
    WHERE promotion <> 'free';
  CREATE INDEX runtime_identities_by_registration ON runtime_identities (namespace, registration_hash)
    WHERE registration_hash IS NOT NULL;
  CREATE INDEX runtime_users_by_address ON runtime_identities (namespace, ${addressExpression})
    WHERE kind = 'user';
  CREATE INDEX runtime_identities_by_creation ON runtime_identities (namespace, kind, seq);
`;
