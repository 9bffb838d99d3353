// What is known of one client when it is judged: what it did, and what else was recorded meanwhile. Views of it that
// several rules share stand here.
import type { Instant } from '#shared/clock.ts';
import type { Decoded, KeptExchange, RecordedEndpoint } from '#shared/domain/exchange.ts';
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

/** Requests for documents name nobody: these can be the client's, going by the program that asks. */
export function fetchesPerhapsOwn(
  history: ClientHistory,
  ...endpoints: readonly RecordedEndpoint[]
): readonly KeptExchange[] {
  const agents = agentsOf(history);
  return history.surroundings.filter(
    (exchange) => endpoints.includes(exchange.endpoint) && agents.has(agentOf(exchange)),
  );
}

/** These cannot be another client's: no other one that asks by such a program came at that time. */
export function fetchesOwn(history: ClientHistory, ...endpoints: readonly RecordedEndpoint[]): readonly KeptExchange[] {
  const names = new Set(history.exchanges.map(({ clientId }) => clientId));
  const strangers = new Map<string, Instant[]>();
  for (const exchange of history.surroundings) {
    const { endpoint, clientId, at } = exchange;
    if (!byItself.has(endpoint) || clientId === undefined || names.has(clientId)) continue;
    const known = strangers.get(agentOf(exchange));
    if (known === undefined) strangers.set(agentOf(exchange), [at]);
    else known.push(at);
  }
  return fetchesPerhapsOwn(history, ...endpoints).filter(
    (fetch) => !strangers.get(agentOf(fetch))?.some((at) => Math.abs(at - fetch.at) <= sameTimeMilliseconds),
  );
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
