// What was wrong in a flow: its refusals, each with what would have been right (REC-21).
import type { KeptExchange } from '#shared/domain/exchange.ts';
import { Card } from '#shared/pages/components/card.tsx';
import { faultBefore, isRefusedByFault, withoutStop } from '#shared/recorder/explain-flow.ts';
import { exchangeId } from '#shared/recorder/show-exchange.ts';
import { findRefusal } from '#shared/refusals/index.ts';
import type { Reference } from '#shared/refusals/references.ts';
import type { Refusal } from '#shared/refusals/refusal.ts';

export function Findings({ exchanges }: { readonly exchanges: readonly KeptExchange[] }) {
  const found = exchanges.flatMap((exchange) => {
    const refusal = exchange.refusal === undefined ? undefined : findRefusal(exchange.refusal);
    return refusal === undefined ? [] : [{ exchange, refusal }];
  });
  if (found.length === 0) return null;
  return (
    <Card title="Findings">
      <ul>
        {found.map(({ exchange, refusal }) => (
          <li key={exchangeId(exchange.id)}>
            <a href={`#${exchangeId(exchange.id)}`}>{exchange.path}</a>: {withoutStop(exchange.reason ?? refusal.code)}.{' '}
            <Right exchange={exchange} exchanges={exchanges} refusal={refusal} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface RightProps {
  readonly exchange: KeptExchange;
  readonly exchanges: readonly KeptExchange[];
  readonly refusal: Refusal;
}

/** What would have been right; where a fault came first, nobody says that the client was wrong. */
function Right({ exchange, exchanges, refusal }: RightProps) {
  const fault = isRefusedByFault(exchange) ? exchange.fault : faultBefore(exchange, exchanges);
  if (fault !== undefined) {
    return (
      <>
        This followed the fault <code>{fault}</code> (docs/faults.md) and is held against nobody.
      </>
    );
  }
  return (
    <>
      <strong>Expected:</strong> {refusal.expected} <Standard standard={refusal.standard} />
    </>
  );
}

function Standard({ standard: { reference, link } }: { readonly standard: Reference }) {
  if (link === undefined) return <span class="soft">({reference})</span>;
  return (
    <a href={link} rel="noreferrer">
      {reference}
    </a>
  );
}
