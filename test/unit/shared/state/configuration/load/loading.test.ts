// How the two files are read: missing files, placeholders, strictness, alternative spellings, CORS entries, and
// messages that name the place but never the value (CFG-04 to CFG-39, CFG-51).
import { expect } from 'chai';
import fc from 'fast-check';
import { rejection } from '#shared/state/configuration/load/load-directory.ts';
import { expandPlaceholders, withoutPlaceholders } from '#shared/state/configuration/load/placeholders.ts';
import { verifies } from '#test/support/verifies.ts';
import { accepted, findingsOf, loadTexts, refusedPaths } from '../load-texts.ts';

describe('missing files', () => {
  verifies(
    ['CFG-04', 'ACT-03'],
    'mean the defaults and a demo client, with a warning, if settings.yaml is missing',
    () => {
      const { clients, settings } = accepted(undefined);
      expect([...clients.values()].map(({ client_id, client_secret }) => [client_id, client_secret])).to.deep.equal([
        ['demo-client', 'demo-secret'],
      ]);
      expect(settings.server.port).to.equal(8000);
      expect(findingsOf(undefined)).to.deep.equal(['warning: settings.yaml is missing. Built-in defaults apply.']);
    },
  );

  verifies(['CFG-05', 'ACT-03'], 'mean one built-in user, with a warning, if users.yaml is missing', () => {
    const { users } = accepted('', null);
    expect([...users.keys()]).to.deep.equal(['admin']);
    expect(users.get('admin')).to.deep.include({
      password: 'admin',
      identity_class: 'INTERNAL',
      roles: ['USER', 'ADMIN'],
      tenant: 'default',
    });
    expect(loadTexts('', null).findings.map(({ level, file }) => [level, file])).to.deep.equal([
      ['warning', 'users.yaml'],
    ]);
  });

  it('are not the same as empty files', () => {
    expect(accepted('', '').users.size).to.equal(0);
    expect(accepted('# nothing', '# nobody').clients.size).to.equal(0);
  });
});

