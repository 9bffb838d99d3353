// Settings, keys and gates of a sandbox.
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { authorizePath, newBrowser } from '#test/support/authorization-flow.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { makeSandbox, namespaceAt } from '#test/support/sandboxes.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { pemPair } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

/** The settings that the contract lists. */
const allowed = [
  /^security_profile$/,
  /^login\./,
  /^oauth\.(?:audience|token_expiry_minutes|refresh_token_expiry_minutes|refresh_token_rotation|require_pkce)$/,
  /^oauth\.(?:scopes_supported|scope_enforcement|dynamic_registration\.(?:enabled|max_clients)|client_id_metadata_documents\.enabled)$/,
  /^device_flow\./,
  /^authority_prefixes$/,
  /^saml\.(?:entity_id|sso_url|slo_url|default_acs_url|sign_responses|want_authn_requests_signed|sp_certificates)$/,
  // SRE.
  /^saml\.(?:sign|signature_algorithm|digest_algorithm|assertion_lifetime_seconds|not_before_seconds|session_not_on_or_after)$/,
  /^saml\.(?:strict_binding|c14n_algorithm|export_.+|.+_attr_name)$/,
  /^saml\.(?:service_providers|unregistered|idp_initiated|encryption_key|single_logout|metadata_.+)$/,
  /^oauth\.(?:backchannel_base_url|response_modes|audience_parameter|authorize_by_post|access_token_typ|dpop|pushed_authorization_requests)$/,
  /^oauth\.(?:userinfo_by_scope|id_token_claims|id_token_token_use)$/,
  /^claim_mappings$/,
  /^logout\./,
  /^session\.enforce_password_check$/,
  /^faults$/,
  // For users and clients (PCL, CAM).
  /^claim_mappings$/,
  /^oauth\.(?:userinfo_by_scope|id_token_claims|id_token_token_use)$/,
  /^oauth\.(?:response_modes|audience_parameter|authorize_by_post|access_token_typ|backchannel_base_url)$/,
  // For logout and service providers (LGO, SPM).
  /^logout\./,
  /^saml\.(?:service_providers|unregistered|idp_initiated|encryption_key|single_logout|metadata_.+)$/,
  /^recorder\.(?!secrets$)/,
  // For lifetimes (CLS).
  /^oauth\.(?:token_expiry_seconds|id_token_expiry_seconds|refresh_token_expiry_seconds|authorization_code_expiry_seconds)$/,
  // For unknown scopes (UNK).
  /^oauth\.unknown_scopes$/,
];

