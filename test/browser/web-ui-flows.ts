// The web UI as users operate it, with and without JavaScript: every form with success, error and conflict, by mouse
// and by keyboard. Also the delivery of a SAML response to another origin under the pages' own policy.

import { expect } from 'chai';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchChromium, refusedByPolicy } from '#test/support/chromium.ts';
import { web } from '#test/support/credentials.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { authnRequest, redirectQuery } from '#test/support/saml/service-provider.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { totp } from '#test/support/totp.ts';
import { verifies } from '#test/support/verifies.ts';
import { clientInFile, settingsFile, usersFile } from '#test/support/web-ui.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** The same tests run in a browser with or without JavaScript. */
export function describeWebUi(javaScriptEnabled: boolean): void {
  describe(`web UI in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, function () {
    this.timeout(120_000);
    let browser: Browser;
    let idp: RunningIdp;
    let context: BrowserContext;
    let page: Page;
    let refused: readonly string[];

    before(async function () {
      browser = await launchChromium(this);
      idp = await startIdp({
        settings: { ...demoSettings, login: { totp: true } },
        users: { users: { ...demoUsers.users, carla: { password: 'cabbage', totp_secret: totpSecret } } },
      });
    });
    after(async () => {
      await browser?.close();
      await idp?.stop();
    });
    beforeEach(async () => {
      context = await browser.newContext({ javaScriptEnabled });
      page = await context.newPage();
      refused = refusedByPolicy(page);
    });
    afterEach(async () => {
      await context.close();
      expect(refused).to.deep.equal([]);
    });

    const open = (path: string) => page.goto(idp.baseUrl + path);
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    const told = () => textOf(page.getByRole('status').or(page.getByRole('alert')).first());

    verifies('WEB-29', 'creates a user after an error that keeps the input, edits and deletes it', async () => {
      await open('/users');
      await page.getByRole('link', { name: 'New user' }).click();
      await page.getByLabel('Username').fill('grace');
      await page.getByLabel('Password').fill('hopper');
      await page.getByLabel('E-mail').fill('no address');
      await page.getByLabel('Roles').fill('USER, ADMIRAL');
      await press('Create user');
      expect(await told()).to.include('Nothing was saved');
      expect(await page.getByLabel('Roles').inputValue()).to.equal('USER, ADMIRAL');
      expect(await textOf(page.locator('#email-error'))).to.match(/@/);
      expect(await page.getByLabel('E-mail').getAttribute('aria-describedby')).to.include('email-error');
      await page.getByLabel('E-mail').fill('grace@navy.example');
      await page.getByLabel('Password').fill('hopper');
      await page.getByLabel('Name 1').fill('ship');
      await page.getByLabel('Value 1').fill('Wright');
      await press('Add a row');
      expect(await page.getByLabel('Username').inputValue()).to.equal('grace');
      await page.getByLabel('Password').fill('hopper');
      await page.getByLabel('Name 2').fill('ranks');
      await page.getByLabel('Value 2').fill('["commander", "admiral"]');
      await press('Create user');
      expect(await told()).to.include('The user grace was created.');
      expect(usersFile(idp).grace).to.deep.include({
        password: 'hopper',
        roles: ['USER', 'ADMIRAL'],
        attributes: { ship: 'Wright', ranks: ['commander', 'admiral'] },
      });
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Description').fill('Found the first bug');
      await press('Save user');
      expect(await told()).to.include('The user grace was saved.');
      expect(usersFile(idp).grace).to.deep.include({
        password: 'hopper',
        attributes: { ship: 'Wright', ranks: ['commander', 'admiral'] },
      });
      await page.getByRole('link', { name: 'Delete', exact: true }).click();
      await press('Delete user');
      expect(await told()).to.include('The user grace was deleted.');
    });

    verifies('WEB-29', 'reports a conflict in the slower of two tabs, and overwrites nothing', async () => {
      await open('/settings');
      const other = await context.newPage();
      await other.goto(`${idp.baseUrl}/settings`);
      await other.getByLabel('Audience', { exact: true }).fill(`first-${javaScriptEnabled}`);
      await other.getByRole('button', { name: 'Save settings' }).click();
      await page.getByLabel('Audience', { exact: true }).fill('second');
      await press('Save settings');
      expect(await told()).to.include('settings.yaml changed in the meantime');
      expect(await page.getByLabel('Audience', { exact: true }).inputValue()).to.equal('second');
      expect(settingsFile(idp).oauth.audience).to.equal(`first-${javaScriptEnabled}`);
    });

    verifies('WEB-29', 'saves settings, including an unchecked box', async () => {
      await open('/settings');
      await page.getByLabel('Sign responses').uncheck();
      await page.getByLabel('Access token, minutes').fill('30');
      await press('Save settings');
      expect(await told()).to.include('The settings were saved');
      expect(await page.getByLabel('Sign responses').isChecked()).to.equal(false);
      expect(settingsFile(idp).saml).to.deep.equal({ sign_responses: false });
      await page.getByLabel('Sign responses').check();
      await page.getByLabel('Access token, minutes').fill('60');
      await press('Save settings');
    });

    verifies('WEB-29', 'creates a client, gives it a new secret and deletes it', async () => {
      await open('/clients/create');
      await page.getByLabel('Client ID').fill('shop');
      const secret = await page.getByLabel('Client secret').inputValue();
      await page.getByLabel('Redirect URIs', { exact: true }).fill('https://shop.example/cb');
      await page.getByLabel('Header').fill('blue');
      await press('Create client');
      expect(await page.locator('#header_color-error').count()).to.equal(1);
      expect(await page.getByLabel('Client secret').inputValue()).to.equal(secret);
      await page.getByLabel('Header').fill('#14375e');
      await press('Create client');
      expect(await told()).to.include('The client shop was created.');
      expect(clientInFile(idp, 'shop')?.client_secret).to.equal(secret);
      await page.getByRole('link', { name: 'New secret for shop' }).click();
      await press('Create a new secret');
      expect(await textOf(page.locator('#new-secret'))).to.equal(clientInFile(idp, 'shop')?.client_secret);
      await page.getByRole('link', { name: 'Done' }).click();
      await page.getByRole('link', { name: 'Delete shop' }).click();
      await press('Delete client');
      expect(await told()).to.include('The client shop was deleted.');
    });

    verifies('WEB-29', 'handles prefixes, keys, audit and the token tester', async () => {
      await open('/claims');
      await page.getByLabel('Roles').fill('R_');
      await press('Save prefixes');
      expect(await told()).to.include(sentences.authorityPrefixesSaved);
      await page.getByLabel('User', { exact: true }).fill('alice');
      await press('Show');
      expect(await page.getByText('R_ADMIN').count()).to.be.above(0);

      await open('/keys');
      const kid = await textOf(page.locator('#kid-active'));
      await press('Rotate signing key');
      expect(await told()).to.include(sentences.signingKeyRotated);
      expect(await textOf(page.locator('#kid-1'))).to.equal(kid);

      await open('/test');
      await page.getByLabel('User', { exact: true }).selectOption('alice');
      await page.getByLabel('Client', { exact: true }).selectOption('web');
      await press('Get token');
      const token = await textOf(page.locator('#shown-token'));
      expect(await page.getByText('signature valid').count()).to.equal(1);
      await page.getByLabel('Token', { exact: true }).fill(token);
      await press('Decode');
      expect(await page.getByText('signature valid').count()).to.equal(1);

      await open('/audit');
      await page.getByLabel('Type').selectOption('token_request');
      await press('Filter');
      await page.locator('summary').first().click();
      expect(await page.locator('.event-body').first().isVisible()).to.equal(true);
      await page.getByRole('link', { name: 'Clear' }).click();
      await press('Clear the log');
      expect(await told()).to.include(sentences.auditCleared);
    });

    it('updates the audit page while that is on, and keeps opened entries open', async () => {
      const failedLogin = (username: string) =>
        fetch(`${idp.baseUrl}/login`, { method: 'POST', body: new URLSearchParams({ username, password: 'x' }) });
      await failedLogin('first');
      await open('/audit');
      const live = page.getByRole('button', { name: 'Update live' });
      if (!javaScriptEnabled) {
        expect(await live.isVisible()).to.equal(false);
        return;
      }
      const eventOf = (name: string) => page.locator('details', { has: page.getByText(name, { exact: true }) });
      await eventOf('first').locator('summary').click();
      await live.click();
      expect(await live.getAttribute('aria-pressed')).to.equal('true');
      await failedLogin('second');
      await eventOf('second').waitFor();
      expect(await eventOf('first').getAttribute('open')).not.to.equal(null);
      expect(await eventOf('second').getAttribute('open')).to.equal(null);
    });

    if (javaScriptEnabled) {
      verifies(
        'REC-22',
        'shows new exchanges on the pages of flows within 2 s, without moving what the user reads',
        async () => {
          const asked = (path: string, fields: Record<string, string>) =>
            fetch(idp.baseUrl + path, { method: 'POST', headers: web, body: new URLSearchParams(fields) });
          const twoSeconds = () => page.clock.runFor(2000);
          await page.clock.install();
          await open('/flows');
          expect(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).to.equal('true');
          const issued = await (await asked('/token', { grant_type: 'client_credentials' })).json();
          await twoSeconds();
          const first = page.getByRole('link', { name: /^client_credentials f/ });
          await first.focus();
          const others = page.getByRole('link', { name: /^other f/ });
          const before = await others.count();
          await asked('/token', { grant_type: 'client_credentials' });
          await asked('/introspect', { token: 'none' });
          await twoSeconds();
          await others.nth(before).waitFor();
          expect(await page.evaluate('document.activeElement.href')).to.match(/\/flows\/f\d+$/);
          await first.last().click();
          await page.locator('summary', { hasText: 'Request and response' }).click();
          await page.evaluate('window.somebodyReads = document.querySelector("pre")');
          const again = page.waitForResponse(/\/flows\/f/);
          await twoSeconds();
          await again;
          expect(await page.evaluate('window.somebodyReads.isConnected')).to.equal(true);
          await asked('/introspect', { token: issued.access_token });
          await twoSeconds();
          await page.getByText('POST /introspect', { exact: true }).first().waitFor();
          await page.locator('details[open]').waitFor();
        },
      );
    }

    it('focuses the first field with an error', async () => {
      await open('/settings');
      await page.getByLabel('Issuer', { exact: true }).fill('not a url');
      await page.getByLabel('Access token, minutes').fill('9999');
      // As in a browser that validates no field itself.
      await page.evaluate('for (const form of document.forms) form.noValidate = true');
      await press('Save settings');
      await page.getByText('Nothing was saved').waitFor();
      await page.locator('#issuer:focus').waitFor();
    });

    verifies('WEB-30', 'creates a user by keyboard alone, beginning with the skip link', async () => {
      await open('/users/create');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.className')).to.equal('skip-link');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.type('keyboard');
      await page.keyboard.press('Tab');
      await page.keyboard.type('typed');
      await page.keyboard.press('Enter');
      await page.waitForURL(/notice=user_created/);
      expect(usersFile(idp).keyboard?.password).to.equal('typed');
      await open('/users/keyboard/delete');
      await press('Delete user');
    });

    verifies(
      ['WEB-27', 'WEB-29'],
      'posts the response of a SAML login with second factor to another origin',
      async () => {
        const provider = await startReceiver('/acs');
        try {
          const arrived = provider.received();
          await open(`/saml/sso?${redirectQuery(authnRequest({ acs: provider.address }), 'where I was')}`);
          await page.getByLabel('Username').fill('carla');
          await page.getByLabel('Password').fill('cabbage');
          await press('Log in');
          await page.getByLabel('Six-digit code').fill(totp(totpSecret));
          await press('Confirm');
          if (!javaScriptEnabled) await press('Continue');
          const fields = (await arrived).searchParams;
          expect(fields.get('RelayState')).to.equal('where I was');
          const response = Buffer.from(fields.get('SAMLResponse') ?? '', 'base64').toString('utf8');
          expect(response).to.include('status:Success').and.to.include('carla');
        } finally {
          provider.close();
        }
      },
    );

    if (javaScriptEnabled) {
      it('copies values to the clipboard', async () => {
        await context.grantPermissions(['clipboard-read', 'clipboard-write']);
        await open('/');
        await page.getByRole('button', { name: 'Copy' }).first().click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(idp.baseUrl);
      });
    } else {
      it('shows no button that needs JavaScript', async () => {
        await open('/');
        expect(await page.getByRole('button', { name: 'Copy' }).count()).to.equal(0);
      });
    }
  });
}

async function textOf(element: Locator): Promise<string> {
  return (await element.textContent()) ?? '';
}