describe('a rejected load', () => {
  it('is reported on one line without terminal control characters, even if a name contains them', () => {
    const users = 'users:\n  "a\\0b\\e\\u009b\\u202ec": {roles: 1}\n';
    expect(findingsOf('', users)).to.deep.equal([
      'error: users.yaml:2:27 users.a\\u0000b\\u001b\\u009b\\u202ec.roles must be a list, such as [a, b]',
    ]);
  });

  it('names the username and the client_id that contain U+0000, which PostgreSQL would store as another name', () => {
    const client = (id: string) => `oauth:\n  clients:\n    - client_id: "${id}"\n      client_secret: s\n`;
    expect(
      findingsOf(client('a\\0b'), 'users:\n  "al\\0ice": {password: p}\n').filter((each) => each.startsWith('error')),
    ).to.deep.equal([
      'error: settings.yaml:3:7 oauth.clients[0].client_id (client "a\\u0000b") must not contain the character U+0000',
      'error: users.yaml:2:3 users.al\\u0000ice must not contain the character U+0000',
    ]);
  });

  verifies(
    ['CFG-06', 'CFG-08', 'ACT-01'],
    'reports every error of both files with its place, but without the value',
    () => {
      const secret = 'do-not-show';
      const settings = `server:\n  port: ${secret}\noauth:\n  issuer: ${secret}\n  clients:\n    - client_id: a\n      layout: ${secret}\n      client_secret: s\nmanagement_secret: "${secret}ü"\n`;
      const users = `users:\n  bob:\n    email: ${secret}\n    roles: ${secret}\n`;
      const { configuration, findings } = loadTexts(settings, users);
      expect(configuration).to.equal(undefined);
      expect(findings.map(({ file, path, line, column }) => `${file}:${line}:${column} ${path}`)).to.deep.equal([
        'settings.yaml:2:3 server.port',
        'settings.yaml:4:3 oauth.issuer',
        'settings.yaml:7:7 oauth.clients[0].layout (client "a")',
        'settings.yaml:9:1 management_secret',
        'users.yaml:3:5 users.bob.email',
        'users.yaml:4:5 users.bob.roles',
      ]);
      const { message } = rejection(findings, '/etc/idp');
      expect(message).to.contain('/etc/idp/settings.yaml:2:3 server.port must be a whole number from 1 to 65535');
      expect(message).to.not.contain(secret);
      expect(message).to.not.contain('\n');
    },
  );

  verifies('CFG-08', 'names file and line of a YAML error, without its text', () => {
    const found = findingsOf('oauth:\n  issuer: "do-not-show\n', 'users:\n  a: [do-not-show\n');
    expect(found).to.have.length(2);
    expect(found[0]).to.match(/^error: settings\.yaml:\d+:\d+ is not valid YAML/);
    expect(found[1]).to.match(/^error: users\.yaml:\d+:\d+ is not valid YAML/);
    expect(found.join()).to.not.contain('do-not-show');
  });

  verifies('CFG-09', 'results from a wrong type in both modes', () => {
    for (const mode of ['default', 'strict']) {
      expect(refusedPaths(`config_validation: ${mode}\nserver: {debug: maybe}`)).to.deep.equal([
        'settings.yaml server.debug',
      ]);
    }
  });

  verifies(
    'CFG-09',
    'does not result from a string that spells a number or boolean, which is accepted with a finding (D52)',
    () => {
      const text = 'server: {port: "8123", debug: yes}\nlogin: {totp: "ON"}\noauth: {require_pkce: off}\n';
      for (const mode of ['default', 'strict']) {
        const { settings } = accepted(`config_validation: ${mode}\n${text}`);
        expect([settings.server.port, settings.server.debug]).to.deep.equal([8123, true]);
        expect([settings.login.totp, settings.oauth.require_pkce]).to.deep.equal([true, false]);
      }
      const found = findingsOf(text).filter((finding) => finding.startsWith('info'));
      expect(found).to.have.length(4);
      expect(found[0]).to.contain('server.port').and.to.contain('Write 8123 without quotes');
      expect(found[1]).to.contain('server.debug').and.to.contain('Write true');
      for (const bad of ['{port: "80 00"}', '{port: "0x10"}', '{debug: "1"}', '{debug: maybe}', '{port: "70000"}']) {
        expect(refusedPaths(`server: ${bad}`), bad).to.have.length(1);
      }
    },
  );

  verifies(
    'CFG-44',
    'suggests a name for a misspelt key, and warns that tokens would contain what looks like a secret',
    () => {
      const users = (entry: string) => findingsOf('', `users: {alice: {${entry}}}`);
      expect(users('pasword: alice').join()).to.match(
        /^warning: .*pasword looks like a secret.*Did you mean "password"\?/,
      );
      expect(users('api_key: x').join()).to.match(/^warning: .*api_key looks like a secret/);
      expect(users('role: [A]').join()).to.match(/^warning: .*role is an unknown key.*Did you mean "roles"\?/);
      expect(users('department: IT, attributes: {api_key: shown}')).to.deep.equal([]);
      expect(users('id: 1234567890123456789').join()).to.contain('beyond 2^53');
      for (const none of ['1e400', '-.inf', '.nan'])
        expect(users(`attributes: {level: ${none}}`).join()).to.contain('a number that JSON does not have');
      expect(findingsOf('server: {prot: 1}').join()).to.contain('Did you mean "port"?');
      expect(findingsOf('oauth: {clients: [{client_id: a, redirect_uri: []}]}').join()).to.contain(
        'Did you mean "redirect_uris"?',
      );
      expect(findingsOf('securty_profile: dev').join()).to.contain('Did you mean "security_profile"?');
      expect(findingsOf('nothing_like_it: 1').join()).not.to.contain('Did you mean');
    },
  );

  verifies('CFG-10', 'results from any section without a value, except login', () => {
    for (const key of [
      'oauth',
      'server',
      'saml',
      'jwt',
      'session',
      'logging',
      'runtime',
      'hooks',
      'device_flow',
      'plugins',
      'authority_prefixes',
    ]) {
      expect(refusedPaths(`${key}:\n`), key).to.deep.equal([`settings.yaml ${key}`]);
    }
    expect(refusedPaths('oauth:\n  clients:\n')).to.deep.equal(['settings.yaml oauth.clients']);
    expect(refusedPaths('', 'users:\n')).to.deep.equal(['users.yaml users']);
    expect(accepted('login:\n').settings.login.mode).to.equal('password');
  });
});

