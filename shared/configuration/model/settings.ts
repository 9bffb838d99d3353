// Every key of settings.yaml with its type, bounds, default and description (CFG-K01 to CFG-K62). Property names are
// the keys of the file; lengths of time carry their unit in the name, as the file does.
import { z } from 'zod';
import { clientEntryModel } from './client-entry.ts';

export const securityProfiles = ['dev', 'stricter-dev', 'oauth21'] as const;
export type SecurityProfile = (typeof securityProfiles)[number];

export const c14nAlgorithms = ['exc_c14n', 'c14n', 'c14n11'] as const;
export type C14nAlgorithm = (typeof c14nAlgorithms)[number];

export const defaultScopes = ['openid', 'profile', 'email', 'offline_access'];

/** null, blank and absent all mean "not set". */
const optionalText = z
  .string()
  .nullable()
  .transform((value) => (value === null || value.trim() === '' ? undefined : value))
  .optional();

export const settingsModel = z.object({
  config_version: z.literal(1).default(1),
  config_validation: z.enum(['strict', 'default']).default('default'),
  security_profile: z.enum(securityProfiles).default('dev'),
  rate_limit_enabled: z.boolean().default(false),
  cors_allowed_originss: z.array(z.string()).optional(),
  require_ui_login: z.boolean().default(false),
  /** Present but null or empty: no gate, whatever the environment says (CFG-51). */
  management_secret: z.string().nullable().optional(),
  authority_prefixes: z.record(z.string(), z.string()).default({}),
  allowed_identity_classes: z.array(z.string()).default([]),
  plugins: z.record(z.string(), z.record(z.string(), z.unknown()).nullable()).default({}),
  server: z
    .object({
      host: z.string().default('127.0.0.1'),
      port: z.number().int().min(1).max(65535).default(8000),
      debug: z.boolean().default(false),
      rate_limit_token_endpoint: z.string().default('10/minute'),
    })
    .prefault({}),
  oauth: z
    .object({
      issuer: z.string().default('http://127.0.0.1:8000'),
      issuer_from_request: z.boolean().default(false),
      issuer_from_proxy_headers: z.boolean().default(false),
      issuer_allowlist: z.array(z.string()).default([]),
      device_verification_base_url: z.string().optional(),
      audience: z.string().min(1).default('default'),
      token_expiry_minutes: z.number().int().min(1).max(1440).default(60),
      refresh_token_expiry_minutes: z.number().int().min(1).max(43200).default(10080),
      refresh_token_rotation: z.boolean().default(false),
      require_pkce: z.boolean().default(false),
      scopes_supported: z.array(z.string()).default(defaultScopes),
      scope_enforcement: z.boolean().default(true),
      logos_dir: optionalText,
      clients: z.array(clientEntryModel).default([]),
      dynamic_registration: z
        .object({
          enabled: z.boolean().default(false),
          max_clients: z.number().int().min(1).max(10000).default(100),
        })
        .prefault({}),
      client_id_metadata_documents: z
        .object({
          enabled: z.boolean().default(false),
          allowed_hosts: z.array(z.string()).default([]),
          allow_loopback: z.boolean().default(false),
        })
        .prefault({}),
    })
    .prefault({}),
  device_flow: z
    .object({
      code_expiry_seconds: z.number().int().min(1).max(3600).default(600),
      polling_interval: z.number().int().min(1).max(60).default(5),
    })
    .prefault({}),
  saml: z
    .object({
      entity_id: optionalText,
      sso_url: optionalText,
      /** The empty text means: a request that names no address is refused (CFG-K32). */
      default_acs_url: z.string().default('http://localhost:8080/login/saml2/sso/samlIdp'),
      sign_responses: z.boolean().default(true),
      export_roles: z.boolean().default(false),
      export_groups: z.boolean().default(false),
      roles_attr_name: z.string().default('roles'),
      groups_attr_name: z.string().default('groups'),
      c14n_algorithm: z.enum(c14nAlgorithms).default('exc_c14n'),
      want_authn_requests_signed: z.boolean().default(false),
      sp_certificates: z.array(z.string()).default([]),
      strict_binding: z.boolean().default(false),
    })
    .prefault({}),
  jwt: z
    .object({
      algorithm: z.literal('RS256').default('RS256'),
      keys_dir: z.string().default('../keys'),
      external_keys: z
        .object({ private_key: z.string(), public_key: z.string(), kid: z.string().min(1).optional() })
        .optional(),
      max_previous_keys: z.number().int().min(0).max(10).default(2),
    })
    .prefault({}),
  session: z
    .object({ secret_key: z.string().optional(), enforce_password_check: z.boolean().default(false) })
    .prefault({}),
  logging: z
    .object({
      level: z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL']).default('INFO'),
      log_token_requests: z.boolean().default(true),
      log_saml_requests: z.boolean().default(true),
      verbose_logging: z.boolean().default(true),
    })
    .prefault({}),
  login: z
    .object({
      mode: z.enum(['password', 'persona']).default('password'),
      totp: z.boolean().default(false),
      auto_login: z.boolean().default(false),
      two_step: z.boolean().default(false),
    })
    .prefault({}),
  runtime: z
    .object({ store: z.enum(['memory', 'sqlite']).default('memory'), path: z.string().optional() })
    .prefault({}),
  hooks: z
    .object({
      on_before_load: z.string().optional(),
      on_config_saved: z.string().optional(),
      on_audit_event: z.string().optional(),
      strict: z.boolean().default(false),
      timeout_seconds: z.number().gt(0).default(10),
    })
    .prefault({}),
});

export type Settings = Readonly<z.output<typeof settingsModel>>;
