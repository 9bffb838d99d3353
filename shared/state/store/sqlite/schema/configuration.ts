// Accepted configurations, and what each directory declared.
export const configurationTables = `
  CREATE TABLE generations (
    namespace TEXT NOT NULL,
    generation INTEGER NOT NULL,
    settings_text TEXT,
    users_text TEXT,
    superseded INTEGER NOT NULL DEFAULT 0,
    shared_digest TEXT,
    PRIMARY KEY (namespace, generation)
  ) WITHOUT ROWID;

  CREATE TABLE declarations (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    declarer TEXT NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (namespace, declarer)
  );

  CREATE TABLE texts_once_in_force (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    digest TEXT NOT NULL,
    UNIQUE (namespace, digest)
  );
`;
