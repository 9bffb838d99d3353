// What is known of one client when it is judged: its own exchanges, and what else was recorded meanwhile. Views of it
// that several rules share are here.
import type { Instant } from '#shared/base/clock.ts';
import { groupByKey } from '#shared/base/group-by-key.ts';
import type { Decoded, KeptExchange, RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { parametersOfRequestObject } from '#shared/protocol/oidc/request-object.ts';

/** The subject of the verdict. If all members are null: SAML requests without an issuer. */
export interface Subject {
  readonly client_id: string | null;
  /** Issuer of SAML messages. */
  readonly sp: string | null;
  /** The id of a flow. */
  readonly flow: string | null;
}

export interface ClientHistory {
  /**
   * The exchanges that the verdict may count against the subject, in the order recorded. Consequences of a fault are
   * excluded (VER-06).
   */
  readonly exchanges: readonly KeptExchange[];
  /** Everything that is stored of the namespace, in the order recorded. */
  readonly surroundings: readonly KeptExchange[];
  /** The exchanges at which a fault fired, and what followed in their flows. */
  readonly faulty: ReadonlySet<number>;
  /** What is known of the client's registration; undefined: the client is unknown, or the subject is not a client. */
  readonly client: { readonly isPublic: boolean; readonly isDocument: boolean } | undefined;
  /** The service provider is registered, with or without certificates of its own (SPM-10). */
  readonly isRegisteredProvider: boolean;
  /** Every exchange is stored: none was removed by the limit or by hand, and the recorder was never switched. */
  readonly isWhole: boolean;
  /** Real time. */
  readonly now: Instant;
}

/**
 * The parameter that counts: the request object of an authorization request overrides its query, if it has the
 * parameter (SSO-52).
 */
export function parameter(exchange: KeptExchange, name: string): string | undefined {
  const object = asksForLogin.has(exchange.endpoint) ? requestObjectOf(exchange) : undefined;
  const valueOfObject = typeof object === 'object' ? parametersOfRequestObject(object).get(name) : undefined;
  const values = valueOfObject ?? exchange.content.parameters.flatMap((one) => (one.name === name ? [one.value] : []));
  return values.find((value) => value !== '');
}

/** The endpoints that receive authorization requests. */
const asksForLogin: ReadonlySet<RecordedEndpoint> = new Set(['authorize', 'pushed_authorization_request'] as const);

/**
 * The claims of the request object; `unknown`: it is stored elsewhere, is longer than what is stored, or cannot be
 * read.
 */
function requestObjectOf(exchange: KeptExchange): object | 'unknown' | undefined {
  const sent = (name: string) => exchange.content.parameters.some((one) => one.name === name && one.value !== '');
  if (sent('request_uri')) return 'unknown';
  if (!sent('request')) return undefined;
  const claims = decodedIn(exchange, 'parameters', 'request')?.jwt?.claims;
  return typeof claims === 'object' && claims !== null ? claims : 'unknown';
}

export function header({ content }: KeptExchange, name: string): string | undefined {
  return content.request_headers.find((one) => one.name.toLowerCase() === name)?.value;
}

/** The parameters of the query, and those of the body. */
export function partsOf({ content: { parameters, noticed } }: KeptExchange) {
  const inQuery = noticed?.inQuery ?? 0;
  return { query: parameters.slice(0, inQuery), body: parameters.slice(inQuery) };
}

export function inQuery(exchange: KeptExchange, name: string): boolean {
  return partsOf(exchange).query.some((one) => one.name === name && one.value !== '');
}

export function answered({ content: { answer } }: KeptExchange, name: string): string | undefined {
  const value = Object.hasOwn(answer, name) ? answer[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function decodedIn({ content }: KeptExchange, place: Decoded['in'], name: string): Decoded | undefined {
  return content.decoded.find((one) => one.in === place && one.name === name);
}

/** A member of the header or claims of a token, of any type. */
export function memberOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? Object.entries(object).find(([key]) => key === name)?.[1]
    : undefined;
}

export function ofEndpoints(...endpoints: readonly RecordedEndpoint[]) {
  return ({ exchanges }: ClientHistory): readonly KeptExchange[] =>
    exchanges.filter(({ endpoint }) => endpoints.includes(endpoint));
}

/**
 * Requests that a client pushes or sends a browser with, without what the browser does afterwards. A request with an
 * unknown request object is left out, because its parameters are unknown. The request_uri of a pushed request adds
 * nothing.
 */
export function authorizationRequests(history: ClientHistory): readonly KeptExchange[] {
  return ofEndpoints(...asksForLogin)(history).filter(
    (exchange) => isAuthorizationRequest(exchange) && requestObjectOf(exchange) !== 'unknown',
  );
}

function isAuthorizationRequest(exchange: KeptExchange): boolean {
  if (exchange.endpoint === 'pushed_authorization_request') return exchange.method === 'POST';
  const { query } = partsOf(exchange);
  const names = new Set(exchange.content.parameters.map(({ name }) => name));
  const goesOn = names.has('transaction_id') || names.has('pending_second_factor');
  return !goesOn && query.some(({ name }) => begins.has(name));
}

const begins: ReadonlySet<string> = new Set(['client_id', 'response_type', 'redirect_uri']);

/**
 * Requests that were not rejected: each began a transaction, got a response at once, or was pushed for a browser to use.
 */
export function transactions(history: ClientHistory): readonly KeptExchange[] {
  return authorizationRequests(history).filter(({ decision }) => decision !== 'refused');
}

/** POSTs to /token. */
export function tokenRequests(history: ClientHistory): readonly KeptExchange[] {
  return ofEndpoints('token')(history).filter(({ method }) => method === 'POST');
}

/** The endpoints that a client requests itself, so that its User-Agent identifies it. */
const byItself: ReadonlySet<RecordedEndpoint> = new Set([
  ...(['token', 'userinfo', 'introspect', 'revoke', 'device_authorization', 'register'] as const),
  ...(['pushed_authorization_request'] as const),
]);

export const backChannel: readonly RecordedEndpoint[] = [...byItself, 'discovery', 'jwks'];

function agentOf(exchange: KeptExchange): string {
  return header(exchange, 'user-agent') ?? '';
}

function agentsOf({ exchanges }: ClientHistory): ReadonlySet<string> {
  return new Set(exchanges.filter(({ endpoint }) => byItself.has(endpoint)).map(agentOf));
}

/** The index of the surroundings, which all clients of a namespace share. It is built once, not for each client. */
interface SurroundingsIndex {
  readonly ofEndpoint: ReadonlyMap<RecordedEndpoint, readonly KeptExchange[]>;
  /** The requests that clients sent themselves, by User-Agent. */
  readonly byAgent: ReadonlyMap<string, readonly KeptExchange[]>;
}

const indexes = new WeakMap<readonly KeptExchange[], SurroundingsIndex>();

function indexOf({ surroundings }: ClientHistory): SurroundingsIndex {
  const known = indexes.get(surroundings);
  if (known !== undefined) return known;
  const named = surroundings.filter(({ endpoint, clientId }) => byItself.has(endpoint) && clientId !== undefined);
  const index = {
    ofEndpoint: groupByKey(surroundings, ({ endpoint }) => endpoint),
    byAgent: groupByKey(
      named.toSorted((one, other) => one.at - other.at),
      agentOf,
    ),
  };
  indexes.set(surroundings, index);
  return index;
}

/** By any client, in the order recorded. */
export function fetchesOfAllClients(history: ClientHistory, endpoint: RecordedEndpoint): readonly KeptExchange[] {
  return indexOf(history).ofEndpoint.get(endpoint) ?? [];
}

/** Requests for documents name no client. The client may have sent these, judging by their User-Agent. */
export function fetchesPerhapsOwn(history: ClientHistory, endpoint: RecordedEndpoint): readonly KeptExchange[] {
  const fetches = fetchesOfAllClients(history, endpoint);
  if (fetches.length === 0) return [];
  const agents = agentsOf(history);
  return fetches.filter((exchange) => agents.has(agentOf(exchange)));
}

/** No other client can have sent these: at that time no other client used this User-Agent. */
export function fetchesOwn(history: ClientHistory, endpoint: RecordedEndpoint): readonly KeptExchange[] {
  const names = new Set(history.exchanges.map(({ clientId }) => clientId));
  const { byAgent } = indexOf(history);
  return fetchesPerhapsOwn(history, endpoint).filter((fetch) => {
    const clients = byAgent.get(agentOf(fetch)) ?? [];
    for (let place = firstSince(clients, fetch.at - sameTimeMilliseconds); place < clients.length; place += 1) {
      const one = clients[place];
      if (one === undefined || one.at > fetch.at + sameTimeMilliseconds) return true;
      if (!names.has(one.clientId)) return false;
    }
    return true;
  });
}

/** `ordered` by time. Returns its length where none is that late. */
function firstSince(ordered: readonly KeptExchange[], moment: number): number {
  let [from, to] = [0, ordered.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ordered[middle]?.at ?? moment) < moment) from = middle + 1;
    else to = middle;
  }
  return from;
}

const sameTimeMilliseconds = 60_000;

/** Exchanges that a fault caused: those at which one fired, and the later ones in their flows (VER-06). */
export function faultyOnes(exchanges: readonly KeptExchange[]): ReadonlySet<number> {
  const flows = new Set<number>();
  const faulty = new Set<number>();
  for (const { id, flow, fault } of exchanges) {
    if (fault !== undefined) flows.add(flow);
    if (flows.has(flow)) faulty.add(id);
  }
  return faulty;
}

/** A value of a request, quoted in a sentence. */
export function shown(value: string): string {
  const text = value.length > 80 ? `${value.slice(0, 80).replace(/[\uD800-\uDBFF]$/, '')}…` : value;
  return `\`${text}\``;
}
