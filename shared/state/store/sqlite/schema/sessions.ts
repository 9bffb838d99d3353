// Sessions, their participants, consents, and the state of logouts.
export const sessionTables = `
  CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    sid TEXT NOT NULL,
    cookie TEXT NOT NULL,
    username TEXT NOT NULL,
    last_used_at INTEGER NOT NULL,
    use_number INTEGER NOT NULL,
    forgotten_at INTEGER NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (namespace, sid)
  );
  CREATE INDEX sessions_by_cookie ON sessions (namespace, cookie);
  CREATE INDEX sessions_by_username ON sessions (namespace, username);
  CREATE INDEX sessions_by_use ON sessions (namespace, use_number);
  CREATE INDEX sessions_by_end ON sessions (namespace, forgotten_at);

  CREATE TABLE session_participants (
    seq INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    sid TEXT NOT NULL,
    kind TEXT NOT NULL,
    participant TEXT NOT NULL,
    use_number INTEGER NOT NULL,
    record TEXT,
    UNIQUE (namespace, sid, kind, participant)
  );
  CREATE INDEX session_participants_by_name ON session_participants (namespace, kind, participant);
  CREATE TRIGGER sessions_end AFTER DELETE ON sessions BEGIN
    DELETE FROM session_participants WHERE namespace = OLD.namespace AND sid = OLD.sid;
  END;

  CREATE TABLE logout_confirmations (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    logout_id TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (namespace, logout_id)
  );
  CREATE INDEX logout_confirmations_by_expiry ON logout_confirmations (namespace, expires_at);

  CREATE TABLE saml_logouts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX saml_logouts_by_expiry ON saml_logouts (namespace, expires_at);

  CREATE TABLE ended_assertions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    mark TEXT NOT NULL,
    session_index TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  );
  CREATE INDEX ended_assertions_by_mark ON ended_assertions (namespace, mark);
  CREATE INDEX ended_assertions_by_expiry ON ended_assertions (namespace, expires_at);

  CREATE TABLE logout_deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    record TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX logout_deliveries_by_due ON logout_deliveries (due_at);

  CREATE TABLE consents (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    username TEXT NOT NULL,
    client_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    given_at INTEGER NOT NULL,
    UNIQUE (namespace, username, client_id)
  );
`;
