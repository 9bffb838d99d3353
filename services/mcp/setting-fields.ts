// The settings that update_settings takes and get_settings shows, by the names of the contract's table, each with its
// key in the file (MCP-36, MCP-37). What is missing here (hooks, plugins, secrets, profile, registration, scopes, store,
// keys) is for the file alone.
import type { z } from 'zod';
import type { Settings } from '#shared/configuration/model/settings.ts';
import { argumentModel, argumentWithExample, settingModel } from './argument-models.ts';
import { ToolFailure } from './tool.ts';

export interface SettingField {
  readonly argument: string;
  /** Dotted path in settings.yaml. */
  readonly path: string;
  /** The published argument. */
  readonly model: z.ZodType;
  /** As an answer shows it: absent values are null. */
  show(settings: Settings): unknown;
  /** As the file would hold it; undefined: the key is absent. */
  value(settings: Settings): unknown;
  /** The settings with this value. @throws ToolFailure when the value has the wrong form (MCP-19). */
  change(settings: Settings, value: unknown): Settings;
}

interface Row {
  readonly argument: string;
  readonly section?: 'oauth' | 'device_flow' | 'saml' | 'login' | 'logging';
  readonly key: string;
  readonly value: (settings: Settings) => unknown;
  readonly description?: string;
  readonly example?: string;
  readonly nullable?: true;
  /** Kept as given although it may not load; save_config is what refuses it (MCP-36, MCP-44). */
  readonly unjudged?: true;
}

