// The body of a request to /mcp, read before the protocol sees it, because what it asks for decides how it is answered.
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';

export type RequestBody =
  | { readonly outcome: 'read'; readonly value: unknown }
  | { readonly outcome: 'too_large' | 'malformed' };

/** Reads and parses up to `bytesMax`; what is longer is not kept. Rejects when the client goes away. */
export async function readRequestBody(request: IncomingMessage, bytesMax: number): Promise<RequestBody> {
  if (Number(request.headers['content-length']) > bytesMax) return { outcome: 'too_large' };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > bytesMax) return { outcome: 'too_large' };
    chunks.push(chunk);
  }
  try {
    return { outcome: 'read', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
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
