// Rows of `token_memory`: a number that is remembered under the digest of a name.
import { hash } from 'node:crypto';
import * as z from 'zod';

/** `family`: 1 revoked, 2 with its access tokens; `line`: the number of its current token; `access`: 1 revoked; `cookie`: 1 ended. */
export type MemoryKind = 'family' | 'line' | 'access' | 'cookie';

export const rememberedValueRow = z.object({ value: z.number() });

/** 128 bits of a name are as good as the name, and short whatever somebody sent. */
export function digestOf(id: string): Buffer {
  return hash('sha256', id, 'buffer').subarray(0, 16);
}
