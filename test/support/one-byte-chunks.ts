// A request whose body arrives in chunks of one byte, which costs a receiver far more than its size.
import { once } from 'node:events';
import { connect } from 'node:net';
import { nextTurn } from '#shared/event-loop-turns.ts';

interface Sent {
  readonly path: string;
  readonly count: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PiecemealAnswer {
  readonly status: number;
  /** The whole answer, with its head. */
  readonly text: string;
  /** How many bytes of the body went out. */
  readonly sent: number;
}

const perWrite = 8192;

/** Sends until the server closes the connection, or until all of the body is sent and answered. */
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
  const closed = once(socket, 'close');
  const lines = Object.entries({ Host: host, 'Transfer-Encoding': 'chunked', Connection: 'close', ...headers });
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
  while (sent < count && !socket.destroyed && text === '') {
    const chunks = Math.min(perWrite, count - sent);
    sent += chunks;
    socket.write('1\r\nx\r\n'.repeat(chunks));
    await nextTurn();
    if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), closed]);
  }
  if (text === '') socket.write('0\r\n\r\n');
  await closed;
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text, sent };
}
