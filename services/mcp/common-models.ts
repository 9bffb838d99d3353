// Texts and arguments that several tool families share.
import * as z from 'zod';

/** In the description of every tool that changes the copy, because it surprises users most. */
export const inMemoryOnly =
  'Changes only the copy in memory. A running server uses it after save_config and POST /api/config/reload.';

export const successOutput = { success: z.boolean() } as const;

export function revisionOutput(file: string): z.ZodType {
  return z
    .string()
    .optional()
    .meta({
      description: `Revision of the ${file} that this copy is based on. Pass it to save_config to detect other edits.`,
    });
}

/** Long lists can be read in pages. Without these arguments a list is returned whole. */
export const pageArguments = {
  limit: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .optional()
    .meta({ description: 'Maximum number, such as `50`. Default: all, which may be long.' }),
  offset: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .optional()
    .meta({ description: 'Number of entries to skip: next_offset of the previous page.' }),
} as const;

/** Part of every page except the last one. */
export const nextPageOutput = {
  next_offset: z.int().optional().meta({ description: 'The offset of the next page. Absent on the last page.' }),
} as const;

export function nextPage(
  count: number,
  { offset = 0, limit }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): { readonly next_offset?: number } {
  return limit !== undefined && offset + limit < count ? { next_offset: offset + limit } : {};
}

export function pageOf<Item>(
  items: readonly Item[],
  page: { readonly limit?: number | undefined; readonly offset?: number | undefined },
): readonly Item[] {
  const start = page.offset ?? 0;
  return items.slice(start, page.limit === undefined ? undefined : start + page.limit);
}
