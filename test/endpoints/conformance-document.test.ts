// Runs the settings of docs/conformance.md as written, and checks that its report has no plan that failed or warned.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pemKeys, startIdp } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

const text = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
const standardClaims = [
  ...[
    'address',
    'birthdate',
    'email',
    'email_verified',
    'family_name',
    'gender',
    'given_name',
    'locale',
    'middle_name',
  ],
  ...['name', 'nickname', 'phone_number', 'phone_number_verified', 'picture', 'preferred_username', 'profile', 'sub'],
  ...['updated_at', 'website', 'zoneinfo'],
];

/** Returns the block of the file after its name. */
function block(file: string): string {
  const [, found] = new RegExp(`^\`${file}\`[^\n]*\n\n\`\`\`yaml\n(.*?)^\`\`\`$`, 'ms').exec(text) ?? [];
  if (found === undefined) throw new Error(`${file} is not in the document`);
  return found;
}

describe('docs/conformance.md', function () {
  this.timeout(60_000);

  verifies('SSO-56', 'names settings that are accepted as written and announce what the plans need', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'test-idp-conformance-'));
    try {
      for (const file of ['settings.yaml', 'users.yaml']) writeFileSync(join(directory, file), block(file));
      await using idp = await startIdp({ configDir: directory, strict: true, keys: await pemKeys() });
      const found = await (await fetch(idp.discoveryUrl)).json();
      expect(found).to.include({
        request_parameter_supported: true,
        request_uri_parameter_supported: true,
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
        frontchannel_logout_supported: true,
        frontchannel_logout_session_supported: true,
        registration_endpoint: `${idp.url}/register`,
        end_session_endpoint: `${idp.url}/logout`,
      });
      expect(found.response_types_supported).to.include.members(['code', 'id_token', 'id_token token']);
      expect(found.response_modes_supported).to.include('form_post');
      expect(found.acr_values_supported).to.not.be.empty;
      expect(found.token_endpoint_auth_methods_supported).to.include.members([
        ...['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      ]);
      expect(Object.keys(idp.clients)).to.deep.equal(['one', 'two', 'post', 'back', 'front']);

      const scope = 'openid profile email address phone';
      const { access_token, id_token = '' } = await idp.token({ user: 'alice', client: 'one', scope });
      const authorization = { headers: { Authorization: `Bearer ${access_token}` } };
      const claims = await (await idp.fetch('/userinfo', authorization)).json();
      expect(claims).to.include.all.keys(standardClaims);
      const payload = JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString());
      expect(payload.sub).to.equal('alice');
      expect(payload).to.not.have.property('token_use');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  verifies(
    'SSO-56',
    'reports every plan of the clause with the result of each module, and none failed or warned',
    () => {
      const [, section = ''] = /^## Results\n(.*?)^## /ms.exec(text) ?? [];
      const rows = [...section.matchAll(/^\| (?!Plan|-)(.+) \|$/gm)].map(([, cells = '']) => cells.split(' | '));
      for (const [plan, registration, ...numbers] of rows) {
        const [modules, passed, review, skipped, failed, warnings] = numbers.map(Number);
        expect([failed, warnings], `${plan} ${registration}`).to.deep.equal([0, 0]);
        expect(modules, `${plan} ${registration}`).to.equal(Number(passed) + Number(review) + Number(skipped));
      }
      expect(rows.map(([plan, registration]) => `${plan}: ${registration}`)).to.deep.equal([
        ...['Basic: static', 'Basic: dynamic', 'Form Post Basic: static', 'Form Post Basic: dynamic', 'Config: -'],
        ...['Dynamic: dynamic', 'Third-Party-Initiated Login: dynamic'],
        ...['RP-Initiated Logout: static', 'RP-Initiated Logout: dynamic'],
        ...['Back-Channel Logout: static', 'Back-Channel Logout: dynamic'],
        ...['Front-Channel Logout: static', 'Front-Channel Logout: dynamic'],
      ]);
    },
  );
});
