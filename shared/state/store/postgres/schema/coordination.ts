// State that several processes share: rate windows and secrets.
export const coordinationTables = `
  CREATE TABLE rate_windows (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    bucket text NOT NULL,
    started_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    requests bigint NOT NULL,
    UNIQUE (namespace, bucket)
  );
  CREATE INDEX rate_windows_by_expiry ON rate_windows (namespace, expires_at);

  CREATE TABLE shared_secrets (
    namespace text NOT NULL,
    name text NOT NULL,
    secret text NOT NULL,
    PRIMARY KEY (namespace, name)
  );
`;
