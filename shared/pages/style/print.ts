// On paper: the content alone, in full length and without what only a screen can do. Comes last, so that it wins.
export const printStyle = `
@media print {
  :root { color-scheme: light; --ground: #ffffff; --surface-sunken: #ffffff; }
  .shell-side, .skip-link, .button, .page-head > .row, .shell form, .shell search, .pages { display: none; }
  .page, .shell .main { display: block; background: none; padding: 0; border: 0; max-width: none; min-height: 0; }
  .page-head, .shell .main > * { margin-bottom: var(--space-4); }
  .card { border: 0; padding: 0; box-shadow: none; }
  .events > li, .fact, tr { break-inside: avoid; }
  .event > summary { padding-inline-start: 0; }
  .event > summary::before { display: none; }
  .event-body { padding-inline-start: 0; }
  .event-expected { border-inline-start: 2px solid var(--line); }
  .clamp, .table td bdi { display: inline; overflow: visible; }
  .tag { white-space: normal; overflow: visible; }
  a { color: inherit; }
}
`;
