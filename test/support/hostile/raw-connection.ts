// A connection without an HTTP library: it sends bytes in pieces and parses the responses from the received bytes.
import { connect, type Socket } from 'node:net';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';

export interface ReadAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

interface RequestBytes {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Whether the request asks the server to close the connection after its response. */
  readonly closes: boolean;
}

/** The bytes of one request. */
export function requestText({ method, path, body = '', closes }: RequestBytes): string {
  const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded';
  const content = body === '' ? [] : [`Content-Type: ${type}`, `Content-Length: ${body.length}`];
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...content, ...(closes ? ['Connection: close'] : [])];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

interface KnownAnswer {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly status: number;
  /** Text that only the response to this request contains. */
  readonly says: RegExp;
}

const knownAnswers: readonly KnownAnswer[] = [
  { method: 'GET', path: '/health', status: 200, says: /"status":/ },
  { method: 'HEAD', path: '/health', status: 200, says: /^$/ },
  { method: 'GET', path: '/.well-known/openid-configuration', status: 200, says: /"issuer":/ },
  { method: 'GET', path: '/.well-known/jwks.json', status: 200, says: /"keys":/ },
  { method: 'GET', path: '/saml/metadata', status: 200, says: /EntityDescriptor/ },
  { method: 'GET', path: '/static/style.css', status: 200, says: /\{/ },
  { method: 'GET', path: '/nowhere', status: 404, says: /"not_found"/ },
  { method: 'PUT', path: '/token', status: 405, says: /PUT is not allowed at this address/ },
  { method: 'OPTIONS', path: '/token', status: 204, says: /^$/ },
  { method: 'POST', path: '/token', body: 'grant_type=none', status: 400, says: /"invalid_client"/ },
  { method: 'POST', path: '/saml/sso', body: 'a=1', status: 400, says: /No SAML request/ },
  { method: 'GET', path: '/api/users', status: 200, says: /"users":/ },
  { method: 'GET', path: '/api/clock', status: 200, says: /"offset_seconds":/ },
  { method: 'PUT', path: '/api/clock', body: '{"advance":1}', status: 400, says: /advance/ },
  { method: 'POST', path: '/api/runtime/users', body: '{"username":', status: 400, says: /not well-formed JSON/ },
];

/** A request whose response does not depend on users, clients and keys. */
export function requestWithKnownAnswer(chosen: (all: readonly KnownAnswer[]) => KnownAnswer): KnownAnswer {
  return chosen(knownAnswers);
}

interface Conversation {
  /** Whether this side closes its half after sending. Otherwise a request must ask the server to close. */
  readonly halfCloses: boolean;
}

/** All received bytes until the server closed the connection, as latin1. */
export async function converse(
  baseUrl: string,
  pieces: readonly string[],
  { halfCloses }: Conversation,
): Promise<string> {
  const socket = connectTo(baseUrl);
  const received: string[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (text: string) => received.push(text)).on('end', () => socket.end());
    socket.on('error', () => {}).on('close', () => resolve());
  });
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    await nextTurn();
  }
  if (halfCloses) socket.end();
  await closed;
  return received.join('');
}

/** A socket that stays open for reading after its own half is closed. */
export function connectTo(baseUrl: string): Socket {
  const { hostname, port } = new URL(baseUrl);
  return connect({ host: hostname, port: Number(port), allowHalfOpen: true }).setEncoding('latin1');
}

/** The complete responses to requests of these methods, in order. @throws Error if the bytes are not HTTP/1.1 */
export function answersIn(text: string, methods: readonly string[]): ReadAnswer[] {
  const answers: ReadAnswer[] = [];
  let rest = text;
  for (const method of methods) {
    const answer = firstAnswer(rest, method);
    if (answer === undefined) return answers;
    answers.push(answer);
    rest = rest.slice(answer.length);
  }
  if (rest !== '') throw new Error(`more arrived than was requested: ${rest.slice(0, 200)}`);
  return answers;
}

function firstAnswer(text: string, method: string): (ReadAnswer & { readonly length: number }) | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = text.slice(0, headEnd);
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/m.exec(head)?.[1]);
  if (Number.isNaN(status)) throw new Error(`this is not a response: ${head.slice(0, 200)}`);
  const from = headEnd + 4;
  // An interim response belongs to the next one.
  if (status === 100) {
    const next = firstAnswer(text.slice(from), method);
    return next === undefined ? undefined : { ...next, length: from + next.length };
  }
  const content = text.slice(from);
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  const taken = isEmpty ? { body: '', length: 0 } : bodyIn(content, head);
  return taken === undefined ? undefined : { status, head, body: taken.body, length: from + taken.length };
}

function bodyIn(text: string, head: string): { readonly body: string; readonly length: number } | undefined {
  if (/^transfer-encoding: chunked$/im.test(head)) return chunkedBody(text);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? text.length);
  return text.length < length ? undefined : { body: text.slice(0, length), length };
}

function chunkedBody(text: string): { readonly body: string; readonly length: number } | undefined {
  let body = '';
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(text.slice(at, lineEnd), 16);
    if (Number.isNaN(size) || text.length < lineEnd + 4 + size) return undefined;
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 4 + size;
    if (size === 0) return { body, length: at };
  }
}
