// Shows the time between a moment and now in the largest unit that is full.
import { expect } from 'chai';
import { distanceText } from '#services/management/pages/instants.tsx';
import { instant } from '#shared/base/clock.ts';

describe('the time between a moment and now', () => {
  const now = instant(Date.UTC(2026, 10, 21));
  const day = 86_400_000;
  for (const [distance, text] of [
    [0, 'now'],
    [-1000, '1 second ago'],
    [59 * 60_000, 'in 59 minutes'],
    [-2 * day, '2 days ago'],
    [364 * day, 'in 364 days'],
    [-1103 * day, '3 years ago'],
    [25_518 * day, 'in 70 years'],
  ] as const) {
    it(text, () => {
      expect(distanceText(now + distance, now)).to.equal(text);
    });
  }
});
