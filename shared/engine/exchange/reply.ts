// An answer as a value. Protocol code returns replies; only send-reply.ts touches a socket.

import { jsonText } from '#shared/base/terminal-safe-text.ts';
import type { ClockState } from '#shared/model/domain/movable-clock.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
  /** Nobody may keep the answer: it carries tokens, credentials or what is true only now (HDR-01, RFC 6749 §5.1). */
  readonly noStore?: boolean;
  /** Takes the place of `body` for an answer that is too large to be made at once; see `streamed`. */
  readonly stream?: AsyncIterable<string>;
  /** What the clock of the namespace says from here on, when the request has moved it. */
  readonly clock?: ClockState;
  /** What `body` says, as long as that is the text that was made of it: a fault may send another one. */
  readonly json?: { readonly value: unknown; readonly text: string };
  /** The very same object is answered again and again: what is worked out for it may be kept. */
  readonly sentOften?: true;
  /** The code of the refusal that it tells, for the recorder: not every refusal has an audit event. */
  readonly refusal?: string;
  /** How it goes over the wire, where that is not as HTTP has it. */
  readonly delivery?: Delivery;
}

/** A departure from how answers are sent, for requests that were asked to go wrong. */
export interface Delivery {
  /** Nothing is sent for so long. */
  readonly afterMilliseconds?: number;
  readonly bytesPerSecond?: number;
  /** Only the first half of the body is sent, and the connection ends. */
  readonly halfOfBody?: true;
  /** Content-Length counts so many bytes less than the body has, and the connection ends with it. */
  readonly uncountedBytes?: number;
  /** The connection ends in place of the answer, not a byte of which is sent. */
  readonly instead?: 'close' | 'reset';
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A browser that is sent to an address of ours must not read as a page what somebody's name made look like one. */
export const jsonHeaders = { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' } as const;

export function json(status: number, body: unknown, further?: Headers): Reply {
  const text = jsonText(body);
  const headers = further === undefined ? jsonHeaders : { ...jsonHeaders, ...further };
  return { status, headers, body: text, json: { value: body, text } };
}

export function html(status: number, body: string, headers: Headers = {}): Reply {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body };
}

export function redirect(location: string, headers: Headers = {}): Reply {
  return { status: 302, headers: { Location: location, ...headers }, body: '' };
}

export function empty(status: number, headers: Headers = {}): Reply {
  return { status, headers, body: '' };
}

/** The same reply, which nobody may keep; it is said here and by `Route.noStore`, and written by sendReply. */
export function notStored(reply: Reply): Reply {
  return { ...reply, noStore: true };
}

/** The same reply, of which it is known what it refuses. */
export function tellingRefusal(reply: Reply, { code }: { readonly code: string }): Reply {
  return { ...reply, refusal: code };
}

/** The same reply with further headers; Set-Cookie values add up instead of replacing each other. */
export function withHeaders(reply: Reply, headers: Headers): Reply {
  const merged: Record<string, string | readonly string[]> = { ...reply.headers };
  for (const [name, value] of Object.entries(headers)) {
    const present = merged[name];
    merged[name] = name === 'Set-Cookie' && present !== undefined ? [present, value].flat() : value;
  }
  return { ...reply, headers: merged };
}

/**
 * A reply whose text is made while it is sent, as fast as the client takes it. The first piece is asked for before the
 * reply exists, so that what cannot even begin is refused with a status; what breaks later ends the connection.
 */
export async function streamed(status: number, text: AsyncIterable<string>, headers: Headers): Promise<Reply> {
  const pieces = text[Symbol.asyncIterator]();
  const first = await pieces.next();
  async function* all() {
    if (first.done === true) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  return { status, headers, body: '', stream: all() };
}

/** `{<name>: [...], count}` and what else is given as JSON, made piece by piece. */
export function streamedList(
  name: string,
  pieces: AsyncIterable<readonly unknown[]>,
  further: Readonly<Record<string, unknown>> = {},
): Promise<Reply> {
  let count = 0;
  async function* text() {
    yield* listText(`{${jsonText(name)}:[`, pieces, (sent) => {
      count = sent;
    });
    yield `],${jsonText({ count, ...further }).slice(1)}`;
  }
  return streamed(200, text(), { 'Content-Type': 'application/json' });
}

/** `object` as JSON, whose empty list at `place`, such as `"exchanges":[]`, is filled piece by piece. */
export function streamedWithin(
  object: object,
  place: string,
  pieces: AsyncIterable<readonly unknown[]>,
): Promise<Reply> {
  const text = jsonText(object);
  // The first one is the member itself: inside of a text its quotes would be escaped.
  const at = text.indexOf(place) + place.length - 1;
  async function* filled() {
    yield* listText(text.slice(0, at), pieces);
    yield text.slice(at);
  }
  return streamed(200, filled(), jsonHeaders);
}

/** The items after `head`, which is not written before something was read: what cannot be read is refused with a status. */
async function* listText(
  head: string,
  pieces: AsyncIterable<readonly unknown[]>,
  sent: (count: number) => void = () => {},
): AsyncGenerator<string> {
  let count = 0;
  for await (const items of pieces) {
    if (items.length === 0) continue;
    yield (count === 0 ? head : ',') + items.map((item) => jsonText(item)).join(',');
    count += items.length;
    sent(count);
  }
  if (count === 0) yield head;
}
