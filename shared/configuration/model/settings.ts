// Every key of settings.yaml with its type, bounds, default and description (CFG-K01 to CFG-K62); the section `oauth` has
// a file of its own. Property names are the keys of the file; lengths of time carry their unit in the name, as the file
// does.
import * as z from 'zod';
import { faultEntry } from '#shared/faults/fault-entry.ts';
import { fields } from './field.ts';
import { problemOfAllowedHost, problemOfCorsEntry, problemOfManagementSecret, problemOfRate } from './formats.ts';
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
    .register(fields, {
      description: '`persona`: the user is chosen from a list, without a password.',
      label: 'Mode',
      form: { section: 'login' },
      name: 'login_mode',
      sandbox: true,
      yaml: 'unless-default',
    }),
  totp: flag(false).register(fields, {
    description: 'Ask users with a `totp_secret` for a second factor.',
    label: 'Second factor (TOTP)',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
  auto_login: flag(false).register(fields, {
    description: 'In persona mode: log in without asking where one user can be meant.',
    label: 'Automatic login in persona mode',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
  two_step: flag(false).register(fields, {
    description: 'Ask for the username first, then for the password.',
    label: 'Username first, then password',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
});

export const configVersion = z.literal(1, 'must be the number 1, written out; it is the only version so far');

export const settingsModel = section({
  config_version: configVersion
    .default(1)
    .register(fields, { description: 'Version of the file format; 1 is the only one.', fileOnly: true, api: true }),
  config_validation: validationMode.register(fields, {
    description: 'What an unknown key is: a warning (`default`) or an error (`strict`). `warn` reads as `default`.',
    fileOnly: true,
    api: true,
  }),
  security_profile: oneOf(securityProfiles).default('dev').register(fields, {
    description: 'How strict the protocols are; `--profile` wins over it.',
    fileOnly: true,
    api: true,
    sandbox: true,
    yaml: 'unless-default',
  }),
  rate_limit_enabled: flag(false).register(fields, {
    description: 'Limit /token and /register for each client address (always on under `stricter-dev`).',
    restart: true,
    alias: 'server.rate_limit_enabled',
    fileOnly: true,
  }),
  require_ui_login: flag(false).register(fields, {
    description: 'The web UI asks for a login.',
    fileOnly: true,
    alias: 'session.require_ui_login',
  }),
  /** Present but null or empty: no gate, whatever the environment says (CFG-51). */
  management_secret: judged(problemOfManagementSecret).nullable().optional().register(fields, {
    description:
      'Needed for every write under /api and in the web UI. Absent: IDP_MANAGEMENT_SECRET; empty or null: no gate.',
    fileOnly: true,
    alias: 'session.management_secret',
    secret: true,
  }),
  authority_prefixes: mappingOf(text()).prefault({}).register(fields, {
    description: 'Prefixes with which roles, groups and other fields become authorities.',
    form: 'elsewhere',
    tool: false,
    sandbox: true,
  }),
  allowed_identity_classes: texts()
    .default([])
    .register(fields, {
      description: 'Identity classes that the user form offers; never enforced.',
      label: 'Identity classes',
      form: { section: 'login', rank: 1 },
      tool: false,
    }),
  faults: z.array(faultEntry, 'must be a list of faults').default([]).register(fields, {
    description: 'Faults that are set from the start, each as POST /api/faults takes it (docs/faults.md).',
    fileOnly: true,
    sandbox: true,
    example: '[{"fault": "token_expired", "when": {"client_id": "web"}}]',
  }),
  plugins: mappingOf(mappingOf(z.unknown()).nullable()).prefault({}).register(fields, {
    description: 'ES modules to load, by package name or path, each with its settings.',
    fileOnly: true,
  }),
  server: section({
    host: filledText().default('127.0.0.1').register(fields, {
      description: 'Address to bind; `--host` wins over it.',
      restart: true,
      fileOnly: true,
      api: true,
    }),
    port: wholeNumber(1, 65_535).default(8000).register(fields, {
      description: 'Port to bind; `--port` wins over it, and `--port 0` takes a free one.',
      restart: true,
      fileOnly: true,
      api: true,
    }),
    allowed_hosts: z
      .array(
        judged(problemOfAllowedHost).transform((host) => host.toLowerCase()),
        'must be a list of hosts',
      )
      .default([])
      .register(fields, {
        description:
          'While bound to loopback: further names (`host` or `host:port`) at which the web UI and `/api` answer, beside loopback names and the hosts of `oauth.issuer` and `oauth.issuer_allowlist`.',
        fileOnly: true,
        api: true,
        example: '["idp.test", "idp.example:8443"]',
      }),
    debug: flag(false).register(fields, {
      description: 'More detail in error pages (always off under `stricter-dev`).',
      fileOnly: true,
    }),
    rate_limit_token_endpoint: judged(problemOfRate).default('10/minute').register(fields, {
      description: 'The rate, such as `10/minute`; also second, hour and day.',
      restart: true,
      pattern: '^[1-9][0-9]*/(second|minute|hour|day)$',
      fileOnly: true,
      api: true,
    }),
  }).prefault({}),
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
        description: 'Seconds between two polls of a device.',
        label: 'Device polling, seconds',
        form: { section: 'tokens' },
        name: 'device_polling_interval',
        sandbox: true,
        yaml: 'unless-default',
      }),
  }).prefault({}),
  cors_allowed_originss: z
    .array(judged(problemOfCorsEntry), 'must be a list of origins; [] allows none')
    .optional()
    .register(fields, {
      description: 'Origins that browsers may call from, or `*`. Absent: the security profile decides; `[]`: none.',
      restart: true,
      alias: 'cors_allowed_origins',
      showsAlias: true,
      form: false,
      tool: {
        nullable: true,
        description:
          'Origins that browsers may call from, such as `https://app.example.org`, or `*`; [] allows none, null lets the security profile decide. Needs a restart of the server.',
      },
      yaml: 'unless-default',
      whenAbsent: 'the security profile decides',
    }),
  saml: section({
    entity_id: optionalText().register(fields, {
      description: 'Entity ID. Absent: `<issuer>/saml`.',
      label: 'Entity ID',
      form: { section: 'saml' },
      name: 'saml_entity_id',
      sandbox: true,
      tool: { description: 'Entity ID of the SAML identity provider; empty: derived as `<issuer>/saml`.' },
    }),
    sso_url: optionalText().register(fields, {
      description: 'Address for logins. Absent: `<issuer>/saml/sso`.',
      label: 'Single sign-on address',
      form: { section: 'saml' },
      name: 'saml_sso_url',
      sandbox: true,
      tool: { description: 'Address for SAML logins; empty: derived as `<issuer>/saml/sso`.' },
    }),
    /** The empty text means: a request that names no address is refused (CFG-K32). */
    default_acs_url: text()
      .default('http://localhost:8080/login/saml2/sso/samlIdp')
      .register(fields, {
        description: 'Where a Response goes that names no address. Empty: such a request is refused.',
        label: 'Default ACS address',
        form: { section: 'saml', blank: '' },
        sandbox: true,
        example: 'http://localhost:3000/saml/acs',
      }),
    sign_responses: flag(true).register(fields, {
      description: 'Sign Responses and Assertions.',
      label: 'Sign responses',
      form: { section: 'saml' },
      name: 'saml_sign_responses',
      sandbox: true,
    }),
    export_roles: flag(false).register(fields, {
      description: 'Send the roles as an attribute.',
      label: 'Send the roles',
      form: { section: 'saml' },
      name: 'saml_export_roles',
      sandbox: true,
    }),
    export_groups: flag(false).register(fields, {
      description: 'Send the groups as an attribute.',
      label: 'Send the groups',
      form: { section: 'saml' },
      name: 'saml_export_groups',
      sandbox: true,
    }),
    roles_attr_name: nameOrDefault('roles').register(fields, {
      description: 'Name of the attribute with the roles.',
      label: 'Attribute of the roles',
      form: { section: 'saml' },
      name: 'saml_roles_attr_name',
      sandbox: true,
    }),
    groups_attr_name: nameOrDefault('groups').register(fields, {
      description: 'Name of the attribute with the groups.',
      label: 'Attribute of the groups',
      form: { section: 'saml' },
      name: 'saml_groups_attr_name',
      sandbox: true,
    }),
    c14n_algorithm: algorithm.prefault('exc_c14n').register(fields, {
      description: 'Canonicalisation of signatures; blank: the default.',
      label: 'Canonicalisation',
      form: { section: 'saml' },
      name: 'saml_c14n_algorithm',
      sandbox: true,
      tool: { description: 'Canonicalisation of signatures; exc_c14n is the default.' },
    }),
    want_authn_requests_signed: flag(false).register(fields, {
      description: 'Accept signed AuthnRequests only.',
      label: 'Require signed requests',
      form: { section: 'saml' },
      name: 'saml_want_authn_requests_signed',
      sandbox: true,
      api: false,
    }),
    sp_certificates: texts()
      .default([])
      .register(fields, {
        description: 'PEM files with the certificates that requests may be signed with.',
        label: 'Certificates of service providers',
        form: { section: 'saml' },
        name: 'saml_sp_certificates',
        sandbox: true,
        api: false,
        example: '["../certificates/sp.pem"]',
      }),
    strict_binding: flag(false).register(fields, {
      description: 'Refuse AuthnRequests of a wrong encoding, root element, Version or Destination.',
      label: 'Strict bindings',
      form: { section: 'saml' },
      name: 'strict_saml_binding',
      sandbox: true,
    }),
  }).prefault({}),
  jwt: section({
    algorithm: z
      .literal('RS256', 'must be RS256; no other algorithm is supported')
      .default('RS256')
      .register(fields, { description: 'Signature algorithm; RS256 is the only one.', fileOnly: true }),
    keys_dir: filledText()
      .default('../keys')
      .register(fields, { description: 'Directory of the generated signing keys.', fileOnly: true }),
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
    max_previous_keys: wholeNumber(0, 10)
      .default(2)
      .register(fields, { description: 'Retired keys that still verify.', fileOnly: true }),
  }).prefault({}),
  session: section({
    secret_key: optionalText().register(fields, {
      description: 'Secret that signs the browser cookie. Absent: a generated one.',
      restart: true,
      fileOnly: true,
      secret: true,
    }),
    enforce_password_check: flag(false).register(fields, {
      description: 'With password hashing on, a stored password that is no bcrypt hash never matches.',
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
      description: 'User names and client ids in log lines.',
      form: false,
    }),
  }).prefault({}),
  // A bare `login:` counts as empty (CFG-10).
  login: loginSection
    .nullable()
    .transform((value) => value ?? loginSection.parse({}))
    .prefault({}),
  runtime: section({
    store: oneOf(['memory', 'sqlite'])
      .default('memory')
      .register(fields, { description: 'Where runtime state lives.', restart: true, fileOnly: true }),
    path: optionalText().register(fields, {
      description: 'The store file, outside the configuration directory; with `sqlite` only, and needed there.',
      restart: true,
      fileOnly: true,
    }),
  }).prefault({}),
  hooks: section({
    on_before_load: optionalText().register(fields, {
      description: 'Shell command run before a start or reload reads the files.',
      fileOnly: true,
      secret: true,
    }),
    on_config_saved: optionalText().register(fields, {
      description: 'Shell command run after each file that was written.',
      fileOnly: true,
      secret: true,
    }),
    on_audit_event: optionalText().register(fields, {
      description: 'Shell command run after each audit event, which it gets as JSON on standard input.',
      fileOnly: true,
      secret: true,
    }),
    strict: flag(false).register(fields, { description: 'A failing hook or plugin fails the load.', fileOnly: true }),
    timeout_seconds: z
      .number('must be a number greater than 0')
      .gt(0, 'must be a number greater than 0')
      .default(10)
      .register(fields, {
        description: 'How long a hook may run, in seconds; it ends with its process unless that is killed (SIGKILL).',
        fileOnly: true,
      }),
  }).prefault({}),
});

export type Settings = Readonly<z.output<typeof settingsModel>>;
