// What several tool families say and take alike.
import * as z from 'zod';

/** Said by every tool that changes the copy, because it is what surprises people most. */
export const inMemoryOnly =
  'The change is made in this MCP server’s memory only: a running server sees nothing of it until save_config has written the files and that server has reloaded (POST /api/config/reload).';

export const successOutput = { success: z.boolean() } as const;

export function revisionOutput(file: string): z.ZodType {
  return z
    .string()
    .optional()
    .meta({
      description: `Revision of the ${file} this copy is based on; hand it to save_config to detect other edits.`,
    });
}

/** Lists that grow can be read in pages; without these arguments a list is shown whole. */
export const pageArguments = {
  limit: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: 'Show at most so many, such as `50`; without it all are shown.' }),
  offset: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .optional()
    .meta({ description: 'Leave out so many from the beginning; for the next page of a long list.' }),
} as const;

export function pageOf<Item>(
  items: readonly Item[],
  page: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): readonly Item[] {
  const start = page.offset ?? 0;
  return items.slice(start, page.limit === undefined ? undefined : start + page.limit);
}
