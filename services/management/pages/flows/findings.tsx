// What went wrong in a flow: its rejections, each with the expected value, and the findings of the verdict (REC-21).

import { faultBefore, isRefusedByFault, withoutFullStop } from '#shared/engine/recorder/explain-flow.ts';
import { exchangeId } from '#shared/engine/recorder/show-exchange.ts';
import type { Finding } from '#shared/engine/verdict/judge.ts';
import type { Verdict } from '#shared/engine/verdict/read-verdict.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { isDelivery, type KeptExchange } from '#shared/model/domain/exchange.ts';
import { findRefusal } from '#shared/model/refusals/index.ts';
import type { Reference } from '#shared/model/refusals/references.ts';
import type { Refusal } from '#shared/model/refusals/refusal.ts';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { WithCode } from '#shared/web/pages/components/with-code.tsx';
import { Registered } from '../audit/event-list.tsx';
import { registrationBeside } from '../audit/explain.ts';
import { Evidence, StatusTag, verdictPath } from '../verdict.tsx';

interface FindingsProps {
  readonly exchanges: readonly KeptExchange[];
  /** The client that the flow names, as currently registered. */
  readonly client: Client | undefined;
  readonly verdict: Verdict;
}

export function Findings({ exchanges, client, verdict }: FindingsProps) {
  // Faults that replace an endpoint and users who deny cause rejections without a code.
  const refused = exchanges
    .filter(({ decision, endpoint }) => decision === 'refused' && !isDelivery(endpoint))
    .map((exchange) => ({
      exchange,
      refusal: exchange.refusal === undefined ? undefined : findRefusal(exchange.refusal),
    }));
  const isClean = refused.length === 0 && verdict.findings.length === 0;
  return (
    <Card
      title="Findings"
      lead={
        <>
          {isClean
            ? 'No request was rejected, and the client broke no rule. '
            : 'Rejected requests, and what a stricter identity provider might reject. '}
          <OwnLink href={verdictPath(verdict.subject)}>Verdict on this flow</OwnLink>
        </>
      }
    >
      {!isClean && (
        <ul class="stack">
          {refused.map(({ exchange, refusal }) => (
            <li key={exchangeId(exchange.id)}>
              <a href={`#${exchangeId(exchange.id)}`}>{exchange.path}</a>:{' '}
              {withoutFullStop(exchange.reason ?? refusal?.code ?? `status ${exchange.status}`)}.{' '}
              <Right exchange={exchange} exchanges={exchanges} refusal={refusal} client={client} />
            </li>
          ))}
          {verdict.findings.map((finding) => (
            <li key={finding.rule.id}>
              <Judged {...finding} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** A finding of the verdict, shorter than on its own page. */
function Judged({ rule, severity, detail, evidence }: Finding) {
  return (
    <>
      <StatusTag status={severity} /> <strong>{rule.title}</strong> <Standard standard={rule.standard} />:{' '}
      <bdi>
        <WithCode text={detail} />
      </bdi>{' '}
      <strong>Remedy:</strong> <WithCode text={rule.remedy} /> <Evidence exchanges={evidence} />
    </>
  );
}

interface RightProps {
  readonly exchange: KeptExchange;
  readonly exchanges: readonly KeptExchange[];
  readonly refusal: Refusal | undefined;
  readonly client: Client | undefined;
}

/** The expected value. After a fault, the page does not blame the client. */
function Right({ exchange, exchanges, refusal, client }: RightProps) {
  const isOfFault = isRefusedByFault(exchange);
  const fault = isOfFault ? exchange.fault : faultBefore(exchange, exchanges);
  if (fault !== undefined) {
    return (
      <>
        {isOfFault ? 'Caused by' : 'Came after'} the fault <code>{fault}</code> (docs/faults.md), so it does not count
        against the client.
      </>
    );
  }
  if (refusal === undefined) return null;
  const isTold = exchange.content.details?.method_registered !== undefined;
  const registered = isTold ? undefined : registrationBeside(refusal, client);
  const comparison = evidenceOf(exchange, (name) => comparedWith.has(name));
  return (
    <>
      <strong>Expected:</strong> {refusal.expected} <Standard standard={refusal.standard} />
      <Facts class="facts-evidence" facts={evidenceOf(exchange, (name) => !leftOut.has(name))} />
      {registered !== undefined && <Registered {...registered} />}
      {comparison.length > 0 && <Facts class="facts-evidence" facts={comparison} />}
    </>
  );
}

const evidenceLabels: Readonly<Record<string, string>> = {
  sent: 'Received',
  expected: 'Expected',
  method_used: 'Method used',
  method_registered: 'Registered method',
  problem: 'Problem',
  nearest: 'Nearest',
  differs_in: 'Differs in',
};
/** Shown below the registered values. */
const comparedWith: ReadonlySet<string> = new Set(['nearest', 'differs_in']);
/** Shown elsewhere on the page. */
const leftOut: ReadonlySet<string> = new Set(['grant_type', 'registered', ...comparedWith]);

/** The sent value beside the expected one. */
function evidenceOf({ content: { details = {} } }: KeptExchange, isShown: (name: string) => boolean) {
  const shown = Object.entries(details).filter(([name]) => isShown(name));
  return shown.map(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    const text = values.map((one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
    return [evidenceLabels[name] ?? <code key={name}>{name}</code>, <bdi key="value">{text}</bdi>] as const;
  });
}

function Standard({ standard: { reference, link } }: { readonly standard: Reference }) {
  if (link === undefined) return <span class="soft">({reference})</span>;
  return (
    <a href={link} rel="noreferrer">
      {reference}
    </a>
  );
}
