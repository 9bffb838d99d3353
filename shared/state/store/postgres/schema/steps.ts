// The migrations of the tables since their first version. A new schema runs all of them, and its format is their
// number. A stack of the previous minor version must keep working beside a newer one (PGS-12, CLU-05). So a minor
// version adds at most one step. The step adds what other programs do not know and removes nothing that the previous
// format still reads. A later step removes what two formats no longer need. A step that excludes the previous format
// requires a major version.

/** The format that first-tables.ts makes. */
export const firstVersion = 1;

export interface SchemaStep {
  /**
   * The oldest format whose programs can work with the schema after this step. Programs of older formats end their
   * stacks.
   */
  readonly oldestFormat: number;
  readonly sql: string;
}

export const schemaSteps: readonly SchemaStep[] = [
  {
    // To 2: the reports of live workers, by the lock that proves their life. The signing keys of all machines, the
    // counter of their changes, and what each live worker signs with. Programs of format 1 sign with keys of their own
    // machine.
    oldestFormat: 2,
    sql: `
    CREATE TABLE workers (
      owner text PRIMARY KEY,
      life bigint NOT NULL,
      report text NOT NULL
    );

    CREATE TABLE signing_keys (
      namespace text PRIMARY KEY,
      record text NOT NULL
    );

    CREATE TABLE key_holders (
      owner text PRIMARY KEY,
      signs_with text NOT NULL
    );

    ALTER TABLE head ADD COLUMN key_changes bigint NOT NULL DEFAULT 0;
  `,
  },
  {
    // To 3: which programs can work with this schema. Later programs record it in this table under these two names, and
    // all programs from here on read them (schema-ahead.ts).
    oldestFormat: 2,
    sql: 'ALTER TABLE store_version ADD COLUMN oldest_format integer NOT NULL DEFAULT 1;',
  },
  {
    // To 4: the assertions of ended sessions, in separate rows (programs of format 3 keep theirs in saml_logouts).
    // Pushed authorization requests. The runtime client that began a device grant, among those of the same name
    // (programs of format 3 do not record it).
    oldestFormat: 2,
    sql: `
    CREATE TABLE ended_assertions (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      mark text NOT NULL,
      session_index text NOT NULL,
      expires_at bigint NOT NULL
    );
    CREATE INDEX ended_assertions_by_mark ON ended_assertions (namespace, mark);
    CREATE INDEX ended_assertions_by_expiry ON ended_assertions (namespace, expires_at);

    CREATE TABLE pushed_requests (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace text NOT NULL,
      request_uri text NOT NULL,
      used bigint NOT NULL,
      expires_at bigint NOT NULL,
      record text NOT NULL,
      UNIQUE (namespace, request_uri)
    );
    CREATE INDEX pushed_requests_by_expiry ON pushed_requests (namespace, expires_at);

    ALTER TABLE device_grants ADD COLUMN client_instance text;
  `,
  },
  {
    // To 5: until when a pending record is valid by real time, and who began it (records of format 4 programs use only
    // the clock). A separate table for used assertions. The proved real time. The shared meaning of a generation for
    // all machines (programs of format 4 compare whole texts).
    oldestFormat: 2,
    sql: `
    ALTER TABLE transactions ADD COLUMN real_until bigint NOT NULL DEFAULT ${Number.MAX_SAFE_INTEGER};
    ALTER TABLE transactions ADD COLUMN address text NOT NULL DEFAULT '';
    ALTER TABLE pushed_requests ADD COLUMN real_until bigint NOT NULL DEFAULT ${Number.MAX_SAFE_INTEGER};
    ALTER TABLE pushed_requests ADD COLUMN client_id text NOT NULL DEFAULT '';
    ALTER TABLE device_grants ADD COLUMN real_until bigint NOT NULL DEFAULT ${Number.MAX_SAFE_INTEGER};
    ALTER TABLE second_factors ADD COLUMN real_until bigint NOT NULL DEFAULT ${Number.MAX_SAFE_INTEGER};

    ALTER TABLE generations ADD COLUMN shared_digest text;

    ALTER TABLE head ADD COLUMN proved_real bigint NOT NULL DEFAULT 0;

    CREATE TABLE used_assertions (
      namespace text NOT NULL,
      digest bytea NOT NULL,
      used_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      real_until bigint NOT NULL,
      PRIMARY KEY (namespace, digest)
    );
    CREATE INDEX used_assertions_by_end ON used_assertions (namespace, real_until);
  `,
  },
];

/** Schemas of this format and later record which programs can work with them. */
export const firstDescribedVersion = 3;

/** Returns the oldest format whose programs can work with a schema after these steps. */
export function oldestFormatOf(steps: readonly SchemaStep[]): number {
  return Math.max(firstVersion, ...steps.map(({ oldestFormat }) => oldestFormat));
}
