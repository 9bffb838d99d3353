// One request to a protocol endpoint with its response, as the recorder stores it (section REC). Secrets are stored as
// fingerprints, together with the decoded content of tokens and SAML messages.
import type { Instant } from '#shared/base/clock.ts';
import { everyFaultEndpoint } from './fault.ts';

/** Requests of this server to participants: it notifies them of the end of a session (LGO-21, SLO-24). */
const deliveryEndpoints = ['backchannel_logout', 'saml_logout'] as const;
export type DeliveryEndpoint = (typeof deliveryEndpoints)[number];

/** Every request to these endpoints is recorded (REC-01). */
export const recordedEndpoints = [...everyFaultEndpoint, 'login', ...deliveryEndpoints] as const;
export type RecordedEndpoint = (typeof recordedEndpoints)[number];

/** `asked`: a page for a person, or a poll whose result is pending. */
export const decisions = ['accepted', 'refused', 'asked'] as const;
type Decision = (typeof decisions)[number];

export interface NamedText {
  readonly name: string;
  readonly value: string;
}

/** The content of a JWT or a SAML message, stored beside its fingerprint or text (REC-05). */
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
  /** The local names of the elements that have a signature. The signatures are not verified here. */
  readonly signed: readonly string[];
  /** The signature and digest algorithms of the message itself, by their identifiers. */
  readonly signature_methods?: readonly string[] | undefined;
}

/**
 * Facts that the shown form of an exchange no longer contains, and that the verdict on the client needs (section VER).
 */
/** Why only the profile `dev` accepted a redirect URI. */
export type RedirectUriLeniency = 'localhost_port' | 'scheme_without_period' | 'pattern';

export interface Noticed {
  /** The number of parameters from the query. They come first. */
  readonly inQuery: number;
  /** The browser as a fingerprint. `drawn`: the request had no cookie for it, and the response sets one. */
  readonly browser?: { readonly id: string; readonly drawn: boolean } | undefined;
  /** Basic credentials with a client name but without a secret. */
  readonly basicSecret?: 'empty' | undefined;
  readonly verifier?: { readonly length: number; readonly hasOtherCharacters: boolean } | undefined;
  /** Length of RelayState. A text in it that looks like a secret is stored as a fingerprint, whose length differs. */
  readonly relayStateBytes?: number | undefined;
  /** The supported scopes at that time, while unknown ones were not rejected. Absent if the request names no scope. */
  readonly scopesSupported?: readonly string[] | undefined;
  /** The SSO address at that time, and whether certificates for verifying requests were declared. */
  readonly sso?: { readonly address: string; readonly hasCertificates: boolean } | undefined;
  /** The redirect URI was accepted only because of these. */
  readonly redirectUri?: readonly RedirectUriLeniency[] | undefined;
}

/** The request and the response in a form without secrets, which any reader may see. */
export interface ExchangeContent {
  /** In the order sent, including repeated ones. */
  readonly parameters: readonly NamedText[];
  readonly request_headers: readonly NamedText[];
  readonly answer: Readonly<Record<string, unknown>>;
  readonly response_headers: readonly NamedText[];
  readonly decoded: readonly Decoded[];
  /** For a rejection: what was sent and what would have been accepted, as in the audit. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** Never shown. */
  readonly noticed?: Noticed | undefined;
}

export interface ExchangeFacts {
  readonly endpoint: RecordedEndpoint;
  /** Real time. */
  readonly at: Instant;
  readonly clock: Instant;
  readonly durationMilliseconds: number;
  readonly method: string;
  /** For a delivery, the whole address. */
  readonly path: string;
  /** 0: a delivery got no response. */
  readonly status: number;
  /** The client that the request or its token names, authenticated or not. */
  readonly clientId: string | undefined;
  readonly username: string | undefined;
  /** Issuer of the SAML message. */
  readonly sp: string | undefined;
  readonly grantType: string | undefined;
  readonly decision: Decision;
  /** The audit's sentence, and the code of the rejection. */
  readonly reason: string | undefined;
  readonly refusal: string | undefined;
  readonly fault: string | undefined;
}

