// What is known of one client when it is judged: what it did, and what else was recorded meanwhile. Views of it that
// several rules share stand here.
import type { Instant } from '#shared/base/clock.ts';
import { groupByKey } from '#shared/base/group-by-key.ts';
import type { Decoded, KeptExchange, RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import { parametersOfRequestObject } from '#shared/protocol/oidc/request-object.ts';

/** Who is judged; with all of them null: SAML requests that name nobody. */
export interface Subject {
  readonly client_id: string | null;
  /** Issuer of SAML messages. */
  readonly sp: string | null;
  /** The id of a flow. */
  readonly flow: string | null;
}

export interface ClientHistory {
  /** What may be held against the subject, in the order recorded: not what came of a fault (VER-06). */
  readonly exchanges: readonly KeptExchange[];
  /** Whatever is kept of the namespace, in the order recorded. */
  readonly surroundings: readonly KeptExchange[];
  /** The exchanges at which a fault fired, and what followed in their flows. */
  readonly faulty: ReadonlySet<number>;
  /** What is known of the client's registration; undefined: nobody knows the client, or it is none. */
  readonly client: { readonly isPublic: boolean; readonly isDocument: boolean } | undefined;
  /** The service provider has a registration, and with it certificates of its own or none (SPM-10). */
  readonly isRegisteredProvider: boolean;
  /** All that came is kept: nothing went because of the bound or by hand, and nobody has switched the recorder. */
  readonly isWhole: boolean;
  /** Real time. */
  readonly now: Instant;
}

/** As it counts: of an authorization request what its request object says of it, if that says something (SSO-52). */
export function parameter(exchange: KeptExchange, name: string): string | undefined {
  const object = asksForLogin.has(exchange.endpoint) ? requestObjectOf(exchange) : undefined;
  const said = typeof object === 'object' ? parametersOfRequestObject(object).get(name) : undefined;
  const values = said ?? exchange.said.parameters.flatMap((one) => (one.name === name ? [one.value] : []));
  return values.find((value) => value !== '');
}

/** Where an authorization request goes. */
const asksForLogin: ReadonlySet<RecordedEndpoint> = new Set(['authorize', 'pushed_authorization_request'] as const);

/** The claims of it; `unknown`: they lie elsewhere, or say more than is kept, or are none that can be read. */
function requestObjectOf(exchange: KeptExchange): object | 'unknown' | undefined {
  const sent = (name: string) => exchange.said.parameters.some((one) => one.name === name && one.value !== '');
  if (sent('request_uri')) return 'unknown';
  if (!sent('request')) return undefined;
  const claims = decodedIn(exchange, 'parameters', 'request')?.jwt?.claims;
  return typeof claims === 'object' && claims !== null ? claims : 'unknown';
}

export function header({ said }: KeptExchange, name: string): string | undefined {
  return said.request_headers.find((one) => one.name.toLowerCase() === name)?.value;
}

/** The parameters of the query, and those of the body. */
export function partsOf({ said: { parameters, noticed } }: KeptExchange) {
  const inQuery = noticed?.inQuery ?? 0;
  return { query: parameters.slice(0, inQuery), body: parameters.slice(inQuery) };
}

export function inQuery(exchange: KeptExchange, name: string): boolean {
  return partsOf(exchange).query.some((one) => one.name === name && one.value !== '');
}

export function answered({ said: { answer } }: KeptExchange, name: string): string | undefined {
  const value = Object.hasOwn(answer, name) ? answer[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function decodedIn({ said }: KeptExchange, place: Decoded['in'], name: string): Decoded | undefined {
  return said.decoded.find((one) => one.in === place && one.name === name);
}

/** A member of the header or claims of a token, whatever it is. */
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
 * What a client pushes or sends a browser with, and not what the browser does on its own afterwards. Of a request object that is
 * not known nobody can say what the request has and what it lacks; the request_uri of what was pushed says nothing more.
 */
export function authorizationRequests(history: ClientHistory): readonly KeptExchange[] {
  return ofEndpoints(...asksForLogin)(history).filter(
    (exchange) => isAuthorizationRequest(exchange) && requestObjectOf(exchange) !== 'unknown',
  );
}

function isAuthorizationRequest(exchange: KeptExchange): boolean {
  if (exchange.endpoint === 'pushed_authorization_request') return exchange.method === 'POST';
  const { query } = partsOf(exchange);
  const names = new Set(exchange.said.parameters.map(({ name }) => name));
  const goesOn = names.has('transaction_id') || names.has('pending_second_factor');
  return !goesOn && query.some(({ name }) => begins.has(name));
}

const begins: ReadonlySet<string> = new Set(['client_id', 'response_type', 'redirect_uri']);

/** Those that were not refused: each began a transaction, was answered at once, or may be brought by a browser. */
export function transactions(history: ClientHistory): readonly KeptExchange[] {
  return authorizationRequests(history).filter(({ decision }) => decision !== 'refused');
}

/** POSTs to /token. */
export function tokenRequests(history: ClientHistory): readonly KeptExchange[] {
  return ofEndpoints('token')(history).filter(({ method }) => method === 'POST');
}

/** What a client asks by itself, and by whose User-Agent it can be known again. */
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

/** What rules ask of the surroundings, which all clients of a namespace share: worked out once, not once a client. */
interface SurroundingsIndex {
  readonly ofEndpoint: ReadonlyMap<RecordedEndpoint, readonly KeptExchange[]>;
  /** What clients asked by themselves, by the program. */
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

/** Whoever asked, in the order recorded. */
export function fetchesOfAnybody(history: ClientHistory, endpoint: RecordedEndpoint): readonly KeptExchange[] {
  return indexOf(history).ofEndpoint.get(endpoint) ?? [];
}

/** Requests for documents name nobody: these can be the client's, going by the program that asks. */
export function fetchesPerhapsOwn(history: ClientHistory, endpoint: RecordedEndpoint): readonly KeptExchange[] {
  const fetches = fetchesOfAnybody(history, endpoint);
  if (fetches.length === 0) return [];
  const agents = agentsOf(history);
  return fetches.filter((exchange) => agents.has(agentOf(exchange)));
}

/** These cannot be another client's: no other one that asks by such a program came at that time. */
export function fetchesOwn(history: ClientHistory, endpoint: RecordedEndpoint): readonly KeptExchange[] {
  const names = new Set(history.exchanges.map(({ clientId }) => clientId));
  const { byAgent } = indexOf(history);
  return fetchesPerhapsOwn(history, endpoint).filter((fetch) => {
    const asked = byAgent.get(agentOf(fetch)) ?? [];
    for (let place = firstSince(asked, fetch.at - sameTimeMilliseconds); place < asked.length; place += 1) {
      const one = asked[place];
      if (one === undefined || one.at > fetch.at + sameTimeMilliseconds) return true;
      if (!names.has(one.clientId)) return false;
    }
    return true;
  });
}

/** `ordered` by their moments; its length where none is that late. */
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

/** Exchanges that are a fault's doing: those at which one fired, and what came later in their flows (VER-06). */
export function faultyOnes(exchanges: readonly KeptExchange[]): ReadonlySet<number> {
  const flows = new Set<number>();
  const faulty = new Set<number>();
  for (const { id, flow, fault } of exchanges) {
    if (fault !== undefined) flows.add(flow);
    if (flows.has(flow)) faulty.add(id);
  }
  return faulty;
}

/** A value of somebody's request in a sentence. */
export function shown(value: string): string {
  const text = value.length > 80 ? `${value.slice(0, 80).replace(/[\uD800-\uDBFF]$/, '')}…` : value;
  return `\`${text}\``;
}
