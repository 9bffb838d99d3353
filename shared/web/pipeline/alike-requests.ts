// Requests for a document that are alike to the last header, and arrive in one turn of the event loop, get one answer: the
// first goes through all stages, and what it was answered is sent again. What arrives together was sent before the
// first was looked at, as with oncePerTick; what arrives in a later turn goes through the stages again. The recorder counts
// them once a turn.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Namespace } from '#shared/engine/exchange/namespace.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { sendReply } from './send-reply.ts';

/** More kinds of requests in one turn are not worth looking through. */
const keptMax = 8;

/** Where a request arrived; requests of one turn have the very same. */
export type Turn = object;

interface Asked {
  readonly message: IncomingMessage;
  readonly furtherHeaders: Readonly<Record<string, string>>;
}

interface Answered extends Asked {
  readonly address: string | undefined;
  readonly reply: Reply;
  /** Tells the recorder how often it was sent again; undefined: nobody counts. */
  readonly countAgain: ((times: number) => void) | undefined;
  /** In this turn. */
  sentAgain: number;
}

export class AlikeRequests {
  #turn: Turn | undefined;
  #answered: Answered[] = [];

  /** For each request as it arrives. */
  turn(): Turn {
    if (this.#turn === undefined) {
      this.#turn = {};
      setImmediate(() => this.#end());
    }
    return this.#turn;
  }

  /** true: the request was answered as one before it in this turn. */
  answer(message: IncomingMessage, response: ServerResponse): boolean {
    if (this.#answered.length === 0) return false;
    const answered = this.#answered.find((each) => areAlike(each, message));
    if (answered === undefined) return false;
    answered.sentAgain += 1;
    sendReply(response, answered.reply, answered.furtherHeaders, { withoutBody: false });
    return true;
  }

  /**
   * A request was answered. Kept is what was made of this turn's state alone: `reply` is one that is sent often, exactly
   * as the endpoint has it, nothing was waited for, and no fault is in force that would want to count requests.
   */
  answered(
    { message, namespace, turn, furtherHeaders }: Asked & { readonly namespace: Namespace; readonly turn: Turn },
    reply: Reply,
    countAgain?: (times: number) => void,
  ): void {
    if (turn !== this.#turn || reply.sentOften !== true || this.#answered.length >= keptMax) return;
    if (message.method !== 'GET' || hasBody(message) || namespace.store.faults.inForce().length > 0) return;
    const address = message.socket.remoteAddress;
    this.#answered.push({ message, address, reply, furtherHeaders, countAgain, sentAgain: 0 });
  }

  /** From now on the same request is answered otherwise. */
  forget(): void {
    const answered = this.#answered;
    this.#answered = [];
    for (const { countAgain, sentAgain } of answered) if (sentAgain > 0) countAgain?.(sentAgain);
  }

  #end(): void {
    this.#turn = undefined;
    this.forget();
  }
}

function areAlike({ message: known, address }: Answered, message: IncomingMessage): boolean {
  if (known.url !== message.url || known.method !== message.method) return false;
  if (address !== message.socket.remoteAddress || known.httpVersion !== message.httpVersion) return false;
  const { rawHeaders } = message;
  return known.rawHeaders.length === rawHeaders.length && rawHeaders.every((text, at) => text === known.rawHeaders[at]);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
