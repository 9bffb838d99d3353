// Every page of the program in every state worth looking at, as exhibits: a name, the settings it needs and the way a
// browser gets there. The accessibility tests and the screenshots walk through the same gallery.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { stringify } from 'yaml';
import { authnRequest, redirectQuery } from './saml/service-provider.ts';
import { type RunningIdp, startIdp } from './start-idp.ts';
import { totp } from './totp.ts';

/** What must be in force for an exhibit. */
export type Room = 'password' | 'persona' | 'two_step' | 'totp' | 'gated' | 'empty';

export interface Exhibit {
  readonly name: string;
  readonly room: Room;
  /** Brings the browser to the page. */
  readonly visit: (page: Page, idp: RunningIdp) => Promise<unknown>;
  /** Looked at without script, since with script the page leaves at once. */
  readonly withoutScript?: true;
}

const callback = 'http://127.0.0.1:9/callback';
const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const longText = 'Pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(110);
export const hostileName = '"><script>alert(1)</script>{{7*7}}';
export const managementSecret = 'open sesame';

const users: Readonly<Record<string, object>> = {
  alice: {
    password: 'wonderland',
    description: 'Head of support, may do everything',
    email: 'alice@example.org',
    identity_class: 'INTERNAL',
    roles: ['USER', 'ADMIN'],
    groups: ['staff', 'support'],
    entitlements: ['orders:read', 'orders:write'],
    source_acl: ['acl-17'],
    attributes: { department: 'Support', badge: 17, floors: [1, 2] },
  },
  bob: { password: 'builder', description: 'A customer without rights' },
  carla: { password: 'cabbage', description: 'Signs in with a second factor', totp_secret: totpSecret },
  'dr. noor-van-dijk': { password: 'x', description: 'Physician on call', roles: ['USER', 'PHYSICIAN'] },
  erin: { description: 'Persona without a password' },
  'שלום עולם': { password: 'x', description: 'Written from right to left: أهلا وسهلا' },
  [hostileName]: { password: 'x', description: hostileName, roles: [hostileName] },
  [longText.slice(0, 5000)]: { password: 'x', tenant: longText.slice(0, 5000) },
};

const clients = [
  {
    client_id: 'web-shop',
    client_secret: 'web-secret',
    description: 'The demo web shop',
    show_description: true,
    background_color: '#eef2f7',
    header_color: '#14375e',
    footer_color: '#14375e',
    redirect_uris: [callback],
  },
  {
    client_id: 'reporting',
    client_secret: 'reporting-secret',
    token_endpoint_auth_method: 'client_secret_post',
    description: 'Reports for the board',
    show_description: true,
    layout: 'horizontal',
    header_color: '#5b2a4e',
    redirect_uris: [callback],
  },
  { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [callback, `${callback}/other`] },
  { client_id: 'tv', client_secret: 'tv-secret', description: 'A television' },
  { client_id: hostileName, client_secret: 's', description: longText.slice(0, 5000), redirect_uris: [callback] },
];

const rooms: Readonly<Record<Room, object>> = {
  password: {},
  persona: { login: { mode: 'persona' } },
  two_step: { login: { two_step: true } },
  totp: { login: { totp: true } },
  gated: { management_secret: managementSecret },
  empty: {},
};

function settingsOf(room: Room): object {
  const oauth = {
    issuer: 'http://127.0.0.1:8000',
    issuer_from_request: true,
    clients: room === 'empty' ? [] : clients,
  };
  return { oauth, ...rooms[room] };
}

function usersOf(room: Room): object {
  return { users: room === 'empty' ? {} : users };
}

export interface Gallery {
  readonly idp: RunningIdp;
  /** Puts the settings of a room into force. */
  enter(room: Room): Promise<void>;
  close(): Promise<unknown>;
}

