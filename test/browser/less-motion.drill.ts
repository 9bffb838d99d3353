// Nothing moves for users who prefer reduced motion.
import { expect } from 'chai';
import { useGallery } from '#test/support/gallery/use-gallery.ts';
import { verifies } from '#test/support/verifies.ts';

describe('motion in a browser', () => {
  const visit = useGallery();

  verifies('WEB-30', 'does not exist for users who prefer reduced motion', async () => {
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
