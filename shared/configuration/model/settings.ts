// Every key of settings.yaml with its type, bounds, default and description (CFG-K01 to CFG-K62); the section `oauth` has
// a file of its own. Property names are the keys of the file; lengths of time carry their unit in the name, as the file
// does.
import * as z from 'zod';
import { problemOfCorsEntry, problemOfManagementSecret, problemOfRate } from './formats.ts';
import {
  filledText,
  flag,
  judged,
  mappingOf,
  notes,
  oneOf,
  optionalText,
  section,
  text,
  texts,
  wholeNumber,
} from './kinds.ts';
import { oauthSettings } from './oauth-settings.ts';

export const securityProfiles = ['dev', 'stricter-dev', 'oauth21'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

export const c14nAlgorithms = ['exc_c14n', 'c14n', 'c14n11'] as const;
export type C14nAlgorithm = (typeof c14nAlgorithms)[number];

const logLevels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const;

/** `warn` reads as `default` (D2). */
const validationMode = z
  .enum(['default', 'strict', 'warn'], 'must be default or strict')
  .transform((value): 'default' | 'strict' => (value === 'warn' ? 'default' : value))
  .prefault('default');

const nameOrDefault = (byDefault: string) =>
  text()
    .nullable()
    .transform((value) => (value === null || value.trim() === '' ? byDefault : value))
    .prefault(byDefault);

const algorithm = z
  .enum([...c14nAlgorithms, ''], `must be one of ${c14nAlgorithms.join(', ')}`)
  .nullable()
  .transform((value): C14nAlgorithm => (value === null || value === '' ? 'exc_c14n' : value));

const loginSection = section({
  mode: oneOf(['password', 'persona'])
    .default('password')
    .meta(notes({ description: '`persona`: the user is chosen from a list, without a password.' })),
  totp: flag(false).meta(notes({ description: 'Ask users with a `totp_secret` for a second factor.' })),
  auto_login: flag(false).meta(
    notes({ description: 'In persona mode: log in without asking where one user can be meant.' }),
  ),
  two_step: flag(false).meta(notes({ description: 'Ask for the username first, then for the password.' })),
});

export const configVersion = z.literal(1, 'must be the number 1, written out; it is the only version so far');

export const settingsModel = section({
  config_version: configVersion
    .default(1)
    .meta(notes({ description: 'Version of the file format; 1 is the only one.' })),
  config_validation: validationMode.meta(
    notes({
      description: 'What an unknown key is: a warning (`default`) or an error (`strict`). `warn` reads as `default`.',
    }),
  ),
  security_profile: oneOf(securityProfiles)
    .default('dev')
    .meta(notes({ description: 'How strict the protocols are; `--profile` wins over it.' })),
  rate_limit_enabled: flag(false).meta(
    notes({
      description: 'Limit /token and /register for each client address (always on under `stricter-dev`).',
      restart: true,
      alias: 'server.rate_limit_enabled',
    }),
  ),
  cors_allowed_originss: z
    .array(judged(problemOfCorsEntry), 'must be a list of origins; [] allows none')
    .optional()
    .meta(
      notes({
        description: 'Origins that browsers may call from, or `*`. Absent: the security profile decides; `[]`: none.',
        restart: true,
        alias: 'cors_allowed_origins',
      }),
    ),
  require_ui_login: flag(false).meta(
    notes({ description: 'The web UI asks for a login.', fileOnly: true, alias: 'session.require_ui_login' }),
  ),
  /** Present but null or empty: no gate, whatever the environment says (CFG-51). */
  management_secret: judged(problemOfManagementSecret)
    .nullable()
    .optional()
    .meta(
      notes({
        description:
          'Needed for every write under /api and in the web UI. Absent: IDP_MANAGEMENT_SECRET; empty or null: no gate.',
        fileOnly: true,
        alias: 'session.management_secret',
      }),
    ),
  authority_prefixes: mappingOf(text())
    .prefault({})
    .meta(notes({ description: 'Prefixes with which roles, groups and other fields become authorities.' })),
  allowed_identity_classes: texts()
    .default([])
    .meta(notes({ description: 'Identity classes that the user form offers; never enforced.' })),
  plugins: mappingOf(mappingOf(z.unknown()).nullable())
    .prefault({})
    .meta(
      notes({ description: 'ES modules to load, by package name or path, each with its settings.', fileOnly: true }),
    ),
  server: section({
    host: filledText()
      .default('127.0.0.1')
      .meta(notes({ description: 'Address to bind; `--host` wins over it.', restart: true })),
    port: wholeNumber(1, 65_535)
      .default(8000)
      .meta(
        notes({ description: 'Port to bind; `--port` wins over it, and `--port 0` takes a free one.', restart: true }),
      ),
    debug: flag(false).meta(notes({ description: 'More detail in error pages (always off under `stricter-dev`).' })),
    rate_limit_token_endpoint: judged(problemOfRate)
      .default('10/minute')
      .meta(
        notes({
          description: 'The rate, such as `10/minute`; also second, hour and day.',
          restart: true,
          pattern: '^[1-9][0-9]*/(second|minute|hour|day)$',
        }),
      ),
  }).prefault({}),
  oauth: oauthSettings,
  device_flow: section({
    code_expiry_seconds: wholeNumber(1, 3600)
      .default(600)
      .meta(notes({ description: 'Lifetime of device codes, in seconds.' })),
    polling_interval: wholeNumber(1, 60)
      .default(5)
      .meta(notes({ description: 'Seconds between two polls of a device.' })),
  }).prefault({}),
  saml: section({
    entity_id: optionalText().meta(notes({ description: 'Entity ID. Absent: `<issuer>/saml`.' })),
    sso_url: optionalText().meta(notes({ description: 'Address for logins. Absent: `<issuer>/saml/sso`.' })),
    /** The empty text means: a request that names no address is refused (CFG-K32). */
    default_acs_url: text()
      .default('http://localhost:8080/login/saml2/sso/samlIdp')
      .meta(notes({ description: 'Where a Response goes that names no address. Empty: such a request is refused.' })),
    sign_responses: flag(true).meta(notes({ description: 'Sign Responses and Assertions.' })),
    export_roles: flag(false).meta(notes({ description: 'Send the roles as an attribute.' })),
    export_groups: flag(false).meta(notes({ description: 'Send the groups as an attribute.' })),
    roles_attr_name: nameOrDefault('roles').meta(notes({ description: 'Name of the attribute with the roles.' })),
    groups_attr_name: nameOrDefault('groups').meta(notes({ description: 'Name of the attribute with the groups.' })),
    c14n_algorithm: algorithm
      .prefault('exc_c14n')
      .meta(notes({ description: 'Canonicalisation of signatures; blank: the default.' })),
    want_authn_requests_signed: flag(false).meta(notes({ description: 'Accept signed AuthnRequests only.' })),
    sp_certificates: texts()
      .default([])
      .meta(notes({ description: 'PEM files with the certificates that requests may be signed with.' })),
    strict_binding: flag(false).meta(
      notes({ description: 'Refuse AuthnRequests of a wrong encoding, root element, Version or Destination.' }),
    ),
  }).prefault({}),
  jwt: section({
    algorithm: z
      .literal('RS256', 'must be RS256; no other algorithm is supported')
      .default('RS256')
      .meta(notes({ description: 'Signature algorithm; RS256 is the only one.', fileOnly: true })),
    keys_dir: filledText()
      .default('../keys')
      .meta(notes({ description: 'Directory of the generated signing keys.', fileOnly: true })),
    external_keys: section({
      private_key: filledText().meta(notes({ description: 'PEM file with the RSA private key.', fileOnly: true })),
      public_key: filledText().meta(notes({ description: 'PEM file with the public key.', fileOnly: true })),
      kid: filledText()
        .optional()
        .meta(notes({ description: 'Its key id. Absent: the RFC 7638 thumbprint.', fileOnly: true })),
    }).optional(),
    max_previous_keys: wholeNumber(0, 10)
      .default(2)
      .meta(notes({ description: 'Retired keys that still verify.', fileOnly: true })),
  }).prefault({}),
  session: section({
    secret_key: optionalText().meta(
      notes({
        description: 'Secret that signs the browser cookie. Absent: a generated one.',
        restart: true,
        fileOnly: true,
      }),
    ),
    enforce_password_check: flag(false).meta(
      notes({
        description: 'With password hashing on, a stored password that is no bcrypt hash never matches.',
        fileOnly: true,
      }),
    ),
  }).prefault({}),
  logging: section({
    level: text()
      .transform((value) => value.toUpperCase())
      .pipe(oneOf(logLevels))
      .prefault('INFO')
      .meta(notes({ description: 'DEBUG, INFO, WARNING, ERROR or CRITICAL.', restart: true, fileOnly: true })),
    log_token_requests: flag(true).meta(notes({ description: 'Log requests to /token.', fileOnly: true })),
    log_saml_requests: flag(true).meta(notes({ description: 'Log SAML requests.', fileOnly: true })),
    verbose_logging: flag(true).meta(notes({ description: 'User names and client ids in log lines.' })),
  }).prefault({}),
  // A bare `login:` counts as empty (CFG-10).
  login: loginSection
    .nullable()
    .transform((value) => value ?? loginSection.parse({}))
    .prefault({}),
  runtime: section({
    store: oneOf(['memory', 'sqlite'])
      .default('memory')
      .meta(notes({ description: 'Where runtime state lives.', restart: true, fileOnly: true })),
    path: optionalText().meta(
      notes({
        description: 'The store file, outside the configuration directory; with `sqlite` only, and needed there.',
        restart: true,
        fileOnly: true,
      }),
    ),
  }).prefault({}),
  hooks: section({
    on_before_load: optionalText().meta(
      notes({ description: 'Shell command run before a start or reload reads the files.', fileOnly: true }),
    ),
    on_config_saved: optionalText().meta(
      notes({ description: 'Shell command run after each file that was written.', fileOnly: true }),
    ),
    on_audit_event: optionalText().meta(
      notes({
        description: 'Shell command run after each audit event, which it gets as JSON on standard input.',
        fileOnly: true,
      }),
    ),
    strict: flag(false).meta(notes({ description: 'A failing hook or plugin fails the load.', fileOnly: true })),
    timeout_seconds: z
      .number('must be a number greater than 0')
      .gt(0, 'must be a number greater than 0')
      .default(10)
      .meta(
        notes({
          description: 'How long a hook may run, in seconds; it ends with its process unless that is killed (SIGKILL).',
          fileOnly: true,
        }),
      ),
  }).prefault({}),
});

export type Settings = Readonly<z.output<typeof settingsModel>>;

/** Keys with a second spelling, each as path of the canonical key and of its alias (CFG-33). */
export const keyAliases = [
  [['cors_allowed_originss'], ['cors_allowed_origins']],
  [['rate_limit_enabled'], ['server', 'rate_limit_enabled']],
  [['require_ui_login'], ['session', 'require_ui_login']],
  [['management_secret'], ['session', 'management_secret']],
] as const satisfies readonly (readonly [readonly string[], readonly string[]])[];
