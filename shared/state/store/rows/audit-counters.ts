// The counters of an audit, which eviction never decreases (AUD-06).
import * as z from 'zod';
import type { AuditCounters } from '#shared/model/audit/audit-event.ts';

export const countersRow: z.ZodType<AuditCounters> = z.object({
  total_requests: z.number(),
  token_requests: z.number(),
  saml_sso_requests: z.number(),
  saml_attribute_queries: z.number(),
  login_attempts: z.number(),
  successful_logins: z.number(),
  failed_logins: z.number(),
  refused_token_requests: z.number(),
  refused_saml_sso_requests: z.number(),
  refused_saml_attribute_queries: z.number(),
});
