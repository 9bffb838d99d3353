// The verdict as JSON, and its models (VER-01, VER-02).
import * as z from 'zod';
import { exchangeId } from '#shared/engine/recorder/show-exchange.ts';
import { type Finding, verdictStatuses } from './judge.ts';
import type { Verdict } from './read-verdict.ts';
import { severities } from './verdict-rule.ts';

const ruleIds = z.array(z.string());

export const findingModel = z
  .strictObject({
    id: z.string(),
    severity: z.enum(severities),
    title: z.string(),
    standard: z.string().describe('The paragraph of the standard.'),
    detail: z.string().describe('What the client did.'),
    remedy: z.string(),
    count: z.int().min(1).describe('How often it happened.'),
    evidence: z.array(z.string()).min(1).max(20).describe('Ids of the exchanges that show it.'),
  })
  .meta({ id: 'Finding' });

export const verdictModel = z
  .strictObject({
    subject: z.strictObject({
      client_id: z.string().nullable(),
      sp: z.string().nullable().describe('Issuer of SAML requests.'),
      flow: z.string().nullable(),
    }),
    status: z.enum(verdictStatuses),
    findings: z.array(findingModel).describe('The worst first.'),
    clean: ruleIds.describe('Rules that the client followed.'),
    not_observed: ruleIds.describe('Rules that did not apply to any exchange.'),
    exchanges: z.int().min(0).describe('Number of exchanges that were judged.'),
  })
  .meta({ id: 'Verdict' });

type ShownVerdict = z.output<typeof verdictModel>;
type ShownFinding = z.output<typeof findingModel>;

export const verdictsModel = z.strictObject({ verdicts: z.array(verdictModel) }).meta({ id: 'Verdicts' });

export function shownVerdict({ subject, status, findings, clean, notObserved, exchanges }: Verdict): ShownVerdict {
  return {
    subject: { ...subject },
    status,
    findings: findings.map(shownFinding),
    clean: clean.map(({ id }) => id),
    not_observed: notObserved.map(({ id }) => id),
    exchanges,
  };
}

export function shownFinding({ rule, severity, detail, count, evidence }: Finding): ShownFinding {
  return {
    id: rule.id,
    severity,
    title: rule.title,
    standard: rule.standard.reference,
    detail,
    remedy: rule.remedy,
    count,
    evidence: evidence.map(({ id }) => exchangeId(id)),
  };
}

/** The subject of a verdict, in words. */
export function subjectName({ client_id, sp, flow }: Verdict['subject']): string {
  const names = [client_id, sp, flow].filter((name) => name !== null);
  return names.length === 0 ? 'requests without Issuer' : names.join(', ');
}
