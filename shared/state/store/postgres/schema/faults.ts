// Faults and exams.
export const faultTables = `
  CREATE TABLE faults (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    id text NOT NULL,
    origin text NOT NULL,
    entry text NOT NULL,
    remaining bigint,
    hits bigint NOT NULL DEFAULT 0,
    met bigint NOT NULL DEFAULT 0,
    fetches bigint NOT NULL DEFAULT 0,
    created_at bigint NOT NULL,
    expires_at bigint,
    unknown_key text,
    UNIQUE (namespace, id)
  );

  CREATE TABLE exams (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    id text NOT NULL,
    held_until bigint NOT NULL,
    record text NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX exams_by_end ON exams (held_until);
`;
