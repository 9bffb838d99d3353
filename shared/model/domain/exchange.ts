// One request to a protocol endpoint with its answer, as the recorder keeps it (section REC): secrets stand as
// fingerprints, and beside them what a token or a SAML message says of itself.
import type { Instant } from '#shared/base/clock.ts';
import { everyFaultEndpoint } from './fault.ts';

/** Here we ask, and others answer: they are told of the end of a session (LGO-21, SLO-24). */
const deliveryEndpoints = ['backchannel_logout', 'saml_logout'] as const;
export type DeliveryEndpoint = (typeof deliveryEndpoints)[number];

/** Every request to these is kept (REC-01). */
export const recordedEndpoints = [...everyFaultEndpoint, 'login', ...deliveryEndpoints] as const;
export type RecordedEndpoint = (typeof recordedEndpoints)[number];

/** `asked`: a page for a person, or a poll whose answer is still to come. */
export const decisions = ['accepted', 'refused', 'asked'] as const;
type Decision = (typeof decisions)[number];

export interface NamedText {
  readonly name: string;
  readonly value: string;
}

/** What a JWT or a SAML message says, beside the fingerprint or the text that it stands as (REC-05). */
export interface Decoded {
  readonly name: string;
  readonly in: 'parameters' | 'request_headers' | 'answer';
  readonly jwt?: { readonly header: unknown; readonly claims: unknown } | undefined;
  readonly saml?: SamlSummary | undefined;
}

export interface SamlSummary {
  readonly message: string;
  readonly id?: string | undefined;
  readonly issuer?: string | undefined;
  readonly destination?: string | undefined;
  readonly in_response_to?: string | undefined;
  readonly audience?: string | undefined;
  readonly name_id?: string | undefined;
  readonly status?: string | undefined;
  readonly issue_instant?: string | undefined;
  /** AssertionConsumerServiceURL. */
  readonly acs_url?: string | undefined;
  readonly is_passive?: boolean | undefined;
  readonly force_authn?: boolean | undefined;
  /** The local names of the elements that carry a signature; nobody has verified it here. */
  readonly signed: readonly string[];
  /** With what the message itself is signed and digested, by their identifiers. */
  readonly signature_methods?: readonly string[] | undefined;
}

/** What the form in which an exchange is shown does not tell any more, and the verdict on the client asks (section VER). */
export interface Noticed {
  /** How many of the parameters came with the query: they stand first. */
  readonly inQuery: number;
  /** Whose browser it came by, as a fingerprint; where it is `drawn`, no cookie said so, and the answer gives it one. */
  readonly browser?: { readonly id: string; readonly drawn: boolean } | undefined;
  /** Basic credentials of a client that sent no secret with its name. */
  readonly basicSecret?: 'empty' | undefined;
  readonly verifier?: { readonly length: number; readonly hasOtherCharacters: boolean } | undefined;
  /** A text in it that looks like a secret stands as a fingerprint, which is shorter or longer. */
  readonly relayStateBytes?: number | undefined;
  /** The SSO address of then, and whether certificates to verify requests with were declared. */
  readonly sso?: { readonly address: string; readonly hasCertificates: boolean } | undefined;
}

/** What was said, in the form in which it may be read by anybody. */
export interface Said {
  /** In the order sent, doubled ones included. */
  readonly parameters: readonly NamedText[];
  readonly request_headers: readonly NamedText[];
  readonly answer: Readonly<Record<string, unknown>>;
  readonly response_headers: readonly NamedText[];
  readonly decoded: readonly Decoded[];
  /** Of a refusal: what was sent and what would have been accepted, as the audit has it. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Shown nowhere. */
  readonly noticed?: Noticed | undefined;
}

export interface ExchangeFacts {
  readonly endpoint: RecordedEndpoint;
  /** Real time. */
  readonly at: Instant;
  readonly clock: Instant;
  readonly durationMilliseconds: number;
  readonly method: string;
  /** Of a delivery the whole address. */
  readonly path: string;
  /** 0: a delivery got no answer. */
  readonly status: number;
  /** Whom the request or its token names, authenticated or not. */
  readonly clientId: string | undefined;
  readonly username: string | undefined;
  /** Issuer of the SAML message. */
  readonly sp: string | undefined;
  readonly grantType: string | undefined;
  readonly decision: Decision;
  /** The sentence of the audit, and the code of the refusal. */
  readonly reason: string | undefined;
  readonly refusal: string | undefined;
  readonly fault: string | undefined;
}

