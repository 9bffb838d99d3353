// The result of an exam, for people, programs and CI (EXM-21 to EXM-24). It never contains protocol values.
import { xmlText } from '#shared/base/xml-text.ts';
import type { ExamCase } from './cases.ts';
import type { CaseResult } from './judge-case.ts';

export interface CaseReport {
  readonly name: string;
  readonly expected: ExamCase['expected'];
  readonly result: CaseResult;
  /** null: the case was not decided. */
  readonly good: boolean | null;
  readonly reason: string;
  readonly standard: string;
  /** The flow in which the fault fired. null: it did not fire. */
  readonly flow: string | null;
  readonly duration_ms: number;
}

export interface ExamReport {
  readonly client: string;
  readonly login_url: string;
  /** The results of the logins without fault. */
  readonly control: {
    readonly flow: string | null;
    readonly logins: number;
    readonly failed: boolean;
    /** The case after which logins without fault no longer worked. */
    readonly failed_after: string | null;
  };
  readonly cases: readonly CaseReport[];
  readonly counts: Counts;
}

type Counts = Readonly<Record<CaseResult | 'good' | 'bad', number>>;

export function countsOf(cases: readonly CaseReport[]): Counts {
  const number = (fits: (one: CaseReport) => boolean) => cases.filter(fits).length;
  return {
    good: number(({ good }) => good === true),
    bad: number(({ good }) => good === false),
    accepted: number(({ result }) => result === 'accepted'),
    rejected: number(({ result }) => result === 'rejected'),
    crashed: number(({ result }) => result === 'crashed'),
    skipped: number(({ result }) => result === 'skipped'),
    undecided: number(({ result }) => result === 'undecided'),
  };
}

/**
 * 1 for a bad case, else 2 for an undecided one unless that is allowed, else 0 (EXM-24). `couldNotExamine`: logins
 * without fault no longer worked, so the remaining cases were not run. Then the code is 2 even if undecided cases are
 * allowed.
 */
export function exitCodeOf({ bad, undecided }: Counts, allowUndecided: boolean, couldNotExamine = false): number {
  if (bad > 0) return 1;
  return couldNotExamine || (undecided > 0 && !allowUndecided) ? 2 : 0;
}

export function reportText({ cases, counts, control }: ExamReport): string {
  const width = Math.max(...cases.map(({ name }) => name.length));
  const lines = cases.map(
    ({ good, name, result, reason, standard }) =>
      `${markOf(good, result)} ${name.padEnd(width)}  ${result}: ${reason}  (${standard})`,
  );
  const { good, bad, skipped, undecided } = counts;
  const after = control.failed_after;
  const failed =
    after === null
      ? ''
      : `. After ${after}, logins without a fault failed. Restart the application and run the other cases with --except '${after}'`;
  return [
    ...lines,
    `${cases.length} cases: ${good} good, ${bad} bad, ${undecided} undecided, ${skipped} skipped${failed}`,
    '',
  ].join('\n');
}

/**
 * For people: what the faults did in the cases where the client was wrong, and where to find details. `base`: address
 * of the namespace.
 */
export function wrongLines({ cases }: ExamReport, effectOf: (name: string) => string, base: string): readonly string[] {
  return cases
    .filter(({ good }) => good === false)
    .map(({ name, expected, flow }) => {
      const where = flow === null ? '' : ` ${base}/flows/${flow}`;
      return `${name}: ${effectOf(name)} ${rightly[expected]}.${where}`;
    });
}

const rightly: Readonly<Record<ExamCase['expected'], string>> = {
  reject: 'A correct client rejects the login',
  accept: 'A correct client completes the login',
  recover: 'A correct client may reject this login, does not crash, and completes the next one',
  either: 'A correct client does not crash',
};

export function caseLine({ name, expected, standard }: ExamCase, width: number): string {
  return `${name.padEnd(width)}  ${expected.padEnd(7)}  ${standard}`;
}

export function reportJunit({ client, cases, counts }: ExamReport): string {
  const suite = xmlText(`test-idp exam of ${client}`);
  const { bad, skipped, undecided } = counts;
  const head = `tests="${cases.length}" failures="${bad}" errors="0" skipped="${skipped + undecided}"`;
  const body = cases.map((one) => junitCase(one, xmlText(client))).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${suite}">\n  <testsuite name="${suite}" ${head}>\n${body}  </testsuite>\n</testsuites>\n`;
}

function junitCase({ name, good, result, reason, expected, standard, duration_ms }: CaseReport, suite: string): string {
  const seconds = (duration_ms / 1000).toFixed(3);
  const opening = `    <testcase classname="${suite}" name="${xmlText(name)}" time="${seconds}"`;
  const escaped = xmlText(`${result}: ${reason}`);
  if (good === true) return `${opening}/>\n`;
  if (good === null) return `${opening}><skipped message="${escaped}"/></testcase>\n`;
  const text = xmlText(`A correct client: ${expected}. ${standard}`);
  return `${opening}><failure type="${result}" message="${escaped}">${text}</failure></testcase>\n`;
}

function markOf(good: boolean | null, result: CaseResult): string {
  if (good === null) return result === 'skipped' ? '-' : '?';
  return good ? '✓' : '✗';
}
