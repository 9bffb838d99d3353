// One HTTP exchange with an instance, each on a connection of its own: nothing is kept open that would have to be closed,
// and no interceptor of the test gets between.
import { ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { isIPv6 } from 'node:net';
import { GrowingBuffer } from '#shared/base/bounded-body.ts';
import { connectDirectly, connectDirectlyWithTls } from '#shared/base/direct-connection.ts';
import type { IdpAbortSignal } from './types.ts';

export interface Question {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** From the beginning to the last byte, in milliseconds; without it there is no limit. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Aborted: nobody waits for the answer any more. */
  readonly signal?: IdpAbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Rejects with the error of the connection. */
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
