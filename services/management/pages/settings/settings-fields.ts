// What the settings form offers: one row a key (WEB-10). Description, bounds, choices and whether a restart is needed
// come from the model of settings.yaml; so does the list of keys that only the file may change.
import { fieldAt } from '#shared/configuration/model/read-model.ts';
import { c14nAlgorithms, type Settings, settingsModel } from '#shared/configuration/model/settings.ts';

export type SettingKind = 'text' | 'number' | 'lines' | 'flag' | 'choice';

export interface SettingField {
  /** Name of the form field. */
  readonly name: string;
  /** Dotted path in settings.yaml. */
  readonly path: string;
  readonly kind: SettingKind;
  readonly label: string;
  readonly options?: readonly string[];
  /** What a blank field means; without it the key is removed and its default counts. */
  readonly blank?: '';
}

export interface SettingGroup {
  readonly title: string;
  readonly lead?: string;
  readonly fields: readonly SettingField[];
}

export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'Issuer',
    lead: 'Who the tokens say they come from.',
    fields: [
      { name: 'issuer', path: 'oauth.issuer', kind: 'text', label: 'Issuer' },
      {
        name: 'issuer_from_request',
        path: 'oauth.issuer_from_request',
        kind: 'flag',
        label: 'Issuer from the request',
      },
      {
        name: 'issuer_from_proxy_headers',
        path: 'oauth.issuer_from_proxy_headers',
        kind: 'flag',
        label: 'Believe the proxy’s headers',
      },
      { name: 'issuer_allowlist', path: 'oauth.issuer_allowlist', kind: 'lines', label: 'Allowed origins of requests' },
      {
        name: 'device_verification_base_url',
        path: 'oauth.device_verification_base_url',
        kind: 'text',
        label: 'Base address of the device page',
      },
    ],
  },
  {
    title: 'Tokens',
    fields: [
      { name: 'audience', path: 'oauth.audience', kind: 'text', label: 'Audience' },
      {
        name: 'token_expiry_minutes',
        path: 'oauth.token_expiry_minutes',
        kind: 'number',
        label: 'Access token, minutes',
      },
      {
        name: 'refresh_token_expiry_minutes',
        path: 'oauth.refresh_token_expiry_minutes',
        kind: 'number',
        label: 'Refresh token, minutes',
      },
      {
        name: 'device_code_expiry_seconds',
        path: 'device_flow.code_expiry_seconds',
        kind: 'number',
        label: 'Device code, seconds',
      },
      {
        name: 'device_polling_interval',
        path: 'device_flow.polling_interval',
        kind: 'number',
        label: 'Device polling, seconds',
      },
      {
        name: 'refresh_token_rotation',
        path: 'oauth.refresh_token_rotation',
        kind: 'flag',
        label: 'Rotate refresh tokens',
      },
      { name: 'require_pkce', path: 'oauth.require_pkce', kind: 'flag', label: 'Require PKCE of every client' },
    ],
  },
  {
    title: 'Login',
    fields: [
      {
        name: 'login_mode',
        path: 'login.mode',
        kind: 'choice',
        label: 'Mode',
        options: ['password', 'persona'],
      },
      { name: 'totp', path: 'login.totp', kind: 'flag', label: 'Second factor (TOTP)' },
      { name: 'two_step', path: 'login.two_step', kind: 'flag', label: 'Username first, then password' },
      { name: 'auto_login', path: 'login.auto_login', kind: 'flag', label: 'Automatic login in persona mode' },
      {
        name: 'allowed_identity_classes',
        path: 'allowed_identity_classes',
        kind: 'lines',
        label: 'Identity classes',
      },
    ],
  },
  {
    title: 'SAML',
    fields: [
      { name: 'saml_entity_id', path: 'saml.entity_id', kind: 'text', label: 'Entity ID' },
      { name: 'saml_sso_url', path: 'saml.sso_url', kind: 'text', label: 'Single sign-on address' },
      { name: 'default_acs_url', path: 'saml.default_acs_url', kind: 'text', label: 'Default ACS address', blank: '' },
      {
        name: 'saml_c14n_algorithm',
        path: 'saml.c14n_algorithm',
        kind: 'choice',
        label: 'Canonicalisation',
        options: c14nAlgorithms,
      },
      { name: 'saml_roles_attr_name', path: 'saml.roles_attr_name', kind: 'text', label: 'Attribute of the roles' },
      { name: 'saml_groups_attr_name', path: 'saml.groups_attr_name', kind: 'text', label: 'Attribute of the groups' },
      { name: 'saml_export_roles', path: 'saml.export_roles', kind: 'flag', label: 'Send the roles' },
      { name: 'saml_export_groups', path: 'saml.export_groups', kind: 'flag', label: 'Send the groups' },
      { name: 'saml_sign_responses', path: 'saml.sign_responses', kind: 'flag', label: 'Sign responses' },
      { name: 'strict_saml_binding', path: 'saml.strict_binding', kind: 'flag', label: 'Strict bindings' },
      {
        name: 'saml_want_authn_requests_signed',
        path: 'saml.want_authn_requests_signed',
        kind: 'flag',
        label: 'Require signed requests',
      },
      {
        name: 'saml_sp_certificates',
        path: 'saml.sp_certificates',
        kind: 'lines',
        label: 'Certificates of service providers',
      },
    ],
  },
];

export const settingFields: readonly SettingField[] = settingGroups.flatMap(({ fields }) => fields);

/** What the model says about a key. */
export interface SettingNotes {
  readonly description: string;
  readonly restart: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
}

export function settingNotes(path: string): SettingNotes {
  const { notes, minimum, maximum } = fieldAt(settingsModel, path);
  return { description: notes.description, restart: notes.restart === true, minimum, maximum };
}

/** The model of one key. */
export function schemaAt(path: string) {
  return fieldAt(settingsModel, path).model;
}

/** The value in force at a dotted path. */
export function settingValue(settings: Settings, path: string): unknown {
  let value: unknown = settings;
  for (const member of path.split('.')) {
    value = typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(member) : undefined;
  }
  return value;
}