/** A whole stack with people, clients and a little history. */
export async function openGallery(): Promise<Gallery> {
  const idp = await startIdp({ settings: settingsOf('password'), users: usersOf('password') });
  await makeHistory(idp);
  return {
    idp,
    async enter(room) {
      writeFileSync(join(idp.configDirectory, 'users.yaml'), stringify(usersOf(room)));
      writeFileSync(join(idp.configDirectory, 'settings.yaml'), stringify(settingsOf(room)));
      const answer = await fetch(`${idp.baseUrl}/api/config/reload`, {
        method: 'POST',
        headers: { 'X-Management-Secret': managementSecret },
      });
      expect(answer.status, await answer.text()).to.equal(200);
      const runtime = await fetch(`${idp.baseUrl}/api/runtime`, {
        method: 'DELETE',
        headers: { 'X-Management-Secret': managementSecret },
      });
      expect(runtime.status).to.equal(200);
      if (room !== 'empty' && room !== 'gated') await makeRuntimeObjects(idp);
    },
    close: () => idp.stop(),
  };
}

async function makeRuntimeObjects({ baseUrl }: RunningIdp): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const make = (path: string, body: object) =>
    fetch(`${baseUrl}/api/runtime/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await make('users', { username: 'frieda', description: 'Made by a test run', roles: ['USER'] });
  await make('clients', { client_id: 'ci-client', client_secret: 's', description: 'Made by a test run' });
}

async function makeHistory({ baseUrl }: RunningIdp): Promise<void> {
  const form = (path: string, fields: Record<string, string>, secret = 'web-secret') =>
    fetch(baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Authorization: `Basic ${Buffer.from(`web-shop:${secret}`).toString('base64')}` },
      body: new URLSearchParams(fields),
    });
  const manual = { redirect: 'manual' } as const;
  await form('/login', { username: hostileName, password: 'wrong' });
  await form('/login', { username: 'alice', password: 'wonderland' });
  await form('/token', { grant_type: 'client_credentials' });
  await form('/token', { grant_type: 'client_credentials' }, 'wrong');
  await form('/token', { grant_type: 'client_credentials', scope: 'everything' });
  await form('/token', { grant_type: 'authorization_code', code: 'old', redirect_uri: callback });
  await fetch(`${baseUrl}/authorize?client_id=spa&response_type=code&redirect_uri=https://evil.example/cb`, manual);
  await fetch(`${baseUrl}/authorize?client_id=spa&response_type=code&redirect_uri=${callback}`, manual);
  await form('/login', { username: 'alice', password: 'Wonderland' });
}

const authorize = (clientId: string) =>
  `/authorize?${new URLSearchParams({ client_id: clientId, response_type: 'code', redirect_uri: callback })}`;

const open = (name: string, room: Room, path: string): Exhibit => ({
  name,
  room,
  visit: (page, { baseUrl }) => page.goto(baseUrl + path),
});

async function press(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
}

async function logIn(page: Page, username: string, password: string, button = 'Log in'): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await press(page, button);
}

