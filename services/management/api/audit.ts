// /api/audit: reading, counting and clearing the audit (AUD-02 to AUD-07). Reading leaves no entry (AUD-14).
import * as z from 'zod';
import { json, type Reply, streamedList } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { publishedStatistics } from '#shared/model/audit/audit-entry.ts';
import { auditEventTypes } from '#shared/model/audit/audit-event.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';

const defaultLimit = 100;

const instant = z.iso.datetime();
const textOrNull = z.string().nullable();

const entryModel = z
  .strictObject({
    timestamp: instant.describe('Real time.'),
    clock: instant.nullable().describe('Time on the clock of the identity provider or sandbox, if it was moved.'),
    event_type: z.enum(auditEventTypes),
    username: textOrNull,
    client_id: textOrNull,
    ip_address: textOrNull,
    user_agent: textOrNull,
    endpoint: textOrNull.describe('The path of the endpoint.'),
    method: textOrNull,
    status: z.enum(['success', 'failed', 'denied', 'error']),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEntry' });

const count = z.int().min(0);

const statisticsModel = z
  .strictObject({
    total_requests: count,
    token_requests: count,
    saml_sso_requests: count,
    saml_attribute_queries: count,
    login_attempts: count,
    successful_logins: count,
    failed_logins: count,
  })
  .meta({ id: 'AuditStatistics' });

export const auditApiRoutes: readonly Route[] = [
  {
    path: '/api/audit',
    audience: 'api',
    largeRead: 'streamed',
    methods: { GET: readAudit },
    operations: {
      GET: {
        id: 'readAudit',
        summary: 'Returns the newest audit entries, the oldest of them first.',
        query: {
          limit: z.int().default(defaultLimit).describe('Maximum number of entries. Negative: all.'),
          event_type: z.string().describe('Only entries of this type.'),
          username: z.string().describe('Only entries about this user.'),
          client_id: z.string().describe('Only entries about this client.'),
        },
        answers: { 200: z.strictObject({ entries: z.array(entryModel), count }) },
        refusals: [managementRefusals.audit_limit_wrong],
      },
    },
  },
  {
    path: '/api/audit/stats',
    audience: 'api',
    methods: { GET: readStatistics },
    operations: {
      GET: { id: 'countAudit', summary: 'Returns the audit counters.', answers: { 200: statisticsModel } },
    },
  },
  {
    path: '/api/audit/clear',
    audience: 'api',
    methods: { POST: clearAudit },
    operations: {
      POST: {
        id: 'clearAudit',
        summary: 'Deletes all audit entries and resets the counters.',
        doesMostWithout: true,
        answers: { 200: z.strictObject({ status: z.literal('cleared') }) },
      },
    },
  },
];

/** Above this number, entries are sent while they are read. */
const readAtOnceMax = 100;

async function readAudit({ query }: ParsedRequest, { audit }: ProtocolContext): Promise<Reply> {
  const filter = {
    limit: readLimit(query.first('limit')),
    event_type: query.value('event_type'),
    username: query.value('username'),
    client_id: query.value('client_id'),
  };
  if (filter.limit < 0 || filter.limit > readAtOnceMax) return streamedList('entries', audit.pieces(filter));
  const entries = await audit.read(filter);
  return json(200, { entries, count: entries.length });
}

async function readStatistics(_request: ParsedRequest, { audit }: ProtocolContext): Promise<Reply> {
  return json(200, publishedStatistics(await audit.counters()));
}

async function clearAudit(_request: ParsedRequest, { audit }: ProtocolContext): Promise<Reply> {
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
