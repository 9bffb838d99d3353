// The design's vocabulary: colour, space, type and shape as custom properties, light and dark. Everything else refers to
// these names. Text colours keep at least 4.5:1 on every surface they stand on, control borders 3:1 (WCAG AA).
export const tokenStyle = `
:root {
  color-scheme: light dark;

  --ground: #f4f6f4;
  --surface: #ffffff;
  --surface-sunken: #f0f3f1;
  --surface-hover: #eaf0ed;
  --line: #d9e0dc;
  --line-control: #84918b;
  --ink: #16211d;
  --ink-soft: #485650;
  --ink-faint: #5b6963;
  --accent: #0b6b5d;
  --accent-strong: #07584c;
  --accent-wash: #e0f0eb;
  --accent-ink: #ffffff;
  --good: #17683a;
  --good-wash: #e3f3e8;
  --bad: #ac2318;
  --bad-wash: #fbe9e6;
  --warn: #7c5000;
  --warn-wash: #fdf1d7;
  --pattern: #0b6b5d;
  --shadow: 0 1px 2px rgb(22 33 29 / 5%), 0 8px 24px -12px rgb(22 33 29 / 14%);

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

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1412;
    --surface: #161e1b;
    --surface-sunken: #111816;
    --surface-hover: #1f2926;
    --line: #2b3732;
    --line-control: #6f7f78;
    --ink: #e8eeeb;
    --ink-soft: #b3c0ba;
    --ink-faint: #94a39c;
    --accent: #62cdb5;
    --accent-strong: #84dcc8;
    --accent-wash: #17352e;
    --accent-ink: #06231d;
    --good: #7fd39b;
    --good-wash: #14301f;
    --bad: #ff9d90;
    --bad-wash: #3c1a16;
    --warn: #f0c268;
    --warn-wash: #352710;
    --pattern: #62cdb5;
    --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 8px 24px -12px rgb(0 0 0 / 60%);
  }
}

@media (forced-colors: active) {
  :root { --ring: none; }
  :focus-visible { outline: 2px solid Highlight; outline-offset: 2px; }
}
`;
