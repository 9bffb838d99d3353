// The outermost stage around a protocol endpoint: what was asked and what is answered becomes one exchange of the
// recorder (section REC). It reads the answer as it will be sent, keeps it in a buffer and never makes a request wait:
// what it costs to look into tokens and messages is spent when the exchange is written.
import type { AuditEvent } from '#shared/audit/audit-event.ts';
import type { Instant, Monotonic } from '#shared/clock.ts';
import {
  decisionOf,
  isRepeatable,
  type NewExchange,
  type RecordedEndpoint,
  recordedEndpoints,
  type SaidJustNow,
  type SamlSummary,
} from '#shared/domain/exchange.ts';
import { decodeToken } from '#shared/issuing/verify-token.ts';
import { basicCredentials, bearerCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { type Fingerprints, fingerprintsOf } from '#shared/recorder/fingerprints.ts';
import { type FlowKey, flowKeysOf, type SamlKey } from '#shared/recorder/flow-keys.ts';
import { isRecorderOn } from '#shared/recorder/is-recorder-on.ts';
import { browserOf, notice } from '#shared/recorder/notice.ts';
import { type ReadAnswer, readAnswer } from '#shared/recorder/read-answer.ts';
import { type Spoken, shaped } from '#shared/recorder/said.ts';
import { RefusedError } from '#shared/refusals/refusal.ts';
import { Parameters } from '../parameters.ts';
import type { Recording } from '../recording.ts';
import type { Reply } from '../reply.ts';
import type { ParsedRequest, RequestContext } from '../request.ts';
import type { Route } from '../route.ts';
import type { BrowserSession } from '../session-cookie.ts';
import type { Exchange, FrontendParts } from './exchange.ts';

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
    this.#event = {
      ...event,
      username: event.username ?? this.#event?.username,
      client_id: event.client_id ?? this.#event?.client_id,
    };
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

  async settle(answer: { readonly reply: Reply } | { readonly error: unknown }): Promise<void> {
    // What went wrong unforeseen is answered, and logged, in one place.
    if ('error' in answer && !(answer.error instanceof RefusedError)) return;
    const reply = 'reply' in answer ? this.#finished(answer.reply) : this.#parts.replyOf(answer.error);
    await this.#keep(this.#parts.sent(reply));
  }

  /** The answer as it is sent; undefined: nothing is to be waited for. Writes at once what an event has told of already. */
  end(sent: Reply): Promise<void> | undefined {
    if (this.#kept || this.#isRepetition(sent)) return undefined;
    return this.#keepLast(sent);
  }

  async #keepLast(sent: Reply): Promise<void> {
    await this.#keep(sent);
    if (this.#event !== undefined) void this.#exchange.namespace.store.exchanges.written();
  }

  /** Most requests for a document repeat another one: nothing of them is looked at (REC-08, REC-10). */
  #isRepetition(sent: Reply): boolean {
    const key = this.#repeatKey(sent);
    return key !== undefined && this.#isOn() && this.#exchange.namespace.store.exchanges.repeats(key, this.#at);
  }

  async #keep(sent: Reply): Promise<void> {
    if (this.#kept || !this.#isOn()) return;
    this.#kept = true;
    const { namespace } = this.#exchange;
    const { services } = this.#parts;
    try {
      const found = fingerprintsOf(namespace.store.sharedSecrets, services.random);
      const fingerprints = found instanceof Promise ? await found : found;
      const browser = await browserOf(this.#endpoint, this.#context);
      const durationMilliseconds = services.stopwatch.since(this.#start);
      this.#add(() => this.#shape(sent, fingerprints, browser, durationMilliseconds), this.#repeatKey(sent));
    } catch (error) {
      this.#add(() => {
        throw error;
      });
    }
  }

  #add(shape: () => NewExchange, repeatKey?: string): void {
    this.#exchange.namespace.store.exchanges.add({ repeatKey, at: this.#at, shape });
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

  #shape(
    sent: Reply,
    fingerprints: Fingerprints,
    browser: BrowserSession | undefined,
    durationMilliseconds: number,
  ): NewExchange {
    const { message, path, namespace, clock } = this.#exchange;
    const answer = readAnswer(sent);
    const { settings } = this.#context?.snapshot ?? namespace.configuration.peek();
    const keepsSecrets = settings.recorder.secrets === 'keep';
    const { said, headers, secrets } = shaped(this.#spoken(sent, answer), fingerprints, keepsSecrets);
    const asked = this.#asked();
    const saml = samlIn(said);
    const keys = flowKeysOf(
      {
        endpoint: this.#endpoint,
        path,
        value: (name) => valueIn(asked, name),
      },
      answer.members,
      samlKey(saml, browser?.browser),
      fingerprints,
    );
    const seen = clock.asSeen();
    return {
      endpoint: this.#endpoint,
      at: this.#at,
      clock: seen.now(),
      durationMilliseconds: Math.round(durationMilliseconds * 1000) / 1000,
      method: message.method ?? '',
      path,
      status: sent.status,
      clientId: this.#clientId(asked, answer),
      username: this.#event?.username ?? valueIn(asked, 'username')?.trim(),
      sp: saml?.issuer ?? valueIn(asked, 'sp'),
      grantType: this.#endpoint === 'token' ? valueIn(asked, 'grant_type') : undefined,
      ...this.#outcome(sent, answer),
      fault: this.#fault,
      said: {
        ...said,
        noticed: notice(
          { endpoint: this.#endpoint, request: this.#request, context: this.#context, browser },
          fingerprints,
        ),
      },
      headers,
      keys: this.#flows.length === 0 ? keys : { ...keys, named: [...keys.named, ...this.#flows] },
      address: this.#address(),
      requestId: this.#exchange.requestId,
      secrets,
    };
  }

  #outcome({ status }: Reply, { members, page }: ReadAnswer): Pick<NewExchange, 'decision' | 'reason' | 'refusal'> {
    const { status: told, details = {} } = this.#event ?? {};
    const audited = told === undefined ? undefined : told === 'success' ? 'success' : 'failed';
    // A document about errors is none: only answers to a client's request say `error`.
    const error = isRepeatable(this.#endpoint) && status < 400 ? undefined : members.error;
    const decision = decisionOf(status, error, { page, audited });
    if (decision !== 'refused') return { decision, reason: undefined, refusal: undefined };
    const said = [details.reason, members.error_description, members.error, members.page];
    return {
      decision,
      reason: said.find((one) => typeof one === 'string'),
      refusal: typeof details.refusal === 'string' ? details.refusal : undefined,
    };
  }

  /** Whom the request names, else its credentials, else the audit, else the token that it is about (REC-02). */
  #clientId(asked: Pairs, { members }: ReadAnswer): string | undefined {
    const { authorization } = this.#exchange.message.headers;
    const registered = this.#endpoint === 'register' ? members.client_id : undefined;
    return (
      valueIn(asked, 'client_id') ??
      userOf(authorization) ??
      this.#event?.client_id ??
      (typeof registered === 'string' ? registered : undefined) ??
      clientOfToken(tokenOf(authorization) ?? valueIn(asked, 'id_token_hint') ?? valueIn(asked, 'refresh_token'))
    );
  }

  #asked(): Pairs {
    const request = this.#request;
    if (request === undefined) return Parameters.parse(this.#exchange.target.rawQuery).pairs;
    const ofBody = this.#endpoint === 'register' ? jsonMembers(request) : request.form.pairs;
    return request.rawQuery === '' ? ofBody : [...request.query.pairs, ...ofBody];
  }

  #spoken({ headers, body, noStore }: Reply, { members }: ReadAnswer): Spoken {
    const { message, furtherHeaders } = this.#exchange;
    const isSoap = this.#endpoint === 'saml_attribute_query';
    return {
      parameters: this.#asked(),
      requestHeaders: message.headers,
      responseHeaders: { ...furtherHeaders, ...headers, ...(noStore === true ? { 'Cache-Control': 'no-store' } : {}) },
      answer: members,
      soap:
        isSoap && this.#request !== undefined
          ? { request: this.#request.body, answer: typeof body === 'string' ? body : undefined }
          : undefined,
    };
  }
}

