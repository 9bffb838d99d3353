// Entries of clients and users: the default and bounds of every field, and the rules about several fields (CFG-40 to
// CFG-46, CFG-50, CFG-K63 to CFG-K83).
import { expect } from 'chai';
import { verifies } from '#test/support/verifies.ts';
import { accepted, findingsOf, refusedPaths } from '../load-texts.ts';

const client = (fields: string) => {
  const found = accepted(`oauth: {clients: [{client_id: c${fields === '' ? '' : `, ${fields}`}}]}`).clients.get('c');
  if (found === undefined) throw new Error('no client');
  return found;
};
const clientRefused = (fields: string) =>
  refusedPaths(`oauth: {clients: [{client_id: c, ${fields}}]}`).map((line) =>
    line.replace('settings.yaml oauth.clients[0].', ''),
  );
const user = (fields: string) => {
  const found = accepted('', `users: {u: {${fields}}}`).users.get('u');
  if (found === undefined) throw new Error('no user');
  return found;
};
const userRefused = (fields: string) =>
  refusedPaths('', `users: {u: {${fields}}}`).map((line) => line.replace('users.yaml users.u.', ''));

describe('client entries', () => {
  verifies(
    ['CFG-K64', 'CFG-K65', 'CFG-K66', 'CFG-K67', 'CFG-K68', 'CFG-K69', 'CFG-K70', 'CFG-K71', 'CFG-K72', 'CFG-K73'],
    'have these defaults',
    () => {
      expect(client('client_secret: s')).to.deep.equal({
        client_id: 'c',
        client_secret: 's',
        token_endpoint_auth_method: 'client_secret_basic',
        description: '',
        redirect_uris: [],
        redirect_uri_patterns: [],
        roles: [],
        groups: [],
        audience: [],
        default_scopes: [],
        allowed_resources: [],
        additional_audiences: [],
        post_logout_redirect_uris: [],
        post_logout_redirect_uri_patterns: [],
        backchannel_logout_session_required: false,
        frontchannel_logout_session_required: false,
        claims: {},
        request_uris: [],
        dpop_bound_access_tokens: false,
        require_pushed_authorization_requests: false,
        show_client_id: true,
        show_description: false,
        layout: 'vertical',
        scopes: [],
      });
    },
  );

  verifies(
    ['CLS-K02', 'CLS-K03', 'CLS-K05', 'CLS-K07'],
    'reject audiences, lifetimes and methods out of bounds',
    () => {
      for (const fields of [
        ['audience: ""', 'audience'],
        ['audience: [a, ""]', 'audience[1]'],
        [`audience: [${Array.from({ length: 21 }, (_, index) => `a${index}`).join()}]`, 'audience'],
        ['token_expiry_seconds: 0', 'token_expiry_seconds'],
        ['token_expiry_seconds: 86401', 'token_expiry_seconds'],
        ['id_token_expiry_seconds: 86401', 'id_token_expiry_seconds'],
        ['refresh_token_expiry_seconds: 2592001', 'refresh_token_expiry_seconds'],
        ['default_scopes: "openid read:orders"', 'default_scopes'],
        ['scope: openid, default_scopes: [email]', 'default_scopes'],
      ] as const) {
        expect(clientRefused(`client_secret: s, ${fields[0]}`), fields[0]).to.deep.equal([`${fields[1]} (client "c")`]);
      }
      expect(client('client_secret: s, default_scopes: "openid email"').default_scopes).to.deep.equal([
        'openid',
        'email',
      ]);
      expect(client('client_secret: s, audience: a').audience).to.deep.equal(['a']);
      const optional = '{client_id: c, client_secret: s, token_endpoint_auth_method: client_secret_optional}';
      expect(refusedPaths(`security_profile: stricter-dev\noauth: {clients: [${optional}]}`)).to.deep.equal([
        'settings.yaml oauth.clients[0].token_endpoint_auth_method (client "c")',
      ]);
      const granting =
        '{unknown_scopes: grant, clients: [{client_id: c, client_secret: s, default_scopes: "read:orders"}]}';
      expect(accepted(`oauth: ${granting}`).clients.get('c')?.default_scopes).to.deep.equal(['read:orders']);
    },
  );

  verifies('CLS-10', 'name the member that belongs beside the claims', () => {
    for (const [claim, member] of [
      ['roles', 'roles'],
      ['groups', 'groups'],
    ]) {
      const findings = findingsOf(`oauth: {clients: [{client_id: c, client_secret: s, claims: {${claim}: x}}]}`);
      expect(JSON.stringify(findings)).to.contain(JSON.stringify(`Write "${member}" beside "claims".`).slice(1, -1));
    }
  });

  verifies('CLS-07', 'cannot have one lifetime in two units', () => {
    for (const name of ['token_expiry', 'refresh_token_expiry']) {
      expect(refusedPaths(`oauth: {${name}_seconds: 60, ${name}_minutes: 1}`)).to.deep.equal([
        `settings.yaml oauth.${name}_seconds`,
      ]);
    }
  });

  verifies(['CFG-K63', 'CFG-K64', 'CFG-K65', 'CFG-K66', 'CFG-K72', 'CFG-K73'], 'reject values out of bounds', () => {
    expect(refusedPaths('oauth: {clients: [{client_secret: s}]}')).to.deep.equal([
      'settings.yaml oauth.clients[0].client_id',
    ]);
    expect(refusedPaths('oauth: {clients: [{client_id: "", client_secret: s}]}')).to.deep.equal([
      'settings.yaml oauth.clients[0].client_id',
    ]);
    expect(refusedPaths('oauth: {clients: [{client_id: 5, client_secret: s}]}')).to.deep.equal([
      'settings.yaml oauth.clients[0].client_id',
    ]);
    const named = (field: string) => [`${field} (client "c")`];
    expect(clientRefused('client_secret: 5')).to.deep.equal(named('client_secret'));
    expect(clientRefused('client_secret: s, token_endpoint_auth_method: tls_client_auth')).to.deep.equal(
      named('token_endpoint_auth_method'),
    );
    expect(clientRefused('client_secret: s, description: 5')).to.deep.equal(named('description'));
    expect(clientRefused('client_secret: s, header_color: red')).to.deep.equal(named('header_color'));
    expect(clientRefused('client_secret: s, background_color: "#12345"')).to.deep.equal(named('background_color'));
    expect(clientRefused('client_secret: s, footer_color: "#gggggg"')).to.deep.equal(named('footer_color'));
    expect(clientRefused('client_secret: s, show_client_id: 1')).to.deep.equal(named('show_client_id'));
    expect(clientRefused('client_secret: s, layout: diagonal')).to.deep.equal(named('layout'));
    expect(client('client_secret: s, header_color: "#A0b1C2", layout: horizontal')).to.include({
      header_color: '#A0b1C2',
      layout: 'horizontal',
    });
  });

  verifies('CFG-11', 'with the same client_id are rejected, after placeholders are expanded', () => {
    const text = 'oauth: {clients: [{client_id: one, client_secret: s}, {client_id: "${ID}", client_secret: t}]}';
    expect(refusedPaths(text, undefined, { environment: { ID: 'one' } })).to.deep.equal([
      'settings.yaml oauth.clients[1].client_id (client "one")',
    ]);
    expect(accepted(text, undefined, { environment: { ID: 'two' } }).clients.size).to.equal(2);
  });

  verifies('CFG-40', 'need a secret unless they are public', () => {
    expect(clientRefused('description: x')).to.deep.equal(['client_secret (client "c")']);
    expect(clientRefused('client_secret: ""')).to.deep.equal(['client_secret (client "c")']);
    expect(clientRefused('client_secret: "", token_endpoint_auth_method: client_secret_post')).to.deep.equal([
      'client_secret (client "c")',
    ]);
    expect(client('token_endpoint_auth_method: none').client_secret).to.equal(undefined);
  });

  verifies('CFG-41', 'may be public and have a secret', () => {
    expect(client('token_endpoint_auth_method: none, client_secret: s').token_endpoint_auth_method).to.equal('none');
  });

  verifies(['CFG-42', 'SCO-02'], 'that list several scopes as one name load with a warning', () => {
    const found = (scopes: string) =>
      findingsOf(`oauth: {clients: [{client_id: c, client_secret: s, ${scopes}}]}`).join('\n');
    for (const scopes of ['"openid profile"', '["openid profile"]']) {
      expect(found(`allowed_scopes: ${scopes}`)).to.match(
        /^warning: settings\.yaml:1:\d+ oauth\.clients\[0\]\.allowed_scopes\[0\] \(client "c"\) is not a valid scope name/,
      );
    }
    expect(found('scope: openid profile')).to.equal('');
    expect(found('allowed_scopes: [openid, profile]')).to.equal('');
  });

  verifies(['CFG-K68', 'SCO-01', 'SCO-05'], 'load with a warning for a scope that is not in the vocabulary', () => {
    const findings = (fields: string, settings = '') =>
      findingsOf(
        `${settings}\noauth: {clients: [{client_id: c, client_secret: s, ${fields}}], scope_enforcement: false}`,
      );
    const strict = 'security_profile: oauth21';
    for (const [key, fields] of [
      ['scope', 'scope: openid api'],
      ['scope', 'scope: "openid,email"'],
      ['scope', 'scope: openid é'],
      ['allowed_scopes', 'allowed_scopes: [api]'],
    ] as const) {
      const [warning, ...others] = findings(fields, strict);
      expect(others).to.deep.equal([]);
      expect(warning)
        .to.match(/^warning: settings\.yaml:2:/)
        .and.to.contain(`oauth.clients[0].${key} (client "c") lists a scope`);
      expect(findings(fields)).to.deep.equal([]);
    }
    expect(findings('scope: openid email', strict)).to.deep.equal([]);
    const own = 'oauth: {scopes_supported: [api], clients: [{client_id: c, client_secret: s, scope: api}]}';
    expect(findingsOf(own)).to.deep.equal([]);
  });

  verifies(['CFG-42', 'CFG-K68'], 'may write their scopes as a string, as a list, or identically as both', () => {
    expect(client('client_secret: s, scope: openid  email').scopes).to.deep.equal(['openid', 'email']);
    expect(client('client_secret: s, allowed_scopes: [email, openid, email]').scopes).to.deep.equal([
      'email',
      'openid',
    ]);
    expect(client('client_secret: s, scope: openid email, allowed_scopes: [email, openid]').scopes).to.deep.equal([
      'openid',
      'email',
    ]);
    expect(clientRefused('client_secret: s, scope: openid, allowed_scopes: [email]')).to.deep.equal([
      'allowed_scopes (client "c")',
    ]);
    expect(clientRefused('client_secret: s, scope: openid, allowed_scopes: []')).to.deep.equal([
      'allowed_scopes (client "c")',
    ]);
    expect(clientRefused('client_secret: s, scope: [openid]')).to.deep.equal(['scope (client "c")']);
  });

  verifies(
    ['CFG-43', 'CFG-K67', 'CFG-K69', 'CFG-K70', 'CFG-K71'],
    'accept one string for a list, and name the client in an error',
    () => {
      for (const field of [
        'redirect_uris',
        'allowed_resources',
        'additional_audiences',
        'post_logout_redirect_uris',
        'allowed_scopes',
      ] as const) {
        expect(client(`client_secret: s, ${field}: one`)[field]).to.deep.equal(['one']);
        expect(client(`client_secret: s, ${field}: ""`)[field]).to.deep.equal([]);
        expect(client(`client_secret: s, ${field}: [a, b]`)[field]).to.deep.equal(['a', 'b']);
        expect(clientRefused(`client_secret: s, ${field}: [a, 5]`)).to.deep.equal([`${field} (client "c")`]);
      }
    },
  );
});

