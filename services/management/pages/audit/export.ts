// /audit/export/json and /audit/export/csv: all kept events that match the filter, as an attachment. Cells of a CSV
// file never begin with a formula, since they contain input from strangers (WEB-17).

import { asLines, jsonText } from '#shared/base/terminal-safe-text.ts';
import { notStored, type Reply, streamed } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
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
  'clock',
] as const satisfies readonly (keyof AuditEntry)[];

export async function exportAuditJson({ query }: ParsedRequest, { audit }: ProtocolContext): Promise<Reply> {
  return attachment('audit.json', 'application/json', jsonOf(allMatching(audit, auditFilter(query))));
}

/** The layout of `JSON.stringify` for a list, with two spaces for each level. */
async function* jsonOf(pieces: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const entries of pieces) {
    if (entries.length === 0) continue;
    const items = entries.map((entry) => `  ${jsonText(entry, 2).replaceAll('\n', '\n  ')}`);
    yield before + items.join(',\n');
    before = ',\n';
  }
  yield before === ',\n' ? '\n]' : '[]';
}

export async function exportAuditCsv({ query }: ParsedRequest, { audit }: ProtocolContext): Promise<Reply> {
  return attachment('audit.csv', 'text/csv; charset=utf-8', csvOf(allMatching(audit, auditFilter(query))));
}

async function* csvOf(pieces: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  // Nothing is sent before the first read, so that an unavailable audit still gets an error status.
  let head = `${columns.join(',')}\r\n`;
  for await (const entries of pieces) {
    yield head + entries.map((entry) => `${columns.map((name) => csvCell(entry[name])).join(',')}\r\n`).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/**
 * One cell (RFC 4180 §2). An apostrophe precedes text that a spreadsheet would calculate: a leading `=`, `+`, `-`, `@`,
 * their wide forms, or a control character that it would skip. Characters that control a terminal are escaped.
 */
export function csvCell(value: unknown): string {
  const text =
    value === null || value === undefined ? '' : asLines(typeof value === 'string' ? value : JSON.stringify(value));
  const harmless = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

async function attachment(filename: string, mediaType: string, text: AsyncIterable<string>): Promise<Reply> {
  const reply = await streamed(200, text, {
    'Content-Type': mediaType,
    'Content-Disposition': `attachment; filename="${filename}"`,
    'X-Content-Type-Options': 'nosniff',
  });
  return notStored(reply);
}
