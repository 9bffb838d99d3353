// The ink on a client's colours: readable on every ground.
import { expect } from 'chai';
import fc from 'fast-check';
import { Parameters } from '#shared/http/parameters.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { clientThemeAddress, clientThemeRoutes, readableInk } from '#shared/pages/client-theme.ts';

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

  const theme = async (query: string) => {
    const [route] = clientThemeRoutes;
    const request = { query: Parameters.parse(query) } as ParsedRequest;
    return String((await route?.methods.GET?.(request, {} as RequestContext))?.body);
  };

  it('keeps the scheme that goes with a ground of the client', async () => {
    expect(await theme('background=eef2f7')).to.include(':root { color-scheme: light; }');
    expect(await theme('background=101820')).to.include(':root { color-scheme: dark; }');
    expect(await theme('header=14375e')).not.to.include('color-scheme');
  });

  it('takes the header as accent where it can be read on the card, and nowhere else', async () => {
    const navy = await theme('header=14375e');
    expect(navy).to.include('--accent: light-dark(#14375e, #62cdb5);');
    expect(navy).to.include('--accent-ink: light-dark(#ffffff, #06231d);');
    expect(await theme('header=ffe08a')).to.include('--accent: light-dark(#0b6b5d, #ffe08a);');
    expect(await theme('header=777777')).not.to.include('--accent');
  });

  it('has an address exactly for a client with colours', () => {
    expect(clientThemeAddress({})).to.equal(undefined);
    expect(clientThemeAddress({ header_color: '#14375e' })).to.match(
      /^\/static\/client-theme\.css\?header=14375e&v=[0-9a-f]{16}$/,
    );
  });
});
