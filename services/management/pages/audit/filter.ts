// The filters of the audit page and its exports: equal type and client, text anywhere in the entry, failures only, and
// pages of a given size, newest first (WEB-17).

import type { Parameters } from '#shared/base/parameters.ts';
import { auditEntriesMax } from '#shared/model/audit/audit-bounds.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import { answeredError } from './explain.ts';

export const shownEntries = 50;
const shownEntriesMax = 1000;

export interface AuditFilter {
  readonly limit: number;
  readonly event_type: string | undefined;
  readonly client_id: string | undefined;
  readonly search: string | undefined;
  /** Only entries without success. */
  readonly failed: boolean;
  /** Counted from 1, the newest. */
  readonly page: number;
}

export function auditFilter(query: Parameters): AuditFilter {
  return {
    limit: wholeNumber(query.value('limit'), shownEntries, shownEntriesMax),
    event_type: query.value('event_type'),
    client_id: query.value('client_id'),
    search: query.value('search')?.trim() || undefined,
    failed: query.value('failed') === 'true',
    page: wholeNumber(query.value('page'), 1, auditEntriesMax),
  };
}

export function wholeNumber(text: string | undefined, usual: number, most: number): number {
  const number = Number(text ?? String(usual));
  return Number.isInteger(number) && number > 0 ? Math.min(number, most) : usual;
}

/** All kept entries that match, in the order of recording, in batches. */
export async function* allMatching(audit: AuditLog, filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]> {
  const { event_type, client_id } = filter;
  const isWanted = matcherOf(filter);
  for await (const entries of audit.pieces({ limit: -1, event_type, client_id, withRequests: true })) {
    yield isWanted === undefined ? entries : entries.filter(isWanted);
  }
}

export interface AuditView {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Older entries match, too. */
  readonly hasOlder: boolean;
}

/** One page of the entries that match. */
export async function matchingPage(audit: AuditLog, filter: AuditFilter): Promise<AuditView> {
  const { limit, page, event_type, client_id } = filter;
  // One more than needed, to find out whether older ones exist.
  const entriesMax = limit * page + 1;
  let newest: readonly AuditEntry[] = [];
  if (matcherOf(filter) === undefined)
    newest = await audit.read({ limit: entriesMax, event_type, client_id, withRequests: true });
  else for await (const entries of allMatching(audit, filter)) newest = [...newest, ...entries].slice(-entriesMax);
  const older = newest.toReversed();
  return { entries: older.slice(limit * (page - 1), limit * page), hasOlder: older.length === entriesMax };
}

/** The filters that the audit itself does not apply. undefined if none exist. */
function matcherOf({ search, failed }: AuditFilter): ((entry: AuditEntry) => boolean) | undefined {
  if (search === undefined && !failed) return undefined;
  const text = search?.toLocaleLowerCase('en') ?? '';
  return (entry) => !(failed && entry.status === 'success') && textOf(entry).includes(text);
}

function textOf(entry: AuditEntry): string {
  // The caller's error is included, because it is the text that people have and search for.
  return JSON.stringify([...Object.values(entry), answeredError(entry)]).toLocaleLowerCase('en');
}

/** The query of the same filter, for export links. `page`: the page it links to. */
export function filterQuery({ event_type, client_id, search, failed, limit }: AuditFilter, page?: number): string {
  const query = new URLSearchParams();
  if (event_type !== undefined) query.set('event_type', event_type);
  if (client_id !== undefined) query.set('client_id', client_id);
  if (search !== undefined) query.set('search', search);
  if (failed) query.set('failed', 'true');
  if (page !== undefined && limit !== shownEntries) query.set('limit', String(limit));
  if (page !== undefined && page > 1) query.set('page', String(page));
  return query.size === 0 ? '' : `?${query}`;
}
