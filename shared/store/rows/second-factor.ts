// A row of `second_factors`.
import * as z from 'zod';
import { loginSurfaces } from '#shared/domain/pending-second-factor.ts';
import { instantColumn } from '../json-columns.ts';

export const factorRow = z.object({
  id: z.string(),
  browser: z.string(),
  surface: z.enum(loginSurfaces),
  purpose: z.string(),
  username: z.string(),
  password_verified_at: instantColumn,
});
