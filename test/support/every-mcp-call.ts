// One successful call of every MCP tool, with its minimum result, for tests that drive all of them. Each call works on
// `everyMcpSettings`, in this order in one process or each in its own.

import { demoSettings } from './worlds.ts';

/** The configuration for the calls: the demo and a service provider. */
export const everyMcpSettings = {
  ...demoSettings,
  saml: { service_providers: [{ entity_id: 'https://declared.example', acs: 'https://declared.example/acs' }] },
};

interface McpCall {
  readonly args?: Readonly<Record<string, unknown>>;
  /** Literal members of the result. `answers` are members that must exist. */
  readonly expected?: Readonly<Record<string, unknown>>;
  readonly answers?: readonly string[];
}

const jwt = [{ alg: 'none' }, { sub: 'alice', exp: 1 }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('AAAA')
  .join('.');

export const everyMcpCall: Readonly<Record<string, McpCall>> = {
  list_users: { args: { limit: 1 }, expected: { count: 2 }, answers: ['users', 'users_revision'] },
  get_user: { args: { username: 'alice' }, expected: { found: true }, answers: ['user'] },
  create_user: {
    args: { username: 'carol', password: 'p w', roles: ['USER', 'OPS'], attributes: { department: { floor: 3 } } },
    expected: { success: true },
    answers: ['user'],
  },
  create_persona_user: { args: { username: 'dana', email: 'dana@example.org' }, expected: { success: true } },
  update_user: { args: { username: 'alice', tenant: 'north', identity_class: null }, expected: { success: true } },
  delete_user: { args: { username: 'bob' }, expected: { success: true, deleted: 'bob' } },
  list_clients: { args: { limit: 1, offset: 1 }, expected: { count: 3 }, answers: ['clients', 'settings_revision'] },
  get_client: { args: { client_id: 'web' }, expected: { found: true }, answers: ['client'] },
  create_client: {
    args: { client_id: 'api', client_secret: 's', redirect_uris: ['http://127.0.0.1:3000/cb'], show_client_id: false },
    expected: { success: true },
  },
  update_client: { args: { client_id: 'web', header_color: '#102030' }, expected: { success: true } },
  delete_client: { args: { client_id: 'post' }, expected: { success: true, deleted: 'post' } },
  generate_token: {
    args: { username: 'alice', client_id: 'web', scope: 'openid email', extra_claims: { purpose: 'test' } },
    expected: { success: true, token_type: 'Bearer', expires_in: 3600 },
    answers: ['access_token', 'refresh_token', 'id_token'],
  },
  decode_token: { args: { token: jwt }, expected: { success: true, claims: { sub: 'alice', exp: 1 } } },
  verify_token: { args: { token: jwt }, expected: { valid: false }, answers: ['reason'] },
  get_settings: { expected: { issuer: 'http://127.0.0.1:8000', security_profile: 'dev' }, answers: ['effective'] },
  update_settings: {
    args: { token_expiry_minutes: 30, cors_allowed_originss: ['https://app.example.org'], auto_login: true },
    expected: { success: true, updated_fields: ['token_expiry_minutes', 'cors_allowed_originss', 'auto_login'] },
  },
  save_config: { expected: { success: true }, answers: ['users_revision', 'settings_revision'] },
  reload_config: { expected: { success: true }, answers: ['users_revision', 'settings_revision'] },
  validate_config: { args: { strict: true }, expected: { status: 'valid', valid: true, findings: [] } },
  get_oidc_discovery: { expected: { issuer: 'http://127.0.0.1:8000' }, answers: ['jwks_uri'] },
  get_jwks: { answers: ['keys'] },
  get_keys_info: { expected: { previous_keys_count: 0, max_previous_keys: 2 }, answers: ['active_kid'] },
  get_audit_log: { args: { limit: 2, event_type: 'mcp_tool' }, answers: ['entries', 'count'] },
  get_audit_stats: { answers: ['total_requests'] },
  clear_audit_log: { expected: { success: true } },
  create_sandbox: {
    args: { name: 'box', ttl_seconds: 60 },
    expected: { success: true, name: 'box', issuer: 'http://127.0.0.1:8000/s/box' },
    answers: ['instance_id', 'discovery_url', 'expires_at'],
  },
  list_sandboxes: { answers: ['sandboxes', 'count'] },
  reset_sandbox: { args: { name: 'box' }, expected: { success: true, name: 'box' } },
  delete_sandbox: { args: { name: 'box' }, expected: { success: true, deleted: 'box' } },
  get_clock: { expected: { success: true, moved: false }, answers: ['now', 'real_now', 'offset_seconds', 'frozen'] },
  set_clock: { args: { offset_seconds: 60 }, expected: { success: true, offset_seconds: 60 }, answers: ['now'] },
  reset_clock: { expected: { success: true, moved: false } },
  list_fault_catalogue: { args: { at: 'jwks' }, answers: ['faults', 'count'] },
  list_faults: { expected: { count: 0, faults: [] } },
  create_fault: { args: { fault: 'status', at: 'jwks' }, expected: { success: true }, answers: ['fault'] },
  delete_fault: { expected: { success: true }, answers: ['deleted'] },
  list_flows: { answers: ['flows', 'count'] },
  get_flow: { args: { id: 'f999999' }, expected: { found: false } },
  expect_exchange: {
    args: { endpoint: 'token', at_least: 0, within_seconds: 0 },
    expected: { held: true, expected: 'at least 0' },
    answers: ['count', 'exchanges', 'cursor'],
  },
  get_verdict: { answers: ['verdicts'] },
  list_sessions: { expected: { count: 0, sessions: [] } },
  end_session: { expected: { success: true, ended: 0, notified: [] } },
  list_consents: { expected: { count: 0, consents: [] } },
  delete_consents: { expected: { success: true, deleted: 0 } },
  list_service_providers: { expected: { count: 1 }, answers: ['service_providers'] },
  create_service_provider: {
    args: { entity_id: 'https://sp.example', acs: [{ url: 'https://sp.example/acs' }] },
    expected: { success: true },
    answers: ['service_provider'],
  },
  get_service_provider: { args: { entity_id: 'https://declared.example' }, expected: { found: true } },
  update_service_provider: {
    args: { entity_id: 'https://declared.example', sign: 'both' },
    expected: { success: true },
  },
  delete_service_provider: { args: { entity_id: 'https://declared.example' }, expected: { success: true } },
  check_service_provider_metadata: { args: { metadata: '<a/>' }, expected: { valid: false, entry: null } },
  rotate_keys: { expected: { success: true, previous_keys_count: 1 }, answers: ['old_kid', 'new_kid'] },
};
