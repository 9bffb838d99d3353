// A verdict as text for a terminal.
import { exchangeId } from '#shared/engine/recorder/show-exchange.ts';
import type { Verdict } from './read-verdict.ts';
import { subjectName } from './show-verdict.ts';

export function verdictText(verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return 'No client has sent a request yet.\n';
  return verdicts.map(ofOne).join('\n');
}

function ofOne({ subject, status, findings, clean, notObserved, exchanges }: Verdict): string {
  const lines = [
    `${oneLine(subjectName(subject))}: ${status} (${exchanges} ${exchanges === 1 ? 'exchange' : 'exchanges'} judged)`,
    ...findings.flatMap(({ rule, severity, detail, count, evidence }) => [
      `  ${severity} ${rule.id}: ${rule.title} (${rule.standard.reference})${count > 1 ? `, ${count} times` : ''}`,
      `    ${oneLine(detail)}`,
      `    Remedy: ${rule.remedy}`,
      `    Evidence: ${evidence.map(({ id }) => exchangeId(id)).join(', ')}`,
    ]),
    `  clean: ${namesOf(clean)}`,
    `  not observed: ${namesOf(notObserved)}`,
  ];
  return `${lines.join('\n')}\n`;
}

function namesOf(rules: Verdict['clean']): string {
  return rules.length === 0 ? 'none' : rules.map(({ id }) => id).join(', ');
}

/** Text of a request cannot begin a line or move the cursor of a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '�');
}
