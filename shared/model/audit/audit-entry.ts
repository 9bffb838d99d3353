// The entry that an event becomes, and what it counts for. What somebody sent is bounded here, so that no sender decides
// how large the audit gets: a text keeps its first KiB, an entry a few of them.
import type { AuditCounters, AuditEntry, AuditEvent, AuditStatistics } from './audit-event.ts';
import type { AuditedParameter, AuditedRequest } from './audited-request.ts';

const textBytesMax = 1024;
const detailsBytesMax = 8 * 1024;
const requestBytesMax = 3 * 1024;
const nestingMax = 8;
/** In characters, as JSON writes it. */
const longestNumber = 25;

export function auditEntryOf(event: AuditEvent): AuditEntry {
  const bounded = boundedEvent(event);
  const { request } = bounded;
  const entry: AuditEntry & { request?: AuditedRequest } = {
    timestamp: new Date(event.at).toISOString(),
    clock: event.clock === undefined ? null : new Date(event.clock).toISOString(),
    event_type: event.event_type,
    username: bounded.username ?? null,
    client_id: bounded.client_id ?? null,
    ip_address: bounded.ip_address ?? null,
    user_agent: bounded.user_agent ?? null,
    endpoint: bounded.endpoint ?? null,
    method: bounded.method ?? null,
    status: event.status,
    details: bounded.details,
  };
  if (request !== undefined) entry.request = request;
  return entry;
}

/** The entry as REST, MCP and plugins know it (AUD-01). */
export function publishedEntry({ request: _, ...entry }: AuditEntry): AuditEntry {
  return entry;
}

/** The event as it may be kept, wherever it waits. Member by member: what begins with `...` takes longer than all the rest. */
export function boundedEvent(event: AuditEvent) {
  return {
    event_type: event.event_type,
    at: event.at,
    clock: event.clock,
    username: boundedText(event.username),
    client_id: boundedText(event.client_id),
    ip_address: boundedText(event.ip_address),
    user_agent: boundedText(event.user_agent),
    endpoint: boundedText(event.endpoint),
    method: boundedText(event.method),
    status: event.status,
    details: boundedDetails(event.details ?? {}),
    request: event.request === undefined ? undefined : boundedRequest(event.request),
  };
}

function boundedRequest({ id, status, parameters }: AuditedRequest): AuditedRequest {
  let room = requestBytesMax;
  const kept: AuditedParameter[] = [];
  for (const [name, value] of parameters) {
    const bounded = value === null ? null : cut(value);
    room -= name.length + (bounded === null ? 0 : Buffer.byteLength(bounded));
    if (room < 0) break;
    kept.push([name, bounded]);
  }
  return { id, status, parameters: kept };
}

/** About what the entry takes in a database. */
export function bytesOfEntry(entry: AuditEntry): number {
  return Buffer.byteLength(JSON.stringify(entry));
}

function boundedText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text);
}

function cut(text: string): string {
  // No code unit takes more than three bytes, so a short text needs no counting.
  if (text.length * 3 <= textBytesMax || Buffer.byteLength(text) <= textBytesMax) return text;
  const beginning = Buffer.from(text.slice(0, textBytesMax)).subarray(0, textBytesMax).toString();
  return `${beginning.replace(/\uFFFD$/, '')}...`;
}

/** Members in their order, as many as there is room for; `truncated` says that some are missing. */
function boundedDetails(details: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (areSmall(details)) return details;
  const kept: [string, unknown][] = [];
  let room = detailsBytesMax;
  for (const [name, value] of Object.entries(details)) {
    const bounded = boundedValue(value, nestingMax);
    room -= Buffer.byteLength(JSON.stringify([name, bounded]));
    if (room < 0) return Object.fromEntries([...kept, ['truncated', true]]);
    kept.push([cut(name), bounded]);
  }
  return Object.fromEntries(kept);
}

/** Few and short, so that nothing of them has to be counted or cut: JSON writes no code unit with more than six bytes. */
function areSmall(details: Readonly<Record<string, unknown>>): boolean {
  let characters = 0;
  for (const name in details) {
    const value = details[name];
    if (typeof value === 'string' ? value.length * 3 > textBytesMax : typeof value === 'object' && value !== null)
      return false;
    characters += name.length + (typeof value === 'string' ? value.length : longestNumber);
    if (characters * 6 > detailsBytesMax || name.length * 3 > textBytesMax) return false;
  }
  return true;
}

function boundedValue(value: unknown, nesting: number): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value !== 'object' || value === null) return value;
  if (nesting === 0) return '...';
  if (Array.isArray(value)) return value.map((entry) => boundedValue(entry, nesting - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [cut(name), boundedValue(member, nesting - 1)]),
  );
}

export const noCounters: AuditCounters = {
  total_requests: 0,
  token_requests: 0,
  saml_sso_requests: 0,
  saml_attribute_queries: 0,
  login_attempts: 0,
  successful_logins: 0,
  failed_logins: 0,
  refused_token_requests: 0,
  refused_saml_sso_requests: 0,
  refused_saml_attribute_queries: 0,
};

/** What entries add to the counters. */
export function countersOf(entries: readonly AuditEntry[]): AuditCounters {
  const counted = (type: AuditEntry['event_type']) => {
    const ofType = entries.filter(({ event_type }) => event_type === type);
    const succeeded = ofType.filter(({ status }) => status === 'success').length;
    return { all: ofType.length, succeeded, refused: ofType.length - succeeded };
  };
  const [logins, tokens] = [counted('login'), counted('token_request')];
  const [singleSignOn, queries] = [counted('saml_request'), counted('saml_attribute_query')];
  return {
    total_requests: entries.length,
    token_requests: tokens.all,
    saml_sso_requests: singleSignOn.all,
    saml_attribute_queries: queries.all,
    login_attempts: logins.all,
    successful_logins: logins.succeeded,
    failed_logins: logins.refused,
    refused_token_requests: tokens.refused,
    refused_saml_sso_requests: singleSignOn.refused,
    refused_saml_attribute_queries: queries.refused,
  };
}

/** The counters that REST and MCP publish, and no others (AUD-06). */
export function publishedStatistics(counters: AuditCounters): AuditStatistics {
  const {
    refused_token_requests: _tokens,
    refused_saml_sso_requests: _singleSignOn,
    refused_saml_attribute_queries: _queries,
    ...published
  } = counters;
  return published;
}
