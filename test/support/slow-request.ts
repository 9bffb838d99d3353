// A request that stays in flight as long as a test needs: the server has its head and the first half of its form, and the
// test sends the rest.
import { request } from 'node:http';
import type { RawAnswer } from './http.ts';

interface SlowRequest {
  /** The server has read the head: it answered `Expect: 100-continue`. */
  readonly arrived: Promise<void>;
  /** Sends the missing part. */
  finish(): void;
  /** Rejects if the connection breaks before the response is complete. */
  readonly answer: Promise<RawAnswer>;
}

export function slowForm(url: string, form: Record<string, string>, headers: Record<string, string> = {}): SlowRequest {
  const body = new URLSearchParams(form).toString();
  const half = Math.floor(body.length / 2);
  const outgoing = request(url, {
    method: 'POST',
    agent: false,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(body),
      Expect: '100-continue',
      ...headers,
    },
  });
  const arrived = new Promise<void>((resolve) => outgoing.once('continue', resolve));
  outgoing.flushHeaders();
  void arrived.then(() => outgoing.write(body.slice(0, half)));
  const answer = new Promise<RawAnswer>((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text });
      });
    });
  });
  // A test that awaits something else first must not fail by an unhandled rejection.
  answer.catch(() => {});
  return { arrived, finish: () => outgoing.end(body.slice(half)), answer };
}
