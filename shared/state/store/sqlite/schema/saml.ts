// AuthnRequests that wait for a login, and the last Response to each service provider.
export const samlTables = `
  CREATE TABLE verified_authn_requests (
    seq INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    browser TEXT NOT NULL,
    remembered TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (namespace, browser)
  );
  CREATE INDEX verified_authn_requests_by_expiry ON verified_authn_requests (namespace, expires_at);

  CREATE TABLE delivered_responses (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    service_provider TEXT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (namespace, service_provider)
  );
`;
