// The responses of the demonstration.
import type { ServerResponse } from 'node:http';
import { pageHeaders } from '#shared/web/pages/page-reply.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Responses show user data, so they must not be cached. */
const notStored = { 'Cache-Control': 'no-store' } as const;

export function pageAnswer(status: number, documentText: string): Answer {
  const headers = { ...pageHeaders, 'Content-Type': 'text/html; charset=utf-8', ...notStored };
  return { status, headers, body: documentText };
}

/** 303: the browser fetches the next page by GET, also after a form. */
export function redirectAnswer(location: string): Answer {
  return { status: 303, headers: { Location: location, ...notStored }, body: '' };
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);
  response.writeHead(status, { ...headers, 'Content-Length': length }).end(body);
}
