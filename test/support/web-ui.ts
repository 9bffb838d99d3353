// The web UI for tests: posts its forms with the page's revision, and reads the files that they change.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { BrowserClient, Page } from './browser-client.ts';
import { fieldOf } from './browser-client.ts';
import type { RunningIdp } from './start-idp.ts';

type Fields = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** Opens the form at `path` and posts it there, or to `action`, with its revision and these fields. */
export async function postForm(browser: BrowserClient, path: string, fields: Fields, action = path): Promise<Page> {
  const page = await browser.get(path);
  expect(page.status, page.text).to.equal(200);
  const revision = fieldOf(page, 'expected_revision') ?? '';
  expect(revision).to.match(/^[0-9a-f]{64}$/);
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
  return browser.post(action, [['expected_revision', revision], ...pairs]);
}

/**
 * What a browser would send of the unmodified form that contains the revision, including selects and text areas. An
 * input has one line (HTML §4.10.5.1.2).
 */
export function filledIn({ body }: Page): [string, string][] {
  const form = /<form\b[^>]*>(?:(?!<\/form>)[\s\S])*name="expected_revision"[\s\S]*?<\/form>/.exec(body)?.[0] ?? '';
  const plain = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const controls = /<input\b([^>]*)>|<textarea\b([^>]*)>([\s\S]*?)<\/textarea>|<select\b([^>]*)>([\s\S]*?)<\/select>/g;
  return [...form.matchAll(controls)].flatMap(([, input, area, text = '', select, options = '']) => {
    const attributes = input ?? area ?? select ?? '';
    const name = /\bname="([^"]*)"/.exec(attributes)?.[1];
    if (name === undefined || (/type="checkbox"/.test(attributes) && !/\bchecked\b/.test(attributes))) return [];
    const chosen = /<option\b(?=[^>]*\bselected)[^>]*value="([^"]*)"/.exec(options)?.[1] ?? '';
    const value =
      input === undefined
        ? (area === undefined ? chosen : text).replaceAll(/\r?\n/g, '\r\n')
        : (/\bvalue="([^"]*)"/.exec(input)?.[1] ?? '').replaceAll(/[\r\n]/g, '');
    return [[plain(name), plain(value)]];
  });
}

/** Follows the redirect of a saved form, and returns the page it leads to. */
export async function follow(browser: BrowserClient, page: Page): Promise<Page> {
  expect(page.status, page.text).to.equal(302);
  return browser.get(page.location ?? '');
}

export function fileText(idp: RunningIdp, file: 'settings' | 'users'): string {
  return readFileSync(join(idp.configDirectory, `${file}.yaml`), 'utf8');
}

interface UsersFile {
  readonly users: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export function usersFile(idp: RunningIdp): UsersFile['users'] {
  return (parse(fileText(idp, 'users')) as UsersFile).users;
}

interface SettingsFile {
  readonly [key: string]: unknown;
  readonly oauth: { readonly clients: readonly Readonly<Record<string, unknown>>[]; readonly [key: string]: unknown };
}

export function settingsFile(idp: RunningIdp): SettingsFile {
  return parse(fileText(idp, 'settings')) as SettingsFile;
}

export function clientInFile(idp: RunningIdp, clientId: string): Readonly<Record<string, unknown>> | undefined {
  return settingsFile(idp).oauth.clients.find(({ client_id }) => client_id === clientId);
}
