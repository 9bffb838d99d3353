// Audit events for people: one line each, which opens to everything recorded and, where something failed, to what was
// expected instead.
import type { AuditEntry } from '#shared/audit/audit-event.ts';
import type { Instant } from '#shared/clock.ts';
import { Tag, type TagProps } from '#shared/pages/components/tag.tsx';
import { Moment } from '../instants.tsx';
import { explain, reasonOf } from './explain.ts';

const statusKinds: ReadonlyMap<string, TagProps['kind']> = new Map([
  ['success', 'good'],
  ['failed', 'bad'],
  ['error', 'bad'],
  ['denied', 'warn'],
]);

export function EventList({ entries, now }: { readonly entries: readonly AuditEntry[]; readonly now: Instant }) {
  return (
    <ul class="events">
      {entries.map((entry, index) => (
        <li key={String(index)}>
          <Event entry={entry} now={now} />
        </li>
      ))}
    </ul>
  );
}

function Event({ entry, now }: { readonly entry: AuditEntry; readonly now: Instant }) {
  const reason = reasonOf(entry);
  return (
    <details class={`event event-${statusKinds.get(entry.status) ?? 'plain'}`}>
      <summary>
        <span class="event-line">
          <span class="event-type">{entry.event_type.replaceAll('_', ' ')}</span>
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
      <EventBody entry={entry} />
    </details>
  );
}

function EventBody({ entry }: { readonly entry: AuditEntry }) {
  const explanation = explain(entry);
  const facts = [
    ['Came', [entry.method, entry.endpoint].filter((part) => part !== null).join(' ')],
    ['From', entry.ip_address ?? ''],
    ['With', entry.user_agent ?? ''],
  ].filter(([, value]) => value !== '');
  return (
    <div class="event-body">
      {explanation !== undefined && (
        <p class="event-expected">
          <strong>Expected:</strong> {explanation.expected}{' '}
          {explanation.link === undefined ? (
            <span class="soft">({explanation.reference})</span>
          ) : (
            <a href={explanation.link} rel="noreferrer">
              {explanation.reference}
            </a>
          )}
        </p>
      )}
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        {otherDetails(entry).map(([name, value]) => (
          <div key={name} class="fact">
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The reason stands in the line above already. */
function otherDetails(entry: AuditEntry): readonly [string, unknown][] {
  const reason = reasonOf(entry);
  return Object.entries(entry.details).filter(([, value]) => value !== reason);
}
