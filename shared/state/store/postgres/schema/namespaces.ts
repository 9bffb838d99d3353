// Namespaces, including sandboxes, and `head` with the counters that show what changed.
import { defaultNamespace } from '../../namespace-id.ts';

export const namespaceTables = `
  CREATE TABLE namespaces (
    namespace text PRIMARY KEY,
    generation bigint NOT NULL DEFAULT 0,
    clock_offset_milliseconds bigint NOT NULL DEFAULT 0,
    clock_frozen_at bigint,
    recorder_enabled bigint,
    registration_epoch bigint NOT NULL DEFAULT 0
  );
  INSERT INTO namespaces (namespace) VALUES ('${defaultNamespace}');

  CREATE TABLE sandboxes (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL UNIQUE,
    name text NOT NULL UNIQUE,
    instance_id text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    ttl_seconds bigint NOT NULL,
    settings text NOT NULL,
    keys text NOT NULL,
    newest_key bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX sandboxes_by_expiry ON sandboxes (expires_at);

  CREATE TABLE sandbox_keys (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    namespace text NOT NULL,
    kid text NOT NULL,
    public_key text NOT NULL,
    private_key text,
    certificate text
  );
  CREATE INDEX sandbox_keys_by_namespace ON sandbox_keys (namespace);

  CREATE TABLE head (
    single bigint PRIMARY KEY CHECK (single = 1),
    clock_moves bigint NOT NULL DEFAULT 0,
    fault_changes bigint NOT NULL DEFAULT 0,
    recorder_switches bigint NOT NULL DEFAULT 0
  );
  INSERT INTO head (single) VALUES (1);
`;
