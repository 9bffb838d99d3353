// Every exhibit of the gallery, looked at as a whole; a quick selection is looked at in pages.test.ts.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { exhibits } from '#test/support/gallery/exhibits.ts';
import { type Gallery, openGallery } from '#test/support/gallery/gallery.ts';
import { lookAtPage } from '#test/support/look-at-page.ts';
import { verifies } from '#test/support/verifies.ts';

describe('every page in a browser: accessible, in both colour schemes, at 360 px and by keyboard', function () {
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

  // Paper has no fields, schemes or focus.
  for (const exhibit of exhibits.filter(({ only }) => only !== 'print')) {
    verifies('WEB-30', exhibit.name, async () => {
      expect(await lookAtPage(browser, gallery, exhibit)).to.deep.equal([]);
    });
  }
});
