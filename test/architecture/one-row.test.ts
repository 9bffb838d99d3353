// A field needs only its row in the model. Every surface then reads, writes, describes, offers and shows it. The test
// adds a row to each model in a copy of the sources.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import * as z from 'zod';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const description = 'A note that only this test knows.';
const line = `  test_only_note: text().default('').register(fields, { description: '${description}' }),\n`;

/** Each model, with the line before which the new row is inserted. */
const places = [
  ['client-entry.ts', '  redirect_uris: list('],
  ['user-entry.ts', '  tenant: text('],
  ['settings/oauth.ts', '  audience: filledText('],
] as const;

const record = z.record(z.string(), z.unknown());
const foundModel = z.object({
  reference: z.string(),
  schema: z.object({ settings: record, users: record }),
  tools: record,
  forms: z.record(z.string(), z.string()),
  read: z.record(z.string(), record),
  written: z.object({ settings: z.string(), users: z.string() }),
  shown: z.record(z.string(), record),
});

describe('a field with one row', () => {
  let directory: string;
  let found: z.output<typeof foundModel>;

  before(async function () {
    this.timeout(120_000);
    directory = mkdtempSync(join(tmpdir(), 'one-row-'));
    for (const name of ['shared', 'services', 'build', 'test/fixtures', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, name), join(directory, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
    for (const [name, before] of places) {
      const path = join(directory, 'shared/model/configuration', name);
      const text = readFileSync(path, 'utf8');
      expect(text.split(before), name).to.have.length(2);
      const imported = /import \{[^}]*\btext\b[^}]*\} from '\.+\/value-kinds\.ts';/.test(text);
      const extended = imported
        ? text
        : text.replace(
            /import \{ (.*) \} from '(\.+)\/value-kinds.ts';/,
            "import { $1, text } from '$2/value-kinds.ts';",
          );
      writeFileSync(path, extended.replace(before, `${line}${before}`));
    }
    const script = join(directory, 'test/fixtures/print-projections.tsx');
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script], {
      cwd: directory,
      maxBuffer: 2 ** 26,
    });
    found = foundModel.parse(JSON.parse(stdout));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it('is in the reference and in the JSON Schemas', () => {
    for (const key of ['test_only_note', 'oauth.test_only_note']) {
      expect(found.reference).to.include(`| \`${key}\` | string | \`""\` | ${description} |`);
    }
    expect(found.reference.split(description)).to.have.length(4);
    expect(JSON.stringify(found.schema.settings).split(description)).to.have.length(3);
    expect(JSON.stringify(found.schema.users).split(description)).to.have.length(2);
  });

  it('is an argument of the tools that change it, and a member of their results', () => {
    for (const [name, schema] of Object.entries(found.tools)) {
      expect(JSON.stringify(schema), name).to.include('"test_only_note":{"type":"string"');
    }
    expect(Object.keys(found.tools)).to.have.length(7);
  });

  it('has a control on its form', () => {
    for (const [name, html] of Object.entries(found.forms)) {
      expect(html, name)
        .to.include('name="test_only_note"')
        .and.to.include('Test only note')
        .and.to.include(description);
    }
  });

  it('is read from bodies, forms, tools and files', () => {
    for (const [name, value] of Object.entries(found.read)) expect(value.test_only_note, name).to.equal('kept');
  });

  it('is written to the files', () => {
    expect(found.written.settings.match(/test_only_note: kept/g)).to.have.length(2);
    expect(found.written.users.match(/test_only_note: kept/g)).to.have.length(1);
  });

  it('is shown by the API and the tools', () => {
    for (const [name, value] of Object.entries(found.shown)) expect(value.test_only_note, name).to.equal('kept');
  });
});

describe('the rows of settings.yaml', () => {
  it('declare which settings a sandbox may override (SBX-33)', () => {
    const taken = settingsFields.filter(({ notes }) => notes.sandbox === true).map(({ path }) => path);
    expect(taken.sort()).to.deep.equal(
      [
        ...['security_profile', 'authority_prefixes', 'session.enforce_password_check', 'faults'],
        ...['recorder.enabled'],
        ...['logout.confirmation', 'logout.delivery_timeout_ms', 'logout.delivery_retries', 'logout.verify_tls'],
        ...['logout.revoke_refresh_tokens'],
        ...[
          'login.mode',
          'login.totp',
          'login.auto_login',
          'login.auto_login_user',
          'login.two_step',
          'login.session',
          'login.consent',
        ],
        ...['login.session_lifetime_minutes', 'login.session_idle_minutes', 'login.acr', 'login.edit_claims'],
        ...['oauth.audience', 'oauth.token_expiry_minutes', 'oauth.refresh_token_expiry_minutes'],
        ...['oauth.token_expiry_seconds', 'oauth.id_token_expiry_seconds', 'oauth.refresh_token_expiry_seconds'],
        'oauth.authorization_code_expiry_seconds',
        ...['oauth.refresh_token_rotation', 'oauth.require_pkce', 'oauth.scopes_supported', 'oauth.scope_enforcement'],
        ...['oauth.unknown_scopes'],
        ...['oauth.dynamic_registration.enabled', 'oauth.dynamic_registration.max_clients'],
        ...['oauth.client_id_metadata_documents.enabled'],
        ...['claim_mappings', 'oauth.id_token_claims', 'oauth.id_token_token_use', 'oauth.userinfo_by_scope'],
        ...[
          'oauth.response_modes',
          'oauth.audience_parameter',
          'oauth.authorize_by_post',
          'oauth.access_token_typ',
          'oauth.backchannel_base_url',
          'oauth.dpop',
          'oauth.pushed_authorization_requests',
        ],
        ...['device_flow.code_expiry_seconds', 'device_flow.polling_interval'],
        ...[
          'saml.entity_id',
          'saml.sso_url',
          'saml.slo_url',
          'saml.default_acs_url',
          'saml.sign_responses',
          'saml.strict_binding',
        ],
        ...['saml.want_authn_requests_signed', 'saml.sp_certificates', 'saml.c14n_algorithm'],
        // SRE.
        ...['saml.sign', 'saml.signature_algorithm', 'saml.digest_algorithm'],
        ...['saml.assertion_lifetime_seconds', 'saml.not_before_seconds', 'saml.session_not_on_or_after'],
        ...['saml.export_roles', 'saml.export_groups', 'saml.roles_attr_name', 'saml.groups_attr_name'],
        ...[
          'saml.service_providers',
          'saml.unregistered',
          'saml.single_logout',
          'saml.metadata_valid_hours',
          'saml.metadata_cache_minutes',
          'saml.metadata_next_key',
        ],
        ...['saml.encryption_key', 'saml.idp_initiated'],
      ].sort(),
    );
  });

  it('offer no secret and no file-only key to a tool', () => {
    const secrets = settingsFields.filter(({ notes }) => notes.secret === true);
    expect(secrets.map(({ path }) => path).sort()).to.deep.equal(
      [
        ...['hooks.on_audit_event', 'hooks.on_before_load', 'hooks.on_config_saved'],
        ...['jwt.external_keys.private_key', 'jwt.external_keys.public_key'],
        ...['management_secret', 'runtime.url', 'session.secret_key'],
      ].sort(),
    );
    expect(secrets.filter(({ notes }) => notes.fileOnly !== true)).to.deep.equal([]);
  });
});
