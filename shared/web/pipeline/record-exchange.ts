// A stage around a protocol endpoint. Request and response become one exchange of the recorder (section REC). It reads
// the response as it will be sent. The store decides what is written, and when. A request waits only until its exchange
// is announced, and only for a moment.

import type { Instant, Monotonic } from '#shared/base/clock.ts';
import type { Recording } from '#shared/engine/exchange/recording.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { BrowserSession } from '#shared/engine/exchange/session-cookie.ts';
import { browserOf, factsForVerdict } from '#shared/engine/recorder/facts-for-verdict.ts';
import { type Fingerprints, fingerprintsOf } from '#shared/engine/recorder/fingerprints.ts';
import { isRecorderOn } from '#shared/engine/recorder/is-recorder-on.ts';
import {
  type FlowKey,
  type HeaderValues,
  type ObservedExchange,
  valueIn,
} from '#shared/engine/recorder/observed-exchange.ts';
import { readAnswer } from '#shared/engine/recorder/read-answer.ts';
import { clientIdOf, namedInJson, outcomeOf, parametersOf } from '#shared/engine/recorder/read-request.ts';
import { storedExchange } from '#shared/engine/recorder/stored-exchange.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import {
  isRepeatable,
  type RecordedEndpoint,
  type RedirectUriLeniency,
  recordedEndpoints,
} from '#shared/model/domain/exchange.ts';
import { readClock } from '#shared/model/domain/movable-clock.ts';
import { RefusedError } from '#shared/model/refusals/refusal.ts';
import { basicCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import type { Exchange, FrontendParts } from './exchange.ts';
import { headersOfClient } from './relayed-connection.ts';

export interface RecordingParts extends Pick<FrontendParts, 'services' | 'rules' | 'relayed'> {
  /** The changes to the endpoint's response before it is sent. */
  sent(reply: Reply): Reply;
  /** The response to a designed rejection. */
  replyOf(error: unknown): Reply;
}

/** undefined: the request here belongs to no exchange (REC-01). */
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
  #context: ManagementContext | undefined;
  /** The route forbids storing the endpoint's response, but the reply itself does not say so yet. */
  #forbidsStoring = false;
  #event: AuditEvent | undefined;
  #fault: string | undefined;
  #redirectUri: readonly RedirectUriLeniency[] | undefined;
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

  read(request: ParsedRequest, context: ManagementContext): void {
    this.#request = request;
    this.#context = context;
  }

  noteEvent(event: AuditEvent): void {
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

  acceptedLeniently(because: readonly RedirectUriLeniency[]): void {
    this.#redirectUri = because.length === 0 ? undefined : because;
  }

  settle(answer: { readonly reply: Reply } | { readonly error: unknown }): Promise<void> | undefined {
    if (this.#kept) return undefined;
    // Unexpected errors are handled and logged in one place.
    if ('error' in answer && !(answer.error instanceof RefusedError)) return undefined;
    this.#forbidsStoring = 'reply' in answer && this.#exchange.noStore;
    const reply = 'reply' in answer ? answer.reply : this.#parts.replyOf(answer.error);
    return this.#keep(this.#parts.sent(reply));
  }

  /**
   * Records the response as it is sent. Once it resolves, readers in other processes know of the exchange (REC-15).
   * undefined: there is nothing to wait for.
   */
  end(sent: Reply): Promise<void> | undefined {
    if (this.#kept || !this.#isOn() || this.#isRepetition(sent)) return undefined;
    const kept = this.#keep(sent);
    return kept === undefined ? this.#announce() : kept.then(() => this.#announce());
  }

  #announce(): Promise<void> | undefined {
    const mayRepeat = isRepeatable(this.#endpoint) && this.#fault === undefined;
    return this.#exchange.namespace.store.exchanges.announce(mayRepeat);
  }

  /** Most requests for a document repeat an earlier one. Nothing of them is read (REC-10). */
  #isRepetition(sent: Reply): boolean {
    const key = this.#repeatKey(sent);
    return key !== undefined && this.#exchange.namespace.store.exchanges.repeats(key, this.#at);
  }

  /** undefined: there is nothing to wait for, which is the usual case. */
  #keep(sent: Reply): Promise<void> | undefined {
    if (!this.#isOn()) return undefined;
    this.#kept = true;
    try {
      const found = fingerprintsOf(this.#exchange.namespace.store.sharedSecrets, this.#parts.services.random);
      const browser = browserOf(this.#endpoint, this.#context);
      if (found instanceof Promise || browser !== undefined) return this.#addOnceKnown(sent, found, browser);
      this.#add(sent, found);
    } catch (error) {
      this.#lose(error);
    }
    return undefined;
  }

  async #addOnceKnown(
    sent: Reply,
    fingerprints: Fingerprints | Promise<Fingerprints>,
    browser: Promise<BrowserSession> | undefined,
  ): Promise<void> {
    try {
      this.#add(sent, await fingerprints, await browser);
    } catch (error) {
      this.#lose(error);
    }
  }

  #add(sent: Reply, fingerprints: Fingerprints, browser?: BrowserSession): void {
    const keepsSecrets = this.#snapshot.settings.recorder.secrets === 'keep';
    const stored = storedExchange(this.#observed(sent, browser), fingerprints, keepsSecrets);
    this.#exchange.namespace.store.exchanges.add(stored);
  }

  #lose(error: unknown): void {
    const { store, log } = this.#exchange.namespace;
    log.error({ err: error, requestId: this.#exchange.requestId }, 'an exchange could not be read for the recorder');
    store.exchanges.lose();
  }

  #observed(reply: Reply, browser: BrowserSession | undefined): ObservedExchange {
    const { message, path, target, clock, requestId, furtherHeaders } = this.#exchange;
    const endpoint = this.#endpoint;
    const request = this.#request;
    const event = this.#event;
    const at = this.#at;
    const { authorization } = message.headers;
    const basic = basicCredentials(authorization);
    const answer = readAnswer(reply);
    const parameters = parametersOf(endpoint, request, target.rawQuery);
    const inJson = namedInJson(endpoint, request);
    const named = inJson.length === 0 ? parameters : [...parameters, ...inJson];
    const { decision, reason, refusal, details } = outcomeOf(endpoint, reply, answer, event);
    const duration = this.#parts.services.stopwatch.since(this.#start);
    return {
      endpoint,
      at,
      clock: readClock(clock.cached().state, at),
      durationMilliseconds: Math.round(duration * 1000) / 1000,
      method: message.method ?? '',
      path,
      status: reply.status,
      clientId: clientIdOf(endpoint, { authorization, basic }, named, answer, event),
      username: event?.username ?? valueIn(parameters, 'username')?.trim(),
      sp: valueIn(parameters, 'sp'),
      grantType: endpoint === 'token' ? valueIn(parameters, 'grant_type') : undefined,
      decision,
      reason,
      refusal,
      fault: this.#fault,
      parameters,
      namedInJson: inJson,
      requestHeaders: headersOfClient(message.headers),
      responseHeaders: responseHeadersOf(reply, furtherHeaders, this.#forbidsStoring),
      answer: answer.members,
      soap: endpoint === 'saml_attribute_query' ? soapOf(request, reply) : undefined,
      details,
      noticed: factsForVerdict(endpoint, request, this.#context, { basic, redirectUri: this.#redirectUri }),
      browser: browser && { id: browser.browser, isDrawn: !browser.presented },
      flows: this.#flows,
      address: this.#address(),
      requestId,
      repeatKey: this.#repeatKey(reply),
    };
  }

  #isOn(): boolean {
    return isRecorderOn({ store: this.#exchange.namespace.store, snapshot: this.#snapshot });
  }

  get #snapshot(): ConfigurationSnapshot {
    return this.#context?.snapshot ?? this.#exchange.namespace.configuration.inForce();
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

/** Copies name by name: `{ ...one, ...another }` takes microseconds. */
function responseHeadersOf(
  { headers, noStore }: Reply,
  further: Exchange['furtherHeaders'],
  forbidsStoring: boolean,
): HeaderValues {
  const all: Record<string, HeaderValues[string]> = {};
  for (const name in further) all[name] = further[name];
  for (const name in headers) all[name] = headers[name];
  if (noStore === true || forbidsStoring) all['Cache-Control'] = 'no-store';
  return all;
}

function soapOf(request: ParsedRequest | undefined, { body }: Reply): ObservedExchange['soap'] {
  if (request === undefined) return undefined;
  return { request: request.body, answer: typeof body === 'string' ? body : undefined };
}
