// One page of each kind; all of them are looked at in every-page.drill.ts.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { exhibits, type Gallery, openGallery } from '#test/support/gallery.ts';
import { lookAtPages } from '#test/support/look-at-pages.ts';
import { verifies } from '#test/support/verifies.ts';

const chosen = new Set(['dashboard', 'users', 'user-edit', 'clients', 'settings', 'audit-open', 'authorize', 'device']);

describe('a page of each kind in a browser', function () {
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

  verifies('WEB-30', 'is accessible, fits 360 px and follows the colour scheme', async () => {
    expect(
      await lookAtPages(
        browser,
        gallery,
        exhibits.filter(({ name }) => chosen.has(name)),
      ),
    ).to.deep.equal([]);
  });
});
