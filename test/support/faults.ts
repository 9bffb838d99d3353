// Faults as a test sets them: by REST, and the raw bytes of a response for HTTP faults.
import { connect } from 'node:net';
import { expect } from 'chai';
import type { RunningIdp } from './start-idp.ts';

export interface ShownFault {
  readonly id: string;
  readonly fault: string;
  readonly hits: number;
  readonly remaining: number | null;
  readonly fetches?: number;
}

type Order = Readonly<Record<string, unknown>>;

export async function setFault(idp: Pick<RunningIdp, 'api'>, fault: string, order: Order = {}): Promise<ShownFault> {
  const answer = await idp.api('POST', '/api/faults', { fault, ...order });
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return answer.body;
}

/** The current state of the fault. */
export async function faultOf(idp: Pick<RunningIdp, 'api'>, { id }: Pick<ShownFault, 'id'>): Promise<ShownFault> {
  return (await idp.api('GET', `/api/faults/${id}`)).body;
}

export async function noFaults(idp: Pick<RunningIdp, 'api'>): Promise<void> {
  expect((await idp.api('DELETE', '/api/faults')).status).to.equal(200);
}

export interface RawAnswer {
  /** All received bytes. */
  readonly bytes: Buffer;
  readonly head: string;
  readonly body: Buffer;
  /** How the connection ended: normally, or by an error such as ECONNRESET. */
  readonly ended: string;
  /** Time until the first byte, and until the end. */
  readonly firstByteMilliseconds: number | undefined;
  readonly milliseconds: number;
}

/** Sends one request over its own socket, until the server or the caller ends the connection. */
export function rawRequest(
  { baseUrl }: Pick<RunningIdp, 'baseUrl'>,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
  goneWhen?: AbortSignal,
): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(baseUrl);
  const lines = Object.entries({
    Host: host,
    Connection: 'close',
    ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const began = performance.now();
    const chunks: Buffer[] = [];
    let first: number | undefined;
    let ended = 'end';
    socket.on('data', (chunk) => {
      first ??= performance.now() - began;
      chunks.push(chunk);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      ended = error.code ?? error.message;
    });
    socket.on('close', () => {
      const bytes = Buffer.concat(chunks);
      const at = bytes.indexOf('\r\n\r\n');
      resolve({
        ...{ bytes, ended, firstByteMilliseconds: first, milliseconds: performance.now() - began },
        head: at < 0 ? '' : bytes.subarray(0, at).toString('latin1'),
        body: at < 0 ? Buffer.alloc(0) : bytes.subarray(at + 4),
      });
    });
    goneWhen?.addEventListener('abort', () => socket.destroy());
    socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  });
}

export function headerOf({ head }: Pick<RawAnswer, 'head'>, name: string): string | undefined {
  const line = head.split('\r\n').find((each) => each.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return line?.slice(name.length + 1).trim();
}
