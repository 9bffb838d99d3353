// State of logins in progress: transactions, pushed requests, codes, device grants, second factors.
export const loginTables = `
  CREATE TABLE transactions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    browser TEXT NOT NULL,
    client_id TEXT NOT NULL,
    direct INTEGER NOT NULL,
    embedded INTEGER NOT NULL,
    address TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    real_until INTEGER NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (namespace, transaction_id)
  );
  CREATE INDEX transactions_by_browser ON transactions (namespace, browser);
  CREATE INDEX transactions_by_client ON transactions (namespace, client_id);
  CREATE INDEX transactions_by_expiry ON transactions (namespace, expires_at);

  CREATE TABLE pushed_requests (
    seq INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    request_uri TEXT NOT NULL,
    client_id TEXT NOT NULL,
    used INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    real_until INTEGER NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (namespace, request_uri)
  );
  CREATE INDEX pushed_requests_by_expiry ON pushed_requests (namespace, expires_at);

  CREATE TABLE codes (
    seq INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    code TEXT NOT NULL,
    client_id TEXT NOT NULL,
    username TEXT NOT NULL,
    holds_document INTEGER NOT NULL,
    token_family TEXT,
    expires_at INTEGER NOT NULL,
    record TEXT,
    UNIQUE (namespace, code)
  );
  CREATE INDEX codes_by_client ON codes (namespace, client_id) WHERE holds_document = 1;
  CREATE INDEX codes_by_expiry ON codes (namespace, expires_at);

  CREATE TABLE device_grants (
    seq INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    device_code TEXT NOT NULL,
    user_code TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_instance TEXT,
    scope TEXT NOT NULL,
    resource TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    forgotten_at INTEGER NOT NULL,
    real_until INTEGER NOT NULL,
    interval_seconds INTEGER NOT NULL,
    last_poll_at INTEGER,
    state TEXT NOT NULL,
    approval TEXT,
    UNIQUE (namespace, device_code),
    UNIQUE (namespace, user_code)
  );
  CREATE INDEX device_grants_by_state ON device_grants (namespace, state, expires_at);
  CREATE INDEX device_grants_by_end ON device_grants (namespace, forgotten_at);

  CREATE TABLE second_factors (
    seq INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    id TEXT NOT NULL,
    browser TEXT NOT NULL,
    surface TEXT NOT NULL,
    purpose TEXT NOT NULL,
    username TEXT NOT NULL,
    password_verified_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    real_until INTEGER NOT NULL,
    UNIQUE (namespace, id)
  );
  CREATE INDEX second_factors_by_expiry ON second_factors (namespace, expires_at);
`;