describe('user entries', () => {
  verifies(
    ['CFG-K75', 'CFG-K76', 'CFG-K77', 'CFG-K78', 'CFG-K79', 'CFG-K80', 'CFG-K81', 'CFG-K82', 'CFG-K83'],
    'have these defaults',
    () => {
      const { attributes, claims, ...rest } = user('');
      expect([{ ...attributes }, { ...claims }]).to.deep.equal([{}, {}]);
      expect(rest).to.deep.equal({
        username: 'u',
        description: '',
        email: 'u@example.org',
        identity_class: null,
        roles: ['USER'],
        groups: [],
        entitlements: [],
        source_acl: [],
        tenant: 'default',
      });
    },
  );

  verifies(
    ['CFG-K74', 'CFG-K75', 'CFG-K76', 'CFG-K77', 'CFG-K78', 'CFG-K81', 'CFG-K82'],
    'reject values out of bounds',
    () => {
      expect(refusedPaths('', 'users: {"": {}}')).to.have.length(1);
      expect(user('password: null').password).to.equal(undefined);
      expect(user('email: ""').email).to.equal('');
      expect(user(`description: ${'x'.repeat(200)}`).description).to.have.length(200);
      for (const fields of [`description: ${'x'.repeat(201)}`, 'description: 5'])
        expect(userRefused(fields)).to.deep.equal(['description']);
      for (const fields of ['email: null', 'email: nobody', 'email: 5'])
        expect(userRefused(fields)).to.deep.equal(['email']);
      expect(userRefused('password: 1234')).to.deep.equal(['password']);
      expect(userRefused('identity_class: 5')).to.deep.equal(['identity_class']);
      expect(userRefused('tenant: null')).to.deep.equal(['tenant']);
      expect(userRefused('attributes: [a]')).to.deep.equal(['attributes']);
      expect(userRefused('attributes: null')).to.deep.equal(['attributes']);
    },
  );

  verifies('CFG-44', 'turn an unknown key into an attribute, in both modes, unless the name is taken', () => {
    for (const config_validation of ['default', 'strict']) {
      const { users } = accepted(
        `config_validation: ${config_validation}`,
        'users: {u: {level: 3, team: a, api_key: k, passport: p, attributes: {team: b}}}',
      );
      const attributes = { level: 3, team: 'b', api_key: 'k', passport: 'p' };
      expect({ ...users.get('u')?.attributes }).to.deep.equal(attributes);
    }
    expect(findingsOf('', 'users: {u: {level: 3}}')).to.deep.equal([]);
  });

  verifies(['CFG-45', 'CFG-K79', 'CFG-K80'], 'require lists where lists belong', () => {
    for (const field of ['roles', 'groups', 'entitlements', 'source_acl']) {
      expect(userRefused(`${field}: ADMIN`)).to.deep.equal([field]);
      expect(userRefused(`${field}: [5]`)).to.deep.equal([`${field}[0]`]);
      expect(userRefused(`${field}: null`)).to.deep.equal([field]);
    }
  });

  verifies(['CFG-50', 'CFG-K83'], 'accept a Base32 secret in any notation, but only with a password', () => {
    for (const secret of ['JBSWY3DPEHPK3PXP', 'jbsw y3dp ehpk 3pxp', '"JBSWY3DPEHPK3==="', '"MY======"']) {
      expect(user(`password: p, totp_secret: ${secret}`).totp_secret).to.be.a('string');
    }
    for (const secret of ['""', '"  "', 'JBSWY3DPEHPK3PX1', 'not-base32', 'ABC', '5']) {
      expect(userRefused(`password: p, totp_secret: ${secret}`), secret).to.deep.equal(['totp_secret']);
    }
    expect(userRefused('totp_secret: JBSWY3DPEHPK3PXP')).to.deep.equal(['totp_secret']);
    expect(userRefused('totp_secret: JBSWY3DPEHPK3PXP, password: null')).to.deep.equal(['totp_secret']);
  });

  verifies('CFG-12', 'may have the name of a client, with a warning', () => {
    const found = findingsOf('oauth: {clients: [{client_id: same, client_secret: s}]}', 'users: {same: {}, other: {}}');
    expect(found).to.have.length(1);
    expect(found[0]).to.match(/^warning: users\.yaml:1:9 users\.same is also the client_id of a client/);
  });

  verifies('CFG-K74', 'may have spaces around their names, with a warning and the remedy', () => {
    const remedy = 'begins or ends with a space. Remove it unless a test needs it.';
    const found = findingsOf('', 'users: {" pad ": {}, "  ": {}, "in between": {}}');
    expect(found).to.deep.equal([
      `warning: users.yaml:1:9 users." pad " ${remedy}`,
      `warning: users.yaml:1:22 users."  " ${remedy}`,
    ]);
    expect([...accepted('', 'users: {" pad ": {}}').users.keys()]).to.deep.equal([' pad ']);
  });

  it('keep the order of the file, even if their names look like numbers', () => {
    expect([...accepted('', 'users: {zoe: {}, 20: {}, adam: {}, 10: {}}').users.keys()]).to.deep.equal([
      'zoe',
      '20',
      'adam',
      '10',
    ]);
  });
});
