// The outermost stage around a protocol endpoint: what was asked and what is answered becomes one exchange of the
// recorder (section REC). It reads the answer as it will be sent, keeps it in a buffer and never makes a request wait:
// what it costs to look into tokens and messages is spent when the exchange is written.

import type { Instant, Monotonic } from '#shared/base/clock.ts';
import type { Recording } from '#shared/engine/exchange/recording.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { BrowserSession } from '#shared/engine/exchange/session-cookie.ts';
import { browserOf } from '#shared/engine/recorder/facts-for-verdict.ts';
import { type Fingerprints, fingerprintsOf } from '#shared/engine/recorder/fingerprints.ts';
import type { FlowKey } from '#shared/engine/recorder/flow-keys.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { isRepeatable, type RecordedEndpoint, recordedEndpoints } from '#shared/model/domain/exchange.ts';
import { RefusedError } from '#shared/model/refusals/refusal.ts';
import type { ExchangeToKeep } from '#shared/state/store/ports/exchanges.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import { exchangeToMake, type Heard } from './make-exchange.ts';

export interface RecordingParts extends Pick<FrontendParts, 'services' | 'rules' | 'relayed'> {
  /** What becomes of the endpoint's answer on its way out. */
  sent(reply: Reply): Reply;
  /** A designed refusal as it is answered. */
  replyOf(error: unknown): Reply;
}

/** undefined: what happens here is nobody's exchange (REC-01). */
export function beginRecording(route: Route, exchange: Exchange, parts: RecordingParts): RequestRecording | undefined {
  const endpoint = route.recordedAs ?? recordedEndpoints.find((each) => each === route.faultyAs);
  if (endpoint === undefined || exchange.message.method === 'OPTIONS') return undefined;
  return new RequestRecording(endpoint, exchange, parts);
}

export class RequestRecording implements Recording {
  readonly #endpoint: RecordedEndpoint;
  readonly #exchange: Exchange;
  readonly #parts: RecordingParts;
  readonly #at: Instant;
  readonly #start: Monotonic;
  #request: ParsedRequest | undefined;
  #context: RequestContext | undefined;
  #finished: (reply: Reply) => Reply = (reply) => reply;
  #event: AuditEvent | undefined;
  #fault: string | undefined;
  #kept = false;
  #flows: readonly FlowKey[] = [];

  constructor(endpoint: RecordedEndpoint, exchange: Exchange, parts: RecordingParts) {
    this.#endpoint = endpoint;
    this.#exchange = exchange;
    this.#parts = parts;
    this.#at = parts.services.clock.real();
    this.#start = parts.services.stopwatch.read();
  }

  get requestId(): string | undefined {
    return this.#isOn() ? this.#exchange.requestId : undefined;
  }

  /** The request was read; `finished`: the last thing that its route does to an answer. */
  read(request: ParsedRequest, context: RequestContext, finished: (reply: Reply) => Reply): void {
    this.#request = request;
    this.#context = context;
    this.#finished = finished;
  }

  hears(event: AuditEvent): void {
    const before = this.#event;
    this.#event =
      before === undefined
        ? event
        : { ...event, username: event.username ?? before.username, client_id: event.client_id ?? before.client_id };
  }

