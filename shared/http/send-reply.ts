// The only place that writes a reply to a socket.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Reply } from './reply.ts';

export function sendReply(
  response: ServerResponse,
  reply: Reply,
  further: Readonly<Record<string, string>>,
  options: { readonly withoutBody: boolean },
): void {
  if (response.headersSent || response.destroyed) return;
  const length = typeof reply.body === 'string' ? Buffer.byteLength(reply.body) : reply.body.byteLength;
  const headers: OutgoingHttpHeaders = { ...further };
  for (const [name, value] of Object.entries(reply.headers)) {
    // Two rules may each want to vary: the header is a list.
    if (name === 'Vary' && further.Vary !== undefined) headers.Vary = `${further.Vary}, ${value}`;
    else headers[name] = typeof value === 'string' ? value : [...value];
  }
  if (reply.status !== 204 && reply.status !== 304) headers['Content-Length'] = length;
  response.writeHead(reply.status, headers);
  if (options.withoutBody || length === 0) response.end();
  else response.end(reply.body);
}
