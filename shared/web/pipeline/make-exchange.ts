// What one request to a protocol endpoint and its answer were, as the exchange that is kept of them (REC-02): made when
// it is written, and not while the request is answered.

import type { Instant } from '#shared/base/clock.ts';
import { Parameters } from '#shared/base/parameters.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/engine/exchange/request.ts';
import type { BrowserSession } from '#shared/engine/exchange/session-cookie.ts';
import { exchangePatterns, type Outcome } from '#shared/engine/recorder/exchange-patterns.ts';
import { factsForVerdict } from '#shared/engine/recorder/facts-for-verdict.ts';
import type { Fingerprints } from '#shared/engine/recorder/fingerprints.ts';
import { type FlowKey, flowKeysOf, type SamlKey } from '#shared/engine/recorder/flow-keys.ts';
import { type ReadAnswer, readAnswer } from '#shared/engine/recorder/read-answer.ts';
import type { RequestWords } from '#shared/engine/recorder/request-words.ts';
import { type Spoken, withoutSecrets } from '#shared/engine/recorder/without-secrets.ts';
import { decodeToken } from '#shared/engine/tokens/verify-token.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import {
  boundedValue,
  decisionOf,
  isRepeatable,
  type NewExchange,
  type RecordedEndpoint,
  type SaidJustNow,
  type SamlSummary,
} from '#shared/model/domain/exchange.ts';
import type { ExchangeMade, ExchangeMoment } from '#shared/model/domain/exchange-alike.ts';
import { readClock } from '#shared/model/domain/movable-clock.ts';
import { keyOfToken } from '#shared/model/domain/recorded-exchange.ts';
import { basicCredentials, tokenCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { headersOfClient } from '#shared/web/pipeline/relayed-connection.ts';
import type { Exchange } from './exchange.ts';

/** All that is known of a request once it is answered. */
export interface Heard {
  readonly endpoint: RecordedEndpoint;
  readonly exchange: Exchange;
  /** undefined: it was refused before it was read. */
  readonly request: ParsedRequest | undefined;
  readonly context: RequestContext | undefined;
  /** What the audit says of it. */
  readonly event: AuditEvent | undefined;
  readonly fault: string | undefined;
  /** To what it was said to belong. */
  readonly flows: readonly FlowKey[];
  readonly browser: BrowserSession | undefined;
  /** As it is sent. */
  readonly reply: Reply;
  /** Real time. */
  readonly at: Instant;
  readonly durationMilliseconds: number;
  readonly address: string | undefined;
}

/**
 * How the exchange is made once it is written. Of one that is like the one before it on its connection no more is kept
 * until then than what differs, since what a request holds costs as long as it lives (REC-08).
 */
export function exchangeToMake(heard: Heard, fingerprints: Fingerprints): () => ExchangeMade {
  const words = wordsOf(heard);
  if (words === undefined) return () => wholeExchangeOf(heard, momentOf(heard), fingerprints);
  const { reply, event, exchange } = heard;
  const { socket } = exchange.message;
  const outcome: Outcome = { reply, event, furtherHeaders: exchange.furtherHeaders };
  const moment = () => momentOf(heard);
  const patterns = exchangePatterns(fingerprints);
  return (
    patterns.likeLast(socket, words, outcome, moment) ??
    (() => {
      const found = patterns.likeAny(socket, words, outcome, moment);
      if (found?.alike !== undefined) return found.alike();
      const whole = wholeExchangeOf(heard, moment(), fingerprints);
      found?.remember(whole);
      return whole;
    })
  );
}

/** What machines ask in the same words again and again; the others ask a person, or are counted (REC-10). */
const askedAgain: ReadonlySet<RecordedEndpoint> = new Set(['token', 'userinfo', 'introspect']);

/** undefined: the request is looked into for itself, since more than its words decides what is kept of it. */
function wordsOf({
  endpoint,
  exchange,
  request,
  context,
  fault,
  flows,
  browser,
  address,
}: Heard): RequestWords | undefined {
  if (!askedAgain.has(endpoint) || request === undefined || context === undefined) return undefined;
  if (fault !== undefined || flows.length > 0 || browser !== undefined || keepsSecrets(context, exchange)) {
    return undefined;
  }
  const { message, path } = exchange;
  const { method, rawQuery, body } = request;
  return { endpoint, method, path, rawQuery, address: address ?? '', rawHeaders: message.rawHeaders, body };
}

function keepsSecrets(context: RequestContext | undefined, { namespace }: Exchange): boolean {
  const { settings } = context?.snapshot ?? namespace.configuration.peek();
  return settings.recorder.secrets === 'keep';
}

function momentOf({ at, exchange, durationMilliseconds }: Heard): ExchangeMoment {
  return {
    at,
    // As it was then: this may be made later.
    clock: readClock(exchange.clock.asSeen().state, at),
    durationMilliseconds: Math.round(durationMilliseconds * 1000) / 1000,
    requestId: exchange.requestId,
  };
}

function wholeExchangeOf(heard: Heard, moment: ExchangeMoment, fingerprints: Fingerprints): NewExchange {
  const { endpoint, exchange, request, context, event, fault, flows, browser, reply, address } = heard;
  const { message, path } = exchange;
  const answer = readAnswer(reply);
  const asked = askedIn(heard);
  const inJson = namedInJson(heard);
  const named = inJson.length === 0 ? asked : [...asked, ...inJson];
  const spoken = spokenIn(heard, asked, answer);
  const { said, headers, secrets } = withoutSecrets(spoken, fingerprints, keepsSecrets(context, exchange));
  const { decision, reason, refusal, details } = outcomeOf(heard, answer);
  const saml = samlIn(said);
  const keys = flowKeysOf(
    { endpoint, path, value: (name) => valueIn(named, name) },
    answer.members,
    samlKey(saml, browser?.browser),
    fingerprints,
  );
  const further = [...flows, ...grantOf(valueIn(inJson, 'refresh_token'))];
  return {
    endpoint,
    at: moment.at,
    clock: moment.clock,
    durationMilliseconds: moment.durationMilliseconds,
    method: message.method ?? '',
    path,
    status: reply.status,
    clientId: clientIdOf(heard, named, answer),
    username: event?.username ?? valueIn(asked, 'username')?.trim(),
    sp: saml?.issuer ?? valueIn(asked, 'sp'),
    grantType: endpoint === 'token' ? valueIn(asked, 'grant_type') : undefined,
    decision,
    reason,
    refusal,
    fault,
    said: {
      parameters: said.parameters,
      answer: said.answer,
      decoded: said.decoded,
      details,
      noticed: factsForVerdict({ endpoint, request, context, browser }, fingerprints),
    },
    headers,
    keys: further.length === 0 ? keys : { ...keys, named: [...keys.named, ...further] },
    address,
    requestId: moment.requestId,
    secrets,
  };
}

function outcomeOf(
  { endpoint, event, reply: { status, refusal } }: Heard,
  { members, page }: ReadAnswer,
): Pick<NewExchange, 'decision' | 'reason' | 'refusal'> & Pick<SaidJustNow, 'details'> {
  const { status: told, details = {} } = event ?? {};
  // To its client a token that cannot be revoked is as good as revoked (RFC 7009 §2.2).
  const isAsGoodAsDone = told !== 'success' && endpoint === 'revoke' && status === 200;
  const audited = told === undefined ? undefined : told === 'success' || isAsGoodAsDone ? 'success' : 'failed';
  // A document about errors is none: only answers to a client's request say `error`.
  const error = isRepeatable(endpoint) && status < 400 ? undefined : members.error;
  const decision = decisionOf(status, error, { page, audited });
  if (decision !== 'refused') {
    const reason = isAsGoodAsDone && typeof details.reason === 'string' ? details.reason : undefined;
    return { decision, reason, refusal: undefined, details: undefined };
  }
  const said = [details.reason, members.error_description, members.error, members.page];
  return {
    decision,
    reason: said.find((one) => typeof one === 'string'),
    refusal: typeof details.refusal === 'string' ? details.refusal : refusal,
    details: evidenceIn(details),
  };
}

/** What the audit says of a refusal beside its reason and code. */
function evidenceIn({ reason: _, refusal: __, ...details }: NonNullable<AuditEvent['details']>) {
  const evidence = Object.entries(details).filter(([, value]) => value !== undefined);
  return evidence.length === 0
    ? undefined
    : Object.fromEntries(evidence.map(([name, value]) => [name, boundedValue(value)]));
}

/** Whom the request names, else its credentials, else the audit, else the token that it is about (REC-02). */
function clientIdOf({ endpoint, event, exchange }: Heard, named: Pairs, { members }: ReadAnswer): string | undefined {
  const { authorization } = exchange.message.headers;
  const registered = endpoint === 'register' ? members.client_id : undefined;
  return (
    valueIn(named, 'client_id') ??
    userOf(authorization) ??
    event?.client_id ??
    (typeof registered === 'string' ? registered : undefined) ??
    clientOfToken(
      tokenOf(authorization) ??
        (endpoint === 'userinfo' ? valueIn(named, 'access_token') : undefined) ??
        valueIn(named, 'id_token_hint') ??
        valueIn(named, 'refresh_token'),
    )
  );
}

function askedIn({ endpoint, exchange, request }: Heard): Pairs {
  if (request === undefined) return Parameters.parse(exchange.target.rawQuery).pairs;
  const ofBody = endpoint === 'register' ? jsonMembers(request) : request.form.pairs;
  return request.rawQuery === '' ? ofBody : [...request.query.pairs, ...ofBody];
}

const namedInJsonBytesMax = 16 * 1024;
const namingMembers: ReadonlySet<string> = new Set(['client_id', 'code', 'refresh_token', 'device_code']);

/** A token request that is no form is refused without being read; the record alone says whose it is and where it belongs. */
function namedInJson({ endpoint, request }: Heard): Pairs {
  if (endpoint !== 'token' || request === undefined || request.form.pairs.length > 0) return [];
  if (request.body.length > namedInJsonBytesMax) return [];
  return jsonMembers(request).filter(([name]) => namingMembers.has(name));
}

function spokenIn({ endpoint, exchange, request, reply }: Heard, asked: Pairs, { members }: ReadAnswer): Spoken {
  const { headers, body, noStore } = reply;
  const isSoap = endpoint === 'saml_attribute_query';
  return {
    parameters: asked,
    requestHeaders: headersOfClient(exchange.message.headers),
    responseHeaders: {
      ...exchange.furtherHeaders,
      ...headers,
      ...(noStore === true ? { 'Cache-Control': 'no-store' } : {}),
    },
    answer: members,
    soap:
      isSoap && request !== undefined
        ? { request: request.body, answer: typeof body === 'string' ? body : undefined }
        : undefined,
  };
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
  const shown = tokenCredentials(authorization);
  return shown.kind === 'token' ? shown.token : undefined;
}

function clientOfToken(token: string | undefined): string | undefined {
  const claims = token === undefined ? undefined : decodeToken(token)?.payload;
  return [claims?.client_id, claims?.azp, claims?.aud].find((one) => typeof one === 'string');
}

/** The key of its flow; that of a token among the parameters is found when it is looked into. */
function grantOf(refreshToken: string | undefined): readonly string[] {
  const claims = refreshToken === undefined ? undefined : decodeToken(refreshToken)?.payload;
  return claims === undefined ? [] : keyOfToken(claims);
}

/** Of a body that is an object: a registration says so what it asks for. */
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
