// AuthnRequests that wait for a login, and the last Response to each service provider.
export const samlTables = `
  CREATE TABLE verified_authn_requests (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    browser text NOT NULL,
    remembered text NOT NULL,
    expires_at bigint NOT NULL,
    UNIQUE (namespace, browser)
  );
  CREATE INDEX verified_authn_requests_by_expiry ON verified_authn_requests (namespace, expires_at);

  CREATE TABLE delivered_responses (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    service_provider text NOT NULL,
    document text NOT NULL
  );
  CREATE UNIQUE INDEX delivered_responses_once ON delivered_responses (namespace, md5(service_provider));
  CREATE INDEX delivered_responses_by_service_provider ON delivered_responses USING hash (service_provider);
`;
