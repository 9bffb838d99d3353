// The tables of the store in PostgreSQL, made and migrated in one transaction under one advisory lock (PGS-10 to PGS-14).
// Every row of a namespace carries it in the column `namespace`; times are milliseconds; records are JSON, kept as text, because
// nobody but this program reads them and they come back as they were. A row of an index takes some 2 KiB at most, so what
// somebody else named (users, clients, service providers) is found by a hash index, and unique by its digest.
import * as z from 'zod';
import { auditEntriesMax } from '#shared/audit/audit-event.ts';
import { recorderBounds } from '#shared/domain/exchange.ts';
import type { BoundedKind } from '#shared/domain/room.ts';
import { defaultNamespace } from '../namespace-id.ts';
import { StoreRefusedError } from '../store-refused.ts';
import type { Connect, Connection } from './connection.ts';
import { lockKey, storeDeadlineMilliseconds } from './database.ts';

export const schemaVersion = 1;

/** What one session writes lies beside what others write, so that commits do not wait for each other (PGS-21). */
export const slots = 32;
export const slotOfSession = `(pg_backend_pid() % ${slots})`;

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

/** No statement can forget to count what it adds or removes. */
function roomTriggers(schema: string): string {
  const ofKind = Object.entries(bytesOfRow).map(([kind, columns]) => {
    const bytes = (row: string) => columns.map((name) => `coalesce(octet_length(${row}.${name}), 0)`).join(' + ');
    const count = (row: string, delta: string) =>
      `INSERT INTO ${schema}.taken_room AS t (namespace, kind, slot, bytes)
       VALUES (${row}.namespace, '${kind}', pg_catalog.pg_backend_pid() % ${slots}, ${delta})
       ON CONFLICT (namespace, kind, slot) DO UPDATE SET bytes = t.bytes + excluded.bytes;`;
    return `
    CREATE FUNCTION ${schema}.${kind}_room() RETURNS trigger LANGUAGE plpgsql AS $room$ BEGIN
      IF TG_OP = 'INSERT' THEN ${count('NEW', bytes('NEW'))}
      ELSIF TG_OP = 'DELETE' THEN ${count('OLD', `-(${bytes('OLD')})`)}
      ELSE ${count('NEW', `(${bytes('NEW')}) - (${bytes('OLD')})`)}
      END IF;
      RETURN NULL;
    END $room$;
    CREATE TRIGGER ${kind}_room AFTER INSERT OR DELETE OR UPDATE OF ${columns.join(', ')} ON ${kind}
      FOR EACH ROW EXECUTE FUNCTION ${schema}.${kind}_room();`;
  });
  return `${ofKind.join('')}
    CREATE FUNCTION ${schema}.sessions_end() RETURNS trigger LANGUAGE plpgsql AS $end$ BEGIN
      DELETE FROM ${schema}.session_participants p WHERE p.namespace = OLD.namespace AND p.sid = OLD.sid;
      RETURN NULL;
    END $end$;
    CREATE TRIGGER sessions_end AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION ${schema}.sessions_end();`;
}

