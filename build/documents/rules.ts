// docs/verdict.md: its list of rules is generated from the rows, everything else is written by hand.
import { verdictRules } from '#shared/engine/verdict/rules/index.ts';
import type { VerdictRule } from '#shared/engine/verdict/verdict-rule.ts';
import { withWrittenPart } from './written-part.ts';

const part = {
  path: 'docs/verdict.md',
  begin: '<!-- rules: written by `npm run docs` -->',
  end: '<!-- end of rules -->',
};

/** The document with its current list of rules. @throws Error when it has no place for one. */
export function withRules(document: string): string {
  const table = [
    '| Rule | Severity | Finding | Remedy | Standard |',
    '| --- | --- | --- | --- | --- |',
    ...verdictRules.map(rowLine),
  ];
  return withWrittenPart(document, part, `${table.join('\n')}\n`);
}

function rowLine({ id, severity, title, remedy, standard: { reference, link } }: VerdictRule): string {
  const cells = [`\`${id}\``, severity, title, remedy, link === undefined ? reference : `[${reference}](${link})`];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
