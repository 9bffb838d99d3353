// Requests that a client sends on one connection before it has the answers to the earlier ones (pipelining, RFC 9112
// §9.3.2). Each begins once the answer before it is written, so that a client that reads nothing has one answer made.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTick } from 'node:process';

/** With so many requests waiting, a connection is not read until half of them have begun. */
const waitingMax = 32;

interface Line {
  underWay: ServerResponse;
  isPausing: boolean;
  readonly waiting: { readonly response: ServerResponse; begin(): void }[];
}

/** From now on, for the listeners that the server has: call it before the server listens. */
export function answerInOrder(server: Server): void {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  const lines = new WeakMap<Socket, Line>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const begin = () => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    const line = lines.get(socket);
    if (line === undefined) lines.set(socket, { underWay: response, isPausing: false, waiting: [] });
    else if (isDone(line)) line.underWay = response;
    else return wait(line, socket, { response, begin });
    begin();
  });
}

function isDone({ underWay, waiting }: Line): boolean {
  return waiting.length === 0 && (underWay.writableFinished || underWay.closed);
}

function wait(line: Line, socket: Socket, next: Line['waiting'][number]): void {
  line.waiting.push(next);
  if (line.waiting.length === 1) line.underWay.once('close', () => goOn(line, socket));
  // The parser of Node.js reads on after each request, so the pause comes after all requests of what was read together.
  if (line.waiting.length >= waitingMax && !line.isPausing) {
    line.isPausing = true;
    nextTick(pauseIfLong, line, socket);
  }
}

function pauseIfLong(line: Line, socket: Socket): void {
  line.isPausing = false;
  if (line.waiting.length >= waitingMax) socket.pause();
}

function goOn(line: Line, socket: Socket): void {
  // After an answer with `Connection: close` no later request has an effect (RFC 9112 §9.6).
  if (socket.destroyed || socket.writableEnded) line.waiting.length = 0;
  const next = line.waiting.shift();
  if (next === undefined) return;
  line.underWay = next.response;
  if (line.waiting.length > 0) next.response.once('close', () => goOn(line, socket));
  if (socket.isPaused() && line.waiting.length <= waitingMax / 2) socket.resume();
  next.begin();
}
