// The audit: events, and counters with a row for each session.
import { auditEntriesMax } from '#shared/model/audit/audit-bounds.ts';
import { defaultNamespace } from '../../namespace-id.ts';

export const auditTables = `
  CREATE TABLE audits (
    namespace text PRIMARY KEY,
    kept_max bigint NOT NULL,
    last_place bigint NOT NULL DEFAULT 0
  );
  INSERT INTO audits (namespace, kept_max) VALUES ('${defaultNamespace}', ${auditEntriesMax});

  CREATE TABLE audit_counters (
    namespace text NOT NULL,
    slot integer NOT NULL,
    kept bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    total_requests bigint NOT NULL DEFAULT 0,
    token_requests bigint NOT NULL DEFAULT 0,
    saml_sso_requests bigint NOT NULL DEFAULT 0,
    saml_attribute_queries bigint NOT NULL DEFAULT 0,
    login_attempts bigint NOT NULL DEFAULT 0,
    successful_logins bigint NOT NULL DEFAULT 0,
    failed_logins bigint NOT NULL DEFAULT 0,
    refused_token_requests bigint NOT NULL DEFAULT 0,
    refused_saml_sso_requests bigint NOT NULL DEFAULT 0,
    refused_saml_attribute_queries bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (namespace, slot)
  );

  CREATE TABLE events (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    place bigint,
    namespace text NOT NULL,
    recorded_at bigint NOT NULL,
    clock bigint,
    event_type text NOT NULL,
    username text,
    client_id text,
    ip_address text,
    user_agent text,
    endpoint text,
    method text,
    status text NOT NULL,
    details text NOT NULL,
    request text,
    bytes bigint NOT NULL
  );
  CREATE INDEX events_by_place ON events (namespace, place);
  CREATE INDEX events_without_place ON events (namespace) WHERE place IS NULL;
`;