/** An exchange as the store returns it. */
export interface KeptExchange extends ExchangeFacts {
  readonly id: number;
  readonly flow: number;
  /** How often it was requested within a second (REC-10). */
  readonly repeated: number;
  readonly content: ExchangeContent;
}

/** Keys that an exchange shares with other exchanges of its flow (REC-16). */
export interface FlowKeys {
  /** Named by the request. An earlier exchange may have named or created them. */
  readonly named: readonly string[];
  /** Created by the response. Only an exchange that another worker recorded sooner can have named them before. */
  readonly made: readonly string[];
}

/** A token without its signature. It is decoded when its exchange gets its row, so that the request does not wait. */
interface UndecodedToken extends Pick<Decoded, 'name' | 'in'> {
  readonly unsigned: string;
}

/** The request and the response in the form that is cheapest to write while the request waits (REC-08). */
export interface StoredContent extends Omit<ExchangeContent, 'request_headers' | 'response_headers' | 'decoded'> {
  /** Lines of `name: value`, as HTTP sends them. */
  readonly requestHeaders: string;
  readonly responseHeaders: string;
  readonly decoded: readonly (Decoded | UndecodedToken)[];
}

/** An exchange as stored, before it has a number and a flow. */
export interface StoredExchange extends ExchangeFacts {
  readonly content: StoredContent;
  /** Keys that do not come from a token. */
  readonly keys: FlowKeys;
  /** The client's address, if known. Requests that name nothing join a flow by it. */
  readonly address: string | undefined;
  /** The audit and error pages link to the exchange by it. */
  readonly requestId: string;
  /** Whole values by their fingerprints, if the settings store them (REC-06). */
  readonly secrets: Readonly<Record<string, string>> | undefined;
  /** Exchanges with the same key within a second are one (REC-10). undefined: it never repeats another one. */
  readonly repeatKey: string | undefined;
}

/** Documents that are fetched repeatedly and identify no client. */
const repeatables: ReadonlySet<RecordedEndpoint> = new Set(['discovery', 'jwks', 'saml_metadata']);

/** Equal exchanges within one second are one exchange (REC-10). They join a flow by their address (REC-16). */
export function isRepeatable(endpoint: RecordedEndpoint): boolean {
  return repeatables.has(endpoint);
}

const deliveries: ReadonlySet<RecordedEndpoint> = new Set(deliveryEndpoints);

export function isDelivery(endpoint: RecordedEndpoint): boolean {
  return deliveries.has(endpoint);
}

export const repeatedWithinMilliseconds = 1000;

/** The size limits of a recorder. The oldest exchange is removed first (REC-11). */
export const recorderBounds = {
  home: { entries: 10_000, bytes: 64 * 1024 * 1024 },
  sandbox: { entries: 2_000, bytes: 16 * 1024 * 1024 },
} as const;

const shownCharactersMax = 4096;
/** For one member of a value that is too long as a whole. */
const memberCharactersMax = 256;

/** A text as stored. A longer one is cut and its length added (REC-11). */
export function boundedText(text: string, charactersMax = shownCharactersMax): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax).replace(/[\uD800-\uDBFF]$/, '')}… (${text.length} characters)`;
}

/** The unchanged value, or the beginning of its text. */
export function boundedValue(value: unknown, charactersMax = shownCharactersMax): unknown {
  const text = JSON.stringify(value);
  return text === undefined || text.length <= charactersMax ? value : boundedText(text, charactersMax);
}

/**
 * The claims of a token. If they are too long, long claims are cut first. The rest stays unchanged if that is enough.
 */
export function boundedClaims(claims: Readonly<Record<string, unknown>>): unknown {
  if (boundedValue(claims) === claims) return claims;
  const members = Object.entries(claims).map(([name, value]) => [name, boundedValue(value, memberCharactersMax)]);
  const cut: unknown = Object.fromEntries(members);
  return boundedValue(cut) === cut ? cut : boundedValue(claims);
}

/** Responses that mean "not yet" (RFC 8628 §3.5). */
const pending: ReadonlySet<unknown> = new Set(['authorization_pending', 'slow_down']);

/** The outcome of a request whose endpoint reported none. `page`: the response is a page for people. */
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
