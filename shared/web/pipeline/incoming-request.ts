// Turns a Node.js request into the value that endpoints read. The body is bounded while it is read (D32). Query and
// form are parsed on first use, so that the hot path pays only for what it uses.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type BodyRefusal, type BoundedBody, readBounded } from '#shared/base/bounded-body.ts';
import { Parameters } from '#shared/base/parameters.ts';
import { requestBytesMax } from '#shared/base/small-pieces.ts';
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';

/** The server stops reading from a client that never stops sending. */
export const bodyBytesReadMax = 16 * requestBytesMax;

export const noBody: BoundedBody = { body: Buffer.alloc(0), length: 0, refusal: undefined };

/** The connection broke while the body was read. No client is left to respond to, and the server made no error. */
export class ClientGoneError extends Error {}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Reads the body up to `requestBytesMax`. Bytes beyond that are counted and discarded. @throws ClientGoneError */
export function readBody(message: IncomingMessage): Promise<BoundedBody> {
  return readBounded(message, { bytesMax: requestBytesMax, bytesReadMax: bodyBytesReadMax }).catch((cause: unknown) => {
    throw new ClientGoneError('the client went away', { cause });
  });
}

export class IncomingRequest implements ParsedRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly headers: IncomingHttpHeaders;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly mediaType: string | undefined;
  readonly body: Buffer;
  readonly bodyLength: number;
  readonly bodyRefusal: BodyRefusal | undefined;
  #query: Parameters | undefined;
  #form: Parameters | undefined;

  constructor(
    message: IncomingMessage,
    { path, rawQuery }: RequestTarget,
    body: BoundedBody,
    pathParameters: Readonly<Record<string, string>>,
  ) {
    this.method = message.method ?? 'GET';
    this.path = path;
    this.rawQuery = rawQuery;
    this.headers = message.headers;
    this.pathParameters = pathParameters;
    this.mediaType = mediaType(message.headers['content-type']);
    this.body = body.body;
    this.bodyLength = body.length;
    this.bodyRefusal = body.refusal;
  }

  get query(): Parameters {
    this.#query ??= Parameters.parse(this.rawQuery);
    return this.#query;
  }

  get form(): Parameters {
    this.#form ??=
      this.mediaType === 'application/x-www-form-urlencoded'
        ? Parameters.parse(this.body.toString('utf8'))
        : Parameters.none;
    return this.#form;
  }
}

function mediaType(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const semicolon = header.indexOf(';');
  return (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
}

export interface RequestTarget {
  readonly path: string;
  readonly rawQuery: string;
}

/**
 * Path and query of a request target in origin-form. Of an absolute-form target only path and query are used (RFC 9112
 * §3.2).
 */
export function requestTarget(url: string): RequestTarget {
  const start = url.startsWith('/') ? 0 : Math.max(0, url.indexOf('/', url.indexOf('://') + 3));
  const question = url.indexOf('?', start);
  return question < 0
    ? { path: url.slice(start), rawQuery: '' }
    : { path: url.slice(start, question), rawQuery: url.slice(question + 1) };
}
