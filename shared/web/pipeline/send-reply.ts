// Writes a reply to a response. unusual-delivery.ts does so for replies that depart from HTTP.
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { deliverUnusually, type Wire } from './unusual-delivery.ts';

type Headers = Readonly<Record<string, string>>;

const nosniff = 'X-Content-Type-Options';

/** The header lines of replies that are sent often, cached with the further headers they were assembled for. */
const assembled = new WeakMap<Reply, { readonly further: Headers; readonly lines: string[] }>();

/** Returns the pending transfer of a reply that is a stream. It rejects when the stream breaks or the client leaves. */
export function sendReply(
  response: ServerResponse,
  reply: Reply,
  further: Headers,
  options: { readonly withoutBody: boolean; readonly wire?: Wire },
): Promise<void> | undefined {
  if (response.headersSent || response.destroyed) return undefined;
  if (reply.delivery !== undefined && options.wire !== undefined) {
    const body = options.withoutBody ? Buffer.alloc(0) : Buffer.from(reply.body);
    const head = { status: reply.status, lines: assemble(reply, further) };
    return deliverUnusually(response, { ...head, body }, reply.delivery, options.wire);
  }
  response.writeHead(reply.status, headerLines(reply, further));
  if (reply.stream !== undefined && !options.withoutBody) return pipeline(reply.stream, response);
  if (options.withoutBody || reply.body.length === 0) response.end();
  else response.end(reply.body);
  return undefined;
}

function headerLines(reply: Reply, further: Headers): string[] {
  if (reply.sentOften !== true) return assemble(reply, further);
  const known = assembled.get(reply);
  if (known?.further === further) return known.lines;
  const lines = assemble(reply, further);
  assembled.set(reply, { further, lines });
  return lines;
}

/** Names and values alternate: Node.js writes them without a search for duplicate names. */
function assemble({ status, headers, body, stream, noStore }: Reply, further: Headers): string[] {
  const lines: string[] = noStore === true ? ['Cache-Control', 'no-store', 'Pragma', 'no-cache'] : [];
  for (const name in further) {
    const value = further[name];
    if (value === undefined || (name !== 'Vary' && headers[name] !== undefined)) continue;
    // Two rules may each add to Vary: the header is a list.
    const own = name === 'Vary' ? headers.Vary : undefined;
    lines.push(name, own === undefined ? value : `${value}, ${own}`);
  }
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || (name === 'Vary' && further.Vary !== undefined)) continue;
    if (noStore === true && name === 'Cache-Control') continue;
    if (typeof value === 'string') lines.push(name, value);
    else for (const one of value) lines.push(name, one);
  }
  // Browsers must not guess the type from the content: a tester's text is never rendered as a page.
  if (headers[nosniff] === undefined) lines.push(nosniff, 'nosniff');
  if (status !== 204 && status !== 304 && stream === undefined) {
    lines.push('Content-Length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength));
  }
  return lines;
}
