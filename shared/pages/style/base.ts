// Elements without classes: body, text, links, focus, code, and the page's frame (skip link, main, narrow column).
export const baseStyle = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  background: var(--ground);
  color: var(--ink);
  font: 400 var(--text-body)/1.55 var(--font);
  font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, dl, dd, ul, ol, figure, pre, fieldset { margin: 0; padding: 0; }
ul, ol { list-style: none; }
fieldset { border: 0; min-width: 0; }
h1 { font-size: var(--text-display); line-height: 1.2; letter-spacing: -0.018em; font-weight: 650; text-wrap: balance; }
h2 { font-size: var(--text-large); line-height: 1.3; letter-spacing: -0.008em; font-weight: 620; }
h3 { font-size: var(--text-body); font-weight: 620; }
img, svg { max-width: 100%; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.2em; }
a:hover { color: var(--accent-strong); text-decoration-thickness: 2px; }
code, kbd, samp, pre { font-family: var(--font-code); font-size: 0.9em; }
bdi { unicode-bidi: isolate; }
:focus { outline: none; }
:focus-visible { outline: 2px solid transparent; box-shadow: var(--ring); border-radius: var(--radius); }
main:focus-visible { box-shadow: none; }
[hidden] { display: none !important; }

.skip-link {
  position: absolute; left: var(--space-3); top: -4rem; z-index: 10;
  padding: var(--space-2) var(--space-4); border-radius: var(--radius);
  background: var(--accent); color: var(--accent-ink);
}
.skip-link:focus { top: var(--space-3); color: var(--accent-ink); }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; border: 0;
}

.wordmark { display: inline-flex; align-items: center; gap: var(--space-2); font-weight: 650; letter-spacing: -0.01em; }
.wordmark-mark { color: var(--accent); flex: none; }
.plain-header { padding: var(--space-4) var(--space-5); }

.page-narrow { display: flex; flex-direction: column; }
.page-narrow .main {
  width: 100%; max-width: 27rem; margin: 0 auto; padding: var(--space-5) var(--space-4) var(--space-7);
  display: flex; flex-direction: column; gap: var(--space-4);
}
.page-narrow .plain-header { text-align: center; padding-top: var(--space-6); padding-bottom: 0; }
.page-wide .main { padding: var(--space-5); max-width: 70rem; }

@media (prefers-reduced-motion: no-preference) {
  .button, .input, .persona { transition: background-color 120ms, border-color 120ms, box-shadow 120ms, transform 120ms; }
}
`;
