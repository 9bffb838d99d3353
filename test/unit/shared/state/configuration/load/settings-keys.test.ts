// Every key of settings.yaml: its default, its bounds on both sides, and the values that it rejects (CFG-K01 to
// CFG-K62).
import { expect } from 'chai';
import { verifies } from '#test/support/verifies.ts';
import { accepted, findingsOf, loadTexts, refusedPaths } from '../load-texts.ts';

const settingsOf = (text: string) => accepted(text).settings;

/** Checks that a key below `section` rejects this YAML value, and that the finding names the key. */
function refuses(path: string, ...values: string[]): void {
  for (const value of values) {
    const keys = path.split('.');
    const text = `${keys.map((key, depth) => `${'  '.repeat(depth)}${key}:`).join('\n')} ${value}\n`;
    expect(
      refusedPaths(text).map((line) => line.replace(/\[\d+\]$/, '')),
      `${path}: ${value}`,
    ).to.deep.equal([`settings.yaml ${path}`]);
  }
}

function takes(path: string, ...values: [yaml: string, expected: unknown][]): void {
  for (const [value, expected] of values) {
    const keys = path.split('.');
    const text = `${keys.map((key, depth) => `${'  '.repeat(depth)}${key}:`).join('\n')} ${value}\n`;
    let found: unknown = settingsOf(text);
    for (const key of keys) found = new Map(Object.entries(found as object)).get(key);
    expect(found, `${path}: ${value}`).to.deep.equal(expected);
  }
}

