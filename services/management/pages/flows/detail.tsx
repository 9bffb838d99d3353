// /flows/<id>: one flow as a diagram, and the same steps as a table with all requests and responses (REC-21).

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import { explainFlow } from '#shared/engine/recorder/explain-flow.ts';
import { statusText } from '#shared/engine/recorder/flow-diagram.ts';
import { readFlow } from '#shared/engine/recorder/read-flow.ts';
import { exchangeId, flowId, numberIn, shownFlow } from '#shared/engine/recorder/show-exchange.ts';
import { readVerdictOfFlow } from '#shared/engine/verdict/read-verdict.ts';
import type { KeptExchange, NamedText } from '#shared/model/domain/exchange.ts';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { Moment } from '../instants.tsx';
import { managementPage } from '../shell.tsx';
import { FlowDiagram } from './diagram.tsx';
import { Findings } from './findings.tsx';
import { IssuedTokens } from './issued-tokens.tsx';
import { LiveSwitch, noSuchFlow, OutcomeTag } from './list.tsx';

export async function flowPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const number = numberIn(request.pathParameters.id ?? '', 'f');
  const found = number === undefined ? undefined : await readFlow(context.store.exchanges, number);
  if (found === undefined) throw noSuchFlow();
  const { flow, exchanges } = found;
  const shown = shownFlow(flow);
  const id = flowId(flow.id);
  const explanation = explainFlow(flow, exchanges);
  const { store, snapshot, clock } = context;
  const now = clock.real();
  const client =
    flow.clientId === undefined ? undefined : await findEffectiveClient(snapshot, store, flow.clientId, clock.now());
  const verdict = await readVerdictOfFlow({ flow: flow.id }, { store, snapshot, now: clock.now(), realNow: now });
  return managementPage(request, context, {
    title: 'Flow',
    heading: `Flow ${id}: ${shown.kind}`,
    section: '/flows',
    scripts: ['live.js'],
    actions: (
      <>
        <LiveSwitch part="flow" />
        <OwnLink class="button button-secondary button-small" href={`/api/flows/${id}.har`}>
          HAR
        </OwnLink>
        <OwnLink class="button button-secondary button-small" href={`/api/flows/${id}.mermaid`}>
          Mermaid
        </OwnLink>
      </>
    ),
    children: (
      <div id="flow" class="stack">
        <Notice kind={flow.outcome === 'refused' ? 'refusal' : 'info'}>{explanation}</Notice>
        <Card title="Overview">
          <Facts
            facts={[
              ['Outcome', <OutcomeTag key="outcome" outcome={shown.outcome} />],
              ['Client', <bdi key="client">{shown.client_id ?? shown.sp ?? 'none'}</bdi>],
              ['User', <bdi key="user">{shown.username ?? 'none'}</bdi>],
              ['Started', <Moment key="begun" iso={shown.started_at} now={now} />],
            ]}
          />
        </Card>
        <Findings exchanges={exchanges} client={client?.client} verdict={verdict} />
        <Card title="Sequence">
          <FlowDiagram title={`Flow ${id}`} description={explanation} exchanges={exchanges} />
        </Card>
        <IssuedTokens exchanges={exchanges} />
        <Card title="Steps">
          <Table caption="Steps" columns={columns} rows={exchanges} rowKey={({ id }) => exchangeId(id)} />
        </Card>
      </div>
    ),
  });
}

const columns: readonly Column<KeptExchange>[] = [
  {
    heading: 'Request',
    role: 'main',
    cell: ({ id, method, path, repeated }) => (
      <span id={exchangeId(id)}>
        {method} {path}
        {repeated > 1 && ` × ${repeated}`}
      </span>
    ),
  },
  {
    heading: 'Response',
    width: 'medium',
    cell: ({ status, decision, fault }) => (
      <span class="tags">
        <Tag
          kind={decision === 'refused' ? 'bad' : decision === 'accepted' ? 'good' : 'plain'}
        >{`${statusText(status)} ${decision}`}</Tag>
        {fault !== undefined && <Tag kind="warn">{fault}</Tag>}
      </span>
    ),
  },
  { heading: 'Details', role: 'body', cell: (exchange) => <ExchangeDetail {...exchange} /> },
];

function ExchangeDetail({ id, content, reason }: KeptExchange) {
  return (
    <div class="stack">
      {reason !== undefined && <span>{reason}</span>}
      <details id={`content-${exchangeId(id)}`}>
        <summary>Request and response</summary>
        <Texts title="Parameters" texts={content.parameters} />
        <Texts title="Request headers" texts={content.request_headers} />
        <Texts
          title="Response"
          texts={Object.entries(content.answer).map(([name, value]) => ({ name, value: asText(value) }))}
        />
        <Texts title="Response headers" texts={content.response_headers} />
        {content.decoded.map(({ name, jwt, saml }, index) => (
          <div key={String(index)}>
            <p class="small soft">{`${name}, decoded`}</p>
            <pre class="flow-content">{JSON.stringify(jwt ?? saml, null, 2)}</pre>
          </div>
        ))}
      </details>
    </div>
  );
}

function Texts({ title, texts }: { readonly title: string; readonly texts: readonly NamedText[] }) {
  if (texts.length === 0) return null;
  return (
    <div>
      <p class="small soft">{title}</p>
      <pre class="flow-content">{texts.map(({ name, value }) => `${name}: ${value}`).join('\n')}</pre>
    </div>
  );
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
