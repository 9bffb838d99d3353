// The only file of the OIDC front end that knows the SAML front end. Every request under /saml is passed on over the
// stack's private socket, and gets the same response as a direct request (SUP-02, SUP-03). Nothing is parsed or
// changed, except that the connection's own headers are replaced, and the caller's address and scheme are added under
// private names.
import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { GrowingBuffer, SmallPieces } from '#shared/base/bounded-body.ts';
import type { Stopwatch } from '#shared/base/clock.ts';
import { jsonHeaders } from '#shared/engine/exchange/reply.ts';
import { bodyRefused } from '#shared/web/pipeline/bound-body.ts';
import { bodyBytesReadMax } from '#shared/web/pipeline/incoming-request.ts';
import { connectionOf, relayedPeerHeader, relayedSchemeHeader } from '#shared/web/pipeline/relayed-connection.ts';
import { sendReply } from '#shared/web/pipeline/send-reply.ts';
import { deliverBroken, readBrokenDelivery, relayedDeliveryHeader } from '#shared/web/pipeline/unusual-delivery.ts';

/** How long a request waits while the SAML frontend is being replaced (SUP-03). */
const waitMillisecondsMax = 5_000;
const pauseMilliseconds = 25;

/** A message that a redirect passes on is in the head of the response. The usual 16 KiB are less than it may need. */
const answerHeadBytesMax = 16 * 1024 * 1024;

/** Headers of one connection, not of the message (RFC 9110 §7.6.1). Each side decides the body's framing itself. */
const answerHeadersDropped = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
/**
 * The request keeps its framing. This process has already handled `Expect`. Only this process may set the private
 * headers.
 */
const requestHeadersDropped = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'expect',
  relayedPeerHeader,
  relayedSchemeHeader,
]);

interface SamlRelayOptions {
  readonly socketPath: string;
  readonly stopwatch: Stopwatch;
  readonly log: { warn(details: object, message: string): void };
}

export interface SamlRelay {
  /** Takes a request if its path in its namespace is /saml or below it. true: taken, and it always gets a response. */
  tryRelay(path: string, request: IncomingMessage, response: ServerResponse): boolean;
  /**
   * This process is draining. Responses tell clients to close their connections. Connections whose responses the SAML
   * front end delays on purpose are ended, because they would outlast this process.
   */
  beginDrain(): void;
}

/** Whether the SAML front end serves the path, as seen inside its namespace. */
export function belongsToSaml(path: string): boolean {
  return path === '/saml' || path.startsWith('/saml/');
}

export function createSamlRelay({ socketPath, stopwatch, log }: SamlRelayOptions): SamlRelay {
  const agent = new Agent({ keepAlive: true });
  const held = new Set<ServerResponse>();
  let ending = false;

  function attempt(incoming: IncomingMessage, response: ServerResponse, isTooLate: () => boolean): void {
    // The caller left while its request waited.
    if (response.destroyed) return;
    const outgoing = httpRequest({
      socketPath,
      agent,
      method: incoming.method,
      path: incoming.url,
      headers: forwardedHeaders(incoming),
      setHost: false,
      maxHeaderSize: answerHeadBytesMax,
    });
    let connected = false;
    let answered = false;
    let stopPassingOn = () => {};
    const refusePieces = () => {
      answered = true;
      outgoing.destroy();
      if (response.headersSent) response.destroy();
      else sendReply(response, bodyRefused('in_small_pieces'), {}, { withoutBody: false });
    };
    afterConnect(outgoing, () => {
      connected = true;
      if (hasBody(incoming)) stopPassingOn = passOn(incoming, outgoing, refusePieces);
      else outgoing.end();
    });
    const goAway = () => outgoing.destroy();
    response.once('close', goAway);
    // With a 102 the SAML front end announces that a fault delays the response (FLT-25).
    outgoing.once('information', () => {
      if (ending) response.destroy();
      held.add(response);
      response.once('close', () => held.delete(response));
    });
    outgoing.once('response', (answer) => {
      answered = true;
      passBack(answer, response, { goesOn: () => incoming.complete && !ending, isHeldBack: held.has(response) });
    });
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      response.off('close', goAway);
      stopPassingOn();
      if (response.destroyed || answered) return;
      if (!connected && !isTooLate()) {
        setTimeout(() => attempt(incoming, response, isTooLate), pauseMilliseconds);
      } else if (connected && outgoing.reusedSocket && isRepeatable(incoming)) {
        // A kept connection may have closed with its worker before this request was written to it.
        attempt(incoming, response, isTooLate);
      } else {
        log.warn(
          { code: error.code },
          connected ? 'the SAML worker ended during a request' : 'the SAML worker does not respond',
        );
        refuse(incoming, response, connected);
      }
    });
  }

  return {
    tryRelay(path, incoming, response) {
      if (!belongsToSaml(path)) return false;
      const start = stopwatch.read();
      attempt(incoming, response, () => stopwatch.since(start) >= waitMillisecondsMax);
      return true;
    },
    beginDrain() {
      ending = true;
      for (const response of [...held]) response.destroy();
    },
  };
}

