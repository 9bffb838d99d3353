// The body of a request to /mcp, read before the protocol sees it, because what it asks for decides how it is answered.
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type BodyRefusal, readBounded } from '#shared/base/bounded-body.ts';
import { turnForBody } from '#shared/base/scheduling/event-loop-turns.ts';
import { jsonOf } from '#shared/engine/exchange/json-body.ts';

export type RequestBody =
  | { readonly outcome: 'read'; readonly value: unknown }
  | { readonly outcome: BodyRefusal | 'malformed' };

/** A client that sends more than so many times the bound is not listened to any longer. */
const patience = 4;

/**
 * Reads and parses up to `bytesMax`; what is longer is read to its end and not kept, since most clients take no answer
 * before they have sent all. Rejects when the client goes away.
 */
export async function readRequestBody(request: IncomingMessage, bytesMax: number): Promise<RequestBody> {
  const { body, length, refusal } = await readBounded(request, { bytesMax, bytesReadMax: patience * bytesMax });
  if (refusal !== undefined) return { outcome: refusal };
  await turnForBody(length);
  try {
    return { outcome: 'read', value: jsonOf(body) };
  } catch {
    return { outcome: 'malformed' };
  }
}

const asksForProgress = z.object({
  params: z.object({ _meta: z.object({ progressToken: z.union([z.string(), z.number()]) }) }),
});

/** Whether somebody wants to hear of progress: then the answer is a stream of events, and one JSON value otherwise. */
export function wantsProgress(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some((message) => asksForProgress.safeParse(message).success);
}
