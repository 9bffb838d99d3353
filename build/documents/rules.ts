// docs/verdict.md: its list of rules is made from the rows, everything else is written by hand.
import { verdictRules } from '#shared/verdict/rules/index.ts';
import type { VerdictRule } from '#shared/verdict/verdict-rule.ts';

const begin = '<!-- rules: written by `npm run docs` -->';
const end = '<!-- end of rules -->';

/** The document with its list of rules as it has to be. @throws Error when it has no place for one. */
export function withRules(document: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/verdict.md must have the lines ${begin} and ${end}`);
  const table = [
    '| Rule | Severity | Found | Remedy | Written in |',
    '| --- | --- | --- | --- | --- |',
    ...verdictRules.map(rowLine),
  ];
  return `${document.slice(0, from)}${begin}\n\n${table.join('\n')}\n\n${document.slice(to)}`;
}

function rowLine({ id, severity, title, remedy, standard: { reference, link } }: VerdictRule): string {
  const cells = [`\`${id}\``, severity, title, remedy, link === undefined ? reference : `[${reference}](${link})`];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
