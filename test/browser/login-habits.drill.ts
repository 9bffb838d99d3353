// What users do during a login in addition to filling it in: click twice, go back, use two tabs, a phone, a narrow or
// enlarged window, or only the keyboard.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { web } from '#test/support/credentials.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

/** Promise.withResolvers of newer runtimes. */
function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve: () => resolve() };
}

describe('users who log in', () => {
  let idp: RunningIdp;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let application: Server;
  let callback: string;
  const arrived: string[] = [];

  before(async function () {
    browser = await launchChromium(this);
    idp = await startIdp({ world: interactive });
    application = createServer((request, response) => {
      if (request.url?.startsWith('/cb')) arrived.push(request.url);
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>application</title>welcome back');
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    callback = `http://127.0.0.1:${(application.address() as AddressInfo).port}/cb`;
    await idp.configure({ clients: [{ client_id: 'rp', client_secret: 's', redirect_uris: [callback] }] });
  });
  after(async () => {
    await browser?.close();
    application?.close();
    await idp?.stop();
  });
  afterEach(() => context.close());

  async function open(path: string, options: BrowserContextOptions = {}): Promise<void> {
    arrived.length = 0;
    context = await browser.newContext(options);
    page = await context.newPage();
    await page.goto(idp.baseUrl + path);
  }

  const authorize = (more: Readonly<Record<string, string>> = {}) =>
    authorizePath({ client_id: 'rp', redirect_uri: callback, ...more });

  async function fillIn(password = 'wonderland', on = page): Promise<void> {
    await on.getByLabel('Username').fill('alice');
    await on.getByLabel('Password').fill(password);
  }

  /** The browser sets the focus when it first draws the page, which may be after it has loaded. */
  async function expectFocused(name: string): Promise<void> {
    await page.locator(`[name="${name}"]:focus`).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name') ?? undefined)).to.equal(name);
  }

  async function deviceAddress(): Promise<string> {
    const answer = await fetch(`${idp.baseUrl}/device_authorization`, {
      method: 'POST',
      headers: web,
      body: new URLSearchParams({ scope: 'openid' }),
    });
    return `/device?user_code=${((await answer.json()) as { user_code: string }).user_code}`;
  }

  /** Clicks again after the server has responded to the first post and before the browser receives the response. */
  async function pressTwice(name: string, path: string): Promise<number> {
    let posts = 0;
    const pressedAgain = withResolvers();
    const answered = withResolvers();
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      posts += 1;
      const response = await route.fetch({ maxRedirects: 0 });
      answered.resolve();
      await pressedAgain.promise;
      await route.fulfill({ response }).catch(() => undefined);
    });
    const box = await page.getByRole('button', { name }).boundingBox();
    const press = () => page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
    await press();
    await answered.promise;
    await press();
    pressedAgain.resolve();
    await page.locator('form').first().waitFor({ state: 'detached' });
    return posts;
  }

  verifies('AUT-44', 'log in once when they click a button twice', async () => {
    await open(authorize());
    await fillIn();
    expect(await pressTwice('Log in', '/authorize')).to.equal(1);
    await page.waitForURL(`${callback}**`);
    expect(arrived).to.have.lengthOf(1);
  });

  verifies('DEV-17', 'approve a device when they click twice', async () => {
    await open(await deviceAddress());
    await fillIn();
    expect(await pressTwice('Approve', '/device')).to.equal(1);
    await page.getByRole('heading', { name: 'Device approved' }).waitFor();
  });

  verifies('DEV-12', 'see that the code is used when they go back after an approval', async () => {
    await open(await deviceAddress());
    await fillIn();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Device approved' }).waitFor();
    await page.goBack();
    await page.getByText(sentences.codeUsed).waitFor();
  });

  verifies('AUT-01', 'can log in again when they go back from the application', async () => {
    await open(authorize({ state: 'first' }));
    await fillIn();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${callback}**`);
    await page.goBack();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await fillIn();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${callback}**`);
    expect(arrived).to.have.lengthOf(2);
  });

  verifies(
    ['AUT-34', 'AUT-36'],
    'log in in two tabs, and see what happened when they submit a page twice',
    async () => {
      await open(authorize({ state: 'one' }));
      const other = await context.newPage();
      await other.goto(idp.baseUrl + authorize({ state: 'two' }));
      await fillIn();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${callback}**`);
      await fillIn('wonderland', other);
      const form = await other
        .locator('form')
        .first()
        .evaluate((element) => element.outerHTML);
      await other.keyboard.press('Enter');
      await other.waitForURL(`${callback}**`);
      expect(arrived.map((address) => new URL(address, callback).searchParams.get('state'))).to.deep.equal([
        'one',
        'two',
      ]);
      // Submits the same form again, as reloading its response does.
      await other.goto(`${idp.baseUrl}/login`);
      await other.locator('main').evaluate((element, text) => {
        element.innerHTML = text;
      }, form);
      await fillIn('wonderland', other);
      await other.getByRole('button', { name: 'Log in' }).click();
      await other.getByRole('heading', { name: 'This login has ended' }).waitFor();
      expect(await other.title()).to.equal('This login has ended · test-idp');
    },
  );

  verifies('DEV-15', 'find the focus in the field to fill in', async () => {
    await open('/device');
    await expectFocused('user_code');
    await page.goto(idp.baseUrl + (await deviceAddress()));
    await expectFocused('username');
    await fillIn('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await expectFocused('password');
    expect(await page.title()).to.equal('Rejected: Log in · test-idp');
    await page.goto(`${idp.baseUrl}/device?user_code=BCDFGHJK`);
    await expectFocused('user_code');
    await page.goto(`${idp.baseUrl}/login?error=password_required`);
    await expectFocused('username');
  });

  verifies('AUT-51', 'have the username for their password manager on the second screen', async () => {
    await idp.configure({ settings: { login: { two_step: true } } });
    await open('/login');
    await page.getByLabel('Username').fill('alice');
    await page.keyboard.press('Enter');
    await page.getByLabel('Password').waitFor();
    const fields = await page.locator('input').evaluateAll((fields) =>
      fields.map((field) => {
        const { name, type, autocomplete, value } = field as HTMLInputElement;
        return [name, type, autocomplete, value];
      }),
    );
    expect(fields).to.deep.equal([
      ['username', 'text', 'username', 'alice'],
      ['password', 'password', 'current-password', ''],
    ]);
    expect(await page.getByLabel('Username').count()).to.equal(0);
    await idp.configure({ clients: [{ client_id: 'rp', client_secret: 's', redirect_uris: [callback] }] });
  });

  for (const [what, options] of [
    ['at 320 px', { viewport: { width: 320, height: 568 } }],
    ['enlarged twice on a small screen', { viewport: { width: 640 / 2, height: 480 / 2 }, deviceScaleFactor: 2 }],
    ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ] as const) {
    verifies('WEB-30', `see no horizontal scrolling and no zoom on a touched field: ${what}`, async () => {
      await open('/login', options);
      const pages = [
        '/login',
        '/login?error=wrong_credentials',
        authorize(),
        authorize({ response_mode: 'form_post', scope: 'everything' }),
        await deviceAddress(),
        '/device?user_code=BCDFGHJK',
        `/logout?post_logout_redirect_uri=${'nowhere'.repeat(40)}`,
        '/nowhere',
        '/saml/sso',
      ];
      for (const path of pages) {
        await page.goto(idp.baseUrl + path).catch(() => undefined);
        const { wide, small } = await page.evaluate(() => ({
          wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
          small: [...document.querySelectorAll('input:not([type=hidden], [hidden])')].filter(
            (field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16,
          ).length,
        }));
        expect(wide, path).to.equal(0);
        if ('hasTouch' in options) expect(small, path).to.equal(0);
      }
    });
  }
});
