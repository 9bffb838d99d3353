// A client's colours as a style sheet of its own, since pages may not carry inline styles. The address holds the colours,
// so the answer needs neither configuration nor store and may be kept by a browser for good. Text on a coloured ground is
// black or white, whichever contrasts more; the header's colour becomes the accent wherever it is readable on the card.
import type { ParsedRequest } from '#shared/http/request.ts';
import { PageError, type Route } from '#shared/http/route.ts';
import { assets } from './assets.ts';
import { accents, accentTokens, surfaces } from './style/tokens.ts';

interface Colours {
  readonly background_color?: string | undefined;
  readonly header_color?: string | undefined;
  readonly footer_color?: string | undefined;
}

const path = '/static/client-theme.css';
const hexadecimal = /^[0-9a-f]{6}$/i;
/** WCAG 2.2 §1.4.3. */
const readableContrast = 4.5;
/** A theme belongs to the style sheet that it changes. */
const version = assets.get('style.css')?.digest ?? '';

/** The style sheet's address, or undefined for a client without colours. */
export function clientThemeAddress({ background_color, header_color, footer_color }: Colours): string | undefined {
  const query = new URLSearchParams();
  if (background_color !== undefined) query.set('background', background_color.slice(1));
  if (header_color !== undefined) query.set('header', header_color.slice(1));
  if (footer_color !== undefined) query.set('footer', footer_color.slice(1));
  if (query.size === 0) return undefined;
  query.set('v', version);
  return `${path}?${query}`;
}

export const clientThemeRoutes: readonly Route[] = [
  { path, surface: 'page', methods: { GET: async (request) => serveClientTheme(request) }, standsAlone: true },
];

function serveClientTheme({ query }: ParsedRequest) {
  const [background, header, footer] = ['background', 'header', 'footer'].map((name) => colourIn(query.value(name)));
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': query.first('v') === version ? 'public, max-age=31536000, immutable' : 'public, no-cache',
      'X-Content-Type-Options': 'nosniff',
    },
    body: [
      background === undefined ? [] : groundRules(background),
      header === undefined ? [] : [`.client-header { background: #${header}; color: ${readableInk(header)}; }`],
      footer === undefined ? [] : [`.login-footer { background: #${footer}; color: ${readableInk(footer)}; }`],
      header === undefined ? [] : accentRules(header),
    ]
      .flat()
      .join('\n'),
  };
}

function colourIn(value: string | undefined): string | undefined {
  if (value !== undefined && !hexadecimal.test(value)) {
    throw new PageError(400, 'Not a colour', 'A colour of a client theme is six hexadecimal digits.');
  }
  return value;
}

/** The ground is the client's by day and by night, so the card on it keeps the scheme that goes with it. */
function groundRules(ground: string): string[] {
  const ink = readableInk(ground);
  return [
    `:root { color-scheme: ${schemeOn(ground)}; }`,
    `.login-ground { background: #${ground}; }`,
    `.client-header, .login-footer, .below, .below a { color: ${ink}; }`,
  ];
}

function schemeOn(ground: string): keyof typeof surfaces {
  return readableInk(ground) === '#000000' ? 'light' : 'dark';
}

/** The colour of the card on a client's ground; six hexadecimal digits. */
export function cardOn(ground: string): string {
  return surfaces[schemeOn(ground)];
}

/** Buttons, links and focus in the client's colour, in each scheme whose card it can be read on. */
function accentRules(colour: string): string[] {
  const light = isReadableOn(surfaces.light, colour);
  const dark = isReadableOn(surfaces.dark, colour);
  if (!light && !dark) return [];
  const ink = readableInk(colour);
  const values = (name: keyof typeof accents, inLight: string, inDark: string) => ({
    light: light ? inLight : accents[name].light,
    dark: dark ? inDark : accents[name].dark,
  });
  const mixed = (share: number, other: string) => `color-mix(in srgb, #${colour} ${share}%, ${other})`;
  const tokens = accentTokens({
    accent: values('accent', `#${colour}`, `#${colour}`),
    'accent-strong': values('accent-strong', mixed(80, 'black'), mixed(80, 'white')),
    'accent-wash': values('accent-wash', mixed(14, surfaces.light), mixed(14, surfaces.dark)),
    'accent-ink': values('accent-ink', ink, ink),
  });
  return [`:root { ${tokens} }`];
}

function isReadableOn(surface: string, colour: string): boolean {
  return contrast(colour, surface.slice(1)) >= readableContrast;
}

/** Black or white by relative luminance: one of the two has at least 4.5:1 on any ground. */
export function readableInk(colour: string): '#000000' | '#ffffff' {
  return luminance(colour) > 0.179 ? '#000000' : '#ffffff';
}

/** WCAG 2.2, contrast ratio. */
export function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