describe('the settings of a sandbox', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance', args: ['--profile', 'stricter-dev'] });
  });
  after(() => idp.stop());
  afterEach(async () => {
    await idp.api('DELETE', '/api/sandboxes');
    await idp.api('DELETE', '/api/runtime');
  });

  verifies('SBX-33', 'are the listed ones only', async () => {
    const expected = settingsFields.map(({ path }) => path).filter((path) => allowed.some((each) => each.test(path)));
    const marked = settingsFields.filter(({ notes }) => notes.sandbox === true).map(({ path }) => path);
    expect(marked).to.deep.equal(expected);
    const settings = {
      security_profile: 'oauth21',
      login: { mode: 'persona', auto_login: true },
      oauth: {
        audience: 'box',
        token_expiry_minutes: 5,
        scopes_supported: ['openid', 'box'],
        dynamic_registration: { enabled: true },
      },
      device_flow: { polling_interval: 1 },
      authority_prefixes: { roles: 'BOX_' },
      saml: { export_roles: true, roles_attr_name: 'box_roles' },
    };
    const box = await makeSandbox(idp, { settings });
    expect(box.made.settings).to.deep.equal(settings);
    const discovery = (await box.get('/.well-known/openid-configuration')).body;
    expect(discovery.scopes_supported).to.deep.equal(['openid', 'box']);
    expect(discovery).to.have.property('registration_endpoint');
    const { expires_in, access_token } = (await box.post('/token', { grant_type: 'client_credentials' })).body;
    expect(expires_in).to.equal(300);
    expect(JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString()).aud).to.equal('box');
    expect((await box.post('/device_authorization', {})).body.interval).to.equal(1);
    expect((await box.get('/api/users/alice')).body.authorities).to.include('BOX_ADMIN');
    expect((await newBrowser(idp).get(`${box.prefix}/login`)).text).to.contain('alice');
    const refused = await newBrowser(idp).get(box.prefix + authorizePath({ client_id: 'spa' }));
    expect(refused.location).to.contain('error=invalid_request');
  });

  verifies('SBX-34', 'are rejected by their path, without the value', async () => {
    const refused: readonly (readonly [settings: object, ...said: string[]])[] = [
      [{ management_secret: 'very-secret' }, 'management_secret cannot be set by a sandbox'],
      [{ oauth: { issuer: 'https://very-secret' } }, 'oauth.issuer cannot be set by a sandbox'],
      [{ oauth: { clients: [] } }, 'oauth.clients cannot be set by a sandbox'],
      [{ runtime: { store: 'very-secret' } }, 'runtime cannot be set by a sandbox'],
      [{ logging: {} }, 'logging cannot be set by a sandbox'],
      [{ oauth: { nothing: 'very-secret' } }, 'Unknown field "oauth.nothing"'],
      [{ cors_allowed_origins: ['*'] }, 'Unknown field "cors_allowed_origins"'],
      [{ __proto__x: 1 }, 'Unknown field "__proto__x"'],
      [{ oauth: 'very-secret' }, 'oauth must be a mapping'],
      [{ login: { mode: 'very-secret' } }, 'login.mode must be one of password, persona'],
      [{ oauth: { token_expiry_minutes: 0 } }, 'oauth.token_expiry_minutes must be'],
      [{ login: { totp: null } }, 'login.totp has no value'],
    ];
    for (const [settings, ...said] of refused) {
      const { status, body } = await idp.api('POST', '/api/sandboxes', { settings });
      expect([status, body.kind], JSON.stringify(settings)).to.deep.equal([400, 'invalid']);
      for (const sentence of said) expect(body.error).to.contain(sentence);
      expect(body.error).to.not.contain('very-secret');
    }
    expect((await idp.api('GET', '/api/sandboxes')).body.count).to.equal(0);
  });

  verifies(['SBX-34', 'SSO-53'], 'are rejected if they conflict with the files', async () => {
    const refusal = async (settings: object) => {
      const { status, body } = await idp.api('POST', '/api/sandboxes', { settings });
      return [status, body.kind, body.error];
    };
    const single_logout = true;
    expect(await refusal({ saml: { single_logout } })).to.deep.equal([
      ...[400, 'invalid'],
      'The sandbox is invalid: saml.single_logout requires login.session: on.',
    ]);
    const both = { saml: { single_logout }, login: { session: 'on' } };
    await makeSandbox(idp, { settings: both });
    const oauth = { ...demoSettings.oauth, response_types: ['code', 'id_token'] };
    await idp.configure({ settings: { ...demoSettings, oauth } });
    expect(await refusal({ security_profile: 'oauth21' })).to.deep.equal([
      ...[400, 'invalid'],
      'The sandbox is invalid: oauth.response_types[1] is not possible with security_profile: oauth21, which allows only the code flow.',
    ]);
    await idp.configure();
  });

  verifies(
    ['SBX-36', 'SBX-39'],
    'lose the conflicting key if a reload makes them conflict with the files',
    async () => {
      const strict = await makeSandbox(idp, { settings: { security_profile: 'oauth21' } });
      const saml = { single_logout: true };
      await idp.configure({ settings: { ...demoSettings, login: { session: 'on' } } });
      const loggingOut = await makeSandbox(idp, { settings: { saml } });
      const plain = await makeSandbox(idp);
      const metadata = async (box: typeof plain) => (await fetch(`${box.issuer}/saml/metadata`)).text();
      expect(await metadata(loggingOut)).to.contain('SingleLogoutService');
      const types = async (box: typeof plain) =>
        (await box.get('/.well-known/openid-configuration')).body.response_types_supported;
      const oauth = { ...demoSettings.oauth, response_types: ['code', 'id_token'] };
      await idp.configure({ settings: { ...demoSettings, oauth } });
      expect(await types(plain)).to.deep.equal(['code', 'id_token']);
      expect(await types(strict)).to.deep.equal(['code']);
      expect(await metadata(loggingOut)).to.not.contain('SingleLogoutService');
      for (const [key, box] of [
        ['oauth.response_types', strict],
        ['saml.single_logout', loggingOut],
      ] as const) {
        const recorded = idp
          .log()
          .split('\n')
          .filter((line) => line.includes(`"key":"${key}"`));
        expect(recorded.length, key).to.be.above(0);
        for (const line of recorded) expect(line).to.contain(`"sandbox":"${box.name}"`);
      }
      await idp.configure();
      expect(await types(strict)).to.deep.equal(['code']);
    },
  );

  verifies('SBX-35', 'are literal: no placeholder, no path', async () => {
    const { certificatePem } = await signingKey('sp');
    const placeholder = '${HOME}';
    const box = await makeSandbox(idp, {
      settings: { oauth: { audience: placeholder }, saml: { sp_certificates: [certificatePem] } },
    });
    expect((await box.get('/api/config')).body.oauth.audience).to.equal(placeholder);
    for (const value of ['/etc/hostname', 'certificate.pem', certificatePem.slice(0, 100), 'very-secret']) {
      const { status, body } = await idp.api('POST', '/api/sandboxes', {
        settings: { saml: { sp_certificates: [value] } },
      });
      expect([status, body.kind]).to.deep.equal([400, 'invalid']);
      expect(body.error).to.contain('saml.sp_certificates.0').and.to.not.contain(value);
    }
  });

  verifies(['SBX-36', 'SBX-38'], 'override files and --profile, and everything else comes from the files', async () => {
    const own = await makeSandbox(idp, { settings: { security_profile: 'dev', oauth: { audience: 'own' } } });
    const plain = await makeSandbox(idp);
    const shown = async (box: typeof own) => (await box.get('/api/config')).body;
    expect((await shown(plain)).profile_override).to.equal('stricter-dev');
    expect((await shown(plain)).security_profile).to.equal('stricter-dev');
    expect((await shown(own)).profile_override).to.equal(null);
    expect((await shown(own)).security_profile).to.equal('dev');
    expect((await shown(own)).effective.require_pkce).to.equal(false);
    await idp.configure({
      settings: { ...demoSettings, oauth: { ...demoSettings.oauth, audience: 'files', token_expiry_minutes: 7 } },
    });
    expect((await shown(own)).oauth).to.deep.include({ audience: 'own', token_expiry_minutes: 7 });
    expect((await shown(plain)).oauth).to.deep.include({ audience: 'files', token_expiry_minutes: 7 });
    await idp.configure();
    expect((await shown(plain)).oauth.audience).to.not.equal('files');
  });

  verifies('SBX-37', 'change neither CORS nor the request rate', async () => {
    const box = await makeSandbox(idp, { settings: { security_profile: 'dev' } });
    const origin = { Origin: 'https://elsewhere.example' };
    const [home, there] = [namespaceAt(idp, ''), box];
    const headers = await Promise.all(
      [home, there].map(async (each) =>
        (await each.get('/.well-known/jwks.json', origin)).headers.get('access-control-allow-origin'),
      ),
    );
    expect(headers[0]).to.equal(headers[1]);
    expect((await box.get('/api/config')).body.effective.rate_limit_enabled).to.equal(true);
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      statuses.push((await box.post('/token', { grant_type: 'client_credentials' })).status);
    }
    expect(statuses.filter((status) => status === 429).length).to.be.greaterThan(0);
  });

  verifies('SBX-39', 'survive reloads, and declared names replace its own', async () => {
    const box = await makeSandbox(idp);
    const user = { username: 'zoe', password: 'mine', email: 'zoe@box.example' };
    expect((await box.api('POST', '/api/runtime/users', user)).status).to.equal(201);
    await idp.configure({
      users: { users: { ...demoUsers.users, zoe: { password: 'theirs', email: 'zoe@files.example' } } },
    });
    const { email, origin } = (await box.get('/api/users/zoe')).body;
    expect([email, origin]).to.deep.equal(['zoe@files.example', 'declared']);
    expect((await box.get('/api/runtime/users')).body.count).to.equal(0);
    const entries = (await box.get('/api/audit?event_type=runtime_identity_removed_on_reload')).body.entries;
    expect(entries).to.have.length(1);
    expect(entries[0].details.name).to.equal('zoe');
    expect((await idp.audit('&event_type=runtime_identity_removed_on_reload')).length).to.equal(0);
    await idp.configure();
    expect((await box.get('/api/users/zoe')).status).to.equal(404);
  });
});

