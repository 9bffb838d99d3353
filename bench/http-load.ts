// A closed-loop load generator on plain sockets. Each connection has one request in flight. Every response is checked,
// and some are kept and verified after the measurement. Only loopback addresses are allowed.
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { connect as connectTls } from 'node:tls';

export interface Answer {
  readonly status: number;
  /** The status line and the header lines as received. */
  readonly head: string;
  readonly body: string;
}

export type Ask = (request: Buffer) => Promise<Answer>;

/** The repeated operation of a connection. Only its last response counts, and it must be a 200. */
export type Operation = (ask: Ask) => Promise<Answer>;

export interface LoadOptions {
  readonly baseUrl: string;
  /** For an https address: the trusted authority, as PEM. */
  readonly ca?: Buffer | undefined;
  /**
   * The whole HTTP/1.1 request as bytes, created once, or the operation of each connection if that is more than one
   * request.
   */
  readonly request: Buffer | ((connection: number) => Operation);
  readonly connections: number;
  /** At least this long, and until something counts. A busy machine may not respond within a brief load. */
  readonly seconds: number;
  /** Seconds before anything counts. */
  readonly warmUpSeconds: number;
}

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly errors: number;
  /** Responses of the whole load, including the warm-up. */
  readonly answered: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Responses spread over the run, for verification. */
  readonly samples: readonly Answer[];
}

const samplesMax = 64;

export function httpRequest(
  baseUrl: string,
  options: { method: string; path: string; headers?: Record<string, string>; body?: string },
): Buffer {
  const body = options.body ?? '';
  const headers: Record<string, string> = { Host: new URL(baseUrl).host, ...options.headers };
  if (body !== '') headers['Content-Length'] = String(Buffer.byteLength(body));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${options.method} ${options.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

export async function load(options: LoadOptions): Promise<LoadResult> {
  const started = performance.now();
  const countFrom = started + options.warmUpSeconds * 1000;
  const end = countFrom + options.seconds * 1000;
  const latencies: number[] = [];
  const samples: Answer[] = [];
  let errors = 0;
  let answered = 0;
  let countedMilliseconds = options.seconds * 1000;
  await Promise.all(
    Array.from({ length: options.connections }, async (_, number) => {
      const connection = new Connection(await open(options));
      const ask: Ask = (request) => connection.ask(request);
      const operation = operationOf(options.request, number);
      while (performance.now() < end || latencies.length === 0) {
        const sent = performance.now();
        const answer = await operation(ask);
        const now = performance.now();
        answered += 1;
        if (answer.status !== 200) errors += 1;
        if (samples.length < samplesMax && answered % 97 === 1) samples.push(answer);
        if (sent < countFrom || (now > end && latencies.length > 0)) continue;
        latencies.push(now - sent);
        countedMilliseconds = Math.max(countedMilliseconds, now - countFrom);
      }
      connection.close();
    }),
  );
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    requestsPerSecond: (latencies.length * 1000) / countedMilliseconds,
    errors,
    answered,
    p50: at(0.5),
    p99: at(0.99),
    samples,
  };
}

function operationOf(request: LoadOptions['request'], connection: number): Operation {
  return typeof request === 'function' ? request(connection) : (ask) => ask(request);
}

/** A header of a response, or undefined if it has none. */
export function headerOf({ head }: Pick<Answer, 'head'>, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *([^\\r]*)`, 'i').exec(head)?.[1];
}

/** One operation on its own connection. */
export async function askOnce(place: Pick<LoadOptions, 'baseUrl' | 'ca'>, operation: Operation): Promise<Answer> {
  const connection = new Connection(await open(place));
  try {
    return await operation((request) => connection.ask(request));
  } finally {
    connection.close();
  }
}

function open({ baseUrl, ca }: Pick<LoadOptions, 'baseUrl' | 'ca'>): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname)) throw new Error('only loopback is ever loaded');
  return new Promise((resolve, reject) => {
    const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), noDelay: true };
    const socket: Socket =
      ca === undefined ? connect(place, () => resolve(socket)) : connectTls({ ...place, ca }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/**
 * One keep-alive connection that understands Content-Length and chunked bodies, which are all that our servers send.
 */
class Connection {
  readonly #socket: Socket;
  #received = '';
  #waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.#received += chunk;
      this.#deliver();
    });
    const fail = () => this.#waiting?.reject(new Error('the server closed the connection'));
    socket.on('error', fail).on('close', fail);
  }

  ask(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #deliver(): void {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.slice(0, headEnd);
    const rest = this.#received.slice(headEnd + 4);
    const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1];
    const body = length === undefined ? chunkedBody(rest) : fixedBody(rest, Number(length));
    if (body === undefined) return;
    this.#received = '';
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(head.slice(9, 12)), head, body: Buffer.from(body, 'latin1').toString('utf8') });
  }
}

function fixedBody(rest: string, length: number): string | undefined {
  return rest.length >= length ? rest.slice(0, length) : undefined;
}

function chunkedBody(rest: string): string | undefined {
  if (!rest.endsWith('0\r\n\r\n')) return undefined;
  let body = '';
  let position = 0;
  while (position < rest.length) {
    const lineEnd = rest.indexOf('\r\n', position);
    const size = Number.parseInt(rest.slice(position, lineEnd), 16);
    if (size === 0) return body;
    body += rest.slice(lineEnd + 2, lineEnd + 2 + size);
    position = lineEnd + 2 + size + 2;
  }
  return undefined;
}
