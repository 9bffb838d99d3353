// Every page of the gallery; a quick selection is looked at in pages.test.ts.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { exhibits } from '#test/support/gallery/exhibits.ts';
import { type Gallery, openGallery } from '#test/support/gallery/gallery.ts';
import { lookAtPages } from '#test/support/look-at-pages.ts';
import { verifies } from '#test/support/verifies.ts';

describe('every page in a browser', function () {
  this.timeout(600_000);
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
    expect(await lookAtPages(browser, gallery, exhibits)).to.deep.equal([]);
  });
});
