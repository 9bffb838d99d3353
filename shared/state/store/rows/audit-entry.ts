// What every store keeps of an audit entry as it is; time, clock, details and request each store writes in its own way.
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
