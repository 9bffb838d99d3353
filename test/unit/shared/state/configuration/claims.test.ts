// Which claims an entry may have, and which mappings load: what is refused is named by its place.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { starterFiles } from '#cli/starter-files.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { readClientEntry, readUserEntry } from '#shared/model/configuration/read-entry.ts';
import { scopeOfStandardClaim } from '#shared/protocol/oidc/claim-names.ts';
import { loadConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

type Content = { readonly settings?: object; readonly users?: object };

function findingsOf({ settings = {}, users = {} }: Content): readonly string[] {
  const texts = { settings: stringify(settings), users: stringify({ users }) };
  const { findings } = loadConfiguration(texts, {
    directory: '/test-idp/config',
    environment: { TRUE: 'true' },
    problemsOfFault,
  });
  return findings.map(({ level, path, message }) => `${level} ${path} ${message}`);
}

const ofClaims = (claims: object) => findingsOf({ users: { alice: { claims } } });
const ofMappings = (...claim_mappings: object[]) => findingsOf({ settings: { claim_mappings } });

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe('claims of an entry', () => {
  verifies(['PCL-02', 'PCL-13'], 'names that others say are refused by their place', () => {
    const names =
      'iss sub aud exp iat nbf jti client_id scope token_use azp nonce auth_time amr at_hash token_type rt_family resource roles authorities tenant groups entitlements identity_class source_acl attributes username req_x email acr sid c_hash s_hash events act cnf'.split(
        ' ',
      );
    for (const name of names) {
      const [finding, ...others] = ofClaims({ [name]: 'x' });
      expect(finding).to.match(new RegExp(`^error users\\.alice\\.claims\\.${name} must not be in claims`));
      expect(others).to.deep.equal([]);
    }
    expect(ofClaims({ '': 'x' })[0]).to.include('must have a name');
    const clients = [{ client_id: 'web', client_secret: 's', claims: { iss: 'x' } }];
    expect(findingsOf({ settings: { oauth: { clients } } })[0]).to.match(/^error oauth\.clients\[0\]\.claims\.iss /);
    expect(readUserEntry({ claims: { iss: 'x' } })).to.include({ outcome: 'refused' });
    expect(readClientEntry({ client_id: 'w', client_secret: 's', claims: { iss: 1 } })).to.include({
      outcome: 'refused',
    });
  });

  verifies('PCL-03', 'a standard claim of another type is refused', () => {
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      name: [1, null, ['a']],
      zoneinfo: [true],
      phone_number: [49],
      email_verified: ['yes please', 1],
      phone_number_verified: [null],
      updated_at: ['soon', 1.5],
      address: ['Lane 1', { city: 'Porto' }, { postal_code: 4000 }],
      birthdate: ['1990-02-30', '90-01-01', '0000', '1990-13-01', '', 'May', '1990-1-1'].filter(
        (day) => day !== '0000',
      ),
      profile: ['/alice', 'alice'],
      picture: ['ftp://example.com/a'],
      website: [''],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const [finding] = ofClaims({ [name]: value });
        expect(finding, `${name}: ${JSON.stringify(value)}`).to.match(
          new RegExp(`^error users\\.alice\\.claims\\.${name}`),
        );
        expect(readUserEntry({ claims: { [name]: value } })).to.include({ outcome: 'refused' });
      }
    }
    const right = {
      name: 'Alice',
      email_verified: true,
      updated_at: 0,
      address: { formatted: 'a', street_address: 'b', locality: 'c', region: 'd', postal_code: 'e', country: 'f' },
      website: 'https://example.com/~alice',
    };
    for (const birthdate of ['1990', '0000-02-29', '2000-12-31', '0000']) {
      expect(ofClaims({ ...right, birthdate })).to.deep.equal([]);
    }
    expect(ofClaims({ email_verified: `\${TRUE}` })).to.deep.equal([]);
  });

  verifies('PCL-04', 'a free claim has any JSON value up to 100 levels deep', () => {
    const values = [null, '', 0, false, 1.5, 'x', [], [1, 'a'], {}, { a: { b: [null] } }];
    for (const value of values) expect(ofClaims({ 'https://example.com/x': value })).to.deep.equal([]);
    expect(readUserEntry({ claims: { x: nested(100) } })).to.include({ outcome: 'read' });
    const message = 'claims.x is nested more than 100 levels deep';
    expect(readUserEntry({ claims: { x: nested(101) } })).to.deep.equal({ outcome: 'refused', message });
  });

  verifies('PCL-05', 'an attribute named like a standard claim is pointed out', () => {
    expect(
      findingsOf({ users: { alice: { nickname: 'Al', rolez: 'red', attributes: { locale: 'pt' } } } }),
    ).to.deep.equal([
      'info users.alice.nickname becomes an attribute. Write it below claims to make it the standard claim with this name',
      'warning users.alice.rolez is an unknown key and becomes an attribute. Did you mean "roles"?',
    ]);
    expect(readUserEntry({ nickname: 'Al' })).to.deep.nested.include({ 'entry.attributes.nickname': 'Al' });
  });
});

