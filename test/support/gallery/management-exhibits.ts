// The web UI: every page and form, when first shown, with errors, with a conflict, empty and with ten thousand users.
import { forgeToken } from '../forge-token.ts';
import { basic } from '../http.ts';
import type { Exhibit } from './gallery.ts';
import {
  answerForTheClient,
  authorize,
  editUsersFile,
  logIn,
  meanwhile,
  meetEditedFile,
  open,
  press,
  visit,
} from './steps.ts';
import { callback, hostileName, longText } from './world.ts';

const path = (kind: 'users' | 'clients', name: string, action = '') =>
  `/${kind}/${encodeURIComponent(name)}${action === '' ? '' : `/${action}`}`;

const userExhibits: readonly Exhibit[] = [
  open('users', 'password', '/users'),
  open('users-nothing-found', 'password', '/users?q=xyzzy'),
  open('users-unknown', 'password', '/users/nobody'),
  open('users-runtime', 'password', '/users/frieda/edit'),
  open('user', 'password', '/users/alice'),
  open('user-plain', 'password', '/users/bob'),
  open('user-second-factor', 'password', path('users', 'alice', 'second-factor')),
  open('user-hostile', 'password', path('users', hostileName)),
  open('user-endless', 'password', path('users', longText)),
  open('user-new', 'password', '/users/create'),
  open('user-edit', 'password', '/users/alice/edit'),
  open('user-edit-hostile', 'password', path('users', hostileName, 'edit')),
  visit('user-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/users/create`);
    await page.getByLabel('Username').fill('grace');
    await page.getByLabel('Password').fill('hopper');
    await page.getByLabel('E-mail').fill('no address');
    await page.getByLabel('Description').fill('d'.repeat(201));
    await page.getByLabel('Name 1').fill('ranks');
    await page.getByLabel('Value 1').fill('[commander');
    await page.getByLabel('Kind 1').selectOption('json');
    await press(page, 'Create user');
  }),
  visit('user-row-added', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/users/create`);
    await page.getByLabel('Username').fill('grace');
    await page.getByLabel('Name 1').fill('ship');
    await page.getByLabel('Value 1').fill('Wright');
    await press(page, 'Add a row');
  }),
  visit('user-name-taken', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/users/create`);
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('x');
    await press(page, 'Create user');
  }),
  visit('user-conflict', 'password', async (page, idp) => {
    await page.goto(`${idp.baseUrl}/users/bob/edit`);
    await page.getByLabel('Description').fill('A better customer');
    await meanwhile(idp, '/users/alice/edit', { tenant: `tenant-${Date.now()}` });
    await press(page, 'Save user');
  }),
  visit('user-saved', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/users/bob/edit`);
    await page.getByLabel('Description').fill('A customer without rights');
    await press(page, 'Save user');
  }),
  open('user-delete', 'password', '/users/alice/delete'),
  open('user-delete-endless', 'password', path('users', longText, 'delete')),
  visit('user-delete-conflict', 'password', async (page, idp) => {
    await page.goto(`${idp.baseUrl}/users/bob/delete`);
    await meanwhile(idp, '/users/alice/edit', { tenant: `tenant-${Date.now()}` });
    await press(page, 'Delete user');
  }),
  open('users-10000', 'large', '/users?page=3'),
  open('users-10000-found', 'large', '/users?q=jansen'),
  open('tester-10000', 'large', '/test'),
  open('login-10000', 'large', '/login'),
  open('users-empty', 'empty', '/users'),
];

const clientExhibits: readonly Exhibit[] = [
  visit('clients', 'password', (page, { baseUrl }) => page.goto(`${baseUrl}/clients`)),
  open('clients-nothing-found', 'password', '/clients?q=xyzzy'),
  open('client-new', 'password', '/clients/create'),
  open('client-edit', 'password', '/clients/web-shop/edit'),
  open('client-edit-hostile', 'password', path('clients', hostileName, 'edit')),
  visit('client-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/clients/create`);
    await page.getByLabel('Client ID').fill('shop');
    await page.getByLabel('Redirect URIs', { exact: true }).fill('/callback');
    await page.getByLabel('Header').fill('blue');
    await press(page, 'Create client');
  }),
  visit('client-edit-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/clients/tv/edit`);
    await page.getByLabel('Client secret').fill('a new one');
    await page.getByLabel('Footer').fill('blue');
    await press(page, 'Save client');
  }),
  visit('client-name-taken', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/clients/create`);
    await page.getByLabel('Client ID').fill('tv');
    await press(page, 'Create client');
  }),
  visit('client-conflict', 'password', async (page, idp) => {
    await page.goto(`${idp.baseUrl}/clients/tv/edit`);
    await page.getByLabel('Description', { exact: true }).fill('A larger television');
    await meanwhile(idp, '/settings', { audience: `api-${Date.now()}` });
    await press(page, 'Save client');
  }),
  open('client-delete', 'password', '/clients/web-shop/delete'),
  visit('client-delete-conflict', 'password', async (page, idp) => {
    await page.goto(`${idp.baseUrl}/clients/kiosk/delete`);
    await meanwhile(idp, '/settings', { audience: `api-${Date.now()}` });
    await press(page, 'Delete client');
  }),
  open('client-secret-question', 'password', '/clients/kiosk/regenerate-secret'),
  visit('client-secret', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/clients/kiosk/regenerate-secret`);
    await press(page, 'Create a new secret');
  }),
  visit('client-secret-conflict', 'password', async (page, idp) => {
    await page.goto(`${idp.baseUrl}/clients/kiosk/regenerate-secret`);
    await meanwhile(idp, '/settings', { audience: `api-${Date.now()}` });
    await press(page, 'Create a new secret');
  }),
  open('clients-empty', 'empty', '/clients'),
];

