// How a write changes the bytes of a file: exactly the change and nothing else (WRT-10 to WRT-12, CFG-34).
import { expect } from 'chai';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { readClientEntry, readUserEntry } from '#shared/model/configuration/read-entry.ts';
import type { ConfigurationChange } from '#shared/state/configuration/active-configuration.ts';
import { loadConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { applyChanges } from '#shared/state/configuration/write/apply-changes.ts';
import { verifies } from '#test/support/verifies.ts';

const environment = { SECRET: 's3cret', ROLE: 'ADMIN', PORT: '9000' };
const load = { directory: '/nowhere', environment, problemsOfFault };

const settings = `# Top comment
config_version: 1   # kept

oauth:
  issuer: "\${ISSUER:http://127.0.0.1:8000}"   # quoted, with a placeholder
  audience: 'api'
  clients:
    # The first client
    - client_id: one      # its name
      client_secret: \${SECRET}
      redirect_uris:
        # at home
        - http://127.0.0.1/cb
        - 'http://localhost/cb'  # quoted
    - {client_id: two, token_endpoint_auth_method: none, allowed_scopes: [openid, email]}
    # end of clients
device_flow:
  polling_interval: 7
server: {port: '\${PORT}', debug: false}
`;

const users = `# People
users:
  # The boss
  alice:
    password: \${SECRET}   # from the environment
    roles: ["\${ROLE}", USER]
    department: sales    # an attribute beside
    attributes:
      level: 3
      "shoe size": 40
    # last word about alice

  bob: { password: 'b''b', groups: [x] } # one line

# The end
`;

const change = (...changes: ConfigurationChange[]) => changeIn({ settings, users }, ...changes);

function changeIn(texts: { settings: string; users: string }, ...changes: ConfigurationChange[]) {
  const present = loadConfiguration(texts, load);
  if (present.configuration === undefined) throw new Error(JSON.stringify(present.findings));
  const applied = applyChanges(texts, present.configuration, changes, environment);
  if (applied.outcome !== 'applied') throw new Error(applied.outcome);
  const result = loadConfiguration(applied.texts, load);
  if (result.configuration === undefined)
    throw new Error(`${JSON.stringify(result.findings)}\n${applied.texts.users}\n${applied.texts.settings}`);
  for (const expectation of applied.expectations) {
    if (!expectation.holds(result.configuration))
      throw new Error(`${expectation.path.join('.')} does not hold\n${applied.texts.users}\n${applied.texts.settings}`);
  }
  return { settings: applied.texts.settings ?? '', users: applied.texts.users ?? '' };
}

function user(entry: Record<string, unknown>) {
  const reading = readUserEntry(entry);
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return reading.entry;
}

function client(entry: Record<string, unknown>) {
  const reading = readClientEntry(entry);
  if (reading.outcome === 'refused') throw new Error(reading.message);
  return reading.entry;
}

/** The lines that are in only one of the texts, in order. */
function difference(before: string, after: string): { gone: string[]; come: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  return { gone: old.filter((line) => !now.includes(line)), come: now.filter((line) => !old.includes(line)) };
}

describe('changing the text of users.yaml', () => {
  verifies(
    ['WRT-10', 'WRT-12'],
    'adds a user with description, e-mail and other values that differ from the default',
    () => {
      const after = change({
        kind: 'add_user',
        username: 'carol',
        entry: user({ password: 'pw', tenant: 'default', groups: ['g'], attributes: { level: 3 } }),
      }).users;
      expect(difference(users, after)).to.deep.equal({
        gone: [],
        come: [
          '  carol:',
          '    password: pw',
          '    description: ""',
          '    email: carol@example.org',
          '    groups: [g]',
        ],
      });
      expect(after)
        .to.contain('# one line\n  carol:\n')
        .and.to.contain('    attributes:\n      level: 3\n\n# The end\n');
    },
  );

  verifies(['WRT-10', 'CFG-44'], 'replaces only what differs, in place', () => {
    const entry = user({
      password: 's3cret',
      roles: ['ADMIN', 'USER', 'NEW'],
      department: 'it',
      level: 4,
      'shoe size': 40,
    });
    expect(difference(users, change({ kind: 'replace_user', username: 'alice', entry }).users)).to.deep.equal({
      gone: ['    roles: ["${ROLE}", USER]', '    department: sales    # an attribute beside', '      level: 3'],
      come: ['    roles: ["${ROLE}", USER, NEW]', '    department: it    # an attribute beside', '      level: 4'],
    });
  });

  verifies('WRT-10', 'changes nothing when nothing differs', () => {
    const entry = user({
      password: 's3cret',
      roles: ['ADMIN', 'USER'],
      department: 'sales',
      attributes: { level: 3, 'shoe size': 40 },
    });
    expect(change({ kind: 'replace_user', username: 'alice', entry })).to.deep.equal({ settings, users });
  });

  verifies(['WRT-10', 'WRT-12'], 'keeps quoting and flow style, and removes values that equal the default', () => {
    const entry = user({ password: "b'c", groups: [] });
    expect(difference(users, change({ kind: 'replace_user', username: 'bob', entry }).users)).to.deep.equal({
      gone: ["  bob: { password: 'b''b', groups: [x] } # one line"],
      come: ["  bob: { password: 'b''c' } # one line"],
    });
  });

  verifies('WRT-10', 'deletes an entry with the comments inside it, and no other', () => {
    expect(change({ kind: 'delete_user', username: 'alice' }).users).to.equal(
      "# People\nusers:\n  # The boss\n\n  bob: { password: 'b''b', groups: [x] } # one line\n\n# The end\n",
    );
    const none = change({ kind: 'delete_user', username: 'alice' }, { kind: 'delete_user', username: 'bob' }).users;
    expect(none).to.equal('# People\nusers: {}\n  # The boss\n\n\n# The end\n');
  });

  verifies('RUN-05', 'escapes a string that looks like a placeholder', () => {
    const after = change({ kind: 'add_user', username: 'carol', entry: user({ password: '${SECRET}' }) }).users;
    expect(loadConfiguration({ settings, users: after }, load).configuration?.users.get('carol')?.password).to.equal(
      '${SECRET}',
    );
  });
});

describe('changing the text of settings.yaml', () => {
  verifies(['WRT-10', 'WRT-12', 'CFG-26'], 'adds a client with scope, and does not change config_version', () => {
    const entry = client({
      client_id: 'three',
      client_secret: '123',
      allowed_scopes: ['openid', 'email'],
      redirect_uris: ['http://127.0.0.1/a'],
    });
    expect(difference(settings, change({ kind: 'add_client', entry }).settings)).to.deep.equal({
      gone: [],
      come: [
        '    - client_id: three',
        '      client_secret: "123"',
        '      redirect_uris: [http://127.0.0.1/a]',
        '      scope: openid email',
      ],
    });
  });

  verifies(['WRT-10', 'WRT-12'], 'keeps the form of the scopes and every remaining item', () => {
    const one = client({
      client_id: 'one',
      client_secret: 's3cret',
      redirect_uris: ['http://localhost/cb', 'http://new/'],
      scope: 'openid',
    });
    const two = client({ client_id: 'two', token_endpoint_auth_method: 'none', allowed_scopes: ['openid'] });
    const after = change(
      { kind: 'replace_client', client_id: 'one', entry: one },
      { kind: 'replace_client', client_id: 'two', entry: two },
    );
    expect(difference(settings, after.settings)).to.deep.equal({
      gone: [
        '        - http://127.0.0.1/cb',
        '    - {client_id: two, token_endpoint_auth_method: none, allowed_scopes: [openid, email]}',
      ],
      come: [
        '        - http://new/',
        '      scope: openid',
        '    - {client_id: two, token_endpoint_auth_method: none, allowed_scopes: [openid]}',
      ],
    });
    expect(after.users).to.equal(users);
  });

  verifies(['WRT-10', 'WRT-12'], 'keeps the chosen one of two forms of the scopes, and removes the other', () => {
    const texts = { settings: settings.replace('allowed_scopes:', 'scope: openid email, allowed_scopes:'), users };
    const allowed = { client_id: 'two', token_endpoint_auth_method: 'none', allowed_scopes: ['openid', 'email'] };
    const replaced: ConfigurationChange = { kind: 'replace_client', client_id: 'two', entry: client(allowed) };
    expect(changeIn(texts, replaced).settings).to.equal(texts.settings);
  });

  verifies(
    ['CFG-34', 'WRT-11'],
    'writes lifetimes, device values, CORS origins, profile and login keys only if they differ from the default',
    () => {
      const set = (path: string, value: unknown): ConfigurationChange => ({ kind: 'set', path, value });
      const untouched = change(
        set('oauth.refresh_token_expiry_minutes', 10080),
        set('device_flow.code_expiry_seconds', 600),
        set('cors_allowed_originss', undefined),
        set('security_profile', 'dev'),
        set('login.mode', 'password'),
        set('login.totp', false),
      );
      expect(untouched.settings).to.equal(settings);
      expect(difference(settings, change(set('device_flow.polling_interval', 5)).settings)).to.deep.equal({
        gone: ['device_flow:', '  polling_interval: 7'],
        come: ['device_flow: {}'],
      });
      const off = change(
        set('oauth.refresh_token_expiry_minutes', 60),
        set('device_flow.polling_interval', 6),
        set('cors_allowed_originss', []),
        set('security_profile', 'oauth21'),
        set('login.totp', true),
      );
      expect(difference(settings, off.settings)).to.deep.equal({
        gone: ['  polling_interval: 7'],
        come: [
          '  refresh_token_expiry_minutes: 60',
          '  polling_interval: 6',
          'cors_allowed_originss: []',
          'security_profile: oauth21',
          'login:',
          '  totp: true',
        ],
      });
    },
  );

  verifies('WRT-10', 'keeps a placeholder that expands to the requested value', () => {
    const after = change(
      { kind: 'set', path: 'server.port', value: 9000 },
      { kind: 'set', path: 'oauth.issuer', value: 'http://127.0.0.1:8000' },
    );
    expect(after.settings).to.equal(settings);
    expect(
      difference(settings, change({ kind: 'set', path: 'oauth.issuer', value: 'https://idp.example' }).settings).come,
    ).to.deep.equal(['  issuer: "https://idp.example"   # quoted, with a placeholder']);
  });

  verifies('CFG-33', 'edits a key in the spelling that the file uses', () => {
    const texts = { settings: 'cors_allowed_origins: [https://a.example] # here\n', users };
    const present = loadConfiguration(texts, load).configuration;
    if (present === undefined) throw new Error('does not load');
    const applied = applyChanges(
      texts,
      present,
      [{ kind: 'set', path: 'cors_allowed_originss', value: ['https://a.example', 'https://b.example'] }],
      environment,
    );
    expect(applied.outcome === 'applied' && applied.texts.settings).to.equal(
      'cors_allowed_origins: [https://a.example, https://b.example] # here\n',
    );
  });

  verifies('WRT-10', 'keeps placeholders and quoting of nested keys next to a changed one', () => {
    const texts = { settings, users: 'users:\n  u:\n    attributes:\n      deep: {x: "${SECRET}", y: 1}\n' };
    const present = loadConfiguration(texts, load).configuration;
    if (present === undefined) throw new Error('does not load');
    const entry = user({ attributes: { deep: { x: 's3cret', y: 2 } } });
    const applied = applyChanges(texts, present, [{ kind: 'replace_user', username: 'u', entry }], environment);
    expect(applied.outcome === 'applied' && applied.texts.users).to.equal(
      'users:\n  u:\n    attributes:\n      deep: {x: "${SECRET}", y: 2}\n',
    );
  });

  it('creates a missing file from the built-in defaults, so that no active entry is lost', () => {
    const texts = { settings: undefined, users: undefined };
    const present = loadConfiguration(texts, load).configuration;
    if (present === undefined) throw new Error('does not load');
    const applied = applyChanges(
      texts,
      present,
      [{ kind: 'add_client', entry: client({ client_id: 'x', client_secret: 'y' }) }],
      environment,
    );
    if (applied.outcome !== 'applied') throw new Error(applied.outcome);
    expect(applied.texts.users).to.equal(undefined);
    expect([...(loadConfiguration(applied.texts, load).configuration?.clients.keys() ?? [])]).to.deep.equal([
      'demo-client',
      'x',
    ]);
  });
});
