// The colours of the style sheet that a client's theme is computed from. The style sheet declares them.
import { pageFile } from '../page-files.ts';

interface SchemeColours {
  readonly light: string;
  readonly dark: string;
}

const sheet = pageFile('style/tokens.css');

/** The background colour of cards with text and controls. */
export const surfaces = token('surface');

/** The only accent colour: buttons, links, focus and selected elements. A client's theme may replace it. */
export const accents = {
  accent: token('accent'),
  'accent-strong': token('accent-strong'),
  'accent-wash': token('accent-wash'),
  'accent-ink': token('accent-ink'),
} as const;

export function accentTokens(values: Record<keyof typeof accents, SchemeColours>): string {
  return Object.entries(values)
    .map(([name, { light, dark }]) => `--${name}: light-dark(${light}, ${dark});`)
    .join(' ');
}

/** The custom property of that name: `--accent: light-dark(#0b6b5d, #62cdb5)`. */
function token(name: string): SchemeColours {
  const [, light, dark] = new RegExp(`--${name}:\\s*light-dark\\((#\\w{6}),\\s*(#\\w{6})\\)`).exec(sheet) ?? [];
  if (light === undefined || dark === undefined) throw new Error(`style/tokens.css declares no colours of --${name}`);
  return { light, dark };
}
