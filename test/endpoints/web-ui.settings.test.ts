// The settings and claims pages of the web UI, and what their forms write into settings.yaml.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { fileText, follow, postForm, settingsFile } from '#test/support/web-ui.ts';
import { interactive, interactiveUsers } from '#test/support/worlds.ts';

describe('web UI: settings and claims', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: {
        management_secret: '',
        session: { secret_key: 'cookie-secret' },
        hooks: { on_config_saved: 'true secret-command' },
        saml: { entity_id: 'urn:old', export_roles: true },
        authority_prefixes: { entitlements: '', department: 'DEPT_' },
      },
      users: {
        ...interactiveUsers,
        zoe: { password: 'x', roles: ['admin'], entitlements: ['orders'], attributes: { department: 'sales' } },
      },
    });
  });
  after(() => idp.stop());

  const config = async () => (await fetch(`${idp.baseUrl}/api/config`)).json();

  verifies('WEB-10', 'changes settings of every group in one write', async () => {
    const browser = newBrowser(idp);
    const saved = await postForm(browser, '/settings', {
      issuer: 'https://idp.example',
      issuer_from_request__on_form: '1',
      issuer_allowlist: 'https://a.example\r\nhttps://b.example',
      audience: 'my-api',
      token_expiry_minutes: '15',
      refresh_token_expiry_minutes: '99',
      saml_entity_id: 'urn:new',
      saml_c14n_algorithm: 'c14n11',
      saml_export_groups__on_form: '1',
      saml_export_groups: 'true',
      allowed_identity_classes: 'INTERNAL\r\nEXTERNAL',
      login_mode: 'persona',
      auto_login__on_form: '1',
      auto_login: 'true',
    });
    expect((await follow(browser, saved)).text).to.include('The settings were saved and are active.');
    const body = await config();
    expect(body.oauth).to.deep.include({
      issuer: 'https://idp.example',
      issuer_from_request: false,
      issuer_allowlist: ['https://a.example', 'https://b.example'],
      audience: 'my-api',
      token_expiry_minutes: 15,
      refresh_token_expiry_minutes: 99,
    });
    expect(body.saml).to.deep.include({ entity_id: 'urn:new', c14n_algorithm: 'c14n11', export_groups: true });
    expect(body.allowed_identity_classes).to.deep.equal(['INTERNAL', 'EXTERNAL']);
    expect(body.login).to.deep.include({ mode: 'persona', auto_login: true });
    expect(settingsFile(idp).login).to.deep.equal({ mode: 'persona', auto_login: true });
  });

  verifies('WEB-10', 'offers no secret, hook, plugin, store, registration or document setting', async () => {
    const page = await newBrowser(idp).get('/settings');
    const names = page.forms.flatMap(({ fields }) => fields.map(([name]) => name));
    expect(names.length).to.be.above(20);
    expect(
      names.filter((name) => /secret|hook|plugin|runtime|store|registration|metadata|key/.test(name)),
    ).to.deep.equal([]);
    expect(page.body).not.to.include('cookie-secret').and.not.to.include('secret-command');
    expect(page.text).to.include('oauth.dynamic_registration.enabled').and.to.include('session.secret_key set');
    const before = fileText(idp, 'settings');
    await postForm(newBrowser(idp), '/settings', {
      'oauth.dynamic_registration.enabled': 'true',
      dynamic_registration: 'true',
      dynamic_registration__on_form: '1',
      management_secret: 'mine',
      'hooks.on_config_saved': 'rm -rf /',
      'runtime.store': 'memory',
    });
    expect(fileText(idp, 'settings')).to.equal(before);
  });

  verifies(['SSO-K04', 'WEB-10'], 'accepts the values of acr as JSON', async () => {
    const browser = newBrowser(idp);
    const shown = async () => {
      const body = (await browser.get('/settings')).body;
      const text = /<textarea[^>]*name="login_acr"[^>]*>(.*?)<\/textarea>/s.exec(body)?.[1] ?? 'none';
      return JSON.parse(text.replaceAll('&quot;', '"'));
    };
    const byDefault = [
      { value: '0', method: 'persona' },
      { value: 'https://refeds.org/profile/sfa', method: 'password' },
      { value: 'https://refeds.org/profile/mfa', method: 'password+totp' },
    ];
    expect(await shown()).to.deep.equal(byDefault);
    const before = fileText(idp, 'settings');
    await postForm(browser, '/settings', { login_acr: JSON.stringify(byDefault, null, 2) });
    expect(fileText(idp, 'settings')).to.equal(before);
    const acr = [{ value: 'urn:example:bronze', method: 'password' }];
    await postForm(browser, '/settings', { login_acr: JSON.stringify(acr) });
    expect(settingsFile(idp).login).to.deep.include({ acr });
    const refused = await postForm(browser, '/settings', { login_acr: '[{"value": "x", "method": "smoke"}]' });
    expect(refused.text).to.include('must be one of persona, password, password+totp');
    await postForm(browser, '/settings', { login_acr: '' });
    expect(await shown()).to.deep.equal(byDefault);
    expect(settingsFile(idp).login).to.not.have.property('acr');
  });

  verifies('WEB-11', 'changes nothing for a missing field, and clears a blank one', async () => {
    const browser = newBrowser(idp);
    await postForm(browser, '/settings', { saml_entity_id: '', issuer_allowlist: '', token_expiry_minutes: '' });
    const body = await config();
    expect(body.saml.entity_id_derived).to.equal(true);
    expect(body.oauth).to.deep.include({ issuer_allowlist: [], token_expiry_minutes: 60, audience: 'my-api' });
    expect(settingsFile(idp).saml).not.to.have.property('entity_id');
  });

  verifies('WEB-11', 'reads a checkbox only next to its marker', async () => {
    const browser = newBrowser(idp);
    await postForm(browser, '/settings', { saml_export_roles: 'true', two_step: 'true', audience: 'my-api' });
    expect((await config()).login.two_step).to.equal(false);
    expect((await config()).saml.export_roles).to.equal(true);
    await postForm(browser, '/settings', { saml_export_roles__on_form: '1', two_step__on_form: '1', two_step: 'true' });
    expect((await config()).login.two_step).to.equal(true);
    expect((await config()).saml.export_roles).to.equal(false);
    // A browser sends `on` for a checkbox without a value.
    for (const [two_step, expected] of [
      ['on', true],
      ['off', false],
      ['1', true],
      ['0', false],
      ['True', true],
      ['', false],
    ] as const) {
      await postForm(browser, '/settings', { two_step__on_form: '1', two_step });
      expect((await config()).login.two_step, two_step).to.equal(expected);
    }
  });

  it('reports a mistake at its field and keeps the typed text', async () => {
    const before = fileText(idp, 'settings');
    const refused = await postForm(newBrowser(idp), '/settings', {
      issuer: 'no address',
      token_expiry_minutes: '1441',
      audience: 'typed',
      login_mode: 'biometric',
    });
    expect(refused.status).to.equal(400);
    for (const name of ['issuer', 'token_expiry_minutes', 'login_mode']) {
      expect(refused.body).to.include(`id="${name}-error"`);
    }
    expect(refused.body)
      .to.include('value="no address"')
      .and.to.include('value="typed"')
      .and.to.include('value="1441"');
    expect(fileText(idp, 'settings')).to.equal(before);
  });

  verifies('WEB-12', 'writes nothing for a stale revision or a result that would not load, and says why', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'settings');
    const expected_revision = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const stale = await browser.post('/settings', { audience: 'late', expected_revision });
    expect([stale.status, stale.text.includes('changed')]).to.deep.equal([409, true]);
    expect(stale.body).to.include('value="late"');
    // Another key of the file was broken by hand meanwhile. This form must not hide that.
    const path = join(idp.configDirectory, 'users.yaml');
    const users = fileText(idp, 'users');
    writeFileSync(path, users.replace('users:', 'users: [\n'));
    const unloadable = await browser.post('/users/alice/edit', { description: 'late' });
    writeFileSync(path, users);
    expect(unloadable.status).to.equal(422);
    expect(unloadable.text).to.include('Nothing was written').and.to.include('users.yaml');
    expect(fileText(idp, 'settings')).to.equal(before);
  });

  it('keeps comments, placeholders and other settings of the file', async () => {
    const path = join(idp.configDirectory, 'settings.yaml');
    const marked = `# a comment of mine\n${fileText(idp, 'settings').replace('audience: my-api', `audience: \${AUD:my-api}`)}`;
    writeFileSync(path, marked);
    await postForm(newBrowser(idp), '/settings', { audience: 'my-api', token_expiry_minutes: '20' });
    const text = fileText(idp, 'settings');
    expect(text).to.include('# a comment of mine').and.to.include(`audience: \${AUD:my-api}`);
    expect(text).to.include('token_expiry_minutes: 20').and.to.include('true secret-command');
  });

  verifies('WEB-16', 'edits the prefixes on the claims page, including an intentionally empty one', async () => {
    const browser = newBrowser(idp);
    const saved = await postForm(browser, '/claims', [
      ['prefix_roles', 'R:'],
      ['prefix_groups', ''],
      ['prefix_entitlements', ''],
      ['custom_prefix_key[]', 'department'],
      ['custom_prefix_value[]', 'D:'],
      ['custom_prefix_key[]', ''],
      ['custom_prefix_value[]', ''],
    ]);
    expect((await follow(browser, saved)).text).to.include(sentences.authorityPrefixesSaved);
    expect((await config()).authority_prefixes).to.deep.equal({ roles: 'R:', entitlements: '', department: 'D:' });
  });

  verifies('WEB-16', 'previews authorities and claims, or returns 404', async () => {
    const preview = await fetch(`${idp.baseUrl}/claims/preview/zoe`);
    expect(preview.status).to.equal(200);
    expect(preview.headers.get('content-type')).to.equal('application/json');
    const { access_token: _access, id_token: _id, userinfo: _userinfo, ...body } = await preview.json();
    expect(body).to.deep.equal({
      username: 'zoe',
      authorities: ['R:ADMIN', 'orders', 'D:sales'],
      claims: {
        identity_class: null,
        entitlements: ['orders'],
        roles: ['admin'],
        groups: [],
        tenant: 'default',
        source_acl: [],
        attributes: { department: 'sales' },
        claims: {},
      },
    });
    expect((await fetch(`${idp.baseUrl}/claims/preview/nobody`)).status).to.equal(404);
    const page = await newBrowser(idp).get('/claims?username=zoe');
    expect(page.text).to.include('R:ADMIN').and.to.include('D:sales');
    expect((await newBrowser(idp).get('/claims?username=nobody')).text).to.include('This user does not exist.');
  });
});

describe('web UI: every front end of a stack', () => {
  verifies('WEB-13', 'applies a change once the redirect of its form has arrived', async () => {
    const stack = await startIdp({ args: ['--oidc-workers', '2'] });
    try {
      for (let round = 0; round < 10; round += 1) {
        const browser = newBrowser(stack);
        const saved = await browser.post('/settings', { audience: `round-${round}` });
        expect(saved.status).to.equal(302);
        const seen = await Promise.all(
          Array.from({ length: 12 }, async () => {
            const answer = await fetch(`${stack.baseUrl}/api/config`, { headers: { Connection: 'close' } });
            return (await answer.json()).oauth.audience;
          }),
        );
        expect(new Set(seen)).to.deep.equal(new Set([`round-${round}`]));
      }
    } finally {
      await stack.stop();
    }
  });
});