describe('paths', () => {
  verifies('CFG-13', 'are relative to the configuration directory', () => {
    const text =
      'jwt: {keys_dir: k}\noauth: {logos_dir: ./l}\nsaml: {sp_certificates: [../c.pem]}\nruntime: {store: sqlite, path: ../s/r.db}';
    expect(accepted(text).paths).to.deep.equal({
      keysDirectory: '/etc/idp/k',
      logosDirectory: '/etc/idp/l',
      spCertificates: ['/etc/c.pem'],
      runtimeStore: '/etc/s/r.db',
      tlsFiles: undefined,
      externalPrivateKey: undefined,
      externalPublicKey: undefined,
    });
  });
});

describe('placeholders', () => {
  const environment = { NAME: 'value', EMPTY: '', PORT: '8123', ON: 'true', _x9: 'under' };

  verifies('CFG-19', 'are replaced in every string, also nested and several', () => {
    expect(expandPlaceholders('a ${NAME} b ${NAME:x}${_x9}', environment)).to.equal('a value b valueunder');
    const { users } = accepted('', 'users: {u: {attributes: {deep: [{x: "${NAME}"}]}}}', { environment });
    expect(JSON.stringify(users.get('u')?.attributes)).to.equal('{"deep":[{"x":"value"}]}');
  });

  verifies('CFG-20', 'use their default only if the variable is not set', () => {
    expect(expandPlaceholders('[${EMPTY:x}]', environment)).to.equal('[]');
    expect(expandPlaceholders('[${GONE:x}]', environment)).to.equal('[x]');
    expect(expandPlaceholders('[${GONE}]', environment)).to.equal('[]');
    expect(expandPlaceholders('[${GONE:}]', environment)).to.equal('[]');
  });

  verifies('CFG-21', 'may have defaults with colons, slashes and spaces', () => {
    expect(accepted('oauth: {issuer: "${IDP_ISSUER:http://127.0.0.1:8000}"}').settings.oauth.issuer).to.equal(
      'http://127.0.0.1:8000',
    );
    expect(expandPlaceholders('${X:a b/c: d}', {})).to.equal('a b/c: d');
  });

  verifies('CFG-22', 'do not include keys, other scalars and similar notations', () => {
    for (const text of ['$NAME', '${}', '${1X}', '${NAME', '${NA-ME}', '{NAME}', '$${'])
      expect(expandPlaceholders(text, environment)).to.equal(text);
    const { users } = accepted('', 'users: {"${NAME}": {attributes: {"${NAME}": 1}}}', { environment });
    expect([...users.keys()]).to.deep.equal(['${NAME}']);
    expect(Object.keys(users.get('${NAME}')?.attributes ?? {})).to.deep.equal(['${NAME}']);
  });

  verifies(
    ['CFG-20', 'CFG-21', 'CFG-22'],
    'are distinguished from those of shells and of Spring, which mean something else',
    () => {
      const clients = (secret: string) => `oauth:\n  clients:\n    - {client_id: c, client_secret: "${secret}"}`;
      for (const [secret, meaning, message] of [
        ['${GONE:-s3cret}', '-s3cret', 'contains a placeholder with :-'],
        ['${GONE:?is needed}', '?is needed', 'contains a placeholder with :?'],
        ['${GONE:${NAME}}', '${NAME}', 'contains a placeholder in the default of another'],
        ['${NAME:${GONE}}', 'value}', 'contains a placeholder in the default of another'],
      ] as const) {
        const [warning = '', ...others] = findingsOf(clients(secret), undefined, { environment });
        expect(others).to.deep.equal([]);
        expect(warning).to.match(/^warning: settings\.yaml:3:22 oauth\.clients\[0\]\.client_secret \(client "c"\) /);
        expect(warning).to.contain(message).and.not.contain('s3cret').and.not.contain('needed');
        const { clients: loaded } = accepted(clients(secret), undefined, { environment });
        expect(loaded.get('c')?.client_secret).to.equal(meaning);
      }
      const usual = [
        '${NAME:a:-b}',
        '${GONE:http://127.0.0.1:8000}',
        '${IDP_DOLLAR:$}{NAME:-x}',
        '${NAME}-${NAME}',
        '$NAME:-x',
      ];
      for (const secret of usual)
        expect(findingsOf(clients(secret), undefined, { environment }), secret).to.deep.equal([]);
      const anchored = 'users: {a: {password: &p "${GONE:-x}"}, b: {password: *p}}';
      expect(findingsOf('', anchored).map((line) => line.split(' ')[2])).to.deep.equal(['users.a.password']);
    },
  );

  verifies('CFG-23', 'are converted to the type of their key, or reject the load', () => {
    const text = 'server: {port: "${PORT:8000}", debug: "${ON}"}\nhooks: {timeout_seconds: "${T:0.5}"}';
    const { settings } = accepted(text, undefined, { environment });
    expect(settings.server).to.include({ port: 8123, debug: true });
    expect(settings.hooks.timeout_seconds).to.equal(0.5);
    expect(refusedPaths('server: {port: "${NAME}"}', undefined, { environment })).to.deep.equal([
      'settings.yaml server.port',
    ]);
    expect(refusedPaths('server: {port: "${EMPTY:1}"}', undefined, { environment })).to.deep.equal([
      'settings.yaml server.port',
    ]);
    expect(refusedPaths('server: {debug: "${PORT}"}', undefined, { environment })).to.deep.equal([
      'settings.yaml server.debug',
    ]);
    expect(accepted('oauth: {audience: "${PORT}"}', undefined, { environment }).settings.oauth.audience).to.equal(
      '8123',
    );
  });

  verifies(['CFG-22', 'RUN-05'], 'can be escaped so that they stay a string, however they are nested', () => {
    for (const text of [
      ...['${NAME}', 'a ${NAME:b} ${', '$${NAME}', '${GONE}'],
      ...['${A:${NAME}}', '${A:${B:${NAME}', '${A:$${NAME}}', '${A:${NAME', '}${NAME'],
    ]) {
      expect(expandPlaceholders(withoutPlaceholders(text), environment), text).to.equal(text);
    }
    const pieces = fc.constantFrom('${', 'NAME', 'GONE', ':', '}', '$', '{', '-', ' ');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(expandPlaceholders(withoutPlaceholders(text), environment)).to.equal(text);
      }),
    );
  });
});

