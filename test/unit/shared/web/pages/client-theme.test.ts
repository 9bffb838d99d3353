// The text colour on a client's colours is readable on every background.
import { expect } from 'chai';
import fc from 'fast-check';
import { Parameters } from '#shared/base/parameters.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { clientThemeAddress, clientThemeRoutes, readableInk, readableShade } from '#shared/web/pages/client-theme.ts';

function luminance(colour: string): number {
  const channels = [0, 2, 4].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('client theme', () => {
  it('has black or white text on any background with a contrast of at least 4.5', () => {
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

  const theme = async (query: string) => {
    const [route] = clientThemeRoutes;
    const request = { query: Parameters.parse(query) } as ParsedRequest;
    return String((await route?.methods.GET?.(request, {} as ManagementContext))?.body);
  };

  it('keeps the colour scheme that matches a client’s background', async () => {
    expect(await theme('background=eef2f7')).to.include(':root { color-scheme: light; }');
    expect(await theme('background=101820')).to.include(':root { color-scheme: dark; }');
    expect(await theme('header=14375e')).not.to.include('color-scheme');
  });

  it('uses the header colour as accent, in the nearest shade that is readable on the card', async () => {
    const navy = await theme('header=14375e');
    expect(navy).to.include('--accent: light-dark(#14375e, #3f87d6);');
    expect(navy).to.include('--accent-ink: light-dark(#ffffff, #000000);');
    expect(await theme('header=ffe08a')).to.include('--accent: light-dark(#946d00, #ffe08a);');
  });

  it('keeps its own accent if the header is an unreadable grey', async () => {
    expect(await theme('header=ffffff')).to.include('--accent: light-dark(#0b6b5d, #ffffff);');
    expect(await theme('header=777777')).not.to.include('--accent');
  });

  it('turns any colour with a hue into an accent with a contrast of at least 4.5 in both schemes', () => {
    const colour = fc.integer({ min: 0, max: 0xffffff }).map((number) => number.toString(16).padStart(6, '0'));
    const hasHue = (hex: string) => {
      const channels = [0, 2, 4].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
      return Math.max(...channels) - Math.min(...channels) >= 40;
    };
    fc.assert(
      fc.property(colour.filter(hasHue), fc.constantFrom('light' as const, 'dark' as const), (hex, scheme) => {
        const card = scheme === 'light' ? 'ffffff' : '161e1b';
        const [lighter = 0, darker = 0] = [luminance(readableShade(hex, scheme) ?? card), luminance(card)].sort(
          (a, b) => b - a,
        );
        expect((lighter + 0.05) / (darker + 0.05)).to.be.at.least(4.5);
      }),
    );
  });

  it('has an address only for a client with colours', () => {
    expect(clientThemeAddress({})).to.equal(undefined);
    expect(clientThemeAddress({ header_color: '#14375e' })).to.match(
      /^\/static\/client-theme\.css\?header=14375e&v=[0-9a-f]{16}$/,
    );
  });
});
