// Sends an answer in a way that HTTP does not have it: late, slowly, cut short, with a wrong length, or not at all.
import type { ServerResponse } from 'node:http';
import type { HeldAnswers } from '#shared/faults/held-answers.ts';
import type { Delivery } from '../reply.ts';

const pieceMilliseconds = 100;

/** Resolves when the connection has all of it, or is gone. `lines`: names and values in turn. */
export async function deliverUnusually(
  response: ServerResponse,
  { status, lines, body }: { readonly status: number; readonly lines: string[]; readonly body: Buffer },
  { afterMilliseconds, bytesPerSecond, bodyBytes, contentLength, instead }: Delivery,
  held: HeldAnswers,
): Promise<void> {
  if (afterMilliseconds !== undefined) await held.wait(afterMilliseconds);
  if (response.destroyed) return;
  if (instead === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (instead === 'close') {
    response.socket?.end();
    return;
  }
  const ends = bodyBytes !== undefined || contentLength !== undefined;
  response.writeHead(status, ends ? withOwn(lines, contentLength) : lines);
  const sent = bodyBytes === undefined ? body : body.subarray(0, bodyBytes);
  if (bytesPerSecond !== undefined) return drip(response, sent, bytesPerSecond, held);
  if (!ends) {
    response.end(sent);
    return;
  }
  await new Promise<void>((resolve) => {
    response.write(sent, () => resolve());
  });
  response.socket?.end();
}

function withOwn(lines: readonly string[], contentLength: number | undefined): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const [name, value] = [lines[at] ?? '', lines[at + 1] ?? ''];
    if (name === 'Connection') continue;
    kept.push(name, name === 'Content-Length' && contentLength !== undefined ? String(contentLength) : value);
  }
  return [...kept, 'Connection', 'close'];
}

async function drip(response: ServerResponse, body: Buffer, bytesPerSecond: number, held: HeldAnswers): Promise<void> {
  const size = Math.max(1, Math.floor((bytesPerSecond * pieceMilliseconds) / 1000));
  const pause = (size * 1000) / bytesPerSecond;
  for (let at = 0; at < body.length; at += size) {
    if (response.destroyed) return;
    response.write(body.subarray(at, at + size));
    // A worker that is to end sends the rest at once.
    if (at + size < body.length && !(await held.wait(pause))) {
      response.end(body.subarray(at + size));
      return;
    }
  }
  response.end();
}
