// From the history of a client to the verdict on it (VER-02 to VER-06). Pure: the same exchanges give the same verdict.
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import type { ClientHistory } from './client-history.ts';
import { type Breach, type Occasion, type Severity, severities, type VerdictRule } from './verdict-rule.ts';

/** The worst first. */
export const verdictStatuses = ['nothing_seen', ...severities, 'clean'] as const;
export type VerdictStatus = (typeof verdictStatuses)[number];

/** Whether a verdict is at least that bad, or there was nothing to judge (VER-11). */
export function fails(status: VerdictStatus, on: Severity): boolean {
  return verdictStatuses.indexOf(status) <= verdictStatuses.indexOf(on);
}

const evidenceMax = 20;

export interface Finding {
  readonly rule: VerdictRule;
  /** The worst severity seen. */
  readonly severity: Severity;
  /** The detail of the first of the worst breaches. */
  readonly detail: string;
  /** The number of occasions. */
  readonly count: number;
  /** In the order recorded. */
  readonly evidence: readonly KeptExchange[];
}

export interface Judged {
  readonly status: VerdictStatus;
  /** The worst first, then by id. */
  readonly findings: readonly Finding[];
  readonly clean: readonly VerdictRule[];
  readonly notObserved: readonly VerdictRule[];
  /** The number of exchanges judged. */
  readonly exchanges: number;
}

const occasionsAtOnce = 500;

/**
 * Runs in steps, so that the caller can let other requests run between them. `isSelected`: only occasions at these
 * exchanges count. The others only serve as context.
 */
export function* judging(
  rules: readonly VerdictRule[],
  history: ClientHistory,
  isSelected: (exchange: KeptExchange) => boolean,
): Generator<undefined, Judged> {
  const exchanges = history.exchanges.filter(isSelected).length;
  const findings: Finding[] = [];
  const clean: VerdictRule[] = [];
  const notObserved: VerdictRule[] = [];
  for (const rule of rules) {
    const occasions: Occasion[] = [];
    let looked = 0;
    for (const one of exchanges === 0 ? [] : rule.occasions(history)) {
      if (isSelected(one.at) && isEvidence(one, history)) occasions.push(one);
      looked += 1;
      if (looked % occasionsAtOnce === 0) yield;
    }
    const finding = findingOf(rule, occasions);
    if (finding !== undefined) findings.push(finding);
    else (occasions.length > 0 ? clean : notObserved).push(rule);
    yield;
  }
  findings.sort(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) || (one.rule.id < other.rule.id ? -1 : 1),
  );
  const status = exchanges === 0 ? 'nothing_seen' : (findings[0]?.severity ?? 'clean');
  return { status, findings, clean, notObserved, exchanges };
}

function isEvidence({ at, breach }: Occasion, { faulty }: ClientHistory): boolean {
  return ![at, ...(breach?.beside ?? [])].some(({ id }) => faulty.has(id));
}

function findingOf(rule: VerdictRule, occasions: readonly Occasion[]): Finding | undefined {
  const broken = occasions.flatMap(({ at, breach }) => (breach === undefined ? [] : [{ at, breach }]));
  const severityOf = ({ severity = rule.severity }: Breach) => severity;
  const severity = severities.find((one) => broken.some(({ breach }) => severityOf(breach) === one));
  if (severity === undefined) return undefined;
  // The worst exchanges come first, so that the limit cuts the others.
  const worst = broken.filter(({ breach }) => severityOf(breach) === severity);
  const [first] = worst;
  if (first === undefined) return undefined;
  const shown = new Map<number, KeptExchange>();
  for (const { at, breach } of [...worst, ...broken]) {
    for (const exchange of [at, ...(breach.beside ?? [])]) {
      if (shown.size < evidenceMax) shown.set(exchange.id, exchange);
    }
  }
  const evidence = [...shown.values()].sort((one, other) => one.id - other.id);
  return { rule, severity, detail: first.breach.detail, count: broken.length, evidence };
}
