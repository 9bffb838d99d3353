// The part of an audit entry that every store writes unchanged. Each store writes time, clock, details and request in
// its own way.
import * as z from 'zod';
import { auditEventTypes } from '#shared/model/audit/audit-event.ts';

export const entryMembers = {
  event_type: z.enum(auditEventTypes),
  username: z.string().nullable(),
  client_id: z.string().nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  endpoint: z.string().nullable(),
  method: z.string().nullable(),
  status: z.string(),
};
