// State of tokens: used and revoked ones, and the claims typed for one login.
export const tokenTables = `
  CREATE TABLE token_memory (
    namespace text NOT NULL,
    kind text NOT NULL,
    digest bytea NOT NULL,
    value bigint NOT NULL,
    kept_until bigint NOT NULL,
    PRIMARY KEY (namespace, kind, digest)
  );
  CREATE INDEX token_memory_by_end ON token_memory (kept_until);

  CREATE TABLE typed_claims (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    name text NOT NULL,
    kept_until bigint NOT NULL,
    record text NOT NULL,
    UNIQUE (namespace, name)
  );
  CREATE INDEX typed_claims_by_end ON typed_claims (namespace, kept_until);
`;
