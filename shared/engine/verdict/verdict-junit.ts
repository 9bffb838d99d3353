// A verdict as a JUnit XML suite with one test case for each rule, for tools that show test results (VER-09).

import { xmlText } from '#shared/base/xml-text.ts';
import { exchangeId } from '#shared/engine/recorder/show-exchange.ts';
import type { Finding } from './judge.ts';
import type { Verdict } from './read-verdict.ts';
import { verdictRules } from './rules/index.ts';
import { subjectName } from './show-verdict.ts';
import type { VerdictRule } from './verdict-rule.ts';

export function verdictJunit(verdicts: readonly Verdict[]): string {
  const suites = verdicts.map(suiteOf).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="test-idp verdict">\n${suites}</testsuites>\n`;
}

function suiteOf({ subject, findings, notObserved }: Verdict): string {
  const name = xmlText(subjectName(subject));
  const failures = findings.filter(isFailure).length;
  const found = new Map(findings.map((finding) => [finding.rule.id, finding]));
  const unseen = new Set(notObserved.map(({ id }) => id));
  const cases = verdictRules.map((rule) => caseOf(rule, name, found.get(rule.id), unseen.has(rule.id))).join('');
  const counts = `tests="${verdictRules.length}" failures="${failures}" errors="0" skipped="${unseen.size}"`;
  return `  <testsuite name="${name}" ${counts}>\n${cases}  </testsuite>\n`;
}

function caseOf(rule: VerdictRule, suite: string, finding: Finding | undefined, isUnseen: boolean): string {
  const opening = `    <testcase classname="${suite}" name="${rule.id}"`;
  if (isUnseen) return `${opening}><skipped message="Not observed."/></testcase>\n`;
  if (finding === undefined) return `${opening}/>\n`;
  const { severity, evidence, count } = finding;
  const shown = evidence.map(({ id }) => exchangeId(id)).join(', ');
  const text = xmlText(
    `${finding.detail}\n${rule.standard.reference}\nRemedy: ${rule.remedy}\nSeen ${count} times: ${shown}`,
  );
  const body = isFailure(finding)
    ? `<failure type="${severity}" message="${xmlText(rule.title)}">${text}</failure>`
    : `<system-out>${text}</system-out>`;
  return `${opening}>${body}</testcase>\n`;
}

function isFailure({ severity }: Finding): boolean {
  return severity !== 'advice';
}
