// Runtime users, clients and service providers, and the metadata documents of clients.
export const identityTables = `
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
`;
