// A row of `consents` as the domain sees it.
import * as z from 'zod';
import type { Consent } from '#shared/domain/consent.ts';
import { encoded, instantColumn, namesShape } from '../json-columns.ts';

export const consentRow = z.object({
  username: z.string(),
  client_id: z.string(),
  scope: encoded(namesShape),
  given_at: instantColumn,
});

export function consentOf({ given_at, ...consent }: z.output<typeof consentRow>): Consent {
  return { ...consent, givenAt: given_at };
}
