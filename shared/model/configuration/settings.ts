// Every key of settings.yaml with its type, bounds, default and description (CFG-K01 to CFG-K62). Large sections are in
// separate files. Property names are the keys of the file. Durations have their unit in the name, as in the file.

import * as z from 'zod';
import { previousKeysMax } from '#shared/model/domain/signing-keys.ts';
import { signingAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { claimMappings } from './claim-mapping.ts';
import { faultEntry } from './fault-entry.ts';
import { fields } from './field.ts';
import { loginSettings } from './settings/login.ts';
import { logoutSettings } from './settings/logout.ts';
import { oauthSettings } from './settings/oauth.ts';
import { recorderSettings } from './settings/recorder.ts';
import { samlSettings } from './settings/saml.ts';
import { serverSettings } from './settings/server.ts';
import { storeKindNames } from './store-kinds.ts';
import { problemOfCorsEntry, problemOfManagementSecret } from './text-formats.ts';
import {
  filledText,
  flag,
  judged,
  mappingOf,
  oneOf,
  optionalText,
  section,
  text,
  texts,
  wholeNumber,
} from './value-kinds.ts';

export const securityProfiles = ['dev', 'stricter-dev', 'oauth21'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;

/** JSON Schema patterns have no flag for case-insensitivity. */
function inAnyCase(words: readonly string[]): string {
  const letters = words.map((word) => word.replaceAll(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`));
  return `^(${letters.join('|')})$`;
}

/** `warn` is read as `default` (D2). */
const validationMode = z
  .enum(['default', 'strict', 'warn'], 'must be default or strict')
  .transform((value): 'default' | 'strict' => (value === 'warn' ? 'default' : value))
  .prefault('default');

export const configVersion = z.literal(1, 'must be the literal number 1, the only version');

export const settingsModel = section({
  config_version: configVersion
    .default(1)
    .register(fields, { description: 'Version of the file format. Always 1.', fileOnly: true, api: true }),
  config_validation: validationMode.register(fields, {
    description: 'Whether an unknown key is a warning (`default`) or an error (`strict`). `warn` means `default`.',
    fileOnly: true,
    api: true,
  }),
  security_profile: oneOf(securityProfiles).default('dev').register(fields, {
    description: 'How strict the protocols are. `--profile` overrides it.',
    fileOnly: true,
    api: true,
    sandbox: true,
    yaml: 'unless-default',
  }),
  rate_limit_enabled: flag(false).register(fields, {
    description: 'Limit requests to /token and /register per client address (always on under `stricter-dev`).',
    restart: true,
    alias: 'server.rate_limit_enabled',
    fileOnly: true,
  }),
  require_ui_login: flag(false).register(fields, {
    description: 'Require a login for the web UI.',
    fileOnly: true,
    alias: 'session.require_ui_login',
  }),
  /** Present but null or empty: no gate, even if the environment sets a secret (CFG-51). */
  management_secret: judged(problemOfManagementSecret).nullable().optional().register(fields, {
    description:
      'Secret that every write under /api and in the web UI needs. Absent: IDP_MANAGEMENT_SECRET. Empty or null: none.',
    pattern: '^[\\x20-\\x7e]*$',
    fileOnly: true,
    alias: 'session.management_secret',
    secret: true,
  }),
  authority_prefixes: mappingOf(text()).prefault({}).register(fields, {
    description: 'Prefixes that turn roles, groups and other fields into authorities.',
    form: 'elsewhere',
    tool: false,
    sandbox: true,
  }),
  claim_mappings: claimMappings.default([]).register(fields, {
    description:
      'Claims with the names and formats that an application expects: a list of `{claim, from, as, value, separator, in, clients, scope}` (docs/claims.md).',
    label: 'Mappings',
    example: '[{"claim": ["realm_access", "roles"], "from": "roles"}]',
    form: {
      section: 'claims',
      json: true,
      hint: 'A JSON list, such as `[{"claim": ["realm_access", "roles"], "from": "roles"}]`.',
    },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  allowed_identity_classes: texts()
    .default([])
    .register(fields, {
      description: 'Identity classes that the user form offers. They are never enforced.',
      label: 'Identity classes',
      form: { section: 'login', rank: 1 },
      tool: false,
    }),
  faults: z.array(faultEntry, 'must be a list of faults').default([]).register(fields, {
    description: 'Faults that are set at the start, each as in POST /api/faults (docs/faults.md).',
    fileOnly: true,
    sandbox: true,
    example: '[{"fault": "token_expired", "when": {"client_id": "web"}}]',
  }),
  recorder: recorderSettings,
  plugins: mappingOf(mappingOf(z.unknown()).nullable()).prefault({}).register(fields, {
    description: 'ES modules to load, by package name or path, with their settings.',
    fileOnly: true,
  }),
  server: serverSettings,
  oauth: oauthSettings,
  device_flow: section({
    code_expiry_seconds: wholeNumber(1, 3600)
      .default(600)
      .register(fields, {
        description: 'Lifetime of device codes, in seconds.',
        label: 'Device code, seconds',
        form: { section: 'tokens' },
        name: 'device_code_expiry_seconds',
        sandbox: true,
        yaml: 'unless-default',
      }),
    polling_interval: wholeNumber(1, 60)
      .default(5)
      .register(fields, {
        description: 'Required seconds between two polls of a device. Enforced only outside `dev`.',
        tool: { description: 'Seconds between two polls of a device.' },
        label: 'Device polling, seconds',
        form: { section: 'tokens' },
        name: 'device_polling_interval',
        sandbox: true,
        yaml: 'unless-default',
      }),
  }).prefault({}),
  cors_allowed_originss: z
    .array(judged(problemOfCorsEntry), 'must be a list of origins. Write [] to allow none')
    .optional()
    .register(fields, {
      description: 'Origins that may call from a browser, or `*`. Absent: the security profile decides. `[]`: none.',
      restart: true,
      alias: 'cors_allowed_origins',
      showsAlias: true,
      form: false,
      tool: {
        nullable: true,
        description:
          'Origins that may call from a browser, such as `https://app.example.org`, or `*`. [] allows none, null lets the security profile decide. Needs a restart.',
      },
      yaml: 'unless-default',
      whenAbsent: 'the security profile decides',
    }),
  saml: samlSettings,
  jwt: section({
    algorithm: z
      .literal(signingAlgorithms, `must be ${signingAlgorithms.join(' or ')}. Other algorithms are not supported`)
      .default(signingAlgorithms[0])
      .register(fields, {
        description: `Signature algorithm. Supported: ${signingAlgorithms.join(', ')}.`,
        fileOnly: true,
      }),
    keys_dir: filledText().default('../keys').register(fields, {
      description:
        'Directory of the generated signing keys. Not used with `runtime.store: postgres`, which stores them in the database.',
      machine: true,
      fileOnly: true,
    }),
    external_keys: section({
      private_key: filledText().register(fields, {
        description: 'PEM file with the RSA private key.',
        fileOnly: true,
        secret: true,
      }),
      public_key: filledText().register(fields, {
        description: 'PEM file with the public key.',
        fileOnly: true,
        secret: true,
      }),
      kid: filledText()
        .optional()
        .register(fields, { description: 'Its key id. Absent: the RFC 7638 thumbprint.', fileOnly: true }),
    }).optional(),
    max_previous_keys: wholeNumber(0, previousKeysMax)
      .default(2)
      .register(fields, { description: 'Number of previous keys that still verify tokens.', fileOnly: true }),
  }).prefault({}),
  session: section({
    secret_key: optionalText().register(fields, {
      description: 'Secret that signs the browser cookie. Absent: a random one.',
      restart: true,
      fileOnly: true,
      secret: true,
    }),
    enforce_password_check: flag(false).register(fields, {
      description:
        'Reject every password of a user whose stored password is not a bcrypt hash (only under `stricter-dev`).',
      fileOnly: true,
      sandbox: true,
    }),
  }).prefault({}),
  logging: section({
    level: text()
      .transform((value) => value.toUpperCase())
      .pipe(oneOf(logLevels))
      .prefault('INFO')
      .register(fields, {
        description: 'DEBUG, INFO, WARNING, ERROR or CRITICAL.',
        pattern: inAnyCase(logLevels),
        restart: true,
        fileOnly: true,
        api: true,
      }),
    log_token_requests: flag(true).register(fields, {
      description: 'Log requests to /token.',
      fileOnly: true,
      api: true,
    }),
    log_saml_requests: flag(true).register(fields, { description: 'Log SAML requests.', fileOnly: true, api: true }),
    verbose_logging: flag(true).register(fields, {
      description: 'Include user names and client ids in log lines.',
      form: false,
    }),
  }).prefault({}),
  // A bare `login:` counts as empty (CFG-10).
  login: loginSettings
    .nullable()
    .transform((value) => value ?? loginSettings.parse({}))
    .prefault({}),
  logout: logoutSettings,
  runtime: section({
    store: oneOf(storeKindNames).default('memory').register(fields, {
      description:
        'Where runtime state is stored. Use `postgres` for several machines (docs/scale.md). With `memory`, a restart deletes revocations but not the signing keys of a configuration directory, so revoked and used tokens become valid again.',
      machine: true,
      restart: true,
      fileOnly: true,
    }),
    path: optionalText().register(fields, {
      description:
        'The store file, outside the configuration directory. Required with `sqlite`, and only allowed there.',
      machine: true,
      restart: true,
      fileOnly: true,
    }),
    url: optionalText().register(fields, {
      description:
        'The database, as `postgres://user:password@host:5432/database`. Required with `postgres`, and only allowed there. Separate several hosts with commas. Parameters: `host` (directory of a socket), `sslmode`, `sslrootcert`, `sslcert`, `sslkey`, `sslpassword`.',
      machine: true,
      restart: true,
      fileOnly: true,
      secret: true,
    }),
    schema: text()
      .regex(
        /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/,
        'must be at most 63 lower-case letters, digits and _. It must not begin with a digit, or with pg_, which PostgreSQL reserves',
      )
      .default('test_idp')
      .register(fields, {
        description: 'The database schema. Created at the first start.',
        machine: true,
        restart: true,
        fileOnly: true,
      }),
    pool_size: wholeNumber(1, 50).default(4).register(fields, {
      description: 'Maximum number of connections per worker. Each worker opens one more to show that it is alive.',
      machine: true,
      restart: true,
      fileOnly: true,
    }),
    updates: flag(false).register(fields, {
      description: 'Allow `PATCH /api/runtime/users/{username}` to change runtime users.',
      fileOnly: true,
    }),
  }).prefault({}),
  hooks: section({
    on_before_load: optionalText().register(fields, {
      description: 'Shell command to run before a start or reload reads the files.',
      fileOnly: true,
      secret: true,
    }),
    on_config_saved: optionalText().register(fields, {
      description: 'Shell command to run after each file is written.',
      fileOnly: true,
      secret: true,
    }),
    on_audit_event: optionalText().register(fields, {
      description: 'Shell command to run after each audit event, with the event as JSON on standard input.',
      fileOnly: true,
      secret: true,
    }),
    strict: flag(false).register(fields, { description: 'Fail the load if a hook or plugin fails.', fileOnly: true }),
    timeout_seconds: z
      .number('must be a number greater than 0')
      .gt(0, 'must be a number greater than 0')
      .default(10)
      .register(fields, {
        description:
          'Timeout of a hook, in seconds. A hook also ends when the process that runs it ends, unless SIGKILL ends that process.',
        fileOnly: true,
      }),
  }).prefault({}),
});

export type Settings = Readonly<z.output<typeof settingsModel>>;
