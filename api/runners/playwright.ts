// `test-idp/playwright`: a test with an identity provider and a login (API-39). Playwright reads which fixtures a fixture
// needs from the text of its first parameter, and has none for a file: the worker keeps the sandbox of the file it is at.
import { test as base } from '@playwright/test';
import type { LoginAsOptions, PlaywrightFixtures, PlaywrightOptions } from '../declarations/playwright.ts';
import { IdpLoginError } from '../errors.ts';
import type { Instance } from '../instance.ts';
import type { Idp, SettingsEntry, StartOptions } from '../types.ts';
import { workerInstance } from './worker-instance.ts';

interface FileInstances {
  at(file: string): Promise<Instance>;
}

/** As much of a Playwright page as a login needs. */
interface Page {
  goto(url: string): Promise<unknown>;
  waitForURL(isThere: (url: URL) => boolean, options: { readonly timeout: number }): Promise<void>;
  url(): string;
  title(): Promise<string>;
  context(): { addCookies(cookies: readonly Cookie[]): Promise<void> };
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'Lax';
}

/** A page that posts itself leaves the instance in far less time. */
const leaveMilliseconds = 10_000;

export const test = base.extend<
  PlaywrightFixtures & { readonly idpOfFile: Instance },
  PlaywrightOptions & { readonly idpFiles: FileInstances }
>({
  idpOptions: [{}, { option: true, scope: 'worker' }],
  idpFiles: [
    async ({ idpOptions }, use) => {
      const worker = workerInstance(idpOptions, process.env);
      let current: { readonly file: string; readonly instance: Promise<Instance> } | undefined;
      const leave = async () => {
        const left = await current?.instance.catch(() => undefined);
        current = undefined;
        await left?.idp.stop();
      };
      await use({
        async at(file) {
          if (current?.file !== file) {
            await leave();
            current = { file, instance: worker.open(settingsOf(idpOptions)) };
          }
          return await current.instance;
        },
      });
      await leave();
      await worker.stop();
    },
    { scope: 'worker' },
  ],
  idpOfFile: async ({ idpFiles }, use, { file }) => {
    await use(await idpFiles.at(file));
  },
  idp: async ({ idpOfFile }, use) => {
    await use(idpOfFile.idp);
  },
  loginAs: async ({ idpOfFile, page }, use) => {
    await use((user, options) => loginAs(page, idpOfFile, user, options));
  },
});

/** A browser that logged in stays so, unless the tests ask for something else: else nobody could be left logged in. */
function settingsOf({ settings }: StartOptions): SettingsEntry {
  return settings?.login?.session === undefined ? { login: { session: 'on' } } : {};
}

async function loginAs(page: Page, { idp, signIn }: Instance, user: string, options: LoginAsOptions = {}) {
  const { url, ...secrets } = options;
  const cookies = await signIn({ user, ...secrets });
  await page.context().addCookies([...cookies].map(([name, value]) => cookieAt(idp, name, value)));
  if (url === undefined) return;
  await page.goto(url);
  const { origin } = new URL(idp.url);
  try {
    await page.waitForURL((address) => address.origin !== origin, { timeout: leaveMilliseconds });
  } catch {
    const sentence = `The login of ${user} from ${url} did not leave ${new URL(page.url()).pathname} of the instance (${await page.title()}).`;
    throw new IdpLoginError('login_unfinished', sentence, { status: 200 });
  }
}

function cookieAt(idp: Idp, name: string, value: string): Cookie {
  const { hostname: domain, pathname: path, protocol } = new URL(idp.url);
  return { name, value, domain, path, httpOnly: true, secure: protocol === 'https:', sameSite: 'Lax' };
}