describe('the keys of a sandbox', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ args: ['--oidc-workers', '2'] });
  });
  after(() => idp.stop());

  const kidsOf = async (box: { get: ReturnType<typeof namespaceAt>['get'] }): Promise<string[]> =>
    (await box.get('/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid);
  const certificateOf = async (box: { get: ReturnType<typeof namespaceAt>['get'] }): Promise<string> =>
    (await box.get('/saml/cert.pem')).body;

  verifies('SBX-40', 'are those of the stack, rotations included', async () => {
    const box = await makeSandbox(idp);
    const home = namespaceAt(idp, '');
    expect(await kidsOf(box)).to.deep.equal(await kidsOf(home));
    const { access_token } = await box.tokens();
    await home.api('POST', '/api/keys/rotate');
    expect(await kidsOf(box)).to.deep.equal(await kidsOf(home));
    expect(await box.userinfo(access_token)).to.equal(200);
    const fresh = await box.tokens();
    const header = JSON.parse(Buffer.from(fresh.access_token?.split('.')[0] ?? '', 'base64url').toString());
    expect(header.kid).to.equal((await kidsOf(home))[0]);
    expect(await certificateOf(box)).to.equal(await certificateOf(home));
  });

  verifies('SBX-41', 'are its own on request, the same at every front end', async () => {
    const boxes = [await makeSandbox(idp, { keys: 'own' }), await makeSandbox(idp, { keys: 'own' })];
    const seen = new Set<string>(await kidsOf(namespaceAt(idp, '')));
    const certificates = new Set([await certificateOf(namespaceAt(idp, ''))]);
    for (const box of boxes) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => kidsOf(box)));
      expect(new Set(answers.map(String)).size).to.equal(1);
      expect(answers[0]).to.have.length(1);
      const [kid = ''] = answers[0] ?? [];
      expect(seen.has(kid)).to.equal(false);
      seen.add(kid);
      const pem = await certificateOf(box);
      certificates.add(pem);
      const { n } = new X509Certificate(pem).publicKey.export({ format: 'jwk' });
      expect((await box.get('/.well-known/jwks.json')).body.keys[0].n).to.equal(n);
      const metadata = (await box.get('/saml/metadata')).body;
      expect(metadata.replaceAll(/\s/g, '')).to.contain(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''));
    }
    expect(certificates.size).to.equal(3);
    const files = createHash('sha256')
      .update(readFileSync(join(idp.root, 'keys', 'kid.txt')))
      .digest('hex');
    await boxes[0]?.api('POST', '/api/keys/rotate');
    expect(
      createHash('sha256')
        .update(readFileSync(join(idp.root, 'keys', 'kid.txt')))
        .digest('hex'),
    ).to.equal(files);
  });

  verifies('SBX-42', 'rotate to keys of its own, and those of the stack remain', async () => {
    for (const keys of ['shared', 'own']) {
      const box = await makeSandbox(idp, { keys });
      const home = await kidsOf(namespaceAt(idp, ''));
      const [before = ''] = await kidsOf(box);
      const { access_token } = await box.tokens();
      const rotation = await box.api('POST', '/api/keys/rotate');
      expect([rotation.status, rotation.body.old_kid]).to.deep.equal([200, before]);
      const [after, ...previous] = await kidsOf(box);
      expect(after).to.equal(rotation.body.new_kid);
      expect(previous).to.include(before);
      expect(await box.userinfo(access_token)).to.equal(200);
      expect(await kidsOf(namespaceAt(idp, ''))).to.deep.equal(home);
      await box.api('POST', '/api/keys/rotate');
      await box.api('POST', '/api/keys/rotate');
      expect(await kidsOf(box)).to.have.length(3);
      expect((await box.get('/api/keys/info')).body).to.deep.include({ previous_keys_count: 2, max_previous_keys: 2 });
      expect(await box.userinfo(access_token)).to.equal(401);
      expect((await idp.api('GET', `/api/sandboxes/${box.name}`)).body.keys).to.equal('own');
      const events = (await box.get('/api/audit?event_type=key_rotation')).body.entries;
      expect(events).to.have.length(3);
    }
  });

  verifies('SBX-42', "also rotate away from an operator's external key", async () => {
    const { privatePem, publicPem } = pemPair();
    const files = { 'private.pem': privatePem, 'public.pem': publicPem };
    const jwt = { external_keys: { private_key: '../private.pem', public_key: '../public.pem' } };
    const external = await startIdp({ command: 'oidc', settings: { ...demoSettings, jwt }, files });
    try {
      const box = await makeSandbox(external);
      const { access_token } = await box.tokens();
      expect((await external.api('POST', '/api/keys/rotate')).status).to.equal(409);
      expect((await box.api('POST', '/api/keys/rotate')).status).to.equal(200);
      expect(await kidsOf(box)).to.have.length(2);
      expect(await box.userinfo(access_token)).to.equal(200);
    } finally {
      await external.stop();
    }
  });
});