describe('claim_mappings', () => {
  it('a list so long that comparing its mappings would hold up every request is refused', () => {
    const list = Array.from({ length: 1001 }, (_, index) => ({ claim: `c${index}`, from: 'username' }));
    expect(ofMappings(...list)).to.deep.equal(['error claim_mappings must have at most 1000 mappings']);
    expect(ofMappings(...list.slice(1))).to.deep.equal([]);
  });

  verifies('PCL-22', 'another source is refused', () => {
    const sources =
      'username email roles groups tenant identity_class entitlements source_acl authorities claims.a.b attributes.x'.split(
        ' ',
      );
    for (const from of sources) expect(ofMappings({ claim: 'made', from })).to.deep.equal([]);
    for (const from of ['password', 'claims.', 'attributes', 'totp_secret', '']) {
      expect(ofMappings({ claim: 'made', from })[0]).to.match(
        /^error claim_mappings\[0\]\.from must be one of username/,
      );
    }
  });

  verifies(['PCL-21', 'PCL-23'], 'members that say nothing together are refused', () => {
    const at = (member: string, mapping: object) =>
      expect(ofMappings(mapping)[0]).to.match(new RegExp(`^error claim_mappings\\[0\\]\\.${member} `));
    at('from', { claim: 'x' });
    at('from', { claim: 'x', as: 'omit', from: 'roles' });
    at('as', { claim: 'x', from: 'roles', as: 'lists' });
    at('value', { claim: 'x', from: 'roles', value: 1 });
    at('separator', { claim: 'x', from: 'roles', separator: ',' });
    at('claim', { claim: '', from: 'roles' });
    at('claim', { claim: [], from: 'roles' });
    at('in\\[0\\]', { claim: 'x', from: 'roles', in: ['refresh_token'] });
    at('clients', { claim: 'x', from: 'roles', clients: [] });
    expect(ofMappings({ claim: 'x', from: 'roles', as: 'map', value: false })).to.deep.equal([]);
  });

  verifies('PCL-25', 'names of the protocol, and one claim made twice in one place, refuse the load', () => {
    for (const claim of ['iss', 'sub', 'scope', 'username', 'email', 'sid', 'acr', 'cnf', 'req_x', ['sub', 'name']]) {
      expect(ofMappings({ claim, from: 'roles' })[0]).to.equal(
        'error claim_mappings[0].claim is a claim that only the server sets',
      );
    }
    const replaceable =
      'roles groups tenant identity_class entitlements authorities source_acl attributes name address email_verified free'.split(
        ' ',
      );
    for (const claim of replaceable) expect(ofMappings({ claim, from: 'roles' })).to.deep.equal([]);
    const twice = 'error claim_mappings[1].claim is already set by claim_mappings[0] in the same place';
    const one = { claim: 'x', from: 'roles', in: ['id_token', 'userinfo'] };
    expect(ofMappings(one, { claim: ['x'], from: 'groups', in: ['userinfo'] })).to.deep.equal([twice]);
    expect(ofMappings(one, { claim: ['x', 'y'], from: 'groups' })).to.deep.equal([twice]);
    expect(ofMappings(one, { claim: 'x', from: 'groups', in: ['access_token'] })).to.deep.equal([]);
    const parts = [
      { claim: 'x', from: 'roles', clients: ['a'] },
      { claim: 'x', from: 'groups', clients: ['b'] },
    ];
    expect(ofMappings(...parts)).to.deep.equal([]);
    expect(ofMappings(...parts, { claim: 'x', from: 'tenant' })[0]).to.match(/^error claim_mappings\[2\]\.claim /);
  });
});

