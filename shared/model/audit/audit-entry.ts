// Turns an event into an audit entry and counts entries. Values from requests are limited here, so that no sender
// decides how large the audit gets. A text keeps its first KiB, an entry a few KiB.
import type { AuditCounters, AuditEntry, AuditEvent, AuditStatistics } from './audit-event.ts';
import type { AuditedParameter, AuditedRequest } from './audited-request.ts';

const textBytesMax = 1024;
const detailsBytesMax = 8 * 1024;
const requestBytesMax = 3 * 1024;
const nestingMax = 8;
/** In characters, as JSON writes the number. */
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

/** The entry as REST, MCP and plugins see it (AUD-01). */
export function publishedEntry({ request: _, ...entry }: AuditEntry): AuditEntry {
  return entry;
}

/**
 * The event with limited values, wherever it is queued. Copied member by member, because `...` takes longer than
 * everything else here.
 */
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

/** About the size of the entry in a database. */
export function bytesOfEntry(entry: AuditEntry): number {
  return Buffer.byteLength(JSON.stringify(entry));
}

function boundedText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text);
}

function cut(text: string): string {
  // A code unit takes at most three bytes, so a short text need not be counted.
  if (text.length * 3 <= textBytesMax || Buffer.byteLength(text) <= textBytesMax) return text;
  const beginning = Buffer.from(text.slice(0, textBytesMax)).subarray(0, textBytesMax).toString();
  return `${beginning.replace(/\uFFFD$/, '')}...`;
}

/** As many members as fit, in their order. `truncated` marks missing ones. */
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

/**
 * Whether the details are few and short enough to skip counting and cutting. JSON writes a code unit with at most six
 * bytes.
 */
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

/** What the entries add to the counters. */
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

/** Only the counters that REST and MCP publish (AUD-06). */
export function publishedStatistics(counters: AuditCounters): AuditStatistics {
  const {
    refused_token_requests: _tokens,
    refused_saml_sso_requests: _singleSignOn,
    refused_saml_attribute_queries: _queries,
    ...published
  } = counters;
  return published;
}
