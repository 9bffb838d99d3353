// /api/audit: reading, counting and clearing the audit (AUD-02 to AUD-07). Reading leaves no entry (AUD-14).
import { publishedStatistics } from '#shared/audit/audit-entry.ts';
import { json, type Reply, streamedList } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { apiError, type Route } from '#shared/http/route.ts';
import { managementRefusals } from '#shared/refusals/families/management.ts';

export const auditApiRoutes: readonly Route[] = [
  { path: '/api/audit', surface: 'api', methods: { GET: readAudit } },
  { path: '/api/audit/stats', surface: 'api', methods: { GET: readStatistics } },
  { path: '/api/audit/clear', surface: 'api', methods: { POST: clearAudit } },
];

const defaultLimit = 100;
/** More than so many entries are sent while they are read. */
const readAtOnceMax = 100;

async function readAudit({ query }: ParsedRequest, { audit }: RequestContext): Promise<Reply> {
  const wanted = {
    limit: readLimit(query.first('limit')),
    event_type: query.value('event_type'),
    username: query.value('username'),
    client_id: query.value('client_id'),
  };
  if (wanted.limit < 0 || wanted.limit > readAtOnceMax) return streamedList('entries', audit.pieces(wanted));
  const entries = await audit.read(wanted);
  return json(200, { entries, count: entries.length });
}

async function readStatistics(_request: ParsedRequest, { audit }: RequestContext): Promise<Reply> {
  return json(200, publishedStatistics(await audit.counters()));
}

async function clearAudit(_request: ParsedRequest, { audit }: RequestContext): Promise<Reply> {
  await audit.clear();
  return json(200, { status: 'cleared' });
}

function readLimit(sent: string | undefined): number {
  if (sent === undefined) return defaultLimit;
  if (!/^[+-]?\d+$/.test(sent)) {
    throw apiError(managementRefusals.audit_limit_wrong);
  }
  return Number(sent);
}
