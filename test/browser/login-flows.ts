// Logins in a real browser, with an independent client (openid-client): with and without JavaScript, by keyboard, under
// the pages' own Content-Security-Policy.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import * as client from 'openid-client';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { totpAt } from '#test/support/authorization-flow.ts';
import { launchChromium, refusedByPolicy } from '#test/support/chromium.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** The same tests run in a browser with or without JavaScript. */
export function describeLogins(javaScriptEnabled: boolean): void {
  describe(`logins in a browser ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, function () {
    this.timeout(60_000);
    let idp: RunningIdp;
    let application: Receiver;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let refused: readonly string[];

    before(async function () {
      browser = await launchChromium(this);
      application = await startReceiver('/callback');
      idp = await startIdp({ world: interactive });
    });
    after(async () => {
      await browser?.close();
      application?.close();
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

    const rp = () => [{ client_id: 'rp', client_secret: 'rp-secret', redirect_uris: [application.address] }];

    /** Begins a flow of openid-client in the browser. `finish` redeems what was delivered. */
    async function begin(settings: object, extra: Readonly<Record<string, string>> = {}) {
      await idp.configure({ settings: { ...settings }, clients: rp() });
      const configuration = await client.discovery(
        new URL(idp.baseUrl),
        'rp',
        undefined,
        client.ClientSecretBasic('rp-secret'),
        {
          execute: [client.allowInsecureRequests],
          algorithm: 'oidc',
        },
      );
      const pkceCodeVerifier = client.randomPKCECodeVerifier();
      const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: application.address,
        scope: 'openid email',
        state: expectedState,
        nonce: expectedNonce,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        ...extra,
      });
      const delivered = application.received();
      await page.goto(address.href);
      return async () => {
        const url = await delivered;
        const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
        return (await client.authorizationCodeGrant(configuration, url, checks)).claims();
      };
    }

    async function expectAccessible(): Promise<void> {
      if (!javaScriptEnabled) return;
      for (const colorScheme of ['light', 'dark'] as const) {
        // Colours during a transition are not checked.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // Evaluated by the debugger, so that the page's policy does not change.
        await page.evaluate(axeSource);
        const violations = await axeViolations(page);
        expect(violations).to.deep.equal([]);
      }
    }

    verifies(['AUT-01', 'AUT-31', 'WEB-27'], 'work with a password, by keyboard alone', async () => {
      const finish = await begin({});
      // The browser sets the focus when it first draws the page, which may be after it has loaded.
      await page.locator('[name="username"]:focus').waitFor();
      await page.keyboard.type('alice');
      await page.keyboard.press('Tab');
      await page.keyboard.type('wrong');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
      await page.locator('[name="password"]:focus').waitFor();
      await page.keyboard.type('wonderland');
      await page.keyboard.press('Enter');
      expect(await finish()).to.include({ sub: 'alice', aud: 'rp' });
    });

    verifies('LOG-09', 'offer a button that fills in a name', async () => {
      const finish = await begin({});
      await page.getByRole('button', { name: 'bob' }).click();
      await page.waitForFunction(
        () => (document.querySelector('#username') as HTMLInputElement | null)?.value === 'bob',
      );
      await page.getByLabel('Password').fill(' builder ');
      await page.getByRole('button', { name: 'Log in' }).click();
      expect(await finish()).to.include({ sub: 'bob' });
    });

    verifies(['AUT-51', 'AUT-54'], 'work with two steps and a second factor', async () => {
      const finish = await begin({ login: { two_step: true, totp: true } });
      await page.getByLabel('Username').fill('carol');
      await page.keyboard.press('Enter');
      await page.getByLabel('Password').fill('cabbage');
      await page.keyboard.press('Enter');
      await page.getByLabel('Six-digit code').fill(totpAt(Date.now()));
      await page.keyboard.press('Enter');
      expect(await finish()).to.deep.include({ sub: 'carol', amr: ['pwd', 'otp'] });
    });

    verifies('AUT-50', 'work with a persona', async () => {
      const finish = await begin({ login: { mode: 'persona' } }, { login_hint: 'erin' });
      await page.getByRole('button', { name: /erin/ }).click();
      expect(await finish()).to.include({ sub: 'erin' });
    });

    verifies(['AUT-23', 'WEB-27'], 'work with form_post', async () => {
      const finish = await begin({}, { response_mode: 'form_post' });
      await page.getByLabel('Username').fill('alice');
      await page.getByLabel('Password').fill('wonderland');
      await page.keyboard.press('Enter');
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
      expect(await finish()).to.include({ sub: 'alice' });
    });

    verifies(['DEV-08', 'DEV-17'], 'approve a device by its complete address', async () => {
      await idp.configure({ clients: rp() });
      const configuration = await client.discovery(
        new URL(idp.baseUrl),
        'rp',
        undefined,
        client.ClientSecretBasic('rp-secret'),
        {
          execute: [client.allowInsecureRequests],
        },
      );
      const grant = await client.initiateDeviceAuthorization(configuration, { scope: 'openid' });
      await page.goto(grant.verification_uri_complete ?? '');
      await expectAccessible();
      await page.getByLabel('Username').fill('alice');
      await page.getByLabel('Password').fill('wonderland');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Device approved' }).waitFor();
      const tokens = await client.pollDeviceAuthorizationGrant(configuration, { ...grant, interval: 0 });
      expect(tokens.claims()).to.include({ sub: 'alice' });
    });
  });
}

async function axeViolations(page: Page): Promise<readonly string[]> {
  const found: unknown = await page.evaluate(
    'axe.run().then((run) => run.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)].join(" ")))',
  );
  return z.array(z.string()).parse(found);
}