describe('version, strictness, spellings', () => {
  verifies(['CFG-24', 'CFG-25'], 'allow config_version 1 in either file, and no other value', () => {
    expect(accepted('config_version: 1', 'config_version: 1').settings.config_version).to.equal(1);
    for (const value of ['0', '2', '-1', '"1"', 'true', '"${V:1}"', 'null', '1.5']) {
      expect(
        refusedPaths(`config_version: ${value}`, `config_version: ${value}`, { environment: { V: '1' } }),
        value,
      ).to.deep.equal(['settings.yaml config_version', 'users.yaml config_version']);
    }
  });

  verifies(['CFG-27', 'ACT-04'], 'cause a warning with the path for an unknown key in default mode', () => {
    const text =
      'nope: 1\noauth:\n  clients:\n    - {client_id: a, client_secret: s}\n    - {client_id: b, client_secret: s, foo: 1}\nserver: {portt: 2}\n';
    expect(findingsOf(text, 'extra: 1')).to.deep.equal([
      'warning: settings.yaml:1:1 Unknown key "nope". Known: config_version, config_validation, security_profile, rate_limit_enabled, require_ui_login, management_secret, authority_prefixes, claim_mappings, …',
      'warning: settings.yaml:5:40 Unknown key "foo" for oauth.clients[1] (client "b"). Known: client_id, client_secret, token_endpoint_auth_method, description, redirect_uris, redirect_uri_patterns, scope, allowed_scopes, …',
      'warning: settings.yaml:6:10 Unknown key "portt" for server. Did you mean "port"?',
      'warning: users.yaml:1:1 Unknown key "extra". Known: config_version, default_user, users.',
    ]);
    expect(accepted(text, 'extra: 1').clients.size).to.equal(2);
  });

  verifies(['CFG-28', 'ACT-04'], 'reject an unknown key in strict mode, in both files', () => {
    expect(refusedPaths('config_validation: strict\nnope: 1', 'extra: 1')).to.deep.equal([
      'settings.yaml nope',
      'users.yaml extra',
    ]);
  });

  verifies('CFG-29', 'are strict in any run with --strict-config', () => {
    expect(refusedPaths('config_validation: default\nnope: 1', undefined, { strictOverride: true })).to.deep.equal([
      'settings.yaml nope',
    ]);
    expect(refusedPaths('nope: 1', undefined, { strictOverride: false })).to.deep.equal([]);
  });

  verifies('CFG-30', 'do not include logging.format and session.permanent', () => {
    const text = 'logging: {format: json}\nsession: {permanent: true}';
    expect(loadTexts(text).findings.map(({ level, path }) => [level, path])).to.have.deep.members([
      ['warning', 'logging.format'],
      ['warning', 'session.permanent'],
    ]);
    expect(refusedPaths(`config_validation: strict\n${text}`)).to.have.members([
      'settings.yaml logging.format',
      'settings.yaml session.permanent',
    ]);
  });

  verifies(['CFG-31', 'ACT-05'], 'accept default_user in both modes, with one note', () => {
    for (const mode of ['default', 'strict']) {
      const { findings, configuration } = loadTexts(
        `config_validation: ${mode}`,
        'default_user: nobody\nusers: {a: {}}',
      );
      expect(configuration?.users.size).to.equal(1);
      expect(findings.map(({ level, path }) => [level, path])).to.deep.equal([['info', 'default_user']]);
    }
  });

  verifies('ADR-07', 'report a base path with one note that has the address of discovery', () => {
    const findingsOf = (issuer: string) => loadTexts(`oauth: { issuer: '${issuer}' }`, 'users: {a: {}}').findings;
    for (const slash of ['', '/']) {
      expect(findingsOf(`http://idp.example${slash}`)).to.deep.equal([]);
      const findings = findingsOf(`http://idp.example/acme/v2.0${slash}`);
      expect(findings.map(({ level, path }) => [level, path])).to.deep.equal([['info', 'oauth.issuer']]);
      const address = 'http://idp.example/acme/v2.0/.well-known/openid-configuration';
      expect(findings[0]?.message.endsWith(` ${address}`)).to.equal(true);
    }
  });

  verifies('CFG-33', 'reject a key under both its spellings, naming both', () => {
    const doubled: [string, string, string][] = [
      ['cors_allowed_originss: []\ncors_allowed_origins: []', 'cors_allowed_origins', 'cors_allowed_originss'],
      [
        'rate_limit_enabled: true\nserver: {rate_limit_enabled: true}',
        'server.rate_limit_enabled',
        'rate_limit_enabled',
      ],
      ['require_ui_login: true\nsession: {require_ui_login: true}', 'session.require_ui_login', 'require_ui_login'],
      ['management_secret: a\nsession: {management_secret: a}', 'session.management_secret', 'management_secret'],
    ];
    for (const [text, alias, canonical] of doubled) {
      const found = findingsOf(text);
      expect(found).to.have.length(1);
      expect(found[0])
        .to.match(/^error: settings\.yaml:\d+:\d+ /)
        .and.to.contain(`${alias} is another spelling of ${canonical}`);
    }
  });

  verifies('CFG-51', 'take the management secret from the file, else from the environment', () => {
    const environment = { IDP_MANAGEMENT_SECRET: 'from-env' };
    const secretOf = (text: string) => accepted(text, undefined, { environment }).managementSecret;
    expect(secretOf('')).to.equal('from-env');
    expect(secretOf('management_secret: from-file')).to.equal('from-file');
    expect(secretOf('session: {management_secret: from-alias}')).to.equal('from-alias');
    for (const none of ['""', 'null', '']) {
      expect(secretOf(`management_secret: ${none}`)).to.equal(undefined);
      expect(secretOf(`session: {management_secret: ${none}}`)).to.equal(undefined);
    }
    expect(accepted('', undefined, { environment: { IDP_MANAGEMENT_SECRET: '' } }).managementSecret).to.equal(
      undefined,
    );
    expect(refusedPaths('', undefined, { environment: { IDP_MANAGEMENT_SECRET: 'ü' } })).to.have.length(1);
  });
});

