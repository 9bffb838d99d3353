// Rows of `rate_windows`, `shared_secrets` and `verified_authn_requests`.
import * as z from 'zod';
import { encoded, instantColumn } from '../json-columns.ts';

export const windowRow = z.object({ started_at: instantColumn, expires_at: instantColumn, requests: z.number() });
export const secretRow = z.object({ secret: z.string() });

export const rememberedRow = z.object({
  remembered: encoded(z.array(z.object({ digest: z.string(), until: instantColumn })).readonly()),
});
