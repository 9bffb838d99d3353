// A page of each surface; all of them are looked at in every-page.drill.ts.
import { expect } from 'chai';
import { exhibits } from '#test/support/gallery/exhibits.ts';
import { useGallery } from '#test/support/gallery/use-gallery.ts';
import { lookAtPage } from '#test/support/look-at-page.ts';
import { verifies } from '#test/support/verifies.ts';

const chosen = new Set(['users', 'authorize']);

describe('a page of each surface in a browser', function () {
  this.timeout(120_000);
  const visit = useGallery();

  for (const exhibit of exhibits.filter(({ name }) => chosen.has(name))) {
    verifies('WEB-30', `${exhibit.name} is accessible, fits 360 px and follows the colour scheme`, async () => {
      expect((await lookAtPage(visit(), exhibit)).problems).to.deep.equal([]);
    });
  }

  verifies('WEB-30', 'nothing moves for whoever asked for less motion', async () => {
    const { browser, gallery } = visit();
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
