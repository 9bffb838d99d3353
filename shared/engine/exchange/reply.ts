// A response as a value. Protocol code returns replies, and web/pipeline/send-reply.ts writes them.

import { jsonText } from '#shared/base/terminal-safe-text.ts';
import type { ClockState } from '#shared/model/domain/movable-clock.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array;
  /** The response must not be cached: it carries tokens, credentials or data that changes (HDR-01, RFC 6749 §5.1). */
  readonly noStore?: boolean;
  /** Replaces `body` for a response that is too large to build at once; see `streamed`. */
  readonly stream?: AsyncIterable<string>;
  /** The state of the namespace's clock after the request, when the request has moved it. */
  readonly clock?: ClockState;
  /** The value of `body`, valid only while `body` is this text: a fault may replace the body. */
  readonly json?: { readonly value: unknown; readonly text: string };
  /** The same object is returned many times, so results computed for it may be cached. */
  readonly sentOften?: true;
  /** The code of its rejection, for the recorder: not every rejection has an audit event. */
  readonly refusal?: string;
  /** How it is sent, where that departs from HTTP. */
  readonly delivery?: Delivery;
}

/** A departure from normal sending, for requests with a fault. */
export interface Delivery {
  /** The delay before the response is sent. */
  readonly afterMilliseconds?: number;
  readonly bytesPerSecond?: number;
  /** Only the first half of the body is sent, then the connection ends. */
  readonly halfOfBody?: true;
  /** Content-Length is smaller than the body by this many bytes, and the connection ends after that length. */
  readonly uncountedBytes?: number;
  /** The connection ends without a byte of the response. */
  readonly instead?: 'close' | 'reset';
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/**
 * A browser that opens an address of this server must not render JSON as a page, even if a user's name looks like HTML.
 */
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

/** The same reply, marked as not cacheable. sendReply writes the header. */
export function notStored(reply: Reply): Reply {
  return { ...reply, noStore: true };
}

/** The same reply with the code of its rejection. */
export function withRefusal(reply: Reply, { code }: { readonly code: string }): Reply {
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
 * A reply whose text is made while it is sent, at the client's speed. The first piece is read before the reply exists,
 * so that an early failure becomes a rejection with a status. A later failure ends the connection.
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

/** `{<name>: [...], count}` and the other given members as JSON, made piece by piece. */
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
  // The first match is the member itself: within a string its quotes would be escaped.
  const at = text.indexOf(place) + place.length - 1;
  async function* filled() {
    yield* listText(text.slice(0, at), pieces);
    yield text.slice(at);
  }
  return streamed(200, filled(), jsonHeaders);
}

/**
 * The items after `head`. `head` is written only after the first read, so that a failing read is rejected with a
 * status.
 */
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
