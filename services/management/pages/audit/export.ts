// /audit/export/json and /audit/export/csv: all kept events that match the filter, as an attachment. Cells of a CSV file
// never begin a formula, since what strangers sent stands in them (WEB-17).
import type { AuditEntry } from '#shared/audit/audit-event.ts';
import type { Reply } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { allMatching, auditFilter } from './filter.ts';

const columns = [
  'timestamp',
  'event_type',
  'username',
  'client_id',
  'ip_address',
  'user_agent',
  'endpoint',
  'method',
  'status',
  'details',
] as const satisfies readonly (keyof AuditEntry)[];

export async function exportAuditJson({ query }: ParsedRequest, { audit }: RequestContext): Promise<Reply> {
  const entries = await allMatching(audit, auditFilter(query));
  return attachment('audit.json', 'application/json', JSON.stringify(entries, null, 2));
}

export async function exportAuditCsv({ query }: ParsedRequest, { audit }: RequestContext): Promise<Reply> {
  const entries = await allMatching(audit, auditFilter(query));
  const lines = [columns.join(','), ...entries.map((entry) => columns.map((name) => csvCell(entry[name])).join(','))];
  return attachment('audit.csv', 'text/csv; charset=utf-8', `${lines.join('\r\n')}\r\n`);
}

/**
 * One cell (RFC 4180 §2). An apostrophe goes before what a spreadsheet would calculate: a leading `=`, `+`, `-`, `@`,
 * their wide forms, or a control character that it would skip.
 */
export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function attachment(filename: string, mediaType: string, body: string): Reply {
  return {
    status: 200,
    headers: {
      'Content-Type': mediaType,
      'Content-Disposition': `attachment; filename="${filename}"`,
      'X-Content-Type-Options': 'nosniff',
    },
    body,
    noStore: true,
  };
}