const rows: readonly Row[] = [
  {
    argument: 'issuer',
    section: 'oauth',
    key: 'issuer',
    value: ({ oauth }) => oauth.issuer,
    description: 'The issuer, such as `http://127.0.0.1:8000`: `iss` of tokens and base of every address.',
    unjudged: true,
  },
  {
    argument: 'issuer_from_request',
    section: 'oauth',
    key: 'issuer_from_request',
    value: ({ oauth }) => oauth.issuer_from_request,
  },
  {
    argument: 'issuer_allowlist',
    section: 'oauth',
    key: 'issuer_allowlist',
    value: ({ oauth }) => oauth.issuer_allowlist,
    example: '["https://idp.example.org"]',
  },
  {
    argument: 'device_verification_base_url',
    section: 'oauth',
    key: 'device_verification_base_url',
    value: ({ oauth }) => oauth.device_verification_base_url,
    description: 'Base of the addresses shown in the device flow; with issuer_from_request only. Empty clears it.',
  },
  {
    argument: 'issuer_from_proxy_headers',
    section: 'oauth',
    key: 'issuer_from_proxy_headers',
    value: ({ oauth }) => oauth.issuer_from_proxy_headers,
    description: 'Trust the X-Forwarded-* headers of exactly one proxy; needs a restart of the server.',
  },
  { argument: 'audience', section: 'oauth', key: 'audience', value: ({ oauth }) => oauth.audience, example: 'my-api' },
  {
    argument: 'token_expiry_minutes',
    section: 'oauth',
    key: 'token_expiry_minutes',
    value: ({ oauth }) => oauth.token_expiry_minutes,
  },
  {
    argument: 'refresh_token_expiry_minutes',
    section: 'oauth',
    key: 'refresh_token_expiry_minutes',
    value: ({ oauth }) => oauth.refresh_token_expiry_minutes,
  },
  {
    argument: 'device_code_expiry_seconds',
    section: 'device_flow',
    key: 'code_expiry_seconds',
    value: ({ device_flow: device }) => device.code_expiry_seconds,
  },
  {
    argument: 'device_polling_interval',
    section: 'device_flow',
    key: 'polling_interval',
    value: ({ device_flow: device }) => device.polling_interval,
  },
  {
    argument: 'cors_allowed_originss',
    key: 'cors_allowed_originss',
    value: (settings) => settings.cors_allowed_originss,
    description:
      'Origins that browsers may call from, such as `https://app.example.org`, or `*`; [] allows none, null lets the security profile decide. Needs a restart of the server.',
    nullable: true,
  },
  {
    argument: 'refresh_token_rotation',
    section: 'oauth',
    key: 'refresh_token_rotation',
    value: ({ oauth }) => oauth.refresh_token_rotation,
  },
  { argument: 'require_pkce', section: 'oauth', key: 'require_pkce', value: ({ oauth }) => oauth.require_pkce },
  {
    argument: 'default_acs_url',
    section: 'saml',
    key: 'default_acs_url',
    value: ({ saml }) => saml.default_acs_url,
    example: 'http://localhost:3000/saml/acs',
  },
  {
    argument: 'saml_entity_id',
    section: 'saml',
    key: 'entity_id',
    value: ({ saml }) => saml.entity_id,
    description: 'Entity ID of the SAML identity provider; empty: derived as `<issuer>/saml`.',
  },
  {
    argument: 'saml_sso_url',
    section: 'saml',
    key: 'sso_url',
    value: ({ saml }) => saml.sso_url,
    description: 'Address for SAML logins; empty: derived as `<issuer>/saml/sso`.',
  },
  {
    argument: 'saml_sign_responses',
    section: 'saml',
    key: 'sign_responses',
    value: ({ saml }) => saml.sign_responses,
  },
  {
    argument: 'saml_want_authn_requests_signed',
    section: 'saml',
    key: 'want_authn_requests_signed',
    value: ({ saml }) => saml.want_authn_requests_signed,
  },
  {
    argument: 'saml_sp_certificates',
    section: 'saml',
    key: 'sp_certificates',
    value: ({ saml }) => saml.sp_certificates,
    example: '["../certificates/sp.pem"]',
  },
  { argument: 'strict_saml_binding', section: 'saml', key: 'strict_binding', value: ({ saml }) => saml.strict_binding },
  {
    argument: 'saml_c14n_algorithm',
    section: 'saml',
    key: 'c14n_algorithm',
    value: ({ saml }) => saml.c14n_algorithm,
    description: 'Canonicalisation of signatures; exc_c14n is the default.',
  },
  { argument: 'saml_export_roles', section: 'saml', key: 'export_roles', value: ({ saml }) => saml.export_roles },
  { argument: 'saml_export_groups', section: 'saml', key: 'export_groups', value: ({ saml }) => saml.export_groups },
  {
    argument: 'saml_roles_attr_name',
    section: 'saml',
    key: 'roles_attr_name',
    value: ({ saml }) => saml.roles_attr_name,
  },
  {
    argument: 'saml_groups_attr_name',
    section: 'saml',
    key: 'groups_attr_name',
    value: ({ saml }) => saml.groups_attr_name,
  },
  {
    argument: 'verbose_logging',
    section: 'logging',
    key: 'verbose_logging',
    value: ({ logging }) => logging.verbose_logging,
  },
  { argument: 'login_mode', section: 'login', key: 'mode', value: ({ login }) => login.mode },
  { argument: 'auto_login', section: 'login', key: 'auto_login', value: ({ login }) => login.auto_login },
  { argument: 'two_step', section: 'login', key: 'two_step', value: ({ login }) => login.two_step },
  { argument: 'totp', section: 'login', key: 'totp', value: ({ login }) => login.totp },
];

export const settingFields: readonly SettingField[] = rows.map(settingField);

/** Every setting by its argument name. */
export function showSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(settingFields.map((field) => [field.argument, field.show(settings)]));
}

function settingField(row: Row): SettingField {
  const { argument, section, key } = row;
  const declared = settingModel(section, key);
  const plain = row.example === undefined ? argumentModel(declared) : argumentWithExample(declared, row.example);
  const taken = row.nullable === true ? plain.nullable() : plain;
  const model = row.description === undefined ? taken : taken.meta({ description: row.description });
  return {
    argument,
    path: section === undefined ? key : `${section}.${key}`,
    model,
    value: row.value,
    show: (settings) => row.value(settings) ?? null,
    change(settings, value) {
      const read = declared.safeParse(value ?? undefined);
      if (!read.success && row.unjudged !== true) {
        throw new ToolFailure(`${argument} ${read.error.issues[0]?.message ?? 'cannot be used'}`, { kind: 'invalid' });
      }
      return withSetting(settings, section, key, read.success ? read.data : value);
    },
  };
}

function withSetting(settings: Settings, section: Row['section'], key: string, value: unknown): Settings {
  if (section === undefined) return { ...settings, [key]: value };
  return { ...settings, [section]: { ...settings[section], [key]: value } };
}