const managementExhibits: readonly Exhibit[] = [
  open('dashboard', 'password', '/'),
  open('users', 'password', '/users'),
  open('users-nothing-found', 'password', '/users?q=xyzzy'),
  open('user', 'password', '/users/alice'),
  open('user-hostile', 'password', `/users/${encodeURIComponent(hostileName)}`),
  open('user-new', 'password', '/users/create'),
  open('user-edit', 'password', '/users/alice/edit'),
  {
    name: 'user-refused',
    room: 'password',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/users/create`);
      await page.getByLabel('Username').fill('grace');
      await page.getByLabel('E-mail').fill('no address');
      await page.getByLabel('Description').fill('d'.repeat(201));
      await press(page, 'Create user');
    },
  },
  open('user-delete', 'password', '/users/alice/delete'),
  open('clients', 'password', '/clients'),
  open('client-new', 'password', '/clients/create'),
  open('client-edit', 'password', '/clients/web-shop/edit'),
  open('client-delete', 'password', '/clients/web-shop/delete'),
  {
    name: 'client-secret',
    room: 'password',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/clients/tv/regenerate-secret`);
      await press(page, 'Make a new secret');
    },
  },
  open('settings', 'password', '/settings'),
  {
    name: 'settings-conflict',
    room: 'password',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/settings`);
      await page.getByLabel('Audience').fill('my-api');
      const meanwhile = new URLSearchParams({ audience: `other-${(await page.content()).length}` });
      await fetch(`${baseUrl}/settings`, { method: 'POST', body: meanwhile, redirect: 'manual' });
      await press(page, 'Save settings');
    },
  },
  open('claims', 'password', '/claims'),
  open('claims-preview', 'password', '/claims?username=alice'),
  open('keys', 'password', '/keys'),
  {
    name: 'keys-rotated',
    room: 'password',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/keys`);
      await press(page, 'Rotate the signing key');
    },
  },
  open('audit', 'password', '/audit'),
  {
    name: 'audit-open',
    room: 'password',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/audit`);
      for (const event of await page.locator('.event-bad > summary').all()) await event.click();
    },
  },
  open('audit-nothing-found', 'password', '/audit?search=xyzzy'),
  open('audit-clear', 'password', '/audit/clear'),
  open('tester', 'password', '/test?username=alice'),
  {
    name: 'tester-token',
    room: 'password',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/test?username=alice`);
      await page.getByLabel('Client', { exact: true }).selectOption('web-shop');
      await press(page, 'Get token');
    },
  },
  open('not-found', 'password', '/nowhere'),
  {
    name: 'logged-in',
    room: 'password',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/login`);
      await logIn(page, 'alice', 'wonderland');
    },
  },
  open('unlock', 'gated', '/management/unlock'),
  open('dashboard-locked', 'gated', '/'),
  open('login-locked', 'gated', '/login?error=management_locked'),
  open('dashboard-empty', 'empty', '/'),
  open('users-empty', 'empty', '/users'),
  open('clients-empty', 'empty', '/clients'),
  open('tester-empty', 'empty', '/test'),
];

const loginExhibits: readonly Exhibit[] = [
  open('login', 'password', '/login'),
  open('login-refused', 'password', '/login?error=wrong_credentials'),
  open('authorize', 'password', authorize('web-shop')),
  open('authorize-horizontal', 'password', authorize('reporting')),
  open('authorize-hostile', 'password', authorize(hostileName)),
  open('device', 'password', '/device'),
  open('device-login', 'password', '/device?user_code=BCDF-GHJK'),
  {
    name: 'device-done',
    room: 'password',
    async visit(page, { baseUrl }) {
      const answer = await fetch(`${baseUrl}/device_authorization`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from('tv:tv-secret').toString('base64')}` },
        body: new URLSearchParams(),
      });
      // The secret of `tv` may have been made anew by another exhibit.
      if (answer.status !== 200) return page.goto(`${baseUrl}/device`);
      const { verification_uri_complete } = (await answer.json()) as { verification_uri_complete: string };
      await page.goto(verification_uri_complete);
      return logIn(page, 'alice', 'wonderland', 'Approve');
    },
  },
  open('logout', 'password', '/logout'),
  {
    name: 'saml-login',
    room: 'password',
    visit: (page, { baseUrl }) => page.goto(`${baseUrl}/saml/sso?${redirectQuery(authnRequest(), 'state')}`),
  },
  {
    name: 'saml-delivery',
    room: 'password',
    withoutScript: true,
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/saml/sso?${redirectQuery(authnRequest(), 'state')}`);
      await logIn(page, 'alice', 'wonderland');
    },
  },
  open('login-persona', 'persona', '/login'),
  open('authorize-persona', 'persona', authorize('web-shop')),
  open('device-persona', 'persona', '/device'),
  open('login-two-step', 'two_step', '/login'),
  {
    name: 'login-two-step-password',
    room: 'two_step',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/login`);
      await page.getByLabel('Username').fill('alice');
      await press(page, 'Continue');
    },
  },
  {
    name: 'login-code',
    room: 'totp',
    async visit(page, { baseUrl }) {
      await page.goto(baseUrl + authorize('web-shop'));
      await logIn(page, 'carla', 'cabbage');
    },
  },
  {
    name: 'login-code-refused',
    room: 'totp',
    async visit(page, { baseUrl }) {
      await page.goto(`${baseUrl}/login`);
      await logIn(page, 'carla', 'cabbage');
      await page.getByLabel('Six-digit code').fill(totp(totpSecret, 7));
      await press(page, 'Confirm');
    },
  },
];

export const exhibits: readonly Exhibit[] = [...loginExhibits, ...managementExhibits].sort(
  (one, other) => Object.keys(rooms).indexOf(one.room) - Object.keys(rooms).indexOf(other.room),
);