const tables = `
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

    CREATE TABLE generations (
      namespace text NOT NULL,
      generation bigint NOT NULL,
      settings_text text,
      users_text text,
      superseded bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (namespace, generation)
    );

    CREATE TABLE declarations (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      declarer text NOT NULL,
      digest text NOT NULL,
      UNIQUE (namespace, declarer)
    );

    CREATE TABLE texts_once_in_force (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      digest text NOT NULL,
      UNIQUE (namespace, digest)
    );

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

    CREATE TABLE token_memory (
      namespace text NOT NULL,
      kind text NOT NULL,
      digest bytea NOT NULL,
      value bigint NOT NULL,
      kept_until bigint NOT NULL,
      PRIMARY KEY (namespace, kind, digest)
    );
    CREATE INDEX token_memory_by_end ON token_memory (kept_until);

    CREATE TABLE typed_claims (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      name text NOT NULL,
      kept_until bigint NOT NULL,
      record text NOT NULL,
      UNIQUE (namespace, name)
    );
    CREATE INDEX typed_claims_by_end ON typed_claims (namespace, kept_until);

    CREATE TABLE metadata_documents (
      namespace text NOT NULL,
      client_id text NOT NULL,
      fetched_at bigint NOT NULL,
      fresh_until bigint NOT NULL,
      entry text NOT NULL
    );
    CREATE UNIQUE INDEX metadata_documents_once ON metadata_documents (namespace, md5(client_id));
    CREATE INDEX metadata_documents_by_client ON metadata_documents USING hash (client_id);

    CREATE TABLE metadata_fetches (
      namespace text PRIMARY KEY,
      fetches text NOT NULL
    );

    CREATE TABLE rate_windows (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      bucket text NOT NULL,
      started_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      requests bigint NOT NULL,
      UNIQUE (namespace, bucket)
    );
    CREATE INDEX rate_windows_by_expiry ON rate_windows (namespace, expires_at);

    CREATE TABLE shared_secrets (
      namespace text NOT NULL,
      name text NOT NULL,
      secret text NOT NULL,
      PRIMARY KEY (namespace, name)
    );

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

    CREATE TABLE runtime_identities (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      kind text NOT NULL,
      name text NOT NULL,
      instance_id text NOT NULL UNIQUE,
      created_at bigint NOT NULL,
      entry text NOT NULL,
      address text,
      registration_hash text,
      registration text,
      promotion text NOT NULL DEFAULT 'free',
      claim text UNIQUE,
      owner text,
      promotion_event text,
      written_generation bigint
    );
    CREATE UNIQUE INDEX runtime_identities_once ON runtime_identities (namespace, kind, md5(name));
    CREATE INDEX runtime_identities_by_name ON runtime_identities USING hash (name);
    CREATE INDEX runtime_identities_by_promotion ON runtime_identities (namespace, promotion)
      WHERE promotion <> 'free';
    CREATE INDEX runtime_identities_by_registration ON runtime_identities (namespace, registration_hash)
      WHERE registration_hash IS NOT NULL;
    CREATE INDEX runtime_users_by_address ON runtime_identities USING hash (address)
      WHERE kind = 'user';
    CREATE INDEX runtime_identities_by_creation ON runtime_identities (namespace, kind, seq);

    CREATE TABLE faults (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      id text NOT NULL,
      origin text NOT NULL,
      entry text NOT NULL,
      remaining bigint,
      hits bigint NOT NULL DEFAULT 0,
      met bigint NOT NULL DEFAULT 0,
      fetches bigint NOT NULL DEFAULT 0,
      created_at bigint NOT NULL,
      expires_at bigint,
      unknown_key text,
      UNIQUE (namespace, id)
    );

    CREATE TABLE exams (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      id text NOT NULL,
      held_until bigint NOT NULL,
      record text NOT NULL,
      UNIQUE (namespace, id)
    );
    CREATE INDEX exams_by_end ON exams (held_until);

    CREATE TABLE taken_room (
      namespace text NOT NULL,
      kind text NOT NULL,
      slot integer NOT NULL,
      bytes bigint NOT NULL,
      PRIMARY KEY (namespace, kind, slot)
    );

    CREATE TABLE recorders (
      namespace text PRIMARY KEY,
      entries_max bigint NOT NULL,
      bytes_max bigint NOT NULL,
      kept bigint NOT NULL DEFAULT 0,
      bytes bigint NOT NULL DEFAULT 0,
      dropped bigint NOT NULL DEFAULT 0,
      lost bigint NOT NULL DEFAULT 0
    );
    INSERT INTO recorders (namespace, entries_max, bytes_max)
      VALUES ('${defaultNamespace}', ${recorderBounds.home.entries}, ${recorderBounds.home.bytes});

    CREATE TABLE exchanges (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      flow bigint,
      endpoint text NOT NULL,
      at bigint NOT NULL,
      clock bigint NOT NULL,
      duration double precision NOT NULL,
      method text NOT NULL,
      path text NOT NULL,
      status bigint NOT NULL,
      client_id text,
      username text,
      sp text,
      grant_type text,
      decision text NOT NULL,
      reason text,
      refusal text,
      fault text,
      repeated bigint NOT NULL,
      repeat_key text,
      address text,
      request_id text NOT NULL,
      bytes bigint NOT NULL,
      said text NOT NULL,
      secrets text
    );
    CREATE INDEX exchanges_by_namespace ON exchanges (namespace);
    CREATE INDEX exchanges_by_flow ON exchanges (namespace, coalesce(flow, seq));
    CREATE INDEX exchanges_by_address ON exchanges (namespace, address, seq) WHERE flow IS NULL;
    CREATE INDEX exchanges_by_repetition ON exchanges USING hash (repeat_key) WHERE repeat_key IS NOT NULL;

    CREATE TABLE flow_keys (
      namespace text NOT NULL,
      key text NOT NULL,
      flow bigint NOT NULL,
      exchange bigint NOT NULL
    );
    CREATE UNIQUE INDEX flow_keys_once ON flow_keys (namespace, md5(key));
    CREATE INDEX flow_keys_by_key ON flow_keys USING hash (key);
    CREATE INDEX flow_keys_by_exchange ON flow_keys (namespace, exchange);

    CREATE TABLE exchange_waits (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      wait text NOT NULL UNIQUE,
      until bigint NOT NULL
    );

    CREATE SEQUENCE session_uses;

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

    CREATE TABLE store_version (version integer NOT NULL);
    INSERT INTO store_version (version) VALUES (${schemaVersion});
`;