const settingsExhibits: readonly Exhibit[] = [
  open('settings', 'password', '/settings'),
  visit('settings-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/settings`);
    await page
      .locator('form')
      .first()
      .evaluate((form) => form.setAttribute('novalidate', ''));
    await page.getByLabel('Issuer', { exact: true }).fill('no address');
    await page.getByLabel('Access token, minutes').fill('0');
    await press(page, 'Save settings');
  }),
  visit('settings-conflict', 'password', async (page, idp) => {
    await page.goto(`${idp.baseUrl}/settings`);
    await page.getByLabel('Audience', { exact: true }).fill('my-api');
    await meanwhile(idp, '/settings', { audience: `other-${Date.now()}` });
    await press(page, 'Save settings');
  }),
  visit('settings-saved', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/settings`);
    await page.getByLabel('Audience', { exact: true }).fill(`api-${Date.now()}`);
    await press(page, 'Save settings');
  }),
  open('claims', 'password', '/claims'),
  open('claims-preview', 'password', '/claims?username=alice'),
  open('claims-preview-hostile', 'password', `/claims?username=${encodeURIComponent(hostileName)}`),
  open('claims-nobody', 'password', '/claims?username=nobody'),
  visit('claims-conflict', 'password', async (page, idp) => {
    await page.goto(`${idp.baseUrl}/claims`);
    await page.getByLabel('Roles').fill('R_');
    await page.getByLabel('Attribute 1').fill('department');
    await page.getByLabel('Prefix 1').fill('DEP_');
    await meanwhile(idp, '/settings', { audience: `api-${Date.now()}` });
    await press(page, 'Save prefixes');
  }),
  open('keys', 'password', '/keys'),
  visit('keys-rotated', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/keys`);
    await press(page, 'Rotate signing key');
  }),
];

/** In a settings group of their own, because they leave inactive changes on disk. */
const filesExhibits: readonly Exhibit[] = [
  visit('files-changed', 'edited', async (page, idp) => {
    editUsersFile(idp, '{ password: navy }');
    await page.goto(`${idp.baseUrl}/users`);
  }),
  visit('files-changed-settings', 'edited', async (page, idp) => {
    editUsersFile(idp, '{ password: navy }');
    await page.goto(`${idp.baseUrl}/settings`);
  }),
  visit('files-conflict', 'edited', meetEditedFile),
  visit('files-reloaded', 'edited', async (page, idp) => {
    editUsersFile(idp, `{ password: navy-${Date.now()} }`);
    await page.goto(`${idp.baseUrl}/users`);
    await press(page, 'Reload files');
  }),
  visit('files-refused', 'edited', async (page, idp) => {
    editUsersFile(idp, '{ password: navy, email: no address, roles: COMMANDER }');
    await page.goto(`${idp.baseUrl}/users`);
    await press(page, 'Reload files');
  }),
];

