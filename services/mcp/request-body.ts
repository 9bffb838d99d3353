// Reads the body of a request to /mcp before the SDK does, because its content decides the form of the response.
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type BodyRefusal, readBounded } from '#shared/base/bounded-body.ts';
import { turnForBody } from '#shared/base/scheduling/event-loop-turns.ts';
import { jsonOf } from '#shared/engine/exchange/json-body.ts';

export type RequestBody =
  | { readonly outcome: 'read'; readonly value: unknown }
  | { readonly outcome: BodyRefusal | 'malformed' };

/** The server stops reading after this many times the limit. */
const patience = 4;

/**
 * Reads and parses up to `bytesMax`. A longer body is read to its end and discarded, since most clients read no
 * response before they have sent everything. Rejects when the client disconnects.
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

/** Whether the client wants progress reports. Then the response is a stream of events, otherwise one JSON value. */
export function wantsProgress(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some((message) => asksForProgress.safeParse(message).success);
}
