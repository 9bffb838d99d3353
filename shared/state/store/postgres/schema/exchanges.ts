// The recorder: exchanges, the keys that join them into flows, and the waits for them.
import { recorderBounds } from '#shared/model/domain/exchange.ts';
import { defaultNamespace } from '../../namespace-id.ts';

export const exchangeTables = `
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
`;