const otherExhibits: readonly Exhibit[] = [
  open('dashboard', 'password', '/'),
  open('dashboard-empty', 'empty', '/'),
  open('audit', 'password', '/audit'),
  visit('audit-open', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/audit?search=failed&limit=18`);
    for (const event of await page.locator('.event-bad > summary').all()) await event.click();
  }),
  open('audit-filtered', 'password', '/audit?event_type=token_request&client_id=web-shop&limit=3'),
  open('audit-nothing-found', 'password', '/audit?search=xyzzy'),
  open('audit-empty', 'empty', '/audit'),
  open('audit-clear', 'password', '/audit/clear'),
  open('runtime', 'password', '/runtime'),
  open('runtime-reset', 'password', '/runtime/reset'),
  open('clock', 'password', '/clock'),
  open('sandboxes-empty', 'password', '/sandboxes'),
  visit('sandboxes', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/sandboxes`);
    await page.getByLabel('Signing key').selectOption('own');
    await press(page, 'Create sandbox');
  }),
  open('sessions-off', 'password', '/sessions'),
  visit('sessions', 'session', async (page, { baseUrl }) => {
    const isBack = await answerForTheClient(page, baseUrl);
    await page.goto(baseUrl + authorize('kiosk', { prompt: 'login', scope: 'openid email' }));
    await logIn(page, 'alice', 'wonderland');
    await press(page, 'Allow');
    await isBack();
    await page.goto(`${baseUrl}/sessions`);
  }),
  open('faults', 'password', '/faults'),
  open('faults-chosen', 'password', '/faults?fault=token_expired'),
  visit('faults-set', 'password', async (page, idp) => {
    const faults = [
      { fault: 'token_expired', when: { client_id: 'web', username: 'alice' }, ttl_seconds: 60 },
      { fault: 'saml_xsw3', when: { sp: 'https://sp.example/metadata' }, times: 'always', ttl_seconds: 60 },
    ];
    for (const fault of faults) await idp.api('POST', '/api/faults', fault);
    await page.goto(`${idp.baseUrl}/faults`);
    await page.locator('summary', { hasText: 'Token response' }).click();
  }),
  open('flows', 'password', '/flows'),
  open('flows-none-fits', 'password', '/flows?client_id=nobody&outcome=refused'),
  visit('flow', 'password', async (page, { baseUrl }) => {
    const { flows } = await (await fetch(`${baseUrl}/api/flows?limit=1`)).json();
    await page.goto(`${baseUrl}/flows/${flows[0].id}`);
  }),
  visit('flow-completed', 'password', async (page, { baseUrl }) => {
    const back = await answerForTheClient(page, baseUrl);
    await page.goto(baseUrl + authorize('web-shop', { scope: 'openid profile', state: 'xyz', nonce: 'abc' }));
    await logIn(page, 'alice', 'wonderland');
    await back();
    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const redeemed = await fetch(`${baseUrl}/token`, {
      method: 'POST',
      headers: { Authorization: basic('web-shop', 'web-secret') },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback }),
    });
    const { access_token } = await redeemed.json();
    await fetch(`${baseUrl}/.well-known/jwks.json`);
    await fetch(`${baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${access_token}` } });
    await page.goto(`${baseUrl}/flows`);
    await page
      .getByRole('link', { name: /^code / })
      .first()
      .click();
    await page.getByText('Request and response').nth(2).click();
  }),
  visit('verdicts', 'password', async (page, { baseUrl }) => {
    await makeMistakes(baseUrl);
    await page.goto(`${baseUrl}/verdict`);
  }),
  visit('verdict', 'password', async (page, { baseUrl }) => {
    await makeMistakes(baseUrl);
    await page.goto(`${baseUrl}/verdict?client_id=web-shop`);
  }),
  open('tester', 'password', '/test?username=alice'),
  visit('tester-token', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/test?username=alice`);
    await page.getByLabel('Client', { exact: true }).selectOption('web-shop');
    await press(page, 'Get token');
  }),
  visit('tester-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/test?username=alice`);
    await page
      .locator('form')
      .first()
      .evaluate((form) => form.setAttribute('novalidate', ''));
    await page.getByLabel('Lifetime, minutes').fill('9999');
    await press(page, 'Get token');
  }),
  visit('tester-no-token', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/test`);
    await page.getByLabel('Token', { exact: true }).fill('not a token at all');
    await press(page, 'Decode');
  }),
  visit('tester-expired', 'password', async (page, idp) => {
    const claims = { sub: hostileName, iat: 1_700_000_000, exp: 1_700_003_600, note: longText };
    await page.goto(`${idp.baseUrl}/test`);
    await page.getByLabel('Token', { exact: true }).fill(forgeToken(idp, claims));
    await press(page, 'Decode');
  }),
  visit('tester-foreign', 'password', async (page, idp) => {
    const token = forgeToken(idp, { sub: 'mallory', iss: 'https://elsewhere.example', exp: 4_000_000_000 });
    await page.goto(`${idp.baseUrl}/test`);
    await page.getByLabel('Token', { exact: true }).fill(`${token.slice(0, -20)}AAAAAAAAAAAAAAAAAAAA`);
    await press(page, 'Decode');
  }),
  open('tester-empty', 'empty', '/test'),
  visit('logged-in', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await logIn(page, 'alice', 'wonderland');
  }),
  open('unlock', 'gated', '/management/unlock'),
  visit('unlock-refused', 'gated', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/management/unlock`);
    await page.getByLabel('Management secret').fill('guess');
    await press(page, 'Unlock');
  }),
  visit('unlocked', 'gated', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/management/unlock`);
    await page.getByLabel('Management secret').fill('open sesame');
    await press(page, 'Unlock');
  }),
  open('dashboard-locked', 'gated', '/'),
  visit('locked', 'gated', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/users/bob/delete`);
    await press(page, 'Delete user');
  }),
];

export const managementExhibits: readonly Exhibit[] = [
  ...otherExhibits,
  ...userExhibits,
  ...clientExhibits,
  ...settingsExhibits,
  ...filesExhibits,
];

/** Sends the requests of a client that makes mistakes. */
async function makeMistakes(baseUrl: string): Promise<void> {
  await fetch(baseUrl + authorize('web-shop', { state: 'login' }));
  const headers = { Authorization: basic('web-shop', 'web-secret') };
  for (let times = 0; times < 2; times += 1) {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'once', redirect_uri: callback });
    await fetch(`${baseUrl}/token`, { method: 'POST', headers, body });
  }
}
