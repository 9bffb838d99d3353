// A client's colours as a separate style sheet, since pages must not contain inline styles. The address contains the
// colours, so the response needs neither configuration nor store, and a browser may cache it permanently. Text on a
// coloured background is black or white, whichever has more contrast. The header's colour becomes the accent, darkened
// or lightened only until it is readable on the card.
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import { pageError, type Route } from '#shared/engine/exchange/route.ts';
import { pageRefusals } from '#shared/model/refusals/families/pages.ts';
import { assets } from './assets.ts';
import { channelsOf, fromHsl, hslOf } from './hue.ts';
import { accents, accentTokens, surfaces } from './style/colours.ts';

interface Colours {
  readonly background_color?: string | undefined;
  readonly header_color?: string | undefined;
  readonly footer_color?: string | undefined;
}

const path = '/static/client-theme.css';
const hexadecimal = /^[0-9a-f]{6}$/i;
/** WCAG 2.2 §1.4.3. */
const readableContrast = 4.5;
/** A theme belongs to the version of the style sheet that it changes. */
const version = assets.get('style.css')?.digest ?? '';

/** The address of the style sheet. undefined for a client without colours. */
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
  {
    path,
    audience: 'asset',
    methods: { GET: async (request) => serveClientTheme(request) },
  },
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
    throw pageError(pageRefusals.client_theme_malformed);
  }
  return value;
}

/** The background is the client's in both colour schemes, so the card on it keeps the scheme that fits. */
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

/** The card's colour on a client's background: six hexadecimal digits. */
export function cardOn(ground: string): string {
  return surfaces[schemeOn(ground)];
}

/** Buttons, links and focus in the client's colour: in each scheme, the nearest shade that is readable on its card. */
function accentRules(colour: string): string[] {
  const light = readableShade(colour, 'light');
  const dark = readableShade(colour, 'dark');
  if (light === undefined && dark === undefined) return [];
  const values = (name: keyof typeof accents, shadeIn: (shade: string, scheme: keyof typeof surfaces) => string) => ({
    light: light === undefined ? accents[name].light : shadeIn(light, 'light'),
    dark: dark === undefined ? accents[name].dark : shadeIn(dark, 'dark'),
  });
  const mixed = (shade: string, share: number, other: string) => `color-mix(in srgb, #${shade} ${share}%, ${other})`;
  const tokens = accentTokens({
    accent: values('accent', (shade) => `#${shade}`),
    'accent-strong': values('accent-strong', (shade, scheme) =>
      mixed(shade, 80, scheme === 'light' ? 'black' : 'white'),
    ),
    'accent-wash': values('accent-wash', (shade, scheme) => mixed(shade, 14, surfaces[scheme])),
    'accent-ink': values('accent-ink', (shade) => readableInk(shade)),
  });
  return [`:root { ${tokens} }`];
}

/** The minimum difference between the channels of a colour. Below it, its shades are greys, which look disabled. */
const chromaMin = 0.15;

/**
 * The colour itself if it is readable on the card. Otherwise the same hue, darker or lighter by as little as possible.
 * undefined for a grey that is not readable.
 */
export function readableShade(colour: string, scheme: keyof typeof surfaces): string | undefined {
  if (isReadableOn(surfaces[scheme], colour)) return colour;
  const channels = channelsOf(colour);
  if (Math.max(...channels) - Math.min(...channels) < chromaMin) return undefined;
  const { lightness, ...hue } = hslOf(colour);
  const step = scheme === 'light' ? -0.01 : 0.01;
  const steps = Array.from({ length: 100 }, (_, index) => lightness + step * (index + 1));
  return steps
    .filter((shade) => shade >= 0 && shade <= 1)
    .map((shade) => fromHsl({ ...hue, lightness: shade }))
    .find((shade) => isReadableOn(surfaces[scheme], shade));
}

function isReadableOn(surface: string, colour: string): boolean {
  return contrast(colour, surface.slice(1)) >= readableContrast;
}

/** Black or white by relative luminance: one of them has at least 4.5:1 on any background. */
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
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