describe('the keys of settings.yaml', () => {
  const defaults = settingsOf('');

  verifies('CFG-K01', 'config_version is the number 1', () => {
    expect(defaults.config_version).to.equal(1);
    takes('config_version', ['1', 1]);
    refuses('config_version', '0', '2', '-1', 'true', '"1"', '1.5', 'one', 'null', '"${V:1}"');
  });

  verifies(
    'CFG-K02',
    'config_validation is default or strict, warn means default, and a placeholder is not allowed',
    () => {
      expect(defaults.config_validation).to.equal('default');
      takes('config_validation', ['strict', 'strict'], ['default', 'default'], ['warn', 'default']);
      refuses('config_validation', 'lenient', 'STRICT', '1', '${MODE:strict}');
    },
  );

  verifies('CFG-K03', 'security_profile is one of three', () => {
    expect(defaults.security_profile).to.equal('dev');
    takes('security_profile', ['dev', 'dev'], ['stricter-dev', 'stricter-dev'], ['oauth21', 'oauth21']);
    refuses('security_profile', 'prod', 'DEV', '""', '1');
  });

  verifies(
    ['CFG-K04', 'CFG-K05', 'CFG-K06'],
    'server.host, server.port and server.debug have defaults and bounds',
    () => {
      expect(defaults.server.host).to.equal('127.0.0.1');
      expect(defaults.server.port).to.equal(8000);
      expect(defaults.server.debug).to.equal(false);
      takes('server.host', ['0.0.0.0', '0.0.0.0'], ['"::1"', '::1']);
      takes('server.port', ['1', 1], ['65535', 65535]);
      takes('server.debug', ['true', true]);
      refuses('server.host', '1', '""', '[]');
      refuses('server.port', '0', '65536', '80.5', '"8000 "', 'true');
      refuses('server.debug', '"truth"', '1', 'maybe');
    },
  );

  verifies('CFG-K07', 'rate_limit_enabled can also be written as server.rate_limit_enabled', () => {
    expect(defaults.rate_limit_enabled).to.equal(false);
    takes('rate_limit_enabled', ['true', true]);
    expect(settingsOf('server: {rate_limit_enabled: true}').rate_limit_enabled).to.equal(true);
    refuses('rate_limit_enabled', '1');
    refuses('server.rate_limit_enabled', '1');
  });

  verifies('CFG-K08', 'the rate is a positive number a second, minute, hour or day', () => {
    expect(defaults.server.rate_limit_token_endpoint).to.equal('10/minute');
    takes('server.rate_limit_token_endpoint', ['1/second', '1/second'], ['500/hour', '500/hour'], ['7/day', '7/day']);
    refuses(
      'server.rate_limit_token_endpoint',
      '0/minute',
      '10',
      '10/week',
      '-1/minute',
      '1.5/minute',
      'minute/10',
      '""',
    );
  });

  verifies('CFG-K09', 'the issuer is an http or https URL, stored as written', () => {
    expect(defaults.oauth.issuer).to.equal('http://127.0.0.1:8000');
    takes('oauth.issuer', ['https://idp.example.org/', 'https://idp.example.org/'], ['http://x/base', 'http://x/base']);
    refuses(
      'oauth.issuer',
      'idp.example.org',
      'ftp://x',
      '""',
      '1',
      'http://',
      'HTTPS',
      'http:///x',
      'http://x/a b',
      'http://x\\\\y',
      'http://x?a=1',
      'http://x/base?',
      '"http://x#part"',
    );
  });

  verifies('ADR-K01', 'the issuer keeps its slash, and has one spelling of its path and no credentials', () => {
    takes('oauth.issuer', ['http://x/a/v2.0/', 'http://x/a/v2.0/'], ['http://x/a.b/..c', 'http://x/a.b/..c']);
    refuses(
      'oauth.issuer',
      'http://user:secret@x/',
      'http://user@x',
      'http://x//',
      'http://x/a//b',
      'http://x/a//',
      'http://x/./a',
      'http://x/a/..',
      'http://x/a/../',
      'http://x/%2e%2E/a',
      'http://x/a?b',
      '"http://x/a#b"',
    );
  });

  verifies('ADR-K02', 'base_url is a URL without query and fragment, or the word request', () => {
    expect(defaults.oauth.base_url).to.equal(undefined);
    takes(
      'oauth.base_url',
      ['http://x/base/', 'http://x/base'],
      ['request', 'request'],
      ['""', undefined],
      ['null', undefined],
    );
    refuses('oauth.base_url', 'Request', 'x.example', 'ftp://x', 'http://x?a', '"http://x#a"', '5');
  });

  verifies('ADR-K06', 'slo_url is a URL or absent', () => {
    expect(defaults.saml.slo_url).to.equal(undefined);
    takes('saml.slo_url', ['https://x/slo?a=1', 'https://x/slo?a=1'], ['""', undefined], ['null', undefined]);
    refuses('saml.slo_url', '/slo', 'x.example/slo', '5');
  });

  verifies(['CFG-K10', 'CFG-K11'], 'the issuer may follow the request and proxy headers', () => {
    expect(defaults.oauth.issuer_from_request).to.equal(false);
    expect(defaults.oauth.issuer_from_proxy_headers).to.equal(false);
    takes('oauth.issuer_from_request', ['true', true]);
    takes('oauth.issuer_from_proxy_headers', ['true', true]);
    refuses('oauth.issuer_from_request', '"truth"');
    refuses('oauth.issuer_from_proxy_headers', '1');
  });

  verifies('CFG-K12', 'issuer_allowlist is a list of origins, and null means empty', () => {
    expect(defaults.oauth.issuer_allowlist).to.deep.equal([]);
    takes(
      'oauth.issuer_allowlist',
      ['[https://a.example, "http://b:8000"]', ['https://a.example', 'http://b:8000']],
      ['null', []],
    );
    refuses('oauth.issuer_allowlist', '[https://a.example/]', '[a.example]', '[1]', '[""]', 'https://a.example');
  });

  verifies(
    ['CFG-K12', 'ISS-03'],
    'issuer_allowlist loads with a warning for an origin that no request can have',
    () => {
      const text =
        'oauth: {issuer_allowlist: ["https://a.example", "http://*.test", "HTTP://b", "ftp://c", "http://d_e:80"]}';
      const places = [1, 2, 3].map((index) => `oauth.issuer_allowlist[${index}]`);
      const { findings } = loadTexts(text);
      expect(findings.map(({ level, path }) => [level, path])).to.deep.equal(places.map((path) => ['warning', path]));
    },
  );

  verifies('CFG-K13', 'device_verification_base_url is a URL or absent', () => {
    expect(defaults.oauth.device_verification_base_url).to.equal(undefined);
    takes('oauth.device_verification_base_url', ['https://d.example/', 'https://d.example'], ['""', undefined]);
    refuses('oauth.device_verification_base_url', 'd.example', '5', 'https://d.example/?a=1', 'https://d.example/#a');
  });

  verifies(['CFG-K13', 'ISS-10'], 'device_verification_base_url with a fixed issuer loads with a warning', () => {
    const text = 'oauth: {device_verification_base_url: https://d.example}';
    expect(findingsOf(text)).to.deep.equal([
      'info: settings.yaml:1:9 oauth.device_verification_base_url has no effect without issuer_from_request: true',
    ]);
    expect(findingsOf(text.replace('}', ', issuer_from_request: true}'))).to.deep.equal([]);
  });

  it('a client that requires DPoP proofs loads with a warning while proofs are not checked', () => {
    const text = 'oauth: {clients: [{client_id: a, client_secret: s, dpop_bound_access_tokens: true}]}';
    expect(findingsOf(text)).to.deep.equal([
      'warning: settings.yaml:1:52 oauth.clients[0].dpop_bound_access_tokens (client "a") has no effect without oauth.dpop: on or nonce',
    ]);
    for (const mode of ['on', 'nonce']) expect(findingsOf(text.replace('{', `{dpop: ${mode}, `))).to.deep.equal([]);
    expect(defaults.oauth.dpop).to.equal('off');
    refuses('oauth.dpop', 'yes', 'required');
  });

  it('a client with private_key_jwt whose keys cannot verify signatures loads with a warning', () => {
    const client = (keys: string, method = 'private_key_jwt') =>
      `oauth: {clients: [{client_id: a, client_secret: s, token_endpoint_auth_method: ${method}, jwks: {keys: ${keys}}}]}`;
    expect(findingsOf(client('[{kty: RSA, use: enc}]').replace('client_secret: s, ', ''))).to.deep.equal([
      'warning: settings.yaml:1:79 oauth.clients[0].jwks (client "a") does not let the client authenticate: no key can verify a signature of RS256 or ES256: keys[0] has use enc instead of sig',
    ]);
    expect(findingsOf(client('[{kty: RSA, use: enc}]', 'client_secret_basic'))).to.deep.equal([]);
  });

  it('a client that requires pushed requests loads with a warning while pushing is off', () => {
    const text = 'oauth: {clients: [{client_id: a, client_secret: s, require_pushed_authorization_requests: true}]}';
    expect(findingsOf(text)).to.deep.equal([
      'warning: settings.yaml:1:52 oauth.clients[0].require_pushed_authorization_requests (client "a") has no effect without oauth.pushed_authorization_requests: on or required',
    ]);
    for (const mode of ['on', 'required']) {
      expect(findingsOf(text.replace('{', `{pushed_authorization_requests: ${mode}, `))).to.deep.equal([]);
    }
    expect(defaults.oauth.pushed_authorization_requests).to.equal('off');
    refuses('oauth.pushed_authorization_requests', 'yes', 'always');
  });

  it('metadata documents without allowed hosts load with a warning', () => {
    const text = 'oauth: {client_id_metadata_documents: {enabled: true}}';
    expect(findingsOf(text)).to.deep.equal([
      'warning: settings.yaml:1:40 oauth.client_id_metadata_documents.enabled allows no host, so every client with a metadata document is rejected. Add its host to allowed_hosts, or set allow_loopback.',
    ]);
    for (const given of ['allowed_hosts: [client.example]', 'allow_loopback: true', 'enabled: false']) {
      expect(findingsOf(text.replace(/enabled: true/, given.startsWith('e') ? given : `$&, ${given}`))).to.deep.equal(
        [],
      );
    }
  });

  verifies(['CFG-K14', 'CFG-K15', 'CFG-K16'], 'audience and lifetimes have defaults and bounds', () => {
    expect(defaults.oauth.audience).to.equal('default');
    expect(defaults.oauth.token_expiry_minutes).to.equal(60);
    expect(defaults.oauth.refresh_token_expiry_minutes).to.equal(10080);
    takes('oauth.audience', ['a', 'a']);
    takes('oauth.token_expiry_minutes', ['1', 1], ['1440', 1440]);
    takes('oauth.refresh_token_expiry_minutes', ['1', 1], ['43200', 43200]);
    refuses('oauth.audience', '""', '1', '[a]', 'null');
    refuses('oauth.token_expiry_minutes', '0', '1441', '"60 "', '1.5', 'null');
    refuses('oauth.refresh_token_expiry_minutes', '0', '43201', '"60 "', 'null');
  });

  verifies(['CFG-K17', 'CFG-K18'], 'rotation and PKCE are off by default', () => {
    expect(defaults.oauth.refresh_token_rotation).to.equal(false);
    expect(defaults.oauth.require_pkce).to.equal(false);
    refuses('oauth.refresh_token_rotation', 'maybe');
    refuses('oauth.require_pkce', '0');
  });

  verifies(
    ['CFG-K19', 'CFG-K20', 'CFG-K21'],
    'scopes_supported, scope_enforcement and logos_dir have defaults and bounds',
    () => {
      expect(defaults.oauth.scopes_supported).to.deep.equal(['openid', 'profile', 'email', 'offline_access']);
      expect(defaults.oauth.scope_enforcement).to.equal(true);
      expect(defaults.oauth.logos_dir).to.equal(undefined);
      takes(
        'oauth.scopes_supported',
        ['[openid, api]', ['openid', 'api']],
        ['null', ['openid', 'profile', 'email', 'offline_access']],
      );
      takes('oauth.scope_enforcement', ['false', false]);
      expect(accepted('oauth: {logos_dir: logos}').paths.logosDirectory).to.equal('/etc/idp/logos');
      refuses('oauth.scopes_supported', 'openid', '[1]');
      refuses('oauth.scope_enforcement', '"none"');
      refuses('oauth.logos_dir', '1');
    },
  );

  verifies(['SCO-01', 'CFG-K19'], 'a scope that no request can name loads with a warning that names its place', () => {
    const found = findingsOf('oauth: {scopes_supported: [openid, "profile email", "", \'x"\', api:read]}');
    expect(found.map((line) => line.slice(0, line.indexOf(' is not a valid scope name')))).to.deep.equal([
      'warning: settings.yaml:1:36 oauth.scopes_supported[1]',
      'warning: settings.yaml:1:53 oauth.scopes_supported[2]',
      'warning: settings.yaml:1:57 oauth.scopes_supported[3]',
    ]);
  });

  verifies('CFG-K22', 'oauth.clients is the list of declared clients, in order', () => {
    expect(defaults.oauth.clients).to.deep.equal([]);
    expect(accepted('').clients.size).to.equal(0);
    const { clients } = accepted(
      'oauth: {clients: [{client_id: b, client_secret: x}, {client_id: a, client_secret: y}]}',
    );
    expect([...clients.keys()]).to.deep.equal(['b', 'a']);
    refuses('oauth.clients', '{}', 'x', 'null');
  });

  verifies(['CFG-K23', 'CFG-K24'], 'dynamic_registration has defaults and bounds', () => {
    expect(defaults.oauth.dynamic_registration).to.deep.equal({
      enabled: false,
      max_clients: 100,
      metadata: 'minimal',
    });
    takes('oauth.dynamic_registration.max_clients', ['1', 1], ['10000', 10000]);
    refuses('oauth.dynamic_registration.enabled', '1');
    refuses('oauth.dynamic_registration.max_clients', '0', '10001', '"5 "');
  });

  verifies(['CFG-K25', 'CFG-K26', 'CFG-K27', 'MDC-K01'], 'client_id_metadata_documents has defaults and bounds', () => {
    expect(defaults.oauth.client_id_metadata_documents).to.deep.equal({
      enabled: false,
      allowed_hosts: [],
      allow_loopback: false,
      show_reasons: false,
    });
    takes('oauth.client_id_metadata_documents.allowed_hosts', [
      '[a.example, "b.example:8443", "127.0.0.1:3000"]',
      ['a.example', 'b.example:8443', '127.0.0.1:3000'],
    ]);
    refuses('oauth.client_id_metadata_documents.enabled', '"truth"');
    refuses(
      'oauth.client_id_metadata_documents.allowed_hosts',
      '["*.example"]',
      '[https://a.example]',
      '[a.example/x]',
      '["a:0"]',
      '["a:65536"]',
      '[""]',
      'a.example',
    );
    refuses('oauth.client_id_metadata_documents.allow_loopback', '1');
    takes('oauth.client_id_metadata_documents.show_reasons', ['true', true]);
    refuses('oauth.client_id_metadata_documents.show_reasons', '1', '"shown"');
  });

  verifies(['CFG-K28', 'CFG-K29'], 'device codes have a default lifetime and interval with bounds', () => {
    expect(defaults.device_flow).to.deep.equal({ code_expiry_seconds: 600, polling_interval: 5 });
    takes('device_flow.code_expiry_seconds', ['1', 1], ['3600', 3600]);
    takes('device_flow.polling_interval', ['1', 1], ['60', 60]);
    refuses('device_flow.code_expiry_seconds', '0', '3601', '"600 "');
    refuses('device_flow.polling_interval', '0', '61', '2.5');
  });

  verifies(
    'CFG-K30',
    'the CORS list is absent, empty or a list, and can also be written as cors_allowed_origins',
    () => {
      expect(defaults.cors_allowed_originss).to.equal(undefined);
      takes('cors_allowed_originss', ['[]', []], ['[https://a.example, "*"]', ['https://a.example', '*']]);
      expect(settingsOf('cors_allowed_origins: [https://b.example]').cors_allowed_originss).to.deep.equal([
        'https://b.example',
      ]);
      refuses('cors_allowed_originss', 'https://a.example', 'null', '[1]');
    },
  );

  verifies(['CFG-K31', 'CFG-K32'], 'SAML names and addresses have defaults and bounds', () => {
    expect(defaults.saml.entity_id).to.equal(undefined);
    expect(defaults.saml.sso_url).to.equal(undefined);
    expect(defaults.saml.default_acs_url).to.equal('http://localhost:8080/login/saml2/sso/samlIdp');
    takes('saml.entity_id', ['urn:me', 'urn:me'], ['" "', undefined], ['null', undefined]);
    takes('saml.sso_url', ['https://x/sso', 'https://x/sso'], ['""', undefined]);
    takes('saml.default_acs_url', ['""', '']);
    refuses('saml.entity_id', '5');
    refuses('saml.default_acs_url', 'null', '5');
  });

  verifies(['CFG-K33', 'CFG-K34', 'CFG-K35'], 'the settings of SAML Responses have defaults and bounds', () => {
    expect(defaults.saml).to.include({
      sign_responses: true,
      export_roles: false,
      export_groups: false,
      roles_attr_name: 'roles',
      groups_attr_name: 'groups',
    });
    takes('saml.roles_attr_name', ['R', 'R'], ['""', 'roles'], ['null', 'roles']);
    takes('saml.groups_attr_name', ['G', 'G'], ['" "', 'groups'], ['null', 'groups']);
    for (const key of ['sign_responses', 'export_roles', 'export_groups']) refuses(`saml.${key}`, '1');
  });

  verifies('CFG-K36', 'the canonicalization is one of three, and blank means the default', () => {
    expect(defaults.saml.c14n_algorithm).to.equal('exc_c14n');
    takes('saml.c14n_algorithm', ['c14n', 'c14n'], ['c14n11', 'c14n11'], ['""', 'exc_c14n'], ['"  "', 'exc_c14n']);
    refuses('saml.c14n_algorithm', 'exclusive', 'C14N', '1');
  });

  verifies(['CFG-K37', 'CFG-K38', 'CFG-K39'], 'the settings of SAML requests have defaults and bounds', () => {
    expect(defaults.saml).to.deep.include({
      want_authn_requests_signed: false,
      sp_certificates: [],
      strict_binding: false,
    });
    expect(accepted('saml: {sp_certificates: [sp.pem, /abs/x.pem]}').paths.spCertificates).to.deep.equal([
      '/etc/idp/sp.pem',
      '/abs/x.pem',
    ]);
    refuses('saml.want_authn_requests_signed', '1');
    refuses('saml.sp_certificates', 'sp.pem', '[1]', 'null');
    // A PEM string in place of a path must be a certificate, or it could verify nothing.
    refuses('saml.sp_certificates', String.raw`["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]`);
    refuses('saml.strict_binding', '"falsely"');
  });

  verifies(
    ['CFG-K40', 'CFG-K41', 'CFG-K42', 'CFG-K43'],
    'the settings of signing keys have defaults and bounds',
    () => {
      expect(defaults.jwt).to.deep.equal({ algorithm: 'RS256', keys_dir: '../keys', max_previous_keys: 2 });
      expect(accepted('').paths.keysDirectory).to.equal('/etc/keys');
      takes('jwt.max_previous_keys', ['0', 0], ['10', 10]);
      expect(accepted('jwt: {external_keys: {private_key: a.pem, public_key: /b.pem}}').paths).to.include({
        externalPrivateKey: '/etc/idp/a.pem',
        externalPublicKey: '/b.pem',
      });
      refuses('jwt.algorithm', 'ES256', 'rs256');
      refuses('jwt.keys_dir', '1', '""');
      refuses('jwt.max_previous_keys', '-1', '11');
      expect(refusedPaths('jwt: {external_keys: {private_key: a.pem}}')).to.deep.equal([
        'settings.yaml jwt.external_keys.public_key',
      ]);
      expect(refusedPaths('jwt: {external_keys: {private_key: a, public_key: b, kid: ""}}')).to.deep.equal([
        'settings.yaml jwt.external_keys.kid',
      ]);
      refuses('jwt.external_keys', 'null', 'x');
    },
  );

  verifies(
    ['CFG-K44', 'CFG-K45', 'CFG-K46', 'CFG-K47'],
    'the settings of session and management secret have defaults and bounds',
    () => {
      expect(defaults.session).to.deep.equal({ enforce_password_check: false });
      expect(defaults.require_ui_login).to.equal(false);
      expect(accepted('').managementSecret).to.equal(undefined);
      takes('session.secret_key', ['abc', 'abc'], ['""', undefined]);
      expect(settingsOf('session: {require_ui_login: true}').require_ui_login).to.equal(true);
      expect(accepted('session: {management_secret: abc}').managementSecret).to.equal('abc');
      expect(accepted('management_secret: abc').managementSecret).to.equal('abc');
      refuses('management_secret', '"\\u00fc"', '"a\\tb"', '5');
      refuses('session.management_secret', '"\\u00fc"');
      refuses('require_ui_login', '1');
      refuses('session.enforce_password_check', '1');
    },
  );

  verifies(['CFG-K48', 'CFG-K49', 'CFG-K50'], 'the settings of logging have defaults and bounds', () => {
    expect(defaults.logging).to.deep.equal({
      level: 'INFO',
      log_token_requests: true,
      log_saml_requests: true,
      verbose_logging: true,
    });
    takes('logging.level', ['debug', 'DEBUG'], ['Warning', 'WARNING'], ['CRITICAL', 'CRITICAL'], ['ERROR', 'ERROR']);
    refuses('logging.level', 'TRACE', '1');
    for (const key of ['log_token_requests', 'log_saml_requests', 'verbose_logging'])
      refuses(`logging.${key}`, '"none"');
  });

  verifies(['CFG-K51', 'CFG-K52', 'CFG-K53', 'CFG-K54'], 'the settings of login have defaults and bounds', () => {
    expect(defaults.login).to.include({ mode: 'password', totp: false, auto_login: false, two_step: false });
    takes('login.mode', ['persona', 'persona']);
    refuses('login.mode', 'sso', '""');
    for (const key of ['totp', 'auto_login', 'two_step']) refuses(`login.${key}`, '1');
  });

  verifies(['CFG-K55', 'CFG-K56'], 'authorities and identity classes have defaults and bounds', () => {
    expect({ ...defaults.authority_prefixes }).to.deep.equal({});
    expect(defaults.allowed_identity_classes).to.deep.equal([]);
    takes('authority_prefixes', ['{roles: "R:", constructor: C}', { roles: 'R:', constructor: 'C' }]);
    takes('allowed_identity_classes', ['[A, B]', ['A', 'B']]);
    refuses('authority_prefixes', '[a]', 'null');
    expect(refusedPaths('authority_prefixes: {roles: 1}')).to.deep.equal(['settings.yaml authority_prefixes.roles']);
    refuses('allowed_identity_classes', 'A', 'null');
  });

  verifies(
    ['CFG-K57', 'CFG-K58', 'STO-01'],
    'the store and its path are set together, outside the configuration directory',
    () => {
      expect(defaults.runtime.store).to.equal('memory');
      expect(accepted('runtime: {store: sqlite, path: ../r.db}').paths.runtimeStore).to.equal('/etc/r.db');
      refuses('runtime.store', 'redis');
      const at = ['settings.yaml runtime.path'];
      expect(refusedPaths('runtime: {store: sqlite}')).to.deep.equal(at);
      expect(refusedPaths('runtime: {store: sqlite, path: " "}')).to.deep.equal(at);
      expect(refusedPaths('runtime: {path: ../r.db}')).to.deep.equal(at);
      expect(refusedPaths('runtime: {store: sqlite, path: ~/r.db}')).to.deep.equal(at);
      expect(refusedPaths('runtime: {store: sqlite, path: r.db}')).to.deep.equal(at);
      expect(refusedPaths('runtime: {store: sqlite, path: ./..r.db}')).to.deep.equal(at);
      expect(refusedPaths('runtime: {store: sqlite, path: ../idp/x/r.db}')).to.deep.equal(at);
      expect(accepted('runtime: {store: sqlite, path: ../idp-data/r.db}').paths.runtimeStore).to.equal(
        '/etc/idp-data/r.db',
      );
    },
  );

  verifies('PGS-01', 'only a PostgreSQL store has a URL', () => {
    const url = 'postgres://u:secret@db.example/idp';
    const { runtime } = settingsOf(`runtime: {store: postgres, url: "${url}"}`);
    expect(runtime).to.deep.include({ url, schema: 'test_idp', pool_size: 4 });
    const at = ['settings.yaml runtime.url'];
    expect(refusedPaths('runtime: {store: postgres}')).to.deep.equal(at);
    expect(refusedPaths('runtime: {store: postgres, url: "mysql://u@h/d"}')).to.deep.equal(at);
    expect(refusedPaths(`runtime: {store: postgres, url: "${url}?sslmode=prefer"}`)).to.deep.equal(at);
    expect(refusedPaths(`runtime: {url: "${url}"}`)).to.deep.equal(at);
    expect(refusedPaths(`runtime: {store: sqlite, path: ../r.db, url: "${url}"}`)).to.deep.equal(at);
    expect(refusedPaths(`runtime: {store: postgres, url: "${url}", path: ../r.db}`)).to.deep.equal([
      'settings.yaml runtime.path',
    ]);
    refuses('runtime.schema', 'Big', '1st', 'a-b', `a${'b'.repeat(63)}`);
    refuses('runtime.pool_size', '0', '51');
    const { findings } = loadTexts(`runtime: {store: postgres, url: "${url}?secret=1"}`);
    expect(JSON.stringify(findings)).to.not.contain('secret');
  });

  verifies(['CFG-K59', 'CFG-K60', 'CFG-K61', 'CFG-K62'], 'hooks and plugins have defaults and bounds', () => {
    expect(defaults.hooks).to.deep.equal({ strict: false, timeout_seconds: 10 });
    expect({ ...defaults.plugins }).to.deep.equal({});
    takes('hooks.timeout_seconds', ['0.5', 0.5], ['30', 30]);
    takes('hooks.on_config_saved', ['cp {path} /x', 'cp {path} /x']);
    takes('plugins', ['{./a.mjs: {free: [1]}, b: null}', { './a.mjs': { free: [1] }, b: null }]);
    refuses('hooks.timeout_seconds', '0', '-1', '"5 "');
    for (const key of ['on_before_load', 'on_config_saved', 'on_audit_event']) refuses(`hooks.${key}`, '[x]', '1');
    refuses('hooks.strict', '1');
    refuses('plugins', '[a]', 'a');
  });
});
