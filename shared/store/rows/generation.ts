// Rows of `generations`, and of what was declared, as the port hands them on.
import * as z from 'zod';
import type { AcceptedConfiguration } from '../ports/configuration-generations.ts';

export const generationRow = z.object({
  generation: z.number(),
  settings_text: z.string().nullable(),
  users_text: z.string().nullable(),
  superseded: z.number(),
  shared_digest: z.string().nullable(),
});

export const digestRow = z.object({ digest: z.string() });

export function acceptedOf(row: z.output<typeof generationRow>): AcceptedConfiguration {
  return {
    generation: row.generation,
    settingsText: row.settings_text ?? undefined,
    usersText: row.users_text ?? undefined,
    ...(row.shared_digest === null ? {} : { sharedDigest: row.shared_digest }),
  };
}
