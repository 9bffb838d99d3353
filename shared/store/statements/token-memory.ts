// The statements about `token_memory`.
import { rememberedValueRow } from '../rows/token-memory.ts';
import { query, type StatementTexts } from './text.ts';

export const tokenMemoryTexts = {
  recall: query(
    `SELECT value FROM token_memory
     WHERE namespace = @ns AND kind = @kind AND digest = @digest AND kept_until > @real`,
    rememberedValueRow,
  ),
} satisfies StatementTexts;
