// A browser and the gallery for all tests of a suite.
import type { Browser } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { type Gallery, openGallery } from './gallery.ts';

export interface Visit {
  readonly browser: Browser;
  readonly gallery: Gallery;
}

/** Call it where hooks are allowed. It returns the browser and the gallery once the suite has started. */
export function useGallery(): () => Visit {
  let visit: Visit | undefined;
  before(async function () {
    visit = { browser: await launchChromium(this), gallery: await openGallery() };
  });
  after(async () => {
    await visit?.browser.close();
    await visit?.gallery.close();
  });
  return () => {
    if (visit === undefined) throw new Error('the suite has not started');
    return visit;
  };
}