const presence = z.object({ schema_there: z.boolean(), version_there: z.boolean() });
const versionRow = z.object({ version: z.number() });

/** A name of PostgreSQL, whatever it is; ours need no quotes, but one of them may be a keyword. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Makes the schema, or finds it made: of any number who come at once one makes it. A kill at any instant leaves nothing or all of it.
 * @throws StoreRefusedError
 */
export async function prepareSchema(connect: Connect, name: string): Promise<void> {
  const connection = await connect(storeDeadlineMilliseconds);
  try {
    await prepareOn(connection, name);
  } finally {
    await connection.close();
  }
}

async function prepareOn(connection: Connection, name: string): Promise<void> {
  const schema = quoted(name);
  const text = `'${name.replaceAll("'", "''")}'`;
  await connection.say(`BEGIN; SELECT pg_advisory_xact_lock(${lockKey(name, 'schema')})`);
  try {
    const [found] = await connection.say(
      `SELECT to_regnamespace(quote_ident(${text})) IS NOT NULL AS schema_there,
         to_regclass(quote_ident(${text}) || '.store_version') IS NOT NULL AS version_there`,
    );
    const { schema_there, version_there } = presence.parse(found?.rows[0]);
    if (version_there) {
      const [row] = await connection.say(`SELECT version FROM ${schema}.store_version`);
      requireKnown(name, versionRow.parse(row?.rows[0]).version);
    } else {
      if (schema_there) await requireEmpty(connection, name, text);
      // Whoever owns the schema need not be one who may make others (PGS-13).
      const create = schema_there ? '' : `CREATE SCHEMA ${schema};`;
      await connection.say(
        `${create} SET LOCAL search_path = ${schema}, pg_catalog; ${tables} ${roomTriggers(schema)}`,
      );
    }
    await connection.say('COMMIT');
  } catch (error) {
    await connection.say('ROLLBACK').catch(() => connection.drop());
    throw error;
  }
}

/** An older one is migrated here, step by step, once there is one. */
function requireKnown(name: string, version: number): void {
  if (version === schemaVersion) return;
  const found = `the schema ${name} has the format ${version}, this program writes ${schemaVersion}`;
  throw new StoreRefusedError(`runtime.schema: ${found}; start the newer program or name another schema.`);
}

async function requireEmpty(connection: Connection, name: string, text: string): Promise<void> {
  const [found] = await connection.say(
    `SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = to_regnamespace(quote_ident(${text}))) AS schema_there, true AS version_there`,
  );
  if (!presence.parse(found?.rows[0]).schema_there) return;
  throw new StoreRefusedError(`runtime.schema: the schema ${name} holds something else; name another one.`);
}
