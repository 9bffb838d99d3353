// Reads a request: its parameters and its client. With its response and audit event it also reads the decision
// (REC-02).
import { Parameters } from '#shared/base/parameters.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { decodeToken } from '#shared/model/domain/decoded-token.ts';
import { boundedValue, decisionOf, isRepeatable, type RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { type BasicCredentials, tokenCredentials } from '#shared/protocol/oauth2/authorization-header.ts';
import { type ObservedExchange, type Pairs, valueIn } from './observed-exchange.ts';
import type { ReadAnswer } from './read-answer.ts';

/** The parameters of query and body. `request` undefined: it was rejected before its body was read. */
export function parametersOf(endpoint: RecordedEndpoint, request: ParsedRequest | undefined, rawQuery: string): Pairs {
  if (request === undefined) return Parameters.parse(rawQuery).pairs;
  const ofBody = endpoint === 'register' ? jsonMembers(request) : request.form.pairs;
  return request.rawQuery === '' ? ofBody : [...request.query.pairs, ...ofBody];
}

const namedInJsonBytesMax = 16 * 1024;
const namingMembers: ReadonlySet<string> = new Set(['client_id', 'code', 'refresh_token', 'device_code']);

/** A token request that is not a form is rejected unread. Only the recorder reads its client and its flow. */
export function namedInJson(endpoint: RecordedEndpoint, request: ParsedRequest | undefined): Pairs {
  if (endpoint !== 'token' || request === undefined || request.form.pairs.length > 0) return [];
  if (request.body.length > namedInJsonBytesMax) return [];
  return jsonMembers(request).filter(([name]) => namingMembers.has(name));
}

/** The client from the request, else from its credentials, else from the audit, else from its token (REC-02). */
export function clientIdOf(
  endpoint: RecordedEndpoint,
  { authorization, basic }: { readonly authorization: string | undefined; readonly basic: BasicCredentials },
  named: Pairs,
  { members }: ReadAnswer,
  event: AuditEvent | undefined,
): string | undefined {
  const registered = endpoint === 'register' ? members.client_id : undefined;
  return (
    valueIn(named, 'client_id') ??
    userOf(basic) ??
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

export function outcomeOf(
  endpoint: RecordedEndpoint,
  { status, refusal }: Pick<Reply, 'status' | 'refusal'>,
  { members, page }: ReadAnswer,
  event: AuditEvent | undefined,
): Pick<ObservedExchange, 'decision' | 'reason' | 'refusal' | 'details'> {
  const { status: recordedStatus, details = {} } = event ?? {};
  // For its client a token that cannot be revoked counts as revoked (RFC 7009 §2.2).
  const isAsGoodAsDone = recordedStatus !== 'success' && endpoint === 'revoke' && status === 200;
  const audited =
    recordedStatus === undefined ? undefined : recordedStatus === 'success' || isAsGoodAsDone ? 'success' : 'failed';
  // A document's `error` member is no error: only responses to a client's request report one.
  const error = isRepeatable(endpoint) && status < 400 ? undefined : members.error;
  const decision = decisionOf(status, error, { page, audited });
  if (decision !== 'refused') {
    const reason = isAsGoodAsDone && typeof details.reason === 'string' ? details.reason : undefined;
    return { decision, reason, refusal: undefined, details: undefined };
  }
  const reasons = [details.reason, members.error_description, members.error, members.page];
  return {
    decision,
    reason: reasons.find((one) => typeof one === 'string'),
    refusal: typeof details.refusal === 'string' ? details.refusal : refusal,
    details: evidenceIn(details),
  };
}

/** The details of a rejection in the audit, in addition to its reason and code. */
function evidenceIn({ reason: _, refusal: __, ...details }: NonNullable<AuditEvent['details']>) {
  const evidence = Object.entries(details).filter(([, value]) => value !== undefined);
  return evidence.length === 0
    ? undefined
    : Object.fromEntries(evidence.map(([name, value]) => [name, boundedValue(value)]));
}

function userOf(basic: BasicCredentials): string | undefined {
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

/** The members of a body that is an object: a registration sends its values this way. */
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
