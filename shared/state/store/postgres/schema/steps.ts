// What became of the tables since their first version, step by step; a new schema goes through all of them, and its format is their
// number. A stack of the minor version before goes on working beside a newer one (PGS-12, CLU-05), so that a minor version makes one
// step at most, which adds what others do not know and takes away nothing that the format before still asks for. What two of them do
// not need any more goes with a later step; a step that leaves the format before behind belongs to a major version.

/** The format that first-tables.ts makes. */
export const firstVersion = 1;

export interface SchemaStep {
  /** The oldest format whose programs go on working with what this step leaves: those before it end their stacks. */
  readonly oldestFormat: number;
  readonly sql: string;
}

export const schemaSteps: readonly SchemaStep[] = [
  {
    // To 2: what living workers say of themselves, by the lock that proves their life; the signing keys of all machines, that they
    // changed, and what each living worker signs with. Programs of 1 sign with keys of their own machine.
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
    // To 3: who can work with this schema. What later programs make of it, they say it in this table under these two names, where
    // all programs from here on look (schema-ahead.ts).
    oldestFormat: 2,
    sql: 'ALTER TABLE store_version ADD COLUMN oldest_format integer NOT NULL DEFAULT 1;',
  },
  {
    // To 4: the assertions of sessions that ended, in rows of their own; programs of 3 keep theirs in saml_logouts. Authorization
    // requests that were pushed. Which of the runtime clients of a name began a device grant; programs of 3 do not say.
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
    // To 5: until when a pending record counts by real time, and who began it; what programs of 4 write
    // counts by the clock alone. Used assertions in a table of their own. How far real time is proved to have come. What a
    // generation says for all machines; programs of 4 compare whole texts.
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

/** Schemas of this format and later ones say which programs can work with them. */
export const firstTellingVersion = 3;

/** The oldest format whose programs can work with a schema that went through these steps. */
export function oldestFormatOf(steps: readonly SchemaStep[]): number {
  return Math.max(firstVersion, ...steps.map(({ oldestFormat }) => oldestFormat));
}
