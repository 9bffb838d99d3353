// State of logins in progress: transactions, codes, device grants, second factors.
export const loginTables = `
  CREATE TABLE transactions (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    transaction_id text NOT NULL,
    browser text NOT NULL,
    client_id text NOT NULL,
    direct bigint NOT NULL,
    embedded bigint NOT NULL,
    expires_at bigint NOT NULL,
    record text NOT NULL,
    UNIQUE (namespace, transaction_id)
  );
  CREATE INDEX transactions_by_browser ON transactions (namespace, browser);
  CREATE INDEX transactions_by_client ON transactions USING hash (client_id);
  CREATE INDEX transactions_by_expiry ON transactions (namespace, expires_at);

  CREATE TABLE codes (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    code text NOT NULL,
    client_id text NOT NULL,
    username text NOT NULL,
    holds_document bigint NOT NULL,
    token_family text,
    expires_at bigint NOT NULL,
    record text,
    UNIQUE (namespace, code)
  );
  CREATE INDEX codes_by_client ON codes USING hash (client_id) WHERE holds_document = 1;
  CREATE INDEX codes_by_expiry ON codes (namespace, expires_at);

  CREATE TABLE device_grants (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    device_code text NOT NULL,
    user_code text NOT NULL,
    client_id text NOT NULL,
    scope text NOT NULL,
    resource text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    forgotten_at bigint NOT NULL,
    interval_seconds bigint NOT NULL,
    last_poll_at bigint,
    state text NOT NULL,
    approval text,
    UNIQUE (namespace, device_code),
    UNIQUE (namespace, user_code)
  );
  CREATE INDEX device_grants_by_state ON device_grants (namespace, state, expires_at);
  CREATE INDEX device_grants_by_end ON device_grants (namespace, forgotten_at);

  CREATE TABLE second_factors (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    id text NOT NULL,
    browser text NOT NULL,
    surface text NOT NULL,
    purpose text NOT NULL,
    username text NOT NULL,
    password_verified_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX second_factors_by_expiry ON second_factors (namespace, expires_at);
`;
