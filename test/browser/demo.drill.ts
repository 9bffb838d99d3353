// From the dashboard to a complete login, its flow and its verdict, only by clicking in a real browser (issue 21).
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { logIn } from '#test/support/gallery/steps.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

describe('the demo in Chromium', function () {
  this.timeout(60_000);
  let browser: Browser;
  before(async function () {
    browser = await launchChromium(this);
  });
  after(() => browser?.close());

  async function from(dashboard: string, protocol: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const context: BrowserContext = await browser.newContext(options);
    const page: Page = await context.newPage();
    await page.goto(dashboard);
    await page.getByRole('link', { name: `Log in with ${protocol}` }).click();
    await logIn(page, 'alice', 'wonderland');
    return page;
  }

  for (const [args, javaScriptEnabled] of [
    [[], true],
    [[], false],
    [['--tls'], true],
  ] as const) {
    const how = `${args.join(' ') || 'plain HTTP'}, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`;

    it(`shows a login, its flow and its verdict with a click each: ${how}`, async () => {
      const idp: RunningIdp = await startIdp({ command: 'start', args: ['--demo', ...args] });
      try {
        for (const protocol of ['OpenID Connect', 'SAML']) {
          const page = await from(`${idp.baseUrl}/`, protocol, { javaScriptEnabled, ignoreHTTPSErrors: true });
          if (protocol === 'SAML' && !javaScriptEnabled) await page.getByRole('button').first().click();
          await page.getByRole('heading', { name: `Logged in with ${protocol}` }).waitFor();
          await page.getByRole('link', { name: 'Show this flow' }).click();
          await page.waitForURL(`${idp.baseUrl}/flows/*`);
          expect(await page.locator('main svg').count(), 'a drawn flow').to.be.greaterThan(0);
          await page.goBack();
          await page.getByRole('link', { name: 'Show verdict' }).click();
          await page.getByRole('heading', { name: 'Verdict on' }).waitFor();
          await page.context().close();
        }
      } finally {
        await idp.stop();
      }
    });
  }

  it('returns to the browser that began, also from a dashboard under another name of this machine', async () => {
    const idp = await startIdp({ command: 'start', args: ['--demo'] });
    try {
      const page = await from(`${idp.baseUrl.replace('127.0.0.1', 'localhost')}/`, 'SAML');
      await page.getByRole('heading', { name: 'Logged in with SAML' }).waitFor();
    } finally {
      await idp.stop();
    }
  });
});