describe('keys for clients as they are', () => {
  verifies(['CAM-03', 'CAM-07'], 'response_modes need query, and a base has neither query nor fragment', () => {
    const ofOauth = (oauth: object) => findingsOf({ settings: { oauth } });
    for (const response_modes of [['query'], ['fragment', 'query'], ['query', 'form_post', 'fragment']]) {
      expect(ofOauth({ response_modes })).to.deep.equal([]);
    }
    expect(ofOauth({ response_modes: ['fragment'] })).to.deep.equal(['error oauth.response_modes must contain query']);
    expect(ofOauth({ response_modes: ['query', 'web_message'] })[0]).to.match(
      /^error oauth\.response_modes\[1\] must be one of/,
    );
    for (const backchannel_base_url of ['http://idp:8000', 'https://idp.internal/base/']) {
      expect(ofOauth({ backchannel_base_url })).to.deep.equal([]);
    }
    for (const backchannel_base_url of ['idp:8000', 'ftp://idp', 'http://idp/?x', 'http://idp/#x']) {
      expect(ofOauth({ backchannel_base_url })[0]).to.match(/^error oauth\.backchannel_base_url must /);
    }
  });
});

describe('the files that newcomers get', () => {
  const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
  const shipped = { settings: read('config/settings.yaml'), users: read('config/users.yaml') };
  const loaded = (texts: { settings?: string | undefined; users?: string | undefined }, directory?: string) => {
    const { configuration, findings } = loadConfiguration(
      { settings: texts.settings, users: texts.users },
      { directory, environment: {}, problemsOfFault },
    );
    if (configuration === undefined) throw new Error(JSON.stringify(findings));
    return configuration;
  };

  verifies('CAM-11', 'suit clients as they are, and the built-in defaults stay', () => {
    const { 'settings.yaml': settings, 'users.yaml': users } = starterFiles;
    const all = {
      shipped: loaded(shipped, '/config'),
      init: loaded({ settings, users }, '/config'),
      embedded: loaded({}),
    };
    for (const [name, configuration] of Object.entries(all)) {
      const { oauth } = configuration.settings;
      expect(configuration.clients.get('demo-client')?.token_endpoint_auth_method, name).to.equal('client_secret_any');
      expect([oauth.id_token_claims, oauth.response_modes]).to.deep.equal([
        'scope',
        ['query', 'form_post', 'fragment'],
      ]);
      for (const user of configuration.users.values()) expect(user.claims.name, user.username).to.be.a('string');
    }
    const { oauth } = loaded({ settings: '{}', users: 'users: {}' }, '/config').settings;
    expect([oauth.id_token_claims, oauth.response_modes]).to.deep.equal(['requested', ['query', 'form_post']]);
    const missing = loaded({}, '/config');
    expect(missing.clients.get('demo-client')?.token_endpoint_auth_method).to.equal('client_secret_basic');
  });

  verifies('PCL-29', 'alice has every standard claim, and one table names each scope, kind and key', () => {
    const { users } = loaded(shipped, '/config');
    expect(Object.keys(users.get('alice')?.claims ?? {})).to.have.members(Object.keys(scopeOfStandardClaim));
    const [, table = ''] = /## Which token carries which claim\n\n(\|.*?)\n\n/s.exec(read('docs/claims.md')) ?? [];
    const [header] = table.split('\n');
    for (const place of ['Access token', 'ID token', 'UserInfo']) expect(header).to.include(place);
    const keys = ['oauth.id_token_claims: scope', 'oauth.userinfo_by_scope: true', 'claim_mappings'];
    const said = [
      'email_verified',
      'preferred_username',
      'address',
      'phone_number',
      'free claims',
      'attributes',
      'roles',
    ];
    for (const word of [...keys, ...said, ...Object.values(scopeOfStandardClaim)]) expect(table).to.include(word);
  });
});
