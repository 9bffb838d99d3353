// The tables of the runtime store. Every row of a namespace carries it in the column `namespace`; times are milliseconds of the protocol's clock;
// records are JSON. A change of anything here needs another `runtimeSchema.version`: a store of another version is
// refused, never converted (STO-05).
import type { BoundedKind } from '#shared/domain/room.ts';
import { defaultNamespace } from '../namespace-id.ts';

/** What a database file of ours says about itself in its header, and the statements that make a new one. */
export interface Schema {
  /** For messages: `runtime store` or `audit`. */
  readonly title: string;
  /** SQLite's application_id: tells the two kinds of file apart, and ours from everybody else's. */
  readonly applicationId: number;
  readonly version: number;
  readonly statements: string;
}

/** The address that names a user (SAM-63): the entry's, or one made of the name. */
export const addressExpression = "coalesce(nullif(json_extract(entry, '$.email'), ''), name || '@example.org')";

/** What counts as taken by a row of each bounded kind. */
const bytesOfRow: Readonly<Record<BoundedKind, readonly [string, ...string[]]>> = {
  runtime_identities: ['entry', 'registration'],
  transactions: ['record'],
  device_grants: ['scope', 'resource', 'client_id', 'approval'],
  metadata_documents: ['entry', 'client_id'],
  sessions: ['username', 'record'],
  session_participants: ['participant', 'record'],
  consents: ['username', 'client_id', 'scope'],
  logout_confirmations: ['record'],
  saml_logouts: ['record'],
  typed_claims: ['name', 'record'],
};

/** Rows come and go, and what some of them hold changes while they are there. */
function roomTriggers(): string {
  return Object.entries(bytesOfRow)
    .map(([kind, columns]) => {
      const bytes = (row: string) =>
        columns.map((name) => `coalesce(length(CAST(${row}.${name} AS BLOB)), 0)`).join(' + ');
      const change = (delta: string, row: string) => `
        UPDATE taken_room SET bytes = bytes + ${delta} WHERE namespace = ${row}.namespace AND kind = '${kind}';`;
      return `
    CREATE TRIGGER ${kind}_come AFTER INSERT ON ${kind} BEGIN
      INSERT OR IGNORE INTO taken_room (namespace, kind, bytes) VALUES (NEW.namespace, '${kind}', 0);${change(`(${bytes('NEW')})`, 'NEW')}
    END;
    CREATE TRIGGER ${kind}_change AFTER UPDATE OF ${columns.join(', ')} ON ${kind} BEGIN${change(`(${bytes('NEW')}) - (${bytes('OLD')})`, 'NEW')}
    END;
    CREATE TRIGGER ${kind}_go AFTER DELETE ON ${kind} BEGIN${change(`- (${bytes('OLD')})`, 'OLD')}
    END;`;
    })
    .join('');
}

export const runtimeSchema: Schema = {
  title: 'runtime store',
  applicationId: 0x54494472, // "TIDr"
  version: 7,
  statements: `
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
      recorder_switches INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO head (only) VALUES (1);

    CREATE TABLE generations (
      namespace TEXT NOT NULL,
      generation INTEGER NOT NULL,
      settings_text TEXT,
      users_text TEXT,
      superseded INTEGER NOT NULL DEFAULT 0,
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

    CREATE TABLE transactions (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      transaction_id TEXT NOT NULL,
      browser TEXT NOT NULL,
      client_id TEXT NOT NULL,
      direct INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      record TEXT NOT NULL,
      UNIQUE (namespace, transaction_id)
    );
    CREATE INDEX transactions_by_browser ON transactions (namespace, browser);
    CREATE INDEX transactions_by_client ON transactions (namespace, client_id);
    CREATE INDEX transactions_by_expiry ON transactions (namespace, expires_at);

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
      scope TEXT NOT NULL,
      resource TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      forgotten_at INTEGER NOT NULL,
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
      UNIQUE (namespace, id)
    );
    CREATE INDEX second_factors_by_expiry ON second_factors (namespace, expires_at);

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

    CREATE TABLE token_memory (
      namespace TEXT NOT NULL,
      kind TEXT NOT NULL,
      digest BLOB NOT NULL,
      value INTEGER NOT NULL,
      kept_until INTEGER NOT NULL,
      PRIMARY KEY (namespace, kind, digest)
    ) WITHOUT ROWID;
    CREATE INDEX token_memory_by_end ON token_memory (kept_until);

    CREATE TABLE typed_claims (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      name TEXT NOT NULL,
      kept_until INTEGER NOT NULL,
      record TEXT NOT NULL,
      UNIQUE (namespace, name)
    );
    CREATE INDEX typed_claims_by_end ON typed_claims (namespace, kept_until);

    CREATE TABLE metadata_documents (
      namespace TEXT NOT NULL,
      client_id TEXT NOT NULL,
      fetched_at INTEGER NOT NULL,
      fresh_until INTEGER NOT NULL,
      entry TEXT NOT NULL,
      PRIMARY KEY (namespace, client_id)
    ) WITHOUT ROWID;

    CREATE TABLE metadata_fetches (
      namespace TEXT PRIMARY KEY,
      fetches TEXT NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE rate_windows (
      seq INTEGER PRIMARY KEY,
      namespace TEXT NOT NULL,
      bucket TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      requests INTEGER NOT NULL,
      UNIQUE (namespace, bucket)
    );
    CREATE INDEX rate_windows_by_expiry ON rate_windows (namespace, expires_at);

    CREATE TABLE shared_secrets (
      namespace TEXT NOT NULL,
      name TEXT NOT NULL,
      secret TEXT NOT NULL,
      PRIMARY KEY (namespace, name)
    ) WITHOUT ROWID;

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

    CREATE TABLE runtime_identities (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      instance_id TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      entry TEXT NOT NULL,
      registration_hash TEXT,
      registration TEXT,
      promotion TEXT NOT NULL DEFAULT 'free',
      claim TEXT UNIQUE,
      owner TEXT,
      promotion_event TEXT,
      written_generation INTEGER,
      UNIQUE (namespace, kind, name)
    );
    CREATE INDEX runtime_identities_by_promotion ON runtime_identities (namespace, promotion)
      WHERE promotion <> 'free';
    CREATE INDEX runtime_identities_by_registration ON runtime_identities (namespace, registration_hash)
      WHERE registration_hash IS NOT NULL;
    CREATE INDEX runtime_users_by_address ON runtime_identities (namespace, ${addressExpression})
      WHERE kind = 'user';
    CREATE INDEX runtime_identities_by_creation ON runtime_identities (namespace, kind, seq);

    CREATE TABLE faults (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      id TEXT NOT NULL,
      origin TEXT NOT NULL,
      entry TEXT NOT NULL,
      remaining INTEGER,
      hits INTEGER NOT NULL DEFAULT 0,
      met INTEGER NOT NULL DEFAULT 0,
      fetches INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      unknown_key TEXT,
      UNIQUE (namespace, id)
    );

    CREATE TABLE exams (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      id TEXT NOT NULL,
      held_until INTEGER NOT NULL,
      record TEXT NOT NULL,
      UNIQUE (namespace, id)
    );
    CREATE INDEX exams_by_end ON exams (held_until);

    CREATE TABLE taken_room (
      namespace TEXT NOT NULL,
      kind TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (namespace, kind)
    ) WITHOUT ROWID;
${roomTriggers()}

    CREATE TABLE outbox (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      delivery TEXT NOT NULL UNIQUE,
      event TEXT NOT NULL
    );
  `,
};