/** An exchange as it is read. */
export interface KeptExchange extends ExchangeFacts {
  readonly id: number;
  readonly flow: number;
  /** How often it was asked within a second (REC-10). */
  readonly repeated: number;
  readonly said: Said;
}

/** What an exchange shares with others of its flow (REC-16). */
export interface FlowKeys {
  /** Named by the request: another one may have named or made them before. */
  readonly named: readonly string[];
  /** Made by the answer: only what another worker recorded sooner can have named them before. */
  readonly made: readonly string[];
}

/** A token without its signature. It is decoded when its exchange gets its row, and not while the request waits. */
export interface UndecodedToken extends Pick<Decoded, 'name' | 'in'> {
  readonly unsigned: string;
}

/** What was said, in the form that costs least to write while the request waits (REC-08). */
export interface StoredSaid extends Omit<Said, 'request_headers' | 'response_headers' | 'decoded'> {
  /** Lines of `name: value`, as HTTP sends them. */
  readonly requestHeaders: string;
  readonly responseHeaders: string;
  readonly decoded: readonly (Decoded | UndecodedToken)[];
}

/** An exchange as it is stored, before it has a number and a flow. */
export interface StoredExchange extends ExchangeFacts {
  readonly said: StoredSaid;
  /** Those that no token has. */
  readonly keys: FlowKeys;
  /** Of the client, where one is known. Requests that name nothing join a flow by it. */
  readonly address: string | undefined;
  /** The audit and error pages lead to the exchange by it. */
  readonly requestId: string;
  /** Whole values by their fingerprints, where the settings keep them (REC-06). */
  readonly secrets: Readonly<Record<string, string>> | undefined;
  /** Exchanges with the same key within a second are one (REC-10). undefined: it never repeats another one. */
  readonly repeatKey: string | undefined;
}

/** What is fetched again and again, and names nobody. */
const repeatables: ReadonlySet<RecordedEndpoint> = new Set(['discovery', 'jwks', 'saml_metadata']);

/** Equal ones within one second are one exchange (REC-10), and they join a flow by their address (REC-16). */
export function isRepeatable(endpoint: RecordedEndpoint): boolean {
  return repeatables.has(endpoint);
}

const deliveries: ReadonlySet<RecordedEndpoint> = new Set(deliveryEndpoints);

export function isDelivery(endpoint: RecordedEndpoint): boolean {
  return deliveries.has(endpoint);
}

export const repeatedWithinMilliseconds = 1000;

/** How much a recorder keeps; the oldest goes first (REC-11). */
export const recorderBounds = {
  home: { entries: 10_000, bytes: 64 * 1024 * 1024 },
  sandbox: { entries: 2_000, bytes: 16 * 1024 * 1024 },
} as const;

const shownCharactersMax = 4096;
/** Of a member of what is too long as a whole. */
const memberCharactersMax = 256;

/** A text as it is kept: of a longer one the beginning and its length (REC-11). */
export function boundedText(text: string, charactersMax = shownCharactersMax): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax).replace(/[\uD800-\uDBFF]$/, '')}… (${text.length} characters)`;
}

/** A value as it is, or the beginning of its text. */
export function boundedValue(value: unknown, charactersMax = shownCharactersMax): unknown {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= charactersMax ? value : boundedText(text, charactersMax);
}

/** The claims of a token: where they are too long, the long ones are cut and the others stay what they are, if that is enough. */
export function boundedClaims(claims: Readonly<Record<string, unknown>>): unknown {
  if (boundedValue(claims) === claims) return claims;
  const members = Object.entries(claims).map(([name, value]) => [name, boundedValue(value, memberCharactersMax)]);
  const cut: unknown = Object.fromEntries(members);
  return boundedValue(cut) === cut ? cut : boundedValue(claims);
}

/** Answers that say: not yet (RFC 8628 §3.5). */
const pending: ReadonlySet<unknown> = new Set(['authorization_pending', 'slow_down']);

/** What became of a request whose endpoint said nothing of it; `page`: the answer is one for people. */
export function decisionOf(
  status: number,
  error: unknown,
  { page, audited }: { readonly page: boolean; readonly audited: 'success' | 'failed' | undefined },
): Decision {
  if (pending.has(error)) return 'asked';
  if (status >= 400 || error !== undefined || audited === 'failed') return 'refused';
  if (audited === 'success') return 'accepted';
  return page ? 'asked' : 'accepted';
}
