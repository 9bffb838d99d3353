// Sends a response in a way that breaks HTTP: late, slowly, cut short, with a wrong length, or not at all.
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { resetConnection } from '#shared/base/reset-connection.ts';
import type { Delivery } from '#shared/engine/exchange/reply.ts';
import type { HeldAnswers } from '#shared/engine/faults/held-answers.ts';

/** How responses of this worker reach their clients. */
export interface Wire {
  /** The responses that faults delay. */
  readonly held: HeldAnswers;
  /**
   * The response goes through the OIDC worker, which alone has the client's connection. It receives an instruction how
   * to break the response (SUP-02).
   */
  readonly relayed: boolean;
  /** The front end has started to drain. */
  isEnding(): boolean;
}

/**
 * The header with which the worker behind the relay instructs the OIDC worker how to break a response. Clients never
 * see it.
 */
export const relayedDeliveryHeader = 'x-test-idp-delivery';

const brokenModel = z.object({
  bodyBytes: z.number().optional(),
  contentLength: z.number().optional(),
  instead: z.enum(['close', 'reset']).optional(),
});

type BrokenDelivery = z.output<typeof brokenModel>;

/** The instruction in this header. */
export function readBrokenDelivery(header: string): BrokenDelivery {
  return brokenModel.parse(JSON.parse(header));
}

interface AnswerInParts {
  readonly status: number;
  /** Names and values alternate. */
  readonly lines: readonly string[];
  readonly body: Buffer;
}

/** Resolves when the connection has received all of the response, or is closed. */
export async function deliverUnusually(
  response: ServerResponse,
  answer: AnswerInParts,
  { afterMilliseconds, bytesPerSecond, ...breaking }: Delivery,
  { held, relayed }: Wire,
): Promise<void> {
  // Notifies the OIDC worker that it may end this response, even while it waits for others.
  if (relayed && (afterMilliseconds ?? bytesPerSecond) !== undefined) response.writeProcessing();
  if (afterMilliseconds !== undefined) await held.wait(afterMilliseconds);
  if (response.destroyed) return;
  const { status, lines, body } = answer;
  const broken = brokenDelivery(breaking, body.length);
  if (broken !== undefined) {
    if (!relayed) return deliverBroken(response, answer, broken);
    response.writeHead(status, [...lines, relayedDeliveryHeader, JSON.stringify(broken)]).end(body);
    return;
  }
  response.writeHead(status, [...lines]);
  if (bytesPerSecond !== undefined) await drip(response, body, bytesPerSecond, held);
  else response.end(body);
}

/** In numbers of the body as it is sent, which may also name the time (TIM-26). */
function brokenDelivery(
  { halfOfBody, uncountedBytes, instead }: Omit<Delivery, 'afterMilliseconds' | 'bytesPerSecond'>,
  length: number,
): BrokenDelivery | undefined {
  if (instead !== undefined) return { instead };
  if (halfOfBody === true) return { bodyBytes: Math.floor(length / 2) };
  return uncountedBytes === undefined ? undefined : { contentLength: Math.max(0, length - uncountedBytes) };
}

/** Writes to the client's own connection, and closes it. */
export async function deliverBroken(
  response: ServerResponse,
  { status, lines, body }: AnswerInParts,
  { bodyBytes, contentLength, instead }: BrokenDelivery,
): Promise<void> {
  if (instead === 'reset') {
    if (response.socket !== null) resetConnection(response.socket);
    return;
  }
  if (instead === 'close') {
    response.socket?.end();
    return;
  }
  response.writeHead(status, withOwn(lines, contentLength));
  await new Promise<void>((resolve) => {
    response.write(bodyBytes === undefined ? body : body.subarray(0, bodyBytes), () => resolve());
  });
  response.socket?.end();
}

function withOwn(lines: readonly string[], contentLength: number | undefined): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 2) {
    const [name = '', value = ''] = lines.slice(at, at + 2);
    if (name === 'Connection') continue;
    kept.push(name, name === 'Content-Length' && contentLength !== undefined ? String(contentLength) : value);
  }
  return [...kept, 'Connection', 'close'];
}

const pieceMilliseconds = 100;

async function drip(response: ServerResponse, body: Buffer, bytesPerSecond: number, held: HeldAnswers): Promise<void> {
  const size = Math.max(1, Math.floor((bytesPerSecond * pieceMilliseconds) / 1000));
  const pause = (size * 1000) / bytesPerSecond;
  for (let at = 0; at < body.length; at += size) {
    if (response.destroyed) return;
    response.write(body.subarray(at, at + size));
    // A worker that is ending sends the rest at once.
    if (at + size < body.length && !(await held.wait(pause))) {
      response.end(body.subarray(at + size));
      return;
    }
  }
  response.end();
}