function forwardedHeaders(incoming: IncomingMessage): string[] {
  const { scheme, peerAddress = '' } = connectionOf(incoming, false);
  const headers = [relayedPeerHeader, peerAddress, relayedSchemeHeader, scheme];
  const { rawHeaders } = incoming;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!requestHeadersDropped.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/** Reads no body before the connection is established, so that a waiting request can be retried. */
function afterConnect(outgoing: ClientRequest, proceed: () => void): void {
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', proceed);
    else proceed();
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Data is passed on at once when this much has arrived. */
const passedOnBytes = 64 * 1024;

/**
 * Passes on as many bytes as the SAML front end reads (HDR-17). More would break the connection while its rejection is
 * being sent. Data that arrives in one turn of the event loop is passed on in one piece, since each piece costs far
 * more than its bytes. `refused` is called when the caller sends too many small pieces. Returns a function that stops
 * the transfer.
 */
function passOn(incoming: IncomingMessage, outgoing: ClientRequest, refused: () => void): () => void {
  const small = new SmallPieces();
  const arrived = new GrowingBuffer();
  let length = 0;
  let flushing: NodeJS.Immediate | undefined;
  const flush = () => {
    clearImmediate(flushing);
    flushing = undefined;
    if (arrived.length > 0 && !outgoing.write(arrived.take())) incoming.pause();
  };
  const goOn = () => void incoming.resume();
  const read = (piece: Buffer) => {
    length += piece.length;
    if (small.exceedsWith(piece)) {
      stop();
      incoming.pause();
      refused();
      return;
    }
    arrived.append(piece);
    if (length > bodyBytesReadMax) {
      flush();
      stop();
      incoming.pause();
    } else if (arrived.length >= passedOnBytes) flush();
    else flushing ??= setImmediate(flush);
  };
  const end = () => {
    flush();
    outgoing.end();
  };
  const stop = () => {
    clearImmediate(flushing);
    incoming.off('data', read).off('end', end);
    outgoing.off('drain', goOn);
  };
  incoming.on('data', read).once('end', end);
  outgoing.on('drain', goOn).once('close', stop);
  return stop;
}

function isRepeatable(incoming: IncomingMessage): boolean {
  return (incoming.method === 'GET' || incoming.method === 'HEAD') && !hasBody(incoming);
}

/** A response up to this size is sent in one piece, with its head. */
const sentAtOnceBytesMax = 64 * 1024;

interface HowAnswered {
  /** The connection can be reused: the request was read to its end, and this process is not draining. */
  goesOn(): boolean;
  /** A fault limits its transfer rate. */
  readonly isHeldBack: boolean;
}

function passBack(answer: IncomingMessage, response: ServerResponse, { goesOn, isHeldBack }: HowAnswered): void {
  const { rawHeaders } = answer;
  const headers: string[] = [];
  let broken: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (name === relayedDeliveryHeader) broken = value;
    else if (!answerHeadersDropped.has(name.toLowerCase())) headers.push(name, value);
  }
  if (broken !== undefined) {
    breakOff(answer, headers, response, broken).catch(() => response.destroy());
    return;
  }
  const head = () => {
    if (!goesOn()) headers.push('Connection', 'close');
    return response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers);
  };
  const atOnce = Number(answer.headers['content-length']) <= sentAtOnceBytesMax && !isHeldBack;
  const arrived = new GrowingBuffer();
  // A truncated response is truncated here too: the caller must not mistake it for a complete one.
  answer.once('error', () => {});
  answer.once('close', () => {
    if (answer.complete) return;
    if (response.headersSent || response.destroyed) response.destroy();
    else head().write(arrived.take(), () => response.destroy());
  });
  if (atOnce) {
    answer.on('data', (chunk: Buffer) => arrived.append(chunk));
    answer.once('end', () => {
      if (!response.destroyed) head().end(arrived.take());
    });
    return;
  }
  head();
  answer.pipe(response);
}

/** A response that a fault breaks during transfer (FLT-K002, K003, K007, K014). */
async function breakOff(
  answer: IncomingMessage,
  lines: string[],
  response: ServerResponse,
  how: string,
): Promise<void> {
  const bytes = new GrowingBuffer();
  for await (const chunk of answer) bytes.append(chunk);
  const whole = { status: answer.statusCode ?? 502, lines, body: bytes.take() };
  await deliverBroken(response, whole, readBrokenDelivery(how));
}

function refuse(incoming: IncomingMessage, response: ServerResponse, died: boolean): void {
  const body = JSON.stringify(
    died
      ? { error: 'saml_frontend_failed', error_description: 'The SAML worker ended while it handled this request.' }
      : { error: 'saml_frontend_unavailable', error_description: 'The SAML worker is restarting. Try again.' },
  );
  const headers = { ...jsonHeaders, 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(died ? 502 : 503, died ? headers : { ...headers, 'Retry-After': '1' });
  response.end(incoming.method === 'HEAD' ? '' : body);
  // The rest of the body is not needed.
  incoming.resume();
}