type Pairs = readonly (readonly [name: string, value: string])[];

function valueIn(pairs: Pairs, name: string): string | undefined {
  return pairs.find(([key, value]) => key === name && value !== '')?.[1];
}

function samlIn({ decoded }: SaidJustNow): SamlSummary | undefined {
  for (const one of decoded) if (one.in === 'parameters' && 'saml' in one) return one.saml;
  return undefined;
}

function samlKey(saml: SamlSummary | undefined, browser: string | undefined): SamlKey | undefined {
  return saml?.id === undefined || browser === undefined ? undefined : { id: saml.id, browser };
}

function userOf(authorization: string | undefined): string | undefined {
  const basic = basicCredentials(authorization);
  return basic.kind === 'credentials' && basic.user !== '' ? basic.user : undefined;
}

function tokenOf(authorization: string | undefined): string | undefined {
  const bearer = bearerCredentials(authorization);
  return bearer.kind === 'token' ? bearer.token : undefined;
}

function clientOfToken(token: string | undefined): string | undefined {
  const claims = token === undefined ? undefined : decodeToken(token)?.payload;
  return [claims?.client_id, claims?.azp, claims?.aud].find((one) => typeof one === 'string');
}

/** A registration says what it asks for as an object. */
function jsonMembers({ body }: ParsedRequest): Pairs {
  if (body.length === 0) return [];
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).map(
      ([name, member]) => [name, typeof member === 'string' ? member : JSON.stringify(member)] as const,
    );
  } catch {
    return [];
  }
}
