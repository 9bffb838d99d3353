// A row of `second_factors`, and what becomes of it when its runtime user is deleted.
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

/** `users`: a condition for the names of runtime users that are about to be deleted. */
const withdrawn = (users: string) => `UPDATE second_factors SET username = '' WHERE namespace = @ns AND ${users}`;

export const withdrawSecondFactors = {
  ofUser: withdrawn('username = @name'),
  ofFreeUsers: withdrawn(
    `username IN (SELECT name FROM runtime_identities WHERE namespace = @ns AND kind = 'user' AND promotion = 'free')`,
  ),
};
