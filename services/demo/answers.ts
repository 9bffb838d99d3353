// What the demonstration answers with.
import type { ServerResponse } from 'node:http';
import { pageHeaders } from '#shared/web/pages/page-reply.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What it answers shows who somebody is: nobody may keep a copy. */
const notStored = { 'Cache-Control': 'no-store' } as const;

export function pageAnswer(status: number, documentText: string): Answer {
  const headers = { ...pageHeaders, 'Content-Type': 'text/html; charset=utf-8', ...notStored };
  return { status, headers, body: documentText };
}

/** 303: what is fetched next is a page, also behind a form. */
export function redirectAnswer(location: string): Answer {
  return { status: 303, headers: { Location: location, ...notStored }, body: '' };
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const length = String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);
  response.writeHead(status, { ...headers, 'Content-Length': length }).end(body);
}
