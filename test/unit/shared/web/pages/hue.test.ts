// Colours by hue, saturation and lightness: known values, and conversion in both directions.
import { expect } from 'chai';
import fc from 'fast-check';
import { fromHsl, hslOf } from '#shared/web/pages/hue.ts';

describe('hue', () => {
  it('splits a colour as CSS does', () => {
    // hsl(120 100% 25%), hsl(240 100% 75%), hsl(300 50% 50%)
    for (const [colour, degrees, saturation, lightness] of [
      ['008000', 120, 1, 0.25],
      ['8080ff', 240, 1, 0.75],
      ['bf40bf', 300, 0.5, 0.5],
    ] as const) {
      const hsl = hslOf(colour);
      expect(hsl.hue * 60).to.be.closeTo(degrees, 0.5);
      expect(hsl.saturation).to.be.closeTo(saturation, 0.01);
      expect(hsl.lightness).to.be.closeTo(lightness, 0.01);
    }
  });

  it('restores any colour from its parts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
        const colour = number.toString(16).padStart(6, '0');
        expect(fromHsl(hslOf(colour))).to.equal(colour);
      }),
    );
  });
});
