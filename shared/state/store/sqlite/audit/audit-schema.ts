// The tables of the audit database. `seq` is the order in which the events of a namespace were committed, whatever the
// clocks of the writing processes say (AUD-02). Each namespace has its own span of numbers without gaps, and no number
// is reused after a clear. So an event changes the end of one table and its counters, and no index. This matters
// because every changed page is written whole. `deliveries` stores which outbox events have arrived. It is separate
// from the entries, so that after a clear or an eviction no event is accepted twice. The recorder's exchanges are
// stored here too: an exchange with an event is written to the log together with it. A later read makes its row.
// `first` is the response time of the oldest exchange of a block without a row, and `done` counts the exchanges of the
// block that have one. A namespace has an audit once its row in `counters` exists.

import { auditEntriesMax } from '#shared/model/audit/audit-bounds.ts';
import { recorderBounds } from '#shared/model/domain/exchange.ts';
import { defaultNamespace } from '../../namespace-id.ts';
import type { Schema } from '../database-file.ts';

const format = 8;

export const auditSchema: Schema = {
  title: 'audit',
  applicationId: 0x54494461, // "TIDa"
  // Format and bound in one number, because an audit with another bound is rejected by its header alone (STO-05).
  version: format * 1_000_000 + auditEntriesMax,
  statements: `
    CREATE TABLE events (
      seq INTEGER PRIMARY KEY,
      namespace TEXT NOT NULL,
      event_type TEXT NOT NULL,
      username TEXT,
      client_id TEXT,
      bytes INTEGER NOT NULL,
      entry TEXT NOT NULL
    );

    CREATE TABLE counters (
      namespace TEXT PRIMARY KEY,
      kept_max INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      kept INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      total_requests INTEGER NOT NULL DEFAULT 0,
      token_requests INTEGER NOT NULL DEFAULT 0,
      saml_sso_requests INTEGER NOT NULL DEFAULT 0,
      saml_attribute_queries INTEGER NOT NULL DEFAULT 0,
      login_attempts INTEGER NOT NULL DEFAULT 0,
      successful_logins INTEGER NOT NULL DEFAULT 0,
      failed_logins INTEGER NOT NULL DEFAULT 0,
      refused_token_requests INTEGER NOT NULL DEFAULT 0,
      refused_saml_sso_requests INTEGER NOT NULL DEFAULT 0,
      refused_saml_attribute_queries INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;

    INSERT INTO counters (namespace, kept_max, last_seq) VALUES ('${defaultNamespace}', ${auditEntriesMax}, 0);

    CREATE TABLE deliveries (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      delivery TEXT NOT NULL UNIQUE
    );

    CREATE TABLE recorders (
      namespace TEXT PRIMARY KEY,
      entries_max INTEGER NOT NULL,
      bytes_max INTEGER NOT NULL,
      kept INTEGER NOT NULL DEFAULT 0,
      bytes INTEGER NOT NULL DEFAULT 0,
      dropped INTEGER NOT NULL DEFAULT 0,
      lost INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    INSERT INTO recorders (namespace, entries_max, bytes_max)
      VALUES ('${defaultNamespace}', ${recorderBounds.home.entries}, ${recorderBounds.home.bytes});

    CREATE TABLE exchanges (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      flow INTEGER,
      endpoint TEXT NOT NULL,
      at INTEGER NOT NULL,
      clock INTEGER NOT NULL,
      duration REAL NOT NULL,
      method TEXT NOT NULL,
      path TEXT NOT NULL,
      status INTEGER NOT NULL,
      client_id TEXT,
      username TEXT,
      sp TEXT,
      grant_type TEXT,
      decision TEXT NOT NULL,
      reason TEXT,
      refusal TEXT,
      fault TEXT,
      repeated INTEGER NOT NULL,
      repeat_key TEXT,
      address TEXT,
      request_id TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      said TEXT NOT NULL,
      secrets TEXT
    );
    CREATE INDEX exchanges_by_namespace ON exchanges (namespace);
    CREATE INDEX exchanges_by_flow ON exchanges (namespace, coalesce(flow, seq));
    CREATE INDEX exchanges_by_repetition ON exchanges (namespace, repeat_key) WHERE repeat_key IS NOT NULL;

    CREATE TABLE flow_keys (
      namespace TEXT NOT NULL,
      key TEXT NOT NULL,
      flow INTEGER NOT NULL,
      exchange INTEGER NOT NULL,
      PRIMARY KEY (namespace, key)
    ) WITHOUT ROWID;
    CREATE INDEX flow_keys_by_exchange ON flow_keys (namespace, exchange);

    CREATE TABLE exchange_log (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      namespace TEXT NOT NULL,
      exchanges INTEGER NOT NULL,
      first INTEGER NOT NULL,
      done INTEGER NOT NULL DEFAULT 0,
      body TEXT NOT NULL
    );
    CREATE INDEX exchange_log_by_first ON exchange_log (first);
    CREATE TABLE exchange_holders (holder TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;

    CREATE TABLE exchange_waits (
      seq INTEGER PRIMARY KEY,
      namespace TEXT NOT NULL,
      wait TEXT NOT NULL UNIQUE,
      until INTEGER NOT NULL
    );
  `,
};
