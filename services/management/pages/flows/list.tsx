// /flows: the activity of clients, one row per login or grant (REC-21, REC-22).

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type PageError, pageError } from '#shared/engine/exchange/route.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import { readFlows } from '#shared/engine/recorder/read-flow.ts';
import { exchangeId, flowId, type ShownFlow, shownFlow } from '#shared/engine/recorder/show-exchange.ts';
import { type FlowKind, type FlowOutcome, flowKinds, flowOutcomes } from '#shared/model/domain/flow.ts';
import { pageRefusals } from '#shared/model/refusals/families/pages.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Field, Select } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { type Column, Table } from '#shared/web/pages/components/table.tsx';
import { Tag } from '#shared/web/pages/components/tag.tsx';
import { wholeNumber } from '../audit/filter.ts';
import { countText } from '../count-text.ts';
import { Moment } from '../instants.tsx';
import { withNotice } from '../notices.ts';
import { managementPage } from '../shell.tsx';

const shownUsually = 100;
const shownMax = 1000;

interface ListFilter {
  readonly clientId: string | undefined;
  readonly sp: string | undefined;
  readonly username: string | undefined;
  readonly kind: FlowKind | undefined;
  readonly outcome: FlowOutcome | undefined;
}

export async function flowsPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { query } = request;
  const requestId = query.value('request');
  if (requestId !== undefined) return redirect(context.path(await addressOfRequest(requestId, context)));
  const filter: ListFilter = {
    clientId: query.value('client_id')?.trim(),
    sp: query.value('sp')?.trim(),
    username: query.value('username')?.trim(),
    kind: flowKinds.find((kind) => kind === query.value('kind')),
    outcome: flowOutcomes.find((outcome) => outcome === query.value('outcome')),
  };
  const limit = wholeNumber(query.value('limit'), shownUsually, shownMax);
  const flows = (await readFlows(context.store.exchanges, filter, limit)).map(shownFlow);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return managementPage(request, context, {
    title: 'Flows',
    section: '/flows',
    lead: 'The requests of each login or grant as one flow, newest first.',
    scripts: ['live.js'],
    actions: <LiveSwitch part="flows" />,
    notice: isRecorderOn(context) ? undefined : (
      <Notice kind="info">
        The recorder is off. <code>recorder.enabled</code> or <code>PUT /api/recorder</code> turns it on.
      </Notice>
    ),
    children: (
      <Card>
        <FilterForm filter={filter} limit={limit} isNarrowed={isFiltered || limit !== shownUsually} />
        <div id="flows" class="stack">
          {flows.length === 0 ? (
            <NoFlows isFiltered={isFiltered} />
          ) : (
            <>
              {flows.length === limit && (
                <p class="soft small">Showing the newest {countText(limit)}. There may be older flows.</p>
              )}
              <Table caption="Flows" columns={columnsAt(context.clock.real())} rows={flows} rowKey={({ id }) => id} />
              <OwnForm method="post" action="/flows/delete" class="row">
                <Button kind="danger">Delete all flows</Button>
              </OwnForm>
            </>
          )}
        </div>
      </Card>
    ),
  });
}

interface FilterFormProps {
  readonly filter: ListFilter;
  readonly limit: number;
  readonly isNarrowed: boolean;
}

function FilterForm({ filter, limit, isNarrowed }: FilterFormProps) {
  const text = { autoComplete: 'off', spellcheck: false } as const;
  return (
    <search>
      <OwnForm method="get" action="/flows" class="filters filters-even">
        <Field name="client_id" label="Client" value={filter.clientId ?? ''} {...text} />
        <Field name="sp" label="Service provider" value={filter.sp ?? ''} {...text} />
        <Field name="username" label="User" value={filter.username ?? ''} {...text} />
        <Select name="kind" label="Kind" value={filter.kind ?? ''} options={optionsOf('All', flowKinds)} />
        <Select name="outcome" label="Outcome" value={filter.outcome ?? ''} options={optionsOf('All', flowOutcomes)} />
        <Field name="limit" type="number" label="Show" value={limit} min={1} max={shownMax} inputMode="numeric" />
        <div class="row">
          <Button kind="secondary">Filter</Button>
          {isNarrowed && <OwnLink href="/flows">Show all</OwnLink>}
        </div>
      </OwnForm>
    </search>
  );
}

function optionsOf(all: string, names: readonly string[]) {
  return [{ value: '', label: all }, ...names.map((value) => ({ value, label: value }))];
}

function NoFlows({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No matching flows">Client, service provider and user must match exactly.</EmptyState>
  ) : (
    <EmptyState title="No requests yet">
      Every request to a protocol endpoint appears here. A rejected one shows the reason.
    </EmptyState>
  );
}

/** @throws PageError when the request is not kept. */
async function addressOfRequest(requestId: string, { store }: ProtocolContext): Promise<string> {
  const [exchange] = (await store.exchanges.list({ requestId }, 1)).exchanges;
  if (exchange === undefined) throw noSuchFlow();
  return `/flows/${flowId(exchange.flow)}#${exchangeId(exchange.id)}`;
}

export function noSuchFlow(): PageError {
  return pageError(pageRefusals.flow_not_kept);
}

export async function emptyRecorderByForm(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  await context.store.exchanges.clear();
  return redirect(context.path(withNotice('/flows', 'recorder_emptied')));
}

/** On by default with script, hidden without. */
export function LiveSwitch({ part }: { readonly part: string }) {
  return (
    <span hidden data-live={part} data-live-on>
      <button type="button" class="button button-secondary button-small" aria-pressed="false">
        Live
      </button>
    </span>
  );
}

export function OutcomeTag({ outcome }: Pick<ShownFlow, 'outcome'>) {
  const kind = outcome === 'completed' ? 'good' : outcome === 'refused' ? 'bad' : 'plain';
  return <Tag kind={kind}>{outcome}</Tag>;
}

function columnsAt(now: ReturnType<ProtocolContext['clock']['now']>): readonly Column<ShownFlow>[] {
  return [
    {
      heading: 'Flow',
      role: 'main',
      cell: ({ id, kind }) => <OwnLink href={`/flows/${id}`}>{`${kind} ${id}`}</OwnLink>,
    },
    { heading: 'Client and user', cell: ({ client_id, sp, username }) => <Names names={[client_id, sp, username]} /> },
    { heading: 'Started', cell: ({ started_at }) => <Moment iso={started_at} now={now} /> },
    { heading: 'Requests', width: 'narrow', cell: ({ exchanges }) => countText(exchanges) },
    {
      heading: 'Outcome',
      cell: ({ outcome, faults }) => (
        <span class="tags">
          <OutcomeTag outcome={outcome} />
          {faults.map((fault) => (
            <Tag key={fault} kind="warn">
              {fault}
            </Tag>
          ))}
        </span>
      ),
    },
  ];
}

function Names({ names }: { readonly names: readonly (string | null)[] }) {
  return (
    <div class="stack-tight">
      {names.map((name, index) =>
        name === null ? null : (
          <span key={String(index)} class={index === 0 ? undefined : 'soft small clamp'}>
            <bdi>{name}</bdi>
          </span>
        ),
      )}
    </div>
  );
}
