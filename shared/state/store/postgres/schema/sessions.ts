// Sessions, their participants, consents, and the state of logouts.
export const sessionTables = `
  CREATE TABLE sessions (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    sid text NOT NULL,
    cookie text NOT NULL,
    username text NOT NULL,
    last_used_at bigint NOT NULL,
    use_number bigint NOT NULL,
    forgotten_at bigint NOT NULL,
    record text NOT NULL,
    UNIQUE (namespace, sid)
  );
  CREATE INDEX sessions_by_cookie ON sessions (namespace, cookie);
  CREATE INDEX sessions_by_username ON sessions USING hash (username);
  CREATE INDEX sessions_by_use ON sessions (namespace, use_number);
  CREATE INDEX sessions_by_end ON sessions (namespace, forgotten_at);

  CREATE TABLE session_participants (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    sid text NOT NULL,
    kind text NOT NULL,
    participant text NOT NULL,
    use_number bigint NOT NULL,
    record text
  );
  CREATE UNIQUE INDEX session_participants_once ON session_participants (namespace, sid, kind, md5(participant));
  CREATE INDEX session_participants_by_name ON session_participants USING hash (participant);

  CREATE TABLE logout_confirmations (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    logout_id text NOT NULL,
    expires_at bigint NOT NULL,
    record text NOT NULL,
    UNIQUE (namespace, logout_id)
  );
  CREATE INDEX logout_confirmations_by_expiry ON logout_confirmations (namespace, expires_at);

  CREATE TABLE saml_logouts (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    id text NOT NULL,
    record text NOT NULL,
    expires_at bigint NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX saml_logouts_by_expiry ON saml_logouts (namespace, expires_at);

  CREATE TABLE logout_deliveries (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    id text NOT NULL,
    record text NOT NULL,
    attempts bigint NOT NULL,
    due_at bigint NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX logout_deliveries_by_due ON logout_deliveries (due_at);

  CREATE TABLE consents (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    username text NOT NULL,
    client_id text NOT NULL,
    scope text NOT NULL,
    given_at bigint NOT NULL
  );
  CREATE UNIQUE INDEX consents_once ON consents (namespace, md5(username), md5(client_id));
  CREATE INDEX consents_by_username ON consents USING hash (username);

  CREATE SEQUENCE session_uses;
`;

/** Participants are deleted with their session. `schema` is quoted. */
export function sessionTriggers(schema: string): string {
  return `
    CREATE FUNCTION ${schema}.sessions_end() RETURNS trigger LANGUAGE plpgsql AS $end$ BEGIN
      DELETE FROM ${schema}.session_participants p WHERE p.namespace = OLD.namespace AND p.sid = OLD.sid;
      RETURN NULL;
    END $end$;
    CREATE TRIGGER sessions_end AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION ${schema}.sessions_end();`;
}
