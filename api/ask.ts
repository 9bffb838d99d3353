// One HTTP exchange with an instance, on a connection of its own. So no open connection remains to be closed, and no
// interceptor of the test sees the request.
import { ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { isIPv6 } from 'node:net';
import { GrowingBuffer } from '#shared/base/bounded-body.ts';
import { connectDirectly, connectDirectlyWithTls } from '#shared/base/direct-connection.ts';
import type { IdpAbortSignal } from './types.ts';

export interface Question {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** From the start of the request to the last byte of the response, in milliseconds. Without it there is no limit. */
  readonly timeoutMilliseconds?: number | undefined;
  /** When it is aborted, the caller no longer waits for the response. */
  readonly signal?: IdpAbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Rejects with the connection error. */
export function ask(
  url: URL,
  { method = 'GET', headers = {}, body, timeoutMilliseconds, signal }: Question,
): Promise<Answer> {
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (isSecure ? 443 : 80));
  const socket = (isSecure ? connectDirectlyWithTls : connectDirectly)({ host, port });
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const options: RequestOptions = {
    ...{ method, host, port, path: url.pathname + url.search },
    headers: { Host: hostHeader(url), ...headers, ...length, Connection: 'close' },
    createConnection: () => socket,
  };
  return new Promise((resolve, reject) => {
    const outgoing = new ClientRequest(options, (incoming) => {
      const bytes = new GrowingBuffer();
      incoming.on('data', (chunk: Buffer) => bytes.append(chunk));
      incoming.once('error', failed).once('end', () => {
        settled();
        const { statusCode: status = 0, rawHeaders, headers: named } = incoming;
        resolve({ status, rawHeaders, headers: named, body: bytes.take() });
      });
    });
    const settled = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const failed = (error: unknown) => {
      settled();
      outgoing.destroy();
      reject(error);
    };
    const late = () => failed(new Error(`no response within ${(timeoutMilliseconds ?? 0) / 1000} s`));
    const abort = () => failed(signal?.reason);
    signal?.addEventListener('abort', abort);
    const timer = timeoutMilliseconds === undefined ? undefined : setTimeout(late, timeoutMilliseconds);
    outgoing.on('error', failed).end(body);
  });
}

function hostHeader({ hostname, port }: URL): string {
  const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
  return port === '' ? host : `${host}:${port}`;
}