describe('CORS entries', () => {
  const problem = (entry: string, profile = 'dev') =>
    findingsOf(`security_profile: ${profile}\ncors_allowed_originss: [${JSON.stringify(entry)}]`);

  verifies('CFG-36', 'are * or an origin as a browser sends it', () => {
    for (const entry of [
      '*',
      'https://app.example.org',
      'http://localhost',
      'http://127.0.0.1:3000',
      'http://[::1]:8080',
      'https://xn--bcher-kva.example',
      'https://a:8443',
    ]) {
      expect(problem(entry), entry).to.deep.equal([]);
    }
  });

  verifies('CFG-37', 'in another spelling are rejected with the right one', () => {
    for (const [entry, right] of [
      ['HTTPS://app.example.org', 'https://app.example.org'],
      ['https://App.Example.org', 'https://app.example.org'],
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
      ['http://a:80', 'http://a'],
      ['https://a:443', 'https://a'],
      ['http://127.1', 'http://127.0.0.1'],
      ['http://0x7f000001', 'http://127.0.0.1'],
      ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
    ] as const) {
      const [found = ''] = problem(entry);
      expect(found, entry)
        .to.match(/^error: .*cors_allowed_originss\[0\]/)
        .and.to.contain(`send this one as ${right}`);
    }
  });

  verifies('CFG-38', 'with path, query, fragment, credentials or pattern, and blank ones, are rejected', () => {
    for (const entry of [
      'https://a/',
      'https://a/x',
      'https://a?x',
      'https://a#x',
      'https://u:p@a',
      'https://*.a',
      'https://a:*',
      '',
      ' ',
      'a.example',
      'null',
      'file:///x',
      'ftp://a',
      'https://',
      'https://a\\b',
    ]) {
      const found = problem(entry);
      expect(found, entry).to.have.length(1);
      expect(found[0]).to.match(/^error: /);
      expect(found.join()).to.not.contain('u:p');
    }
  });

  verifies('CFG-39', 'may be * under stricter-dev, with a warning', () => {
    expect(problem('*', 'stricter-dev')).to.have.length(1);
    expect(problem('*', 'stricter-dev')[0]).to.match(/^warning: .*cors_allowed_originss\[0\]/);
    expect(
      accepted('security_profile: stricter-dev\ncors_allowed_originss: ["*"]').settings.cors_allowed_originss,
    ).to.deep.equal(['*']);
  });
});

