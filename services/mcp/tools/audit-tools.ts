// The audit as in GET /api/audit and related endpoints (MCP-39): that of this process alone, or of the stack or shared
// store.

import * as z from 'zod';
import { publishedStatistics } from '#shared/model/audit/audit-entry.ts';
import { bytesText } from '#shared/model/refusals/quantities.ts';
import { newestThatFit } from '../audit-that-fits.ts';
import { successOutput } from '../common-models.ts';
import { defineTool, type Tool } from '../tool.ts';

const entriesDefault = 100;

/** A full audit of usual entries fits. One with large entries from strangers is truncated. */
const entriesBytesMax = 8 * 1024 * 1024;

const getAuditLog = defineTool({
  name: 'get_audit_log',
  title: 'Read the audit log',
  description:
    'Returns the newest audit events, the oldest of them first. Filter with event_type and username. A small limit keeps the result short. In a stack, or with a shared store, the log contains the events of all processes, otherwise only those of this MCP server.',
  takesSandbox: true,
  arguments: {
    limit: z.int('must be a whole number').optional().meta({
      description:
        'Maximum number of matching events, such as `20`. Default 100. 0: none. Negative: all (up to 10,000).',
    }),
    event_type: z.string('must be a string').optional().meta({
      description:
        'Only events of this type, such as `login`, `token_request`, `authorization_request`, `saml_request`, `mcp_tool`. Empty: all.',
    }),
    username: z
      .string('must be a string')
      .optional()
      .meta({ description: 'Only events about this user, such as `alice`. Empty: all.' }),
  },
  output: {
    entries: z.array(z.record(z.string(), z.unknown())),
    count: z.int().meta({ description: 'Number of returned entries.' }),
    left_out: z
      .int()
      .optional()
      .meta({ description: `Number of older entries that did not fit into ${bytesText(entriesBytesMax)}.` }),
  },
  async handle({ limit = entriesDefault, event_type, username }, { audit }) {
    const { entries, leftOut } = await newestThatFit(audit.pieces({ limit, event_type, username }), entriesBytesMax);
    return { entries, count: entries.length, ...(leftOut > 0 ? { left_out: leftOut } : {}) };
  },
});

const getAuditStats = defineTool({
  name: 'get_audit_stats',
  title: 'Read the audit counters',
  description: 'Counts the audit events since the last clear: total, token requests, SAML logins and queries, logins.',
  takesSandbox: true,
  arguments: {},
  output: {
    total_requests: z.int(),
    token_requests: z.int(),
    saml_sso_requests: z.int(),
    saml_attribute_queries: z.int(),
    login_attempts: z.int(),
    successful_logins: z.int(),
    failed_logins: z.int(),
  },
  async handle(_args, { audit }) {
    return { ...publishedStatistics(await audit.counters()) };
  },
});

const clearAuditLog = defineTool({
  name: 'clear_audit_log',
  title: 'Clear the audit log',
  description:
    'Permanently deletes all audit events and resets the counters. In a stack, or with a shared store, this affects all processes. The call itself is then recorded.',
  mutating: true,
  destructive: true,
  refusesUnknown: true,
  takesSandbox: true,
  arguments: {},
  output: { ...successOutput, message: z.string().optional() },
  async handle(_args, { audit }) {
    await audit.clear();
    return { success: true, message: 'The audit log is empty.' };
  },
});

export const auditTools: readonly Tool[] = [getAuditLog, getAuditStats, clearAuditLog];
