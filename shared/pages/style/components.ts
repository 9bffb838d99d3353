// The shared components: buttons, fields, notices, cards, tables, tags, code and empty states.
export const componentStyle = `
.stack { display: flex; flex-direction: column; gap: var(--space-4); }
.stack-tight { display: flex; flex-direction: column; gap: var(--space-2); }
.row { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; }
.row-end { justify-content: flex-end; }
.soft { color: var(--ink-soft); }
.nowrap { white-space: nowrap; }
.small { font-size: var(--text-small); }
.icon { flex: none; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
/* Names from outside may be endless, and written from right to left inside a page from left to right. */
.clamp, h1, .table td bdi, .persona bdi, .client-header bdi, .page-narrow .card-lead {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: var(--lines, 2); line-clamp: var(--lines, 2);
  overflow: hidden; overflow-wrap: anywhere; text-align: -webkit-match-parent; text-align: match-parent;
}
h1 { --lines: 4; }

/* buttons */
.button {
  display: inline-flex; align-items: center; justify-content: center; gap: var(--space-2);
  min-height: 2.375rem; padding: var(--space-1) var(--space-4);
  border: 1px solid transparent; border-radius: var(--radius);
  font: 560 var(--text-body)/1.25 var(--font); text-decoration: none; cursor: pointer;
}
.button-wide { width: 100%; min-height: 2.625rem; }
.button-primary { background: var(--accent); color: var(--accent-ink); }
.button-primary:hover { background: var(--accent-strong); color: var(--accent-ink); }
.button-secondary { background: var(--surface); color: var(--ink); border-color: var(--line-control); }
.button-secondary:hover { background: var(--surface-hover); color: var(--ink); }
.button-danger { background: var(--surface); color: var(--bad); border-color: var(--bad); }
.button-danger:hover { background: var(--bad-wash); color: var(--bad); }
.button-final { background: var(--bad); color: var(--bad-ink); }
.button-final:hover { background: color-mix(in srgb, var(--bad) 85%, var(--ink)); color: var(--bad-ink); }
.button-quiet { background: transparent; color: var(--accent); padding-inline: var(--space-2); }
.button-quiet:hover { background: var(--surface-hover); color: var(--accent-strong); }
.button-small { min-height: 1.875rem; padding: 0 var(--space-3); font-size: var(--text-small); }
.button[disabled] { opacity: 0.55; cursor: not-allowed; }

/* fields */
.form { display: flex; flex-direction: column; gap: var(--space-4); }
.field { display: flex; flex-direction: column; gap: var(--space-1); min-width: 0; }
.field-label { font-weight: 560; }
.field-hint { color: var(--ink-faint); font-size: var(--text-small); line-height: 1.45; }
.field-error { color: var(--bad); font-size: var(--text-small); font-weight: 560; line-height: 1.45; }
.field-error::before { content: "▲ "; font-size: 0.75em; }
.input {
  width: 100%; min-height: 2.375rem; padding: var(--space-1) var(--space-3);
  border: 1px solid var(--line-control); border-radius: var(--radius);
  background: var(--surface); color: var(--ink); font: inherit; line-height: 1.5;
}
/* Smaller text makes a phone zoom into the field that is touched. */
@media (pointer: coarse) { .input { font-size: 1rem; } }
textarea.input { padding-block: var(--space-2); resize: vertical; field-sizing: content; min-height: 4.5rem; max-height: 24rem; }
.input-code { font-family: var(--font-code); font-size: var(--text-small); }
.input::placeholder { color: var(--ink-faint); opacity: 1; }
/* The browser paints it in a blue of its own. */
.input::-webkit-search-cancel-button { filter: grayscale(1); cursor: pointer; }
.input:hover { border-color: var(--ink-soft); }
.input:focus { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.input:focus-visible { box-shadow: 0 0 0 1px var(--accent), 0 0 0 4px var(--accent-wash); }
.input[readonly] { background: var(--surface-sunken); color: var(--ink-soft); }
.field-refused .input { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.field-refused .input:focus-visible { box-shadow: inset 0 0 0 1px var(--bad), 0 0 0 3px var(--surface), 0 0 0 5px var(--bad); }
.field-checkbox { flex-direction: row; gap: var(--space-3); align-items: flex-start; }
.field-checkbox .field-label { font-weight: 500; }
.checkbox { width: 1.125rem; height: 1.125rem; margin: 0.2rem 0 0; accent-color: var(--accent); flex: none; }
.field-grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: var(--space-4); align-items: start; }
.field-code .input {
  font-family: var(--font-code); font-size: 1.625rem; letter-spacing: 0.32em; text-align: center;
  min-height: 3.5rem; padding-inline: 0.32em 0;
}

/* notices */
.notice {
  padding: var(--space-3) var(--space-4); border-radius: var(--radius);
  border: 1px solid transparent; border-inline-start-width: 3px; background: var(--surface-sunken); border-color: var(--line-control);
}
.notice-title { font-weight: 620; }
.notice-text { min-width: 0; overflow-wrap: anywhere; }
.notice-text > * + * { margin-top: var(--space-2); }
.notice-text ul { list-style: disc; padding-inline-start: 1.25em; }
.notice-success { background: var(--good-wash); border-color: var(--good); }
.notice-success .notice-title { color: var(--good); }
.notice-refusal { background: var(--bad-wash); border-color: var(--bad); }
.notice-refusal .notice-title { color: var(--bad); }
.notice-warning { background: var(--warn-wash); border-color: var(--warn); }
.notice-warning .notice-title { color: var(--warn); }

/* cards */
.card {
  background: var(--surface); color: var(--ink); border: 1px solid var(--line); border-radius: var(--radius-large);
  padding: var(--space-5); min-width: 0; display: flex; flex-direction: column; gap: var(--space-4);
}
.page-narrow .card { box-shadow: var(--shadow); }
.card-header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: flex-start; gap: var(--space-3); }
.card-header > :first-child:not(:only-child) { flex: 1 1 12rem; min-width: 0; }
.card-lead { color: var(--ink-soft); margin-top: var(--space-1); }
.page-narrow .card-lead { --lines: 8; }
.card-actions { display: flex; flex-wrap: wrap; gap: var(--space-2); }

/* tables become lists of cards on a phone */
.table { width: 100%; border-collapse: collapse; font-size: var(--text-body); table-layout: fixed; }
.table th:first-child { width: 28%; }
.table .column-narrow { width: 6.5rem; }
.table .column-medium { width: 10.25rem; }
.table th:last-child:has(.visually-hidden) { width: 7.5rem; }
.table-wide-actions th:last-child:has(.visually-hidden) { width: 12.5rem; }
.table .usual { color: var(--ink-faint); }
.table code.small { font-size: 0.75rem; }
.table th { text-align: start; font-weight: 560; font-size: var(--text-small); color: var(--ink-faint); padding: 0 var(--space-3) var(--space-2); }
.table td { padding: var(--space-3); border-top: 1px solid var(--line); vertical-align: top; }
.table th:first-child, .table td:first-child { padding-inline-start: 0; }
.table th:last-child, .table td:last-child { padding-inline-end: 0; }
.table tbody tr:hover td { background: color-mix(in srgb, var(--surface-hover) 55%, transparent); }
.table .cell-actions { text-align: end; white-space: nowrap; }
@media (max-width: 44rem) {
  .table, .table tbody, .table tr, .table td { display: block; width: 100%; }
  .table thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .table tr { padding: var(--space-3) 0; border-top: 1px solid var(--line); }
  .table tbody tr:first-child { border-top: 0; padding-top: 0; }
  .table td { padding: var(--space-1) 0; border: 0; display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: var(--space-2); }
  .table td.cell-main { overflow: hidden; }
  .table td > * { justify-self: start; max-width: 100%; }
  .table td::before { content: attr(data-label); color: var(--ink-faint); font-size: var(--text-small); padding-top: 0.1rem; }
  .table td.cell-main { display: block; font-size: var(--text-large); }
  .table td.cell-main::before, .table td.cell-actions::before, .table td:empty, .table td:has(> .usual) { display: none; }
  .table td.cell-actions { display: flex; flex-wrap: wrap; white-space: normal; margin-top: var(--space-1); }
  /* Fingers need more than a word's height, and Delete some distance. */
  .table td.cell-actions .row { gap: var(--space-1) var(--space-4); }
  .table td.cell-actions a { padding: var(--space-2) var(--space-1); margin-inline: calc(-1 * var(--space-1)); }
  .table:not(.table-wide-actions) tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: var(--space-3); }
  .table:not(.table-wide-actions) td { grid-column: 1 / -1; }
  .table:not(.table-wide-actions) td.cell-main { grid-column: 1; }
  .table:not(.table-wide-actions) td.cell-actions { grid-area: 1 / 2; margin: calc(-1 * var(--space-2)) 0 0; align-items: flex-start; }
}

/* tags */
.tag {
  display: inline-block; padding: 0 var(--space-2); border-radius: 1rem; border: 1px solid var(--line);
  background: var(--surface-sunken); color: var(--ink-soft); font-size: var(--text-small); line-height: 1.5rem; max-width: 100%; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; vertical-align: bottom;
}
.tag bdi, .table td .tag bdi { display: inline; }
.tag-accent { background: var(--accent-wash); color: var(--accent-strong); border-color: transparent; }
.tag-good { background: var(--good-wash); color: var(--good); border-color: transparent; }
.tag-bad { background: var(--bad-wash); color: var(--bad); border-color: transparent; }
.tag-warn { background: var(--warn-wash); color: var(--warn); border-color: transparent; }
.tags { display: flex; flex-wrap: wrap; gap: var(--space-1); min-width: 0; max-width: 100%; }

/* facts, code, empty states */
.facts { display: grid; gap: var(--space-2); }
.fact { display: grid; grid-template-columns: minmax(8rem, 13rem) minmax(0, 1fr); gap: var(--space-1) var(--space-4); align-items: baseline; }
.fact dt { color: var(--ink-faint); }
.fact dd { min-width: 0; }
.fact dd.row { gap: 0 var(--space-2); flex-wrap: nowrap; }
.fact dd.row > :first-child { min-width: 0; }
.fact dd.row > .button { flex: none; }
@media (max-width: 36rem) {
  .facts { gap: var(--space-3); }
  .fact { grid-template-columns: minmax(0, 1fr); gap: 0; }
}
.code-block {
  position: relative; background: var(--surface-sunken); border: 1px solid var(--line); border-radius: var(--radius);
}
.code-block pre { padding: 0 var(--space-4) var(--space-3); overflow-x: auto; white-space: pre-wrap; line-height: 1.5; }
.code-block-token pre { word-break: break-all; }
.code-block-head { display: flex; justify-content: space-between; align-items: center; gap: var(--space-3); padding: var(--space-2) var(--space-2) 0 var(--space-4); color: var(--ink-faint); font-size: var(--text-small); min-height: 2.25rem; }
.empty { text-align: center; padding: var(--space-6) var(--space-4); display: flex; flex-direction: column; gap: var(--space-3); align-items: center; color: var(--ink-soft); }
.empty-title { color: var(--ink); font-weight: 620; font-size: var(--text-large); }
`;
