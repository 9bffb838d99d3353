// The forms of the web UI, in every outcome.
import { type FormRow, steps } from './form-row.ts';
import { identityForms } from './identity-forms.ts';
import { answerForTheClient, authorize, logIn, meetEditedFile, press } from './steps.ts';

export const managementForms: readonly FormRow[] = [
  ...identityForms,
  // settings, claims, keys
  { form: 'POST /settings', outcome: 'success', reach: 'settings-saved', told: /The settings were saved/ },
  {
    form: 'POST /settings',
    outcome: 'refusal',
    reach: 'settings-refused',
    told: /2 fields need different values/,
    at: ['issuer', 'token_expiry_minutes'],
    kept: { issuer: 'no address', token_expiry_minutes: '0' },
  },
  {
    form: 'POST /settings',
    outcome: 'conflict',
    reach: 'settings-conflict',
    told: /settings\.yaml changed in the meantime/,
    kept: { audience: 'my-api' },
  },
  {
    form: 'POST /claims',
    outcome: 'success',
    reach: steps('password', '/claims', async (page) => {
      await page.getByLabel('Roles').fill('R_');
      await press(page, 'Save prefixes');
    }),
    told: /The authority prefixes were saved/,
    kept: { prefix_roles: 'R_' },
  },
  {
    form: 'POST /claims',
    outcome: 'conflict',
    reach: 'claims-conflict',
    told: /settings\.yaml changed in the meantime/,
    kept: { prefix_roles: 'R_', 'prefix-key-0': 'department', 'prefix-value-0': 'DEP_' },
  },
  {
    form: 'GET /claims',
    outcome: 'success',
    reach: 'claims-preview',
    told: /IDENTITY_INTERNAL/,
    kept: { username: 'alice' },
  },
  {
    form: 'GET /claims',
    outcome: 'refusal',
    reach: 'claims-nobody',
    told: /This user does not exist/,
    at: ['username'],
    kept: { username: 'nobody' },
  },
  { form: 'POST /keys/regenerate', outcome: 'success', reach: 'keys-rotated', told: /The signing key was rotated/ },
  // files
  {
    form: 'POST /settings/reload',
    outcome: 'success',
    reach: 'files-reloaded',
    told: /reloaded and are active: 9 users, 7 clients/,
  },
  {
    form: 'POST /settings/reload',
    outcome: 'refusal',
    reach: 'files-refused',
    told: /users\.yaml:\d+:\d+ users\.grace\.email must be empty or contain @/,
  },
  {
    form: 'POST /settings/reload',
    outcome: 'conflict',
    reach: {
      room: 'edited',
      steps: async (page, { idp }) => {
        await meetEditedFile(page, idp);
        await press(page, 'Reload files');
      },
    },
    told: /reloaded and are active/,
    kept: { description: 'A customer without rights' },
  },
  // audit and tester
  {
    form: 'GET /audit',
    outcome: 'success',
    reach: 'audit-filtered',
    told: /Token request/,
    kept: { client_id: 'web-shop', limit: '3' },
  },
  {
    form: 'GET /audit',
    outcome: 'refusal',
    reach: 'audit-nothing-found',
    told: /No matching events/,
    kept: { search: 'xyzzy' },
  },
  {
    form: 'POST /test',
    outcome: 'success',
    reach: 'tester-token',
    told: /signature valid/,
    kept: { username: 'alice' },
  },
  {
    form: 'POST /test',
    outcome: 'refusal',
    reach: 'tester-refused',
    told: /whole number of minutes/,
    at: ['exp_minutes'],
    kept: { username: 'alice', exp_minutes: '9999' },
  },
  { form: 'POST /test/decode', outcome: 'success', reach: 'tester-expired', told: /signature valid, token expired/ },
  {
    form: 'POST /test/decode',
    outcome: 'success',
    reach: 'tester-foreign',
    told: /signature from an unknown key/,
  },
  {
    form: 'POST /test/decode',
    outcome: 'refusal',
    reach: 'tester-no-token',
    told: /This is not a readable JWT/,
    at: ['token'],
    kept: { token: 'not a token at all' },
  },
  {
    form: 'POST /clock',
    outcome: 'success',
    reach: steps('password', '/clock', async (page) => {
      await page.getByLabel('Amount').fill('0');
      await press(page, 'Advance');
    }),
    told: /shows real time again/,
  },
  {
    form: 'POST /clock',
    outcome: 'refusal',
    reach: steps('password', '/clock', async (page) => {
      await page.getByLabel('Time').fill('tomorrow');
      await press(page, 'Set the clock');
    }),
    told: /must be an RFC 3339 date-time/,
    kept: { at: 'tomorrow' },
  },
  {
    form: 'POST /runtime/promote',
    outcome: 'success',
    reach: steps('password', '/runtime', async (page) => {
      await page
        .getByRole('button', { name: /^Save to file/ })
        .first()
        .click();
    }),
    told: /was saved to its file/,
  },
  {
    form: 'POST /runtime/delete',
    outcome: 'success',
    reach: steps('password', '/runtime', async (page) => {
      await page
        .getByRole('button', { name: /^Delete / })
        .last()
        .click();
    }),
    told: /The runtime object .* was deleted/,
  },
  {
    form: 'POST /runtime/reset',
    outcome: 'success',
    reach: steps('password', '/runtime/reset', async (page) => {
      await page.locator('main form button').first().click();
    }),
    told: /All runtime objects were deleted/,
  },
  {
    form: 'POST /sandboxes',
    outcome: 'success',
    reach: steps('password', '/sandboxes', (page) => press(page, 'Create sandbox')),
    told: /The sandbox [a-z0-9]{12} was created/,
  },
  {
    form: 'POST /sandboxes',
    outcome: 'refusal',
    reach: steps('password', '/sandboxes', async (page) => {
      await page.getByLabel('Name').fill('Box');
      await page.getByLabel('Its own settings').fill('{"runtime": {}}');
      await press(page, 'Create sandbox');
    }),
    told: /name must be 1 to 63 characters/,
    kept: { name: 'Box', settings: '{"runtime": {}}' },
  },
  {
    form: 'POST /sandboxes/reset',
    outcome: 'success',
    reach: steps('password', '/sandboxes', async (page) => {
      await press(page, 'Create sandbox');
      await page
        .getByRole('button', { name: /^Reset / })
        .last()
        .click();
    }),
    told: /The sandbox \S+ was reset/,
  },
  {
    form: 'POST /sandboxes/delete',
    outcome: 'success',
    reach: steps('password', '/sandboxes', async (page) => {
      await press(page, 'Create sandbox');
      await page
        .getByRole('button', { name: /^Delete / })
        .last()
        .click();
    }),
    told: /was deleted with everything in it/,
  },
  {
    form: 'POST /faults',
    outcome: 'success',
    reach: steps('password', '/faults?fault=hang', async (page) => {
      await page.getByLabel('Client', { exact: true }).fill('nobody-asks-as-this');
      await page.getByLabel('Expires after, seconds').fill('1');
      await press(page, 'Set fault');
    }),
    told: /The fault hang was set/,
  },
  {
    form: 'POST /faults',
    outcome: 'refusal',
    reach: steps('password', '/faults?fault=hang', async (page) => {
      await page.getByLabel('seconds', { exact: true }).fill('soon');
      await page.getByLabel('User', { exact: true }).fill('alice');
      await press(page, 'Set fault');
    }),
    told: /parameters.seconds/,
    kept: { 'parameter.seconds': 'soon', username: 'alice' },
  },
  {
    form: 'POST /sessions/end',
    outcome: 'success',
    reach: steps('session', '/sessions', async (page) => {
      const sessions = page.url();
      await page.goto(new URL(authorize('kiosk', { prompt: 'login' }), sessions).href);
      await logIn(page, 'bob', 'builder');
      await page.goto(sessions);
      await press(page, 'End all sessions');
    }),
    told: /sessions? ended/,
  },
  {
    form: 'POST /sessions/forget',
    outcome: 'success',
    reach: steps('session', '/sessions', async (page) => {
      const sessions = page.url();
      await page.goto(new URL(authorize('kiosk', { prompt: 'login consent' }), sessions).href);
      const isBack = await answerForTheClient(page, sessions);
      await logIn(page, 'alice', 'wonderland');
      await press(page, 'Allow');
      await isBack();
      await page.goto(sessions);
      await press(page, 'Delete the consent of alice to kiosk');
    }),
    told: /consents? deleted/,
  },
  {
    form: 'POST /faults/delete',
    outcome: 'success',
    reach: steps('password', '/faults?fault=hang', async (page) => {
      await page.getByLabel('Client', { exact: true }).fill('nobody-asks-as-this');
      await press(page, 'Set fault');
      await press(page, 'Delete all');
    }),
    told: /All faults that were set at run time were deleted/,
  },
  {
    form: 'GET /flows',
    outcome: 'success',
    reach: steps('password', '/flows', async (page) => {
      await page.getByLabel('Show', { exact: true }).fill('1');
      await press(page, 'Filter');
    }),
    told: /Showing the newest 1/,
    kept: { limit: '1' },
  },
  {
    form: 'GET /flows',
    outcome: 'refusal',
    reach: steps('password', '/flows', async (page) => {
      await page.getByLabel('Client', { exact: true }).fill('nobody');
      await press(page, 'Filter');
    }),
    told: /No matching flows/,
    kept: { client_id: 'nobody', limit: '100' },
  },
  {
    form: 'POST /flows/delete',
    outcome: 'success',
    reach: steps('password', '/flows', async (page) => {
      await press(page, 'Delete all flows');
    }),
    told: /All flows were deleted/,
  },
  {
    form: 'POST /audit/clear',
    outcome: 'success',
    reach: steps('password', '/audit/clear', (page) => press(page, 'Clear the log')),
    told: /The audit log was cleared/,
  },
];
