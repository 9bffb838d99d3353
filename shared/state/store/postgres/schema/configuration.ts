// Accepted configurations, and what each directory declared.
export const configurationTables = `
  CREATE TABLE generations (
    namespace text NOT NULL,
    generation bigint NOT NULL,
    settings_text text,
    users_text text,
    superseded bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, generation)
  );

  CREATE TABLE declarations (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    declarer text NOT NULL,
    digest text NOT NULL,
    UNIQUE (namespace, declarer)
  );

  CREATE TABLE texts_once_in_force (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    digest text NOT NULL,
    UNIQUE (namespace, digest)
  );
`;