describe('the gates of a sandbox', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  const secret = { 'X-Management-Secret': 'open-sesame' };
  const events = join(mkdtempSync(join(tmpdir(), 'test-idp-events-')), 'events.txt');
  before(async () => {
    idp = await startIdp({
      command: 'instance',
      settings: {
        ...demoSettings,
        management_secret: 'open-sesame',
        hooks: { on_audit_event: `cat >> ${events}; echo >> ${events}` },
      },
    });
  });
  after(async () => {
    await idp.stop();
    rmSync(dirname(events), { recursive: true, force: true });
  });

  verifies('SBX-44', 'accept the secret of the files, or a default session unlocked with it', async () => {
    const writes: readonly (readonly [method: string, path: string])[] = [
      ['POST', '/api/sandboxes'],
      ['DELETE', '/api/sandboxes'],
      ['POST', '/api/sandboxes/box/reset'],
      ['DELETE', '/api/sandboxes/box'],
      ['PUT', '/api/sandboxes/box'],
    ];
    for (const [method, path] of writes) expect((await idp.api(method, path)).status, path).to.equal(401);
    expect((await idp.api('POST', '/api/sandboxes', { name: 'box' }, secret)).status).to.equal(201);
    const box = namespaceAt(idp, '/s/box');
    for (const path of ['/api/runtime/users', '/api/keys/rotate', '/api/audit/clear', '/api/runtime/users/x/promote']) {
      expect((await box.api('POST', path, {})).status, path).to.equal(401);
    }
    expect((await box.api('POST', '/api/audit/clear', undefined, secret)).status).to.equal(200);
    const browser = newBrowser(idp);
    await box.login(browser);
    expect((await browser.post('/s/box/audit/clear')).location).to.equal('/s/box/login?error=management_locked');
    expect((await browser.get('/s/box/login?error=management_locked')).status).to.equal(200);
    await browser.post('/management/unlock', { management_secret: 'open-sesame' });
    expect((await browser.post('/s/box/audit/clear')).location).to.match(/^\/s\/box\/audit\?/);
    expect((await browser.post('/s/box/api/audit/clear')).status).to.equal(200);
    const cookie = [...browser.cookies].filter(([name]) => name.endsWith('.box')).map((pair) => pair.join('='));
    expect((await box.api('POST', '/api/audit/clear', undefined, { Cookie: cookie.join('; ') })).status).to.equal(401);
    expect((await idp.api('DELETE', '/api/sandboxes/box', undefined, secret)).status).to.equal(200);
  });

  verifies('SBX-46', 'name the sandbox in hooks and log lines', async () => {
    expect((await idp.api('POST', '/api/sandboxes', { name: 'box' }, secret)).status).to.equal(201);
    const box = namespaceAt(idp, '/s/box');
    writeFileSync(events, '');
    await box.post('/token', { grant_type: 'nothing' });
    await namespaceAt(idp, '').post('/token', { grant_type: 'nothing' });
    const recorded = await until('both events arrived', () => {
      const lines = readFileSync(events, 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '');
      // The event of the sandbox's creation may arrive late.
      const recorded = lines.map((line) => JSON.parse(line)).filter(({ event_type }) => event_type === 'token_request');
      return recorded.length >= 2 && recorded;
    });
    expect(recorded.map(({ sandbox }: { sandbox?: string }) => sandbox).sort()).to.deep.equal(['box', undefined]);
    const lines = idp
      .log()
      .split('\n')
      .filter((line) => line.includes('"sandbox"'));
    expect(lines.map((line) => JSON.parse(line).sandbox)).to.include('box');
    expect(new Set(lines.map((line) => JSON.parse(line).sandbox))).to.deep.equal(new Set(['box']));
  });
});