  belongsTo(flow: FlowKey): void {
    if (!this.#flows.includes(flow)) this.#flows = [...this.#flows, flow];
  }

  get flows(): readonly FlowKey[] {
    return this.#flows;
  }

  fired(name: string): void {
    this.#fault = name;
  }

  settle(answer: { readonly reply: Reply } | { readonly error: unknown }): Promise<void> | undefined {
    if (this.#kept) return undefined;
    // What went wrong unforeseen is answered, and logged, in one place.
    if ('error' in answer && !(answer.error instanceof RefusedError)) return undefined;
    const reply = 'reply' in answer ? this.#finished(answer.reply) : this.#parts.replyOf(answer.error);
    return this.#keep(this.#parts.sent(reply));
  }

  /** The answer as it is sent; undefined: nothing is to be waited for. Readers in other processes then know of it (REC-15). */
  end(sent: Reply): Promise<void> | undefined {
    if (this.#kept || !this.#isOn() || this.#isRepetition(sent)) return undefined;
    const kept = this.#keep(sent);
    return kept === undefined ? this.#announce() : kept.then(() => this.#announce());
  }

  #announce(): Promise<void> | undefined {
    return this.#exchange.namespace.store.exchanges.announce(this.mayCountAgain());
  }

  /** Most requests for a document repeat another one: nothing of them is looked at (REC-08, REC-10). */
  #isRepetition(sent: Reply): boolean {
    const key = this.#repeatKey(sent);
    return key !== undefined && this.#exchange.namespace.store.exchanges.repeats(key, this.#at, 1);
  }

  /** Whether requests that are this one again, to the last header, may be counted with it. */
  mayCountAgain(): boolean {
    return isRepeatable(this.#endpoint) && this.#fault === undefined;
  }

  /** Counts so many requests of this one's moment that are this one again, and were answered alike. */
  countAgain(sent: Reply, times: number): void {
    if (!this.#isOn()) return;
    const key = this.#repeatKey(sent);
    if (key === undefined) return;
    const { exchanges } = this.#exchange.namespace.store;
    if (exchanges.repeats(key, this.#at, times)) return;
    const kept = this.#keep(sent, times);
    if (kept === undefined) void this.#announce();
    else void kept.then(() => this.#announce());
  }

  /** undefined: nothing is to be waited for, which is nearly always so. */
  #keep(sent: Reply, times = 1): Promise<void> | undefined {
    if (!this.#isOn()) return undefined;
    this.#kept = true;
    try {
      const found = fingerprintsOf(this.#exchange.namespace.store.sharedSecrets, this.#parts.services.random);
      const browser = browserOf(this.#endpoint, this.#context);
      if (!(found instanceof Promise) && browser === undefined) this.#addAsSent(sent, times, found);
      else return this.#keepOnceKnown(sent, times, found, browser);
    } catch (error) {
      this.#addUnread(error, times);
    }
    return undefined;
  }

  async #keepOnceKnown(
    sent: Reply,
    times: number,
    fingerprints: Fingerprints | Promise<Fingerprints>,
    browser: Promise<BrowserSession> | undefined,
  ): Promise<void> {
    try {
      this.#addAsSent(sent, times, await fingerprints, await browser);
    } catch (error) {
      this.#addUnread(error, times);
    }
  }

  #addUnread(error: unknown, times: number): void {
    const shape = () => {
      throw error;
    };
    this.#add(undefined, times, shape);
  }

  #addAsSent(reply: Reply, times: number, fingerprints: Fingerprints, browser?: BrowserSession): void {
    const durationMilliseconds = this.#parts.services.stopwatch.since(this.#start);
    const shape = exchangeToMake(this.#heard(reply, browser, durationMilliseconds), fingerprints);
    this.#add(this.#repeatKey(reply), times, shape);
  }

  #heard(reply: Reply, browser: BrowserSession | undefined, durationMilliseconds: number): Heard {
    return {
      endpoint: this.#endpoint,
      exchange: this.#exchange,
      request: this.#request,
      context: this.#context,
      event: this.#event,
      fault: this.#fault,
      flows: this.#flows,
      browser,
      reply,
      at: this.#at,
      durationMilliseconds,
      address: this.#address(),
    };
  }

  #add(repeatKey: string | undefined, times: number, shape: ExchangeToKeep['shape']): void {
    this.#exchange.namespace.store.exchanges.add({ repeatKey, at: this.#at, times, shape });
  }

  #isOn(): boolean {
    const { store, configuration } = this.#exchange.namespace;
    return isRecorderOn({ store, snapshot: this.#context?.snapshot ?? configuration.peek() });
  }

  #address(): string | undefined {
    const { message } = this.#exchange;
    const { rules, relayed } = this.#parts;
    return this.#context === undefined ? rules.addressOf(message, relayed) : this.#context.clientAddress;
  }

  #repeatKey({ status }: Reply): string | undefined {
    if (!isRepeatable(this.#endpoint) || this.#fault !== undefined) return undefined;
    const { message, path, target } = this.#exchange;
    const userAgent = message.headers['user-agent'] ?? '';
    return `${message.method ?? ''} ${status} ${path}?${target.rawQuery} ${this.#address() ?? ''} ${userAgent}`;
  }
}
