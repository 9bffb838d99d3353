// Handles the requests of one connection one after the other (RFC 9112 §9.3.2). Node.js writes the responses in order,
// but passes on the next request while the previous one is still handled. A GET would not see what the POST before it
// writes.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTick } from 'node:process';

interface Connection {
  /** The response to the request that is being handled, or was handled last. */
  current: ServerResponse;
  readonly waiting: ServerResponse[];
}

/** A client that pipelines more requests has to wait, so that the memory of one connection is bounded. */
const waitingMax = 16;

export interface RequestOrder {
  /** The response that the connection waits for. undefined before its first request. */
  current(socket: Socket): ServerResponse | undefined;
}

/** Call it before the server listens, with its `request` listener attached. */
export function handleInOrder(server: Server): RequestOrder {
  const connections = new WeakMap<Socket, Connection>();
  const handlers = server.listeners('request');
  const handle = (response: ServerResponse) => {
    for (const each of handlers) each.call(server, response.req, response);
  };

  function handleNext(socket: Socket, connection: Connection): void {
    // After `Connection: close` no further request counts (RFC 9112 §9.6).
    if (socket.destroyed || socket.writableEnded) return;
    const next = connection.waiting.shift();
    if (next === undefined) return;
    connection.current = next;
    if (connection.waiting.length > 0) next.once('close', () => handleNext(socket, connection));
    else if (socket.isPaused()) socket.resume();
    handle(next);
  }

  server.removeAllListeners('request');
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) {
      connections.set(socket, { current: response, waiting: [] });
      return handle(response);
    }
    const { current, waiting } = connection;
    if (current.writableFinished && waiting.length === 0) {
      connection.current = response;
      return handle(response);
    }
    if (waiting.push(response) === 1) current.once('close', () => handleNext(socket, connection));
    if (waiting.length >= waitingMax) nextTick(pauseWhileMany, socket, waiting);
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { current, waiting = [] } = connections.get(socket) ?? {};
    const last = waiting.at(-1) ?? current;
    // The malformed bytes may be the body of the last request: then that request never completes.
    if (last === undefined || last.writableFinished || !last.req.complete || !socket.writable) reject(error, socket);
    // Before Node.js closes a connection whose client has closed its half.
    else last.prependOnceListener('finish', () => reject(error, socket));
  });

  function reject(error: NodeJS.ErrnoException, socket: Socket): void {
    const response = connections.get(socket)?.current;
    const isInResponse = response?.headersSent === true && !response.writableFinished;
    const status = isInResponse ? undefined : statusOf(error.code);
    if (status !== undefined && socket.writable) socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    socket.destroy(error);
  }

  return { current: (socket) => connections.get(socket)?.current };
}

/** In a separate tick: at the end of each request Node.js resumes reading. */
function pauseWhileMany(socket: Socket, { length }: Connection['waiting']): void {
  if (length >= waitingMax) socket.pause();
}

/** The status that Node.js sends by default. undefined: none, since no request is malformed. */
function statusOf(code = ''): string | undefined {
  // Data after `Connection: close` is not read.
  if (code === 'HPE_CLOSED_CONNECTION') return undefined;
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return '413 Payload Too Large';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return code.startsWith('HPE_') ? '400 Bad Request' : undefined;
}
