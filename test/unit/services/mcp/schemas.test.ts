// The schemas in tools/list match the validation of calls exactly. An independent validator and the tools agree on
// every value, at every bound.
import { randomBytes } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { tools } from '#services/mcp/tools/index.ts';
import { verifies } from '#test/support/verifies.ts';

const ajv = new Ajv2020({ strict: false });

/** Valid arguments for every tool, by name. */
const samples: Readonly<Record<string, unknown>> = {
  username: 'alice',
  password: 'p',
  client_id: 'web',
  token: 'a.b.c',
  fault: 'token_expired',
  name: 'box',
  id: 'f1',
  endpoint: 'token',
  entity_id: 'https://sp.example',
};

interface Property {
  readonly anyOf?: unknown;
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
}

function propertiesOf(schema: Readonly<Record<string, unknown>>): [string, Property][] {
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null ? Object.entries(properties) : [];
}

/** Values around every bound of a property, and some unusual ones. */
function probes(property: Property): unknown[] {
  const around = (bound: number | undefined) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]);
  const lengths = [...around(property.minLength), ...around(property.maxLength)].filter((length) => length >= 0);
  return [
    ...[
      null,
      true,
      '',
      'text',
      0,
      1,
      2,
      -1,
      1.5,
      1e300,
      [],
      ['a'],
      [1],
      [null],
      {},
      { a: 1 },
      { a: 2 ** 53 },
      { a: nested(101) },
    ],
    ...around(property.minimum),
    ...around(property.maximum),
    ...lengths.map((length) => 'x'.repeat(length)),
    ...(property.enum ?? []),
    ...(property.enum ?? []).map((value) => `${String(value)} `),
  ];
}

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
/** No schema can express a rejected name or string deep inside a value. The rejection names its place instead. */
const isSayable = (value: unknown) => !/\\u0000|"__proto__":/.test(JSON.stringify(value));
const text = (length: number | undefined) => 'x'.repeat(Math.max(0, length ?? 0));

