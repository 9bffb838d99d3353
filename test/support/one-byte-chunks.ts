// A request whose body arrives in one-byte chunks, which costs a receiver far more than its size suggests.
import { connect, type Socket } from 'node:net';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';

interface Sent {
  readonly path: string;
  readonly count: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PiecemealAnswer {
  readonly status: number;
  /** The whole response, with its head. */
  readonly text: string;
  /** How many bytes of the body were sent. */
  readonly sent: number;
}

const perWrite = 8192;

/**
 * More than any server accepts (16,384). The client waits there for the response: if it wrote while the server closes,
 * it would get EPIPE, and Node.js would drop the response that arrived.
 */
const rejectedAt = 3 * perWrite;

/** Sends until the server responds, or until the whole body is sent and answered. */
export async function sendOneByteChunks(
  baseUrl: string,
  { path, count, headers = {} }: Sent,
): Promise<PiecemealAnswer> {
  const { host, hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let text = '';
  let sent = 0;
  socket
    .on('error', () => {})
    .on('data', (piece: string) => {
      text += piece;
    });
  const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const lines = Object.entries({ Host: host, 'Transfer-Encoding': 'chunked', Connection: 'close', ...headers });
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
  while (sent < count && !socket.destroyed && text === '') {
    const chunks = Math.min(perWrite, count - sent);
    sent += chunks;
    socket.write('1\r\nx\r\n'.repeat(chunks));
    await nextTurn();
    if (sent >= rejectedAt) await Promise.race([answered, closed]);
    else if (socket.writableNeedDrain) await Promise.race([drained(socket), answered, closed]);
  }
  if (text === '') socket.write('0\r\n\r\n');
  await closed;
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text, sent };
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('drain', () => resolve()));
}
