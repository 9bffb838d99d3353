// A page of each surface; all of them are looked at in every-page.drill.ts.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { exhibits } from '#test/support/gallery/exhibits.ts';
import { type Gallery, openGallery } from '#test/support/gallery/gallery.ts';
import { lookAtPage } from '#test/support/look-at-page.ts';
import { verifies } from '#test/support/verifies.ts';

const chosen = new Set(['users', 'authorize']);

describe('a page of each surface in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let gallery: Gallery;
  before(async function () {
    browser = await launchChromium(this);
    gallery = await openGallery();
  });
  after(async () => {
    await browser?.close();
    await gallery?.close();
  });

  for (const exhibit of exhibits.filter(({ name }) => chosen.has(name))) {
    verifies('WEB-30', `${exhibit.name} is accessible, fits 360 px and follows the colour scheme`, async () => {
      expect(await lookAtPage(browser, gallery, exhibit)).to.deep.equal([]);
    });
  }

  verifies('WEB-30', 'nothing moves for whoever asked for less motion', async () => {
    for (const [reducedMotion, expected] of [
      ['reduce', ['0s']],
      ['no-preference', ['0.12s', '0s']],
    ] as const) {
      const context = await browser.newContext({ reducedMotion });
      const page = await context.newPage();
      await page.goto(`${gallery.idp.baseUrl}/login`);
      const durations = await page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element);
          return [...transitionDuration.split(', '), ...animationDuration.split(', ')];
        }),
      );
      expect([...new Set(durations)].sort()).to.deep.equal(expected);
      await context.close();
    }
  });
});