describe('published argument schemas', () => {
  for (const tool of tools.values()) {
    const accepts = ajv.compile(tool.inputSchema);
    const required = Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required.map(String) : [];
    const base = Object.fromEntries(required.map((name) => [name, samples[name]]));
    const agrees = (args: unknown) => {
      const published = accepts(args);
      expect(tool.read(args).outcome, `${tool.name} ${JSON.stringify(args)}`).to.equal(published ? 'read' : 'refused');
    };

    verifies('MCP-18', `of ${tool.name} are enforced exactly as advertised`, () => {
      expect(tool.inputSchema.type).to.equal('object');
      agrees(base);
      agrees({ ...base, something_else: [1] });
      for (const name of required) agrees(Object.fromEntries(Object.entries(base).filter(([key]) => key !== name)));
      for (const [name, property] of propertiesOf(tool.inputSchema)) {
        for (const value of probes(property)) agrees({ ...base, [name]: value });
      }
      for (const args of [undefined, null, [], 'text', 7]) expect(tool.read(args).outcome).to.equal('refused');
      const names = propertiesOf(tool.inputSchema).map(([name]) => name);
      if (names.length === 0) return;
      const seed = randomBytes(4).readInt32BE();
      const property = fc.property(fc.constantFrom(...names), fc.jsonValue().filter(isSayable), (name, value) =>
        agrees({ ...base, [name]: value }),
      );
      fc.assert(property, { seed, numRuns: 200 });
    });

    it(`of ${tool.name} have a description for every argument, and compile as output schema`, () => {
      for (const [name, property] of propertiesOf(tool.inputSchema)) {
        expect((property as { description?: string }).description, name)
          .to.be.a('string')
          .with.length.above(10);
      }
      expect(tool.description.length).to.be.above(40);
      ajv.compile(tool.outputSchema);
    });
  }

  verifies('MCP-18', 'advertise these bounds, accept the values at them and reject the values beyond', () => {
    const bounds: string[] = [];
    for (const tool of tools.values()) {
      const required = Array.isArray(tool.inputSchema.required) ? tool.inputSchema.required.map(String) : [];
      const base = Object.fromEntries(required.map((name) => [name, samples[name]]));
      for (const [name, property] of propertiesOf(tool.inputSchema)) {
        const outcome = (value: unknown) => tool.read({ ...base, [name]: value }).outcome;
        const pairs: [string, number | undefined, unknown, unknown][] = [
          ['minimum', property.minimum, property.minimum, Number(property.minimum) - 1],
          ['maximum', property.maximum, property.maximum, Number(property.maximum) + 1],
          ['minLength', property.minLength, text(property.minLength), text(Number(property.minLength) - 1)],
          ['maxLength', property.maxLength, text(property.maxLength), text(Number(property.maxLength) + 1)],
        ];
        for (const [keyword, bound, on, beyond] of pairs) {
          if (bound === undefined) continue;
          bounds.push(`${tool.name} ${name} ${keyword} ${bound}`);
          expect([outcome(on), outcome(beyond)], bounds.at(-1)).to.deep.equal(['read', 'refused']);
        }
      }
    }
    const named = (names: readonly string[], rest: string) => names.map((name) => `${name} ${rest}`);
    const aboutUsers = ['get_user', 'create_user', 'create_persona_user', 'update_user', 'delete_user'];
    const safe = Number.MAX_SAFE_INTEGER;
    expect(bounds.sort()).to.deep.equal(
      [
        ...named([...aboutUsers, 'generate_token'], 'username minLength 1'),
        ...named(aboutUsers.slice(1, 4), 'description maxLength 200'),
        ...named(['get_client', 'create_client', 'update_client', 'delete_client'], 'client_id minLength 1'),
        'generate_token client_id minLength 1',
        ...named(['list_users', 'list_clients', 'list_service_providers'], 'limit minimum 1'),
        ...named(['list_users', 'list_clients', 'list_service_providers'], `limit maximum ${safe}`),
        ...named(['list_users', 'list_clients', 'list_service_providers'], 'offset minimum 0'),
        ...named(['list_users', 'list_clients', 'list_service_providers'], `offset maximum ${safe}`),
        ...named(['get_audit_log'], `limit minimum ${-safe}`),
        ...named(['get_audit_log'], `limit maximum ${safe}`),
        'generate_token nbf minimum 0',
        `generate_token nbf maximum ${safe}`,
        ...named(['create_fault', 'create_sandbox'], 'ttl_seconds minimum 1'),
        ...named(['create_fault', 'create_sandbox'], 'ttl_seconds maximum 86400'),
        ...named(['create_client', 'update_client'], 'default_max_age minimum 0'),
        ...named(['create_client', 'update_client'], 'default_max_age maximum 2147483647'),
        ...['create_client', 'update_client', 'update_settings'].flatMap((tool) => [
          ...[`${tool} token_expiry_seconds minimum 1`, `${tool} token_expiry_seconds maximum 86400`],
          ...[`${tool} id_token_expiry_seconds minimum 1`, `${tool} id_token_expiry_seconds maximum 86400`],
          ...[`${tool} refresh_token_expiry_seconds minimum 1`, `${tool} refresh_token_expiry_seconds maximum 2592000`],
        ]),
        'update_settings authorization_code_expiry_seconds minimum 1',
        'update_settings authorization_code_expiry_seconds maximum 600',
        ...['list_flows limit minimum 1', 'list_flows limit maximum 1000'],
        ...['create_service_provider ', 'update_service_provider ', 'update_settings saml_'].flatMap((start) => [
          ...[`${start}assertion_lifetime_seconds minimum 1`, `${start}assertion_lifetime_seconds maximum 86400`],
          ...[`${start}not_before_seconds minimum 0`, `${start}not_before_seconds maximum 3600`],
        ]),
        ...['count', 'at_least'].flatMap((name) => [
          `expect_exchange ${name} minimum 0`,
          `expect_exchange ${name} maximum 100000`,
        ]),
        ...['expect_exchange status minimum 100', 'expect_exchange status maximum 599'],
        ...['expect_exchange within_seconds minimum 0', 'expect_exchange within_seconds maximum 60'],
        'update_settings session_idle_minutes minimum 0',
        'update_settings session_idle_minutes maximum 43200',
        'update_settings session_lifetime_minutes minimum 1',
        'update_settings session_lifetime_minutes maximum 43200',
        'update_settings audience minLength 1',
        'update_settings token_expiry_minutes minimum 1',
        'update_settings token_expiry_minutes maximum 1440',
        'update_settings refresh_token_expiry_minutes minimum 1',
        'update_settings refresh_token_expiry_minutes maximum 43200',
        'update_settings device_code_expiry_seconds minimum 1',
        'update_settings device_code_expiry_seconds maximum 3600',
        'update_settings device_polling_interval minimum 1',
        'update_settings device_polling_interval maximum 60',
        'update_settings logout_delivery_timeout_ms minimum 100',
        'update_settings auto_login_user minLength 1',
        'update_settings logout_delivery_timeout_ms maximum 60000',
        'update_settings logout_delivery_retries minimum 0',
        'update_settings logout_delivery_retries maximum 5',
      ].sort(),
    );
  });

  it('suit every model provider: each value has one type, and no schema or list of choices is empty', () => {
    const text = JSON.stringify([...tools.values()].map((tool) => [tool.inputSchema, tool.outputSchema]));
    expect(text).not.to.include('"type":[').and.not.include('propertyNames').and.not.include('"additionalProperties"');
    expect(text).not.to.include('"$ref"').and.not.include('[""').and.not.include(',""');
  });

  verifies('MCP-18', 'carry the bounds of the models', () => {
    const property = (tool: string, name: string) =>
      Object.fromEntries(propertiesOf(tools.get(tool)?.inputSchema ?? {}))[name];
    expect(property('create_user', 'description')).to.include({ type: 'string', maxLength: 200 });
    expect(property('create_user', 'username')).to.include({ type: 'string', minLength: 1 });
    expect(property('create_user', 'roles')).to.deep.include({ type: 'array', items: { type: 'string' } });
    expect(property('create_client', 'client_id')).to.include({ minLength: 1 });
    expect(property('create_client', 'token_endpoint_auth_method')?.enum).to.deep.equal([
      'client_secret_basic',
      'client_secret_post',
      'none',
      'client_secret_any',
      'client_secret_optional',
      'private_key_jwt',
    ]);
    expect(property('create_client', 'layout')?.enum).to.deep.equal(['vertical', 'horizontal']);
    expect(property('update_settings', 'token_expiry_minutes')).to.include({
      type: 'integer',
      minimum: 1,
      maximum: 1440,
    });
    expect(property('update_settings', 'refresh_token_expiry_minutes')).to.include({ minimum: 1, maximum: 43_200 });
    expect(property('update_settings', 'device_code_expiry_seconds')).to.include({ minimum: 1, maximum: 3600 });
    expect(property('update_settings', 'device_polling_interval')).to.include({ minimum: 1, maximum: 60 });
    expect(property('update_settings', 'audience')).to.include({ minLength: 1 });
    expect(property('update_settings', 'login_mode')?.enum).to.deep.equal(['password', 'persona']);
    expect(property('generate_token', 'expires_in_minutes')?.anyOf).to.deep.equal([
      { type: 'integer', minimum: 1, maximum: 1440 },
      { type: 'integer', minimum: -1440, maximum: -1 },
    ]);
    for (const expires_in_minutes of [-1441, 0, 1441]) {
      const read = tools.get('generate_token')?.read({ username: 'alice', expires_in_minutes });
      expect(read?.outcome, String(expires_in_minutes)).to.equal('refused');
    }
  });

  verifies('MCP-13', 'never mention admin_secret', () => {
    expect(JSON.stringify([...tools.values()].map((tool) => tool.inputSchema))).not.to.include('admin_secret');
  });

  verifies('MCP-37', 'of update_settings contain the fields of the contract, and none that only the file has', () => {
    const offered = propertiesOf(tools.get('update_settings')?.inputSchema ?? {}).map(([name]) => name);
    expect(offered.sort()).to.deep.equal(
      [
        ...['issuer', 'issuer_from_request', 'issuer_allowlist', 'device_verification_base_url', 'base_url'],
        ...['issuer_from_proxy_headers', 'audience', 'token_expiry_minutes', 'refresh_token_expiry_minutes'],
        // CLS.
        ...['token_expiry_seconds', 'id_token_expiry_seconds', 'refresh_token_expiry_seconds'],
        'authorization_code_expiry_seconds',
        ...['device_code_expiry_seconds', 'device_polling_interval', 'cors_allowed_originss'],
        ...[
          'refresh_token_rotation',
          'require_pkce',
          'default_acs_url',
          'saml_entity_id',
          'saml_sso_url',
          'saml_slo_url',
        ],
        ...['saml_sign_responses', 'saml_want_authn_requests_signed', 'saml_sp_certificates', 'strict_saml_binding'],
        ...['saml_c14n_algorithm', 'saml_export_roles', 'saml_export_groups', 'saml_roles_attr_name'],
        // SRE.
        ...['saml_sign', 'saml_signature_algorithm', 'saml_digest_algorithm'],
        ...['saml_assertion_lifetime_seconds', 'saml_not_before_seconds', 'saml_session_not_on_or_after'],
        ...['saml_groups_attr_name', 'verbose_logging', 'login_mode', 'auto_login', 'two_step', 'totp'],
        'auto_login_user',
        ...['login_session', 'session_lifetime_minutes', 'session_idle_minutes', 'login_acr', 'login_consent'],
        ...['edit_claims'],
        ...['claim_mappings', 'id_token_claims', 'id_token_token_use', 'userinfo_by_scope'],
        ...['response_modes', 'audience_parameter', 'authorize_by_post', 'access_token_typ', 'backchannel_base_url'],
        ...['logout_confirmation', 'logout_delivery_timeout_ms', 'logout_delivery_retries', 'logout_verify_tls'],
        ...['logout_revoke_refresh_tokens'],
      ].sort(),
    );
  });

  verifies('MCP-11', 'mark exactly the changing tools of the contract, also in their annotations', () => {
    const mutating = [...tools.values()].filter((tool) => tool.mutating).map((tool) => tool.name);
    expect(mutating.sort()).to.deep.equal(
      [
        ...['create_user', 'create_persona_user', 'update_user', 'delete_user', 'generate_token', 'create_client'],
        ...['update_client', 'delete_client', 'update_settings', 'save_config', 'clear_audit_log', 'rotate_keys'],
        // Clauses SBX-47, TIM-31 and FLT-35.
        ...['create_sandbox', 'reset_sandbox', 'delete_sandbox', 'set_clock', 'reset_clock'],
        ...['create_fault', 'delete_fault'],
        // SSO-44.
        ...['end_session', 'delete_consents'],
        // SPM-27.
        ...['create_service_provider', 'update_service_provider', 'delete_service_provider'],
      ].sort(),
    );
    for (const tool of tools.values()) {
      expect(tool.hints.readOnlyHint, tool.name).to.equal(!tool.mutating && tool.name !== 'reload_config');
    }
  });
});
