// The design's vocabulary: colour, space, type and shape as custom properties. Everything else refers to these names.
// Each colour names its light and its dark value, so that a page which must keep one scheme (a client's own ground) only
// says which. Text colours keep at least 4.5:1 on every surface they stand on, control borders 3:1 (WCAG AA).

/** The sheets that text and controls stand on. */
export const surfaces = { light: '#ffffff', dark: '#161e1b' } as const;

/** The one colour that acts: buttons, links, focus and what is chosen. A client's theme may replace it. */
export const accents = {
  accent: { light: '#0b6b5d', dark: '#62cdb5' },
  'accent-strong': { light: '#07584c', dark: '#84dcc8' },
  'accent-wash': { light: '#e0f0eb', dark: '#17352e' },
  'accent-ink': { light: '#ffffff', dark: '#06231d' },
} as const;

export function accentTokens(values: Record<keyof typeof accents, { readonly light: string; readonly dark: string }>) {
  return Object.entries(values)
    .map(([name, { light, dark }]) => `--${name}: light-dark(${light}, ${dark});`)
    .join(' ');
}

export const tokenStyle = `
:root {
  color-scheme: light dark;

  --ground: light-dark(#f4f6f4, #0e1412);
  --surface: light-dark(${surfaces.light}, ${surfaces.dark});
  --surface-sunken: light-dark(#f0f3f1, #111816);
  --surface-hover: light-dark(#eaf0ed, #1f2926);
  --line: light-dark(#d9e0dc, #2b3732);
  --line-control: light-dark(#84918b, #6f7f78);
  --ink: light-dark(#16211d, #e8eeeb);
  --ink-soft: light-dark(#485650, #b3c0ba);
  --ink-faint: light-dark(#5b6963, #94a39c);
  ${accentTokens(accents)}
  --good: light-dark(#17683a, #7fd39b);
  --good-wash: light-dark(#e3f3e8, #14301f);
  --bad: light-dark(#ac2318, #ff9d90);
  --bad-ink: light-dark(#ffffff, #34100b);
  --bad-wash: light-dark(#fbe9e6, #3c1a16);
  --warn: light-dark(#7c5000, #f0c268);
  --warn-wash: light-dark(#fdf1d7, #352710);
  --shadow:
    0 1px 2px light-dark(rgb(22 33 29 / 5%), rgb(0 0 0 / 40%)),
    0 8px 24px -12px light-dark(rgb(22 33 29 / 14%), rgb(0 0 0 / 60%));

  --font: system-ui, -apple-system, "Segoe UI", "Noto Sans", "Helvetica Neue", sans-serif;
  --font-code: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", "DejaVu Sans Mono", Menlo, monospace;
  --text-small: 0.8125rem;
  --text-body: 0.9375rem;
  --text-large: 1.0625rem;
  --text-title: 1.25rem;
  --text-display: 1.625rem;

  --space-1: 0.25rem;
  --space-2: 0.5rem;
  --space-3: 0.75rem;
  --space-4: 1rem;
  --space-5: 1.5rem;
  --space-6: 2rem;
  --space-7: 3rem;

  --radius: 0.4375rem;
  --radius-large: 0.875rem;
  --ring: 0 0 0 2px var(--surface), 0 0 0 4px var(--accent);
}

@media (forced-colors: active) {
  :root { --ring: none; }
  :focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
}
`;
