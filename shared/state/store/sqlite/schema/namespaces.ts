// Namespaces, including sandboxes, and `head` with the counters that show what changed.
import { defaultNamespace } from '../../namespace-id.ts';

export const namespaceTables = `
  CREATE TABLE namespaces (
    namespace TEXT PRIMARY KEY,
    generation INTEGER NOT NULL DEFAULT 0,
    clock_offset_milliseconds INTEGER NOT NULL DEFAULT 0,
    clock_frozen_at INTEGER,
    recorder_enabled INTEGER,
    registration_epoch INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  INSERT INTO namespaces (namespace) VALUES ('${defaultNamespace}');

  CREATE TABLE ended_namespaces (ended TEXT PRIMARY KEY) WITHOUT ROWID;

  CREATE TABLE sandboxes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    instance_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ttl_seconds INTEGER NOT NULL,
    settings TEXT NOT NULL,
    keys TEXT NOT NULL,
    newest_key INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX sandboxes_by_expiry ON sandboxes (expires_at);

  CREATE TABLE sandbox_keys (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    kid TEXT NOT NULL,
    public_key TEXT NOT NULL,
    private_key TEXT,
    certificate TEXT
  );
  CREATE INDEX sandbox_keys_by_namespace ON sandbox_keys (namespace);

  CREATE TABLE head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    clock_moves INTEGER NOT NULL DEFAULT 0,
    fault_changes INTEGER NOT NULL DEFAULT 0,
    recorder_switches INTEGER NOT NULL DEFAULT 0,
    proved_real INTEGER NOT NULL DEFAULT 0
  );
  INSERT INTO head (only) VALUES (1);
`;
