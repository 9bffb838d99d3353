// The forms of the web UI, in every outcome.
import type { Page } from 'playwright-core';
import { type FormRow, steps } from './form-row.ts';
import type { Gallery } from './gallery.ts';
import { authorize, meanwhile, press } from './steps.ts';

export const managementForms: readonly FormRow[] = [
  // users
  {
    form: 'user create',
    outcome: 'success',
    reach: steps('password', '/users/create', async (page) => {
      await page.getByLabel('Username').fill('grace');
      await page.getByLabel('Password').fill('hopper');
      await press(page, 'Create user');
    }),
    told: /The user grace was created/,
  },
  {
    form: 'user create',
    outcome: 'refusal',
    reach: 'user-refused',
    told: /3 fields need another value/,
    at: ['email', 'description', 'attr-value-1'],
    kept: { username: 'grace', email: 'no address', 'attr-key-1': 'ranks', 'attr-value-1': '[commander' },
  },
  {
    form: 'user create',
    outcome: 'conflict',
    reach: 'user-name-taken',
    told: /Nothing was written/,
    at: ['username'],
    kept: { username: 'alice' },
  },
  {
    form: 'user rows',
    outcome: 'success',
    reach: 'user-row-added',
    told: /New user/,
    kept: { username: 'grace', 'attr-value-1': 'Wright' },
  },
  { form: 'user edit', outcome: 'success', reach: 'user-saved', told: /The user bob was saved/ },
  {
    form: 'user edit',
    outcome: 'refusal',
    reach: steps('password', '/users/bob/edit', async (page) => {
      await page.getByLabel('E-mail').fill('no address');
      await page.getByLabel('Groups').fill('a, b');
      await press(page, 'Save user');
    }),
    told: /One field needs another value/,
    at: ['email'],
    kept: { email: 'no address', groups: 'a, b' },
  },
  {
    form: 'user edit',
    outcome: 'conflict',
    reach: 'user-conflict',
    told: /users\.yaml has changed meanwhile/,
    kept: { description: 'A better customer' },
  },
  {
    form: 'user delete',
    outcome: 'success',
    reach: steps('password', '/users/erin/delete', (page) => press(page, 'Delete user')),
    told: /The user erin was deleted/,
  },
  {
    form: 'user delete',
    outcome: 'conflict',
    reach: 'user-delete-conflict',
    told: /users\.yaml has changed meanwhile/,
  },
  { form: 'user search', outcome: 'success', reach: 'users-10000-found', told: /1–50 of 1,000/ },
  {
    form: 'user search',
    outcome: 'refusal',
    reach: 'users-nothing-found',
    told: /No user matches/,
    kept: { q: 'xyzzy' },
  },
  // clients
  {
    form: 'client create',
    outcome: 'success',
    reach: steps('password', '/clients/create', async (page) => {
      await page.getByLabel('Client ID').fill('shop');
      await press(page, 'Create client');
    }),
    told: /The client shop was created/,
  },
  {
    form: 'client create',
    outcome: 'refusal',
    reach: 'client-refused',
    told: /One field needs another value/,
    at: ['header_color'],
    kept: { client_id: 'shop', redirect_uris: '/callback', header_color: 'blue' },
  },
  {
    form: 'client create',
    outcome: 'conflict',
    reach: 'client-name-taken',
    told: /Nothing was written/,
    at: ['client_id'],
    kept: { client_id: 'tv' },
  },
  {
    form: 'client edit',
    outcome: 'success',
    reach: steps('password', '/clients/tv/edit', async (page) => {
      await page.getByLabel('Description', { exact: true }).fill('A smaller television');
      await press(page, 'Save client');
    }),
    told: /The client tv was saved/,
  },
  {
    form: 'client edit',
    outcome: 'refusal',
    reach: 'client-edit-refused',
    told: /One field needs/,
    at: ['footer_color'],
    kept: { footer_color: 'blue', client_secret: '' },
  },
  {
    form: 'client edit',
    outcome: 'conflict',
    reach: 'client-conflict',
    told: /settings\.yaml has changed meanwhile/,
    kept: { description: 'A larger television' },
  },
  {
    form: 'client secret',
    outcome: 'success',
    reach: 'client-secret',
    told: /only place where the secret is ever shown/,
  },
  {
    form: 'client secret',
    outcome: 'conflict',
    reach: 'client-secret-conflict',
    told: /settings\.yaml has changed meanwhile/,
  },
  {
    form: 'client secret',
    outcome: 'refusal',
    reach: steps('password', '/clients/spa/regenerate-secret', async () => {}),
    told: /is public and has no secret/,
  },
  {
    form: 'client delete',
    outcome: 'success',
    reach: steps('password', '/clients/spa/delete', (page) => press(page, 'Delete client')),
    told: /The client spa was deleted/,
  },
  {
    form: 'client delete',
    outcome: 'conflict',
    reach: 'client-delete-conflict',
    told: /settings\.yaml has changed meanwhile/,
  },
  {
    form: 'client search',
    outcome: 'refusal',
    reach: 'clients-nothing-found',
    told: /No client matches/,
    kept: { q: 'xyzzy' },
  },
  {
    form: 'client search',
    outcome: 'success',
    reach: steps('password', '/clients', async (page) => {
      await page.getByLabel('Search clients').fill('board');
      await press(page, 'Search');
    }),
    told: /Reports for the board/,
  },
  {
    form: 'client forget',
    outcome: 'success',
    reach: {
      room: 'password',
      steps: async (page, gallery) => {
        await listDescribedClient(page, gallery);
        await page.getByRole('button', { name: /^Forget/ }).click();
      },
    },
    told: /metadata document of .* was dropped/,
  },
  {
    form: 'client forget',
    outcome: 'conflict',
    reach: {
      room: 'password',
      steps: async (page, gallery) => {
        await listDescribedClient(page, gallery);
        await meanwhile(gallery.idp, '/clients/forget', { client_id: gallery.describedClient });
        await page.getByRole('button', { name: /^Forget/ }).click();
      },
    },
    told: /nothing to forget/,
  },
  // settings, claims, keys
  { form: 'settings', outcome: 'success', reach: 'settings-saved', told: /The settings were saved/ },
  {
    form: 'settings',
    outcome: 'refusal',
    reach: 'settings-refused',
    told: /2 fields need another value/,
    at: ['issuer', 'token_expiry_minutes'],
    kept: { issuer: 'no address', token_expiry_minutes: '0' },
  },
  {
    form: 'settings',
    outcome: 'conflict',
    reach: 'settings-conflict',
    told: /settings\.yaml has changed meanwhile/,
    kept: { audience: 'my-api' },
  },
  {
    form: 'claims',
    outcome: 'success',
    reach: steps('password', '/claims', async (page) => {
      await page.getByLabel('Roles').fill('R_');
      await press(page, 'Save prefixes');
    }),
    told: /The authority prefixes were saved/,
    kept: { prefix_roles: 'R_' },
  },
  {
    form: 'claims',
    outcome: 'conflict',
    reach: 'claims-conflict',
    told: /settings\.yaml has changed meanwhile/,
    kept: { prefix_roles: 'R_', 'prefix-key-0': 'department', 'prefix-value-0': 'DEP_' },
  },
  {
    form: 'claims preview',
    outcome: 'success',
    reach: 'claims-preview',
    told: /IDENTITY_INTERNAL/,
    kept: { username: 'alice' },
  },
  {
    form: 'claims preview',
    outcome: 'refusal',
    reach: 'claims-nobody',
    told: /no user of that name/,
    at: ['username'],
    kept: { username: 'nobody' },
  },
  { form: 'keys', outcome: 'success', reach: 'keys-rotated', told: /The signing key was rotated/ },
  // audit and tester
  {
    form: 'audit filter',
    outcome: 'success',
    reach: 'audit-filtered',
    told: /Token request/,
    kept: { client_id: 'web-shop', limit: '3' },
  },
  {
    form: 'audit filter',
    outcome: 'refusal',
    reach: 'audit-nothing-found',
    told: /No event matches/,
    kept: { search: 'xyzzy' },
  },
  { form: 'tester', outcome: 'success', reach: 'tester-token', told: /signature valid/, kept: { username: 'alice' } },
  {
    form: 'tester',
    outcome: 'refusal',
    reach: 'tester-refused',
    told: /whole number of minutes/,
    at: ['exp_minutes'],
    kept: { username: 'alice', exp_minutes: '9999' },
  },
  { form: 'decode', outcome: 'success', reach: 'tester-expired', told: /signature valid, token expired/ },
  { form: 'decode', outcome: 'success', reach: 'tester-foreign', told: /signature not by a key of this server/ },
  {
    form: 'decode',
    outcome: 'refusal',
    reach: 'tester-no-token',
    told: /This is no JWT/,
    at: ['token'],
    kept: { token: 'not a token at all' },
  },
  {
    form: 'audit clear',
    outcome: 'success',
    reach: steps('password', '/audit/clear', (page) => press(page, 'Clear the log')),
    told: /The audit log was cleared/,
  },
];

/** Its document is fetched when it asks for a login. */
async function listDescribedClient(page: Page, { idp, describedClient }: Gallery): Promise<void> {
  await fetch(idp.baseUrl + authorize(describedClient), { redirect: 'manual' });
  await page.goto(`${idp.baseUrl}/clients`);
}
