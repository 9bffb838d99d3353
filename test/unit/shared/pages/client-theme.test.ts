// The ink on a client's colours: readable on every ground.
import { expect } from 'chai';
import fc from 'fast-check';
import { clientThemeAddress, readableInk } from '#shared/pages/client-theme.ts';

function luminance(colour: string): number {
  const channels = [0, 2, 4].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('client theme', () => {
  it('puts black or white ink on any ground with a contrast of at least 4.5', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
        const ground = number.toString(16).padStart(6, '0');
        const [lighter = 0, darker = 0] = [luminance(ground), luminance(readableInk(ground).slice(1))].sort(
          (a, b) => b - a,
        );
        expect((lighter + 0.05) / (darker + 0.05)).to.be.at.least(4.5);
      }),
    );
  });

  it('has an address exactly for a client with colours', () => {
    expect(clientThemeAddress({})).to.equal(undefined);
    expect(clientThemeAddress({ header_color: '#14375e' })).to.equal('/static/client-theme.css?header=14375e');
  });
});
