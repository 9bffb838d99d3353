// The forms of users and clients, in every outcome.
import type { Page } from 'playwright-core';
import { type FormRow, steps } from './form-row.ts';
import type { Gallery } from './gallery.ts';
import { authorize, meanwhile, press } from './steps.ts';

export const identityForms: readonly FormRow[] = [
  // users
  {
    form: 'POST /users/create',
    outcome: 'success',
    reach: steps('password', '/users/create', async (page) => {
      await page.getByLabel('Username').fill('grace');
      await page.getByLabel('Password').fill('hopper');
      await press(page, 'Create user');
    }),
    told: /The user grace was created/,
  },
  {
    form: 'POST /users/create',
    outcome: 'refusal',
    reach: 'user-refused',
    told: /3 fields need different values/,
    at: ['email', 'description', 'attr-value-1'],
    kept: { username: 'grace', email: 'no address', 'attr-key-1': 'ranks', 'attr-value-1': '[commander' },
  },
  {
    form: 'POST /users/create',
    outcome: 'conflict',
    reach: 'user-name-taken',
    told: /Nothing was written/,
    at: ['username'],
    kept: { username: 'alice' },
  },
  {
    form: 'POST /users/create',
    outcome: 'success',
    reach: 'user-row-added',
    told: /New user/,
    kept: { username: 'grace', 'attr-value-1': 'Wright' },
  },
  { form: 'POST /users/:username/edit', outcome: 'success', reach: 'user-saved', told: /The user bob was saved/ },
  {
    form: 'POST /users/:username/edit',
    outcome: 'refusal',
    reach: steps('password', '/users/bob/edit', async (page) => {
      await page.getByLabel('E-mail').fill('no address');
      await page.getByLabel('Groups').fill('a, b');
      await press(page, 'Save user');
    }),
    told: /One field needs a different value/,
    at: ['email'],
    kept: { email: 'no address', groups: 'a, b' },
  },
  {
    form: 'POST /users/:username/edit',
    outcome: 'conflict',
    reach: 'user-conflict',
    told: /users\.yaml changed in the meantime/,
    kept: { description: 'A better customer' },
  },
  {
    form: 'POST /users/:username/delete',
    outcome: 'success',
    reach: steps('password', '/users/erin/delete', (page) => press(page, 'Delete user')),
    told: /The user erin was deleted/,
  },
  {
    form: 'POST /users/:username/delete',
    outcome: 'conflict',
    reach: 'user-delete-conflict',
    told: /users\.yaml changed in the meantime/,
  },
  { form: 'GET /users', outcome: 'success', reach: 'users-10000-found', told: /1–50 of 1,000/ },
  {
    form: 'GET /users',
    outcome: 'refusal',
    reach: 'users-nothing-found',
    told: /No matching users/,
    kept: { q: 'xyzzy' },
  },
  // clients
  {
    form: 'POST /clients/create',
    outcome: 'success',
    reach: steps('password', '/clients/create', async (page) => {
      await page.getByLabel('Client ID').fill('shop');
      await press(page, 'Create client');
    }),
    told: /The client shop was created/,
  },
  {
    form: 'POST /clients/create',
    outcome: 'refusal',
    reach: 'client-refused',
    told: /One field needs a different value/,
    at: ['header_color'],
    kept: { client_id: 'shop', redirect_uris: '/callback', header_color: 'blue' },
  },
  {
    form: 'POST /clients/create',
    outcome: 'conflict',
    reach: 'client-name-taken',
    told: /Nothing was written/,
    at: ['client_id'],
    kept: { client_id: 'tv' },
  },
  {
    form: 'POST /clients/:client_id/edit',
    outcome: 'success',
    reach: steps('password', '/clients/tv/edit', async (page) => {
      await page.getByLabel('Description', { exact: true }).fill('A smaller television');
      await press(page, 'Save client');
    }),
    told: /The client tv was saved/,
  },
  {
    form: 'POST /clients/:client_id/edit',
    outcome: 'refusal',
    reach: 'client-edit-refused',
    told: /One field needs/,
    at: ['footer_color'],
    kept: { footer_color: 'blue', client_secret: '' },
  },
  {
    form: 'POST /clients/:client_id/edit',
    outcome: 'conflict',
    reach: 'client-conflict',
    told: /settings\.yaml changed in the meantime/,
    kept: { description: 'A larger television' },
  },
  {
    form: 'POST /clients/:client_id/regenerate-secret',
    outcome: 'success',
    reach: 'client-secret',
    told: /The secret is shown only on this page/,
  },
  {
    form: 'POST /clients/:client_id/regenerate-secret',
    outcome: 'conflict',
    reach: 'client-secret-conflict',
    told: /settings\.yaml changed in the meantime/,
  },
  {
    form: 'POST /clients/:client_id/regenerate-secret',
    outcome: 'refusal',
    reach: steps('password', '/clients/kiosk/regenerate-secret', async (page) => {
      await page
        .locator('form')
        .first()
        .evaluate((form) => form.setAttribute('action', '/clients/spa/regenerate-secret'));
      await press(page, 'Create a new secret');
    }),
    told: /is public and has no secret/,
  },
  {
    form: 'POST /clients/:client_id/delete',
    outcome: 'success',
    reach: steps('password', '/clients/spa/delete', (page) => press(page, 'Delete client')),
    told: /The client spa was deleted/,
  },
  {
    form: 'POST /clients/:client_id/delete',
    outcome: 'conflict',
    reach: 'client-delete-conflict',
    told: /settings\.yaml changed in the meantime/,
  },
  {
    form: 'GET /clients',
    outcome: 'refusal',
    reach: 'clients-nothing-found',
    told: /No matching clients/,
    kept: { q: 'xyzzy' },
  },
  {
    form: 'GET /clients',
    outcome: 'success',
    reach: steps('password', '/clients', async (page) => {
      await page.getByLabel('Search clients').fill('board');
      await press(page, 'Search');
    }),
    told: /Reports for the board/,
  },
  {
    form: 'POST /clients/forget',
    outcome: 'success',
    reach: {
      room: 'password',
      steps: async (page, gallery) => {
        await listDescribedClient(page, gallery);
        await page.getByRole('button', { name: /^Delete the cached document/ }).click();
      },
    },
    told: /metadata document of .* was deleted from the cache/,
  },
  {
    form: 'POST /clients/forget',
    outcome: 'conflict',
    reach: {
      room: 'password',
      steps: async (page, gallery) => {
        await listDescribedClient(page, gallery);
        await meanwhile(gallery.idp, '/clients/forget', { client_id: gallery.describedClient });
        await page.getByRole('button', { name: /^Delete the cached document/ }).click();
      },
    },
    told: /The cache has no metadata document/,
  },
];

/** Its document is fetched when it requests a login. */
async function listDescribedClient(page: Page, { idp, describedClient }: Gallery): Promise<void> {
  await fetch(idp.baseUrl + authorize(describedClient), { redirect: 'manual' });
  await page.goto(`${idp.baseUrl}/clients`);
}
