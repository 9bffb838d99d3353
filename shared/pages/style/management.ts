// The web UI's frame and what only its pages show.
export const managementStyle = `
.shell { display: grid; grid-template-columns: 13.5rem minmax(0, 1fr); }
.shell-side {
  position: sticky; top: 0; align-self: start; height: 100vh; height: 100dvh; overflow-y: auto;
  display: flex; flex-direction: column; gap: var(--space-5); padding: var(--space-5) var(--space-3);
}
.shell-home { color: var(--ink); text-decoration: none; padding: 0 var(--space-3); font-size: var(--text-large); }
.shell-home:hover { color: var(--ink); }
.shell-nav ul { display: flex; flex-direction: column; gap: 1px; }
.shell-nav a, .shell-state {
  display: flex; align-items: center; gap: var(--space-3); padding: var(--space-2) var(--space-3); border-radius: var(--radius);
  color: var(--ink-soft); text-decoration: none; line-height: 1.35;
}
.shell-nav a:hover, a.shell-state:hover { background: var(--surface-hover); color: var(--ink); }
.shell-nav a[aria-current] { background: var(--accent-wash); color: var(--accent-strong); font-weight: 600; }
.shell-session { margin-top: auto; display: flex; flex-direction: column; gap: var(--space-1); font-size: var(--text-small); }
.shell-who { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 var(--space-3); align-items: center; padding: var(--space-2) var(--space-3); }
.shell-who .monogram { grid-row: span 2; }
.shell-name { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.shell .main { padding: var(--space-6) var(--space-6) var(--space-7); display: flex; flex-direction: column; gap: var(--space-5); width: 100%; max-width: 72rem; min-height: 100vh; border-inline-start: 1px solid var(--line); }

@media (max-width: 52rem) {
  .shell { display: block; }
  .shell-side { position: static; height: auto; display: grid; grid-template-columns: auto 1fr; gap: var(--space-3); padding: var(--space-3) var(--space-4); border: 0; border-bottom: 1px solid var(--line); }
  .shell-home { padding: 0; align-self: center; }
  .shell-nav { grid-column: 1 / -1; order: 3; }
  .shell-nav ul { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 2px; }
  .shell-nav a { flex-direction: column; padding: var(--space-2) 0 var(--space-1); gap: 2px; font-size: 0.75rem; text-align: center; }
  .shell-session { margin: 0; flex-direction: row; flex-wrap: wrap; justify-content: flex-end; align-items: center; gap: 0; }
  .shell-state { padding: var(--space-1) var(--space-2); gap: var(--space-1); }
  .shell-who { padding: 0; display: flex; gap: var(--space-2); min-width: 0; }
  .shell-who .monogram { display: none; }
  .shell-name { max-width: 7rem; }
  .shell .main { padding: var(--space-4) var(--space-4) var(--space-6); gap: var(--space-4); border: 0; min-height: 0; }
  .shell .card { padding: var(--space-4); }
}

.page-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: flex-end; gap: var(--space-3) var(--space-5); }
.page-head > div:first-child { min-width: 0; flex: 1 1 18rem; }
.page-lead { color: var(--ink-soft); margin-top: var(--space-1); max-width: 46rem; }

.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); gap: var(--space-4); }
.figure { gap: var(--space-1); padding: var(--space-4) var(--space-5); position: relative; }
.figure h2 { font-size: var(--text-body); font-weight: 500; }
.figure h2 a { color: var(--ink-soft); text-decoration: none; }
.figure h2 a::after { content: ""; position: absolute; inset: 0; border-radius: var(--radius-large); }
.figure h2 a:focus-visible { box-shadow: none; }
.figure:has(a:focus-visible) { box-shadow: var(--ring); }
.figure:hover { border-color: var(--accent); }
.figure-count { font-size: 2rem; line-height: 1.15; font-weight: 620; letter-spacing: -0.02em; }
@media (max-width: 36rem) { .figures { grid-template-columns: 1fr 1fr; gap: var(--space-3); } .shell .figure { padding: var(--space-3) var(--space-4); } }

.search { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: center; }
.search-field { position: relative; flex: 1 1 9rem; max-width: 26rem; display: flex; align-items: center; }
.search-field .icon { position: absolute; inset-inline-start: var(--space-3); color: var(--ink-faint); pointer-events: none; }
.search-field .input { padding-inline-start: 2.375rem; }
.filters { display: grid; grid-template-columns: minmax(10rem, 2fr) minmax(10rem, 1.5fr) minmax(8rem, 1fr) 6rem auto; gap: var(--space-3); align-items: end; }
@media (max-width: 60rem) { .filters { grid-template-columns: repeat(auto-fit, minmax(min(100%, 7.5rem), 1fr)); } }
@media (max-width: 36rem) { .filters { grid-template-columns: minmax(0, 1fr) 6rem; } .filters > :is(:nth-child(-n + 2), :last-child) { grid-column: 1 / -1; } }
.pages { display: flex; justify-content: space-between; gap: var(--space-4); border-top: 1px solid var(--line); padding-top: var(--space-4); }

.who { display: flex; gap: var(--space-3); align-items: flex-start; min-width: 0; }
.who > div { min-width: 0; }
.who-name { font-weight: 600; color: var(--ink); }
.login-preview { border-radius: 0.25rem; border: 1px solid var(--line); display: block; }
.preview-ground { fill: var(--surface-sunken); }
.preview-card { fill: var(--surface); }

.form-actions { display: flex; flex-wrap: wrap; gap: var(--space-2); }
.form > .form-actions { position: sticky; bottom: 0; margin: 0 calc(-1 * var(--space-2)); padding: var(--space-3) var(--space-2); background: linear-gradient(transparent, var(--ground) 0.75rem); }
html:has(.shell) { scroll-padding-bottom: 5rem; }
.with-copy { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: var(--space-2); align-items: start; }
.with-copy .button { margin-top: 2rem; }
.inline-form { display: grid; grid-template-columns: minmax(0, 20rem) auto; gap: var(--space-3); align-items: end; justify-content: start; }
.inline-form:has(.field-error) { align-items: center; }
.attribute-rows { display: grid; gap: var(--space-3); }
.attribute-row { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr) minmax(0, 1fr); gap: var(--space-3); align-items: start; }
.attribute-row-two { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); max-width: 32rem; }
@media (min-width: 44.01rem) { .attribute-row:not(:first-child) .field-label { position: absolute; clip-path: inset(50%); } }
@media (max-width: 44rem) {
  .attribute-row { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); padding-bottom: var(--space-3); border-bottom: 1px solid var(--line); }
  .attribute-row:not(.attribute-row-two) > :nth-child(2) { grid-column: 1 / -1; grid-row: 2; }
}
.facts-code code { overflow-wrap: anywhere; }
.facts-code .fact { grid-template-columns: minmax(8rem, 29rem) minmax(0, 1fr); }
@media (max-width: 36rem) { .facts-code .fact { grid-template-columns: minmax(0, 1fr); } }

/* audit events */
.events { border-top: 1px solid var(--line); }
.events > li { border-bottom: 1px solid var(--line); }
.event > summary { cursor: pointer; list-style: none; padding: var(--space-3) var(--space-2) var(--space-3) 1.75rem; position: relative; display: flex; flex-direction: column; gap: var(--space-1); border-radius: var(--radius); }
.event > summary::-webkit-details-marker { display: none; }
.event > summary::before {
  content: ""; position: absolute; inset-inline-start: 0.625rem; top: 1.25rem; width: 0.4rem; height: 0.4rem;
  border-inline-end: 1.5px solid var(--ink-faint); border-bottom: 1.5px solid var(--ink-faint); transform: rotate(-45deg);
}
.event[open] > summary::before { transform: rotate(45deg); }
.event > summary:hover { background: var(--surface-hover); }
.event-line { display: flex; flex-wrap: wrap; align-items: baseline; gap: var(--space-1) var(--space-3); }
.event-type { font-weight: 600; }
.event-who, .event-client { max-width: 18rem; }
.event-reason { color: var(--bad); }
.event-warn .event-reason { color: var(--warn); }
.event-good .event-reason { color: var(--ink-soft); }
.event-reason::first-letter { text-transform: uppercase; }
.moment { margin-inline-start: auto; color: var(--ink-faint); font-size: var(--text-small); white-space: nowrap; }
.moment-distance { color: var(--ink-faint); white-space: nowrap; display: inline-block; }
.moment-distance::before { content: "· "; }
.event-body { padding: 0 var(--space-2) var(--space-4) 1.75rem; display: flex; flex-direction: column; gap: var(--space-3); }
.event-expected { padding: var(--space-2) var(--space-3); border-radius: var(--radius); background: var(--surface-sunken); display: grid; gap: var(--space-2); }
.event-expected > p { min-width: 0; }
/* On a phone the distance is enough: the exact time stands inside. */
@media (max-width: 44rem) {
  .moment { margin-inline-start: 0; }
  .moment-exact { display: none; }
  .event-body .facts { gap: var(--space-2); }
  .moment-distance::before { content: none; }
}
.claim-moment { display: block; }
.claims .fact { border-bottom: 1px solid var(--line); padding-bottom: var(--space-2); }
.claims .fact:last-child { border-bottom: 0; }
.below { text-align: center; }
.more > summary { cursor: pointer; color: var(--accent); padding: var(--space-1) 0; }
.more[open] > summary { margin-bottom: var(--space-2); }
`;
