// Audit events for people, one line each. A line opens to all recorded details and, for a failure, to the expected
// value.
import type { ComponentChildren } from 'preact';
import type { Instant } from '#shared/base/clock.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import type { AuditedParameter } from '#shared/model/audit/audited-request.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { FlowLink } from '#shared/web/pages/components/flow-link.tsx';
import { Tag, type TagProps, Tags } from '#shared/web/pages/components/tag.tsx';
import { Moment, utcText } from '../instants.tsx';
import { eventLabel } from './event-label.ts';
import { answeredError, type Explanation, explain, reasonOf } from './explain.ts';

const statusKinds: ReadonlyMap<string, TagProps['kind']> = new Map([
  ['success', 'good'],
  ['failed', 'bad'],
  ['error', 'bad'],
  ['denied', 'warn'],
]);

interface EventListProps {
  readonly entries: readonly AuditEntry[];
  /** Real time, which entries are stamped with (TIM-27). */
  readonly now: Instant;
  /** The clients of rejected requests, as currently registered. */
  readonly clients: ReadonlyMap<string, Client>;
}

export function EventList({ entries, now, clients }: EventListProps) {
  return (
    <ul class="events">
      {withIds(entries).map(({ id, entry }) => (
        <li key={id}>
          <Event id={id} entry={entry} now={now} client={clients.get(entry.client_id ?? '')} />
        </li>
      ))}
    </ul>
  );
}

/** Ids that remain stable when newer entries arrive: the time, and a number among entries of the same time. */
function withIds(entries: readonly AuditEntry[]) {
  const counts = new Map<string, number>();
  return entries
    .toReversed()
    .map((entry) => {
      const number = (counts.get(entry.timestamp) ?? 0) + 1;
      counts.set(entry.timestamp, number);
      return { id: `event-${Date.parse(entry.timestamp)}-${number}`, entry };
    })
    .reverse();
}

interface EventProps {
  readonly entry: AuditEntry;
  readonly client: Client | undefined;
}

function Event({ id, entry, now, client }: EventProps & { readonly id: string; readonly now: Instant }) {
  const reason = reasonOf(entry);
  return (
    <details id={id} class={`event event-${statusKinds.get(entry.status) ?? 'plain'}`}>
      <summary>
        <span class="event-line">
          <span class="event-type">{eventLabel(entry.event_type)}</span>
          <Tag kind={statusKinds.get(entry.status)}>{entry.status}</Tag>
          {entry.username !== null && <bdi class="event-who clamp">{entry.username}</bdi>}
          {entry.client_id !== null && (
            <span class="event-client clamp">
              <span class="soft">client </span>
              <bdi>{entry.client_id}</bdi>
            </span>
          )}
          <Moment iso={entry.timestamp} now={now} />
        </span>
        {reason !== undefined && (
          <span class="event-reason clamp">
            <bdi>{reason}</bdi>
          </span>
        )}
      </summary>
      <div class="event-body">
        <Expected entry={entry} client={client} />
        <Facts facts={factsOf(entry)} />
        {entry.request !== undefined && <Sent parameters={entry.request.parameters} />}
        {entry.request?.id !== undefined && (
          <p>
            <FlowLink requestId={entry.request.id} />
          </p>
        )}
      </div>
    </details>
  );
}

function Expected({ entry, client }: EventProps) {
  const explanation = explain(entry, client);
  if (explanation === undefined) return null;
  const { expected, reference, link, registered } = explanation;
  return (
    <div class="event-expected">
      <p>
        <strong>Expected:</strong> {expected}{' '}
        {link === undefined ? (
          <span class="soft">({reference})</span>
        ) : (
          <a href={link} rel="noreferrer">
            {reference}
          </a>
        )}
      </p>
      {registered !== undefined && <Registered {...registered} />}
    </div>
  );
}

const registeredMax = 5;

/** The first of the client's registered values. */
export function Registered({ label, values }: NonNullable<Explanation['registered']>) {
  return (
    <p class="row">
      <strong>{label}:</strong>
      {values.length === 0 ? 'none' : <Tags values={values.slice(0, registeredMax)} />}
      {values.length > registeredMax && <span class="soft">and {values.length - registeredMax} more</span>}
    </p>
  );
}

/** All recorded details. The reason is already in the line above. */
function factsOf(entry: AuditEntry): readonly (readonly [ComponentChildren, ComponentChildren])[] {
  const reason = reasonOf(entry);
  const known = [
    ['When', utcText(Date.parse(entry.timestamp)) ?? entry.timestamp],
    ['Server clock', entry.clock === null ? '' : (utcText(Date.parse(entry.clock)) ?? entry.clock)],
    ['Request', [entry.method, entry.endpoint].filter((part) => part !== null).join(' ')],
    ['Status', [entry.request?.status, answeredError(entry)].filter((part) => part !== undefined).join(' ')],
    ['Client address', entry.ip_address ?? ''],
    ['User agent', entry.user_agent ?? ''],
  ] as const;
  const recorded = [['event_type', entry.event_type] as const, ...Object.entries(entry.details)];
  return [
    ...known.filter(([, value]) => value !== ''),
    ...recorded
      .filter(([, value]) => value !== reason)
      .map(([name, value]) => [<code key={name}>{name}</code>, text(value)] as const),
  ].map(([name, value]) => [name, <bdi key="value">{value}</bdi>] as const);
}

function Sent({ parameters }: { readonly parameters: readonly AuditedParameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <section class="event-sent">
      <p>Parameters</p>
      <Facts
        facts={parameters.map(
          ([name, value], index) =>
            [
              <code key={String(index)}>{name}</code>,
              value === null ? <span class="soft">sent, not stored</span> : <bdi>{value}</bdi>,
            ] as const,
        )}
      />
    </section>
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