describe('redirect URIs of declared clients', () => {
  it('load even if /authorize would reject them (AUT-12, AUT-13), with a warning that names the place', () => {
    const client = 'client_id: spa, token_endpoint_auth_method: none';
    const settings = `security_profile: stricter-dev\noauth: { clients: [{ ${client}, redirect_uris: ["http://h/cb", "http:///cb", "myapp:/cb"], post_logout_redirect_uris: ["http://h/#"] }] }`;
    expect(accepted(settings).clients.get('spa')?.redirect_uris).to.have.length(3);
    const warnings = findingsOf(settings).filter((line) => line.includes('redirect_uris'));
    expect(warnings).to.have.length(3);
    expect(warnings[0]).to.match(/^warning: .*oauth\.clients\[0\]\.redirect_uris\[1\].*rejects it/);
    expect(warnings[1]).to.match(/^warning: .*oauth\.clients\[0\]\.redirect_uris\[2\].*rejects it/);
    expect(warnings[2]).to.match(/^warning: .*oauth\.clients\[0\]\.post_logout_redirect_uris\[0\].*not redirect to it/);
    expect(warnings.join()).to.not.contain('///cb');
  });

  const redirecting = (members: string, profile = 'dev') =>
    `security_profile: ${profile}\noauth: { clients: [{ client_id: spa, token_endpoint_auth_method: none, ${members} }] }`;
  const about = (members: string, profile?: string) =>
    findingsOf(redirecting(members, profile)).filter((line) => line.includes('redirect_uri'));

  verifies('RDU-02', 'may have a scheme without a period under dev', () => {
    const uris = 'redirect_uris: ["cursor://host/path", "myapp:/cb"], post_logout_redirect_uris: ["myapp:/bye"]';
    expect(about(uris)).to.deep.equal([]);
    for (const profile of ['stricter-dev', 'oauth21']) expect(about(uris, profile)).to.have.length(3);
  });

  verifies('RDU-03', 'fail the load in every profile with a forbidden scheme', () => {
    for (const field of ['redirect_uris', 'post_logout_redirect_uris']) {
      for (const uri of ['javascript:alert(1)', 'FTP://app.example/cb', 'view-source:https://app.example/']) {
        const scheme = uri.slice(0, uri.indexOf(':')).toLowerCase();
        for (const profile of ['dev', 'stricter-dev', 'oauth21']) {
          const lines = about(`${field}: ["https://app.example/cb", "${uri}"]`, profile);
          expect(lines).to.have.length(1);
          expect(lines[0]).to.match(/^error: .*oauth\.clients\[0\]\./);
          expect(lines[0]).to.contain(`${field} (client "spa") must not have an address with the scheme ${scheme}`);
        }
      }
    }
  });

  verifies(['RDU-04', 'RDU-K01', 'RDU-K02'], 'fail the load with an invalid pattern, or with more than 20', () => {
    for (const field of ['redirect_uri_patterns', 'post_logout_redirect_uri_patterns']) {
      const [wrong] = about(`${field}: ["https://a-*.example.org/", "https://app.example/**"]`);
      expect(wrong).to.match(/^error: .*\[1\].* must have at most one \* in a host label or path segment/);
      const many = (count: number) => `${field}: [${Array(count).fill('"https://a-*.example.org/"').join(', ')}]`;
      expect(about(many(21)).filter((line) => line.startsWith('error'))).to.have.length(1);
      expect(about(many(21)).join()).to.contain('must have at most 20 patterns');
      expect(about(many(20)).filter((line) => line.startsWith('error'))).to.deep.equal([]);
    }
    const client = accepted(redirecting('redirect_uris: ["https://app.example/cb"]')).clients.get('spa');
    expect([client?.redirect_uri_patterns, client?.post_logout_redirect_uri_patterns]).to.deep.equal([[], []]);
  });

  verifies(['RDU-05', 'RDU-06'], 'cause a warning for each pattern, and one more under gated profiles', () => {
    const patterns =
      'redirect_uri_patterns: ["https://a-*.example.org/", "https://b-*.example.org/"], post_logout_redirect_uri_patterns: "https://c-*.example.org/"';
    const exactly = about(patterns);
    expect(exactly).to.have.length(3);
    for (const line of exactly) expect(line).to.match(/^warning: .*Other providers compare redirect URIs exactly/);
    for (const profile of ['stricter-dev', 'oauth21']) {
      const [further, ...none] = about(patterns, profile).filter((line) => !line.includes('Other providers'));
      expect(further).to.match(
        /^warning: .*\(client "spa"\) has no effect: patterns match only with security_profile: dev/,
      );
      expect(none).to.deep.equal([]);
      expect(about(patterns, profile)).to.have.length(4);
    }
  });

  verifies('RDU-06', 'cause a warning for a * where it is compared literally', () => {
    for (const field of ['redirect_uri', 'post_logout_redirect_uri']) {
      const lines = about(`${field}s: ["https://app.example/cb", "https://*.example/cb"]`);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(/^warning: .*\[1\].* is compared literally/);
      expect(lines[0]).to.contain(`use ${field}_patterns`);
    }
  });
});
