// The filters of the audit page and its exports: type and client by equality, text anywhere in the entry, and the newest
// so many of what matches (WEB-17).
import type { AuditEntry } from '#shared/audit/audit-event.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import type { AuditLog } from '#shared/store/ports/audit.ts';

export const shownEntries = 50;
const shownEntriesMax = 1000;

export interface AuditFilter {
  readonly limit: number;
  readonly event_type: string | undefined;
  readonly client_id: string | undefined;
  readonly search: string | undefined;
}

export function auditFilter(query: Parameters): AuditFilter {
  const limit = Number(query.value('limit') ?? String(shownEntries));
  return {
    limit: Number.isInteger(limit) && limit > 0 ? Math.min(limit, shownEntriesMax) : shownEntries,
    event_type: query.value('event_type'),
    client_id: query.value('client_id'),
    search: query.value('search')?.trim() || undefined,
  };
}

/** All kept entries that match, in the order recorded, piece by piece. */
export async function* allMatching(audit: AuditLog, filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]> {
  const { event_type, client_id, search } = filter;
  const wanted = search?.toLocaleLowerCase('en');
  for await (const entries of audit.pieces({ limit: -1, event_type, client_id })) {
    yield wanted === undefined ? entries : entries.filter((entry) => textOf(entry).includes(wanted));
  }
}

/** The newest `limit` entries that match, newest first. */
export async function newestMatching(audit: AuditLog, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const { limit, event_type, client_id, search } = filter;
  if (search === undefined) return [...(await audit.read({ limit, event_type, client_id }))].reverse();
  let newest: AuditEntry[] = [];
  for await (const entries of allMatching(audit, filter)) newest = [...newest, ...entries].slice(-limit);
  return newest.reverse();
}

function textOf(entry: AuditEntry): string {
  return JSON.stringify(Object.values(entry)).toLocaleLowerCase('en');
}

/** The query that leads to the same filter again, for export links. */
export function filterQuery({ event_type, client_id, search }: AuditFilter): string {
  const query = new URLSearchParams();
  if (event_type !== undefined) query.set('event_type', event_type);
  if (client_id !== undefined) query.set('client_id', client_id);
  if (search !== undefined) query.set('search', search);
  return query.size === 0 ? '' : `?${query}`;
}
