// /audit: the newest events with filters, exports and clearing (WEB-17).

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { auditEventTypes } from '#shared/model/audit/audit-event.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { EmptyState } from '#shared/web/pages/components/empty-state.tsx';
import { Checkbox, Field, Select } from '#shared/web/pages/components/field.tsx';
import { OwnForm, OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { confirmPage } from '../confirm.tsx';
import { countText } from '../count-text.ts';
import { withNotice } from '../notices.ts';
import { managementPage } from '../shell.tsx';
import { clientsOfRefusals } from './clients-of-refusals.ts';
import { eventLabel } from './event-label.ts';
import { EventList } from './event-list.tsx';
import { type AuditFilter, auditFilter, filterQuery, matchingPage, shownEntries } from './filter.ts';

export async function auditPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const filter = auditFilter(request.query);
  const { entries, hasOlder } = await matchingPage(context.audit, filter);
  const clients = await clientsOfRefusals(entries, context);
  const filtered = filterQuery(filter) !== '';
  return managementPage(request, context, {
    title: 'Audit',
    section: '/audit',
    scripts: ['live.js'],
    lead: 'All logged events, newest first. Open an event to see why it failed.',
    actions: (
      <>
        <LiveSwitch />
        <ButtonLink href={`/audit/export/json${filterQuery(filter)}`} download>
          Export JSON
        </ButtonLink>
        <ButtonLink href={`/audit/export/csv${filterQuery(filter)}`} download>
          Export CSV
        </ButtonLink>
        <ButtonLink href="/audit/clear" kind="danger">
          Clear
        </ButtonLink>
      </>
    ),
    children: (
      <Card>
        <FilterForm filter={filter} filtered={filtered} />
        <div id="events">
          {entries.length === 0 ? (
            <NoEvents filtered={filtered} base={context.requestOrigin + context.path('')} />
          ) : (
            <EventList entries={entries} now={context.clock.real()} clients={clients} />
          )}
          <OlderAndNewer filter={filter} shown={entries.length} hasOlder={hasOlder} />
        </div>
      </Card>
    ),
  });
}

export async function clearAuditPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return confirmPage(request, context, {
    title: 'Clear audit',
    question: 'Clear the audit log?',
    consequence: 'This deletes all events and counters, for every process that shares this log.',
    action: '/audit/clear',
    verb: 'Clear the log',
    back: '/audit',
    section: '/audit',
  });
}

export async function clearAudit(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  await context.audit.clear();
  return redirect(context.path(withNotice('/audit', 'audit_cleared')));
}

function FilterForm({ filter, filtered }: { readonly filter: AuditFilter; readonly filtered: boolean }) {
  return (
    <search>
      <OwnForm method="get" action="/audit" class="filters">
        <Field name="search" type="search" label="Text" value={filter.search ?? ''} autoComplete="off" />
        <Select
          name="event_type"
          label="Type"
          value={filter.event_type ?? ''}
          options={[
            { value: '', label: 'All types' },
            ...auditEventTypes.map((value) => ({ value, label: eventLabel(value) })),
          ]}
        />
        <Field name="client_id" label="Client" value={filter.client_id ?? ''} autoComplete="off" spellcheck={false} />
        <Field name="limit" type="number" label="Show" value={filter.limit} min={1} max={1000} inputMode="numeric" />
        <Checkbox name="failed" label="Failures only" checked={filter.failed} />
        <div class="row">
          <Button kind="secondary">Filter</Button>
          {(filtered || filter.limit !== shownEntries) && <OwnLink href="/audit">Show all</OwnLink>}
        </div>
      </OwnForm>
    </search>
  );
}

/** For browsers with script: new events appear automatically. Without script the user reloads the page. */
function LiveSwitch() {
  return (
    <span hidden data-live="events">
      <button type="button" class="button button-secondary" aria-pressed="false">
        Update live
      </button>
    </span>
  );
}

interface OlderAndNewerProps {
  readonly filter: AuditFilter;
  readonly shown: number;
  readonly hasOlder: boolean;
}

function OlderAndNewer({ filter, shown, hasOlder }: OlderAndNewerProps) {
  const { page, limit } = filter;
  if (page === 1 && !hasOlder) return null;
  const first = (page - 1) * limit + 1;
  const address = (other: number) => `/audit${filterQuery(filter, other)}`;
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 ? <OwnLink href={address(page - 1)}>Newer</OwnLink> : <span class="soft">Newer</span>}
      {shown > 0 && (
        <span class="soft">
          {countText(first)}–{countText(first + shown - 1)}, newest first
        </span>
      )}
      {hasOlder ? <OwnLink href={address(page + 1)}>Older</OwnLink> : <span class="soft">Older</span>}
    </nav>
  );
}

function NoEvents({ filtered, base }: { readonly filtered: boolean; readonly base: string }) {
  return filtered ? (
    <EmptyState title="No matching events">Type and client must match exactly. The text may occur anywhere.</EmptyState>
  ) : (
    <EmptyState title="No events yet">
      Point a client at <code>{base}</code>, or <OwnLink href="/test">get a test token</OwnLink>.
    </EmptyState>
  );
}
