// Steps that exhibits share.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { basic } from '#test/support/http.ts';
import type { RunningIdp } from '#test/support/start-idp.ts';
import type { Exhibit } from './gallery.ts';
import { callback, type Room } from './world.ts';

export const open = (name: string, room: Room, path: string): Exhibit => ({
  name,
  room,
  visit: (page, { baseUrl }) => page.goto(baseUrl + path),
});

/** A visit of several steps. */
export const visit = (name: string, room: Room, steps: Exhibit['visit'], more: Partial<Exhibit> = {}): Exhibit => ({
  name,
  room,
  visit: steps,
  ...more,
});

export async function press(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
}

export async function logIn(page: Page, username: string, password: string, button = 'Log in'): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await press(page, button);
}

/**
 * Responds in place of the client that a login returns to, because no client runs here. Call it before, and await its
 * result with the response.
 */
export async function answerForTheClient(page: Page, baseUrl: string): Promise<() => Promise<void>> {
  const { origin } = new URL(baseUrl);
  const words = 'back at the client';
  await page.route(
    (url) => url.origin !== origin,
    (route) => route.fulfill({ contentType: 'text/html', body: `<p>${words}</p>` }),
  );
  return () => page.getByText(words).waitFor();
}

export const authorize = (clientId: string, more: Readonly<Record<string, string>> = {}): string =>
  `/authorize?${new URLSearchParams({ client_id: clientId, response_type: 'code', redirect_uri: callback, ...more })}`;

/** The complete address that a device shows. */
export async function deviceAddress({ baseUrl }: RunningIdp): Promise<string> {
  const answer = await fetch(`${baseUrl}/device_authorization`, {
    method: 'POST',
    headers: { Authorization: basic('tv', 'tv-secret') },
    body: new URLSearchParams({ scope: 'openid email' }),
  });
  const body = (await answer.json()) as { verification_uri_complete?: string };
  if (body.verification_uri_complete === undefined) throw new Error(`no device code: ${JSON.stringify(body)}`);
  return body.verification_uri_complete;
}

/** Another tab saves something between opening and sending a form. */
export async function meanwhile({ baseUrl }: RunningIdp, path: string, fields: Readonly<Record<string, string>>) {
  await fetch(baseUrl + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
}

/** Adds a user with an editor, in place of the user added before. */
export function editUsersFile({ configDirectory }: RunningIdp, entry: string): void {
  const path = join(configDirectory, 'users.yaml');
  const [before = ''] = readFileSync(path, 'utf8').split('  # by hand\n');
  writeFileSync(path, `${before}  # by hand\n  grace: ${entry}\n`);
}

/** Sends a form after the file was edited. */
export async function meetEditedFile(page: Page, idp: RunningIdp): Promise<void> {
  await page.goto(`${idp.baseUrl}/users/bob/edit`);
  await page.getByLabel('Description').fill('A better customer');
  editUsersFile(idp, `{ password: navy-${Date.now()} }`);
  await press(page, 'Save user');
}

/** Makes the next Tab go to the first stop of the page, wherever the focus was. */
export async function startOfPage(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.body.setAttribute('tabindex', '-1');
    document.body.focus();
    document.body.removeAttribute('tabindex');
    window.scrollTo(0, 0);
  });
}
