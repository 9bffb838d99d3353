// A client's colours as a style sheet of its own, since pages may not carry inline styles. The address holds the colours,
// so the answer needs neither configuration nor store and may be kept by a browser for good. Text on a coloured ground is
// black or white, whichever contrasts more.
import type { ParsedRequest } from '#shared/http/request.ts';
import { PageError, type Route } from '#shared/http/route.ts';

interface Colours {
  readonly background_color?: string | undefined;
  readonly header_color?: string | undefined;
  readonly footer_color?: string | undefined;
}

const path = '/static/client-theme.css';
const hexadecimal = /^[0-9a-f]{6}$/i;

/** The style sheet's address, or undefined for a client without colours. */
export function clientThemeAddress({ background_color, header_color, footer_color }: Colours): string | undefined {
  const query = new URLSearchParams();
  if (background_color !== undefined) query.set('background', background_color.slice(1));
  if (header_color !== undefined) query.set('header', header_color.slice(1));
  if (footer_color !== undefined) query.set('footer', footer_color.slice(1));
  return query.size === 0 ? undefined : `${path}?${query}`;
}

export const clientThemeRoutes: readonly Route[] = [
  { path, surface: 'page', methods: { GET: async (request) => serveClientTheme(request) }, standsAlone: true },
];

function serveClientTheme({ query }: ParsedRequest) {
  const rules = [
    themeRule('.login-ground', query.value('background'), 'background-color', 'background-image: none;'),
    themeRule('.client-header', query.value('header'), 'background'),
    themeRule('.login-footer', query.value('footer'), 'background'),
    // On a coloured ground the footer without colour of its own still must be readable.
    query.value('footer') === undefined ? inkRule('.login-footer', query.value('background')) : '',
    query.value('header') === undefined ? inkRule('.client-header, .below', query.value('background')) : '',
  ];
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    },
    body: rules.filter((rule) => rule !== '').join('\n'),
  };
}

function themeRule(selector: string, colour: string | undefined, property: string, more = ''): string {
  if (colour === undefined) return '';
  refuseOtherThanColour(colour);
  return `${selector} { ${property}: #${colour}; color: ${readableInk(colour)}; ${more} }`;
}

function inkRule(selector: string, ground: string | undefined): string {
  if (ground === undefined) return '';
  refuseOtherThanColour(ground);
  return `${selector} { color: ${readableInk(ground)}; }`;
}

function refuseOtherThanColour(colour: string): void {
  if (!hexadecimal.test(colour)) {
    throw new PageError(400, 'Not a colour', 'A colour of a client theme is six hexadecimal digits.');
  }
}

/** Black or white by relative luminance (WCAG 2.2 §1.4.3): one of the two has at least 4.5:1 on any ground. */
export function readableInk(colour: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? '#000000' : '#ffffff';
}
