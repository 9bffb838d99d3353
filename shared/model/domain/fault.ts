// A fault that a tester ordered (section FLT): what fails, where, for which requests and how often. This is the stored
// value. shared/engine/faults defines what a fault does.
import type { Instant } from '#shared/base/clock.ts';

/** The endpoints that can be faulty (FLT-03). No other path can, so that a fault can always be removed (FLT-24). */
export const faultEndpoints = [
  'discovery',
  'jwks',
  'authorize',
  'token',
  'userinfo',
  'introspect',
  'revoke',
  'device_authorization',
  'device',
  'register',
  'logout',
  'saml_metadata',
  'saml_sso',
  'saml_attribute_query',
] as const;

/** Every endpoint at which a fault can be set, including those of the further faults (decision 7). */
export const everyFaultEndpoint = [...faultEndpoints, 'saml_slo', 'pushed_authorization_request'] as const;

export type FaultEndpoint = (typeof everyFaultEndpoint)[number];

/** A header or parameter of the request. Without `value` its presence is enough. */
export interface NamedValue {
  readonly name: string;
  readonly value?: string | undefined;
}

/** Which requests a fault applies to. All given conditions must match (FLT-04 to FLT-07). */
export interface FaultCondition {
  readonly client_id?: string | undefined;
  /** Issuer of the AuthnRequest. */
  readonly sp?: string | undefined;
  readonly username?: string | undefined;
  readonly grant_type?: string | undefined;
  readonly scope?: string | undefined;
  readonly header?: NamedValue | undefined;
  readonly parameter?: NamedValue | undefined;
  /** The fault fires from this request on, counted among those that match the rest. Absent: from the first. */
  readonly nth?: number | undefined;
}

/** The order with every default filled in. */
export interface FaultOrder {
  readonly fault: string;
  readonly at: readonly FaultEndpoint[];
  readonly when: FaultCondition;
  /** null: unlimited. */
  readonly times: number | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ttl_seconds: number | null;
  readonly quiet: boolean;
}

type FaultOrigin = 'runtime' | 'declared';

export interface Fault extends FaultOrder {
  readonly id: string;
  readonly origin: FaultOrigin;
  /** How often it may still fire. null: unlimited. */
  readonly remaining: number | null;
  readonly hits: number;
  /** How often its material was fetched (FLT-23). */
  readonly fetches: number;
  /** Real time, which testers cannot move. */
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  /** PEM of a private key outside the key set, for faults that sign with one. */
  readonly unknownKey: string | undefined;
}

/** The maximum number in each namespace (FLT-14). */
export const faultsKeptMax = 1000;

/** Whether it may still fire at this real time. */
export function isInForce({ remaining, expiresAt }: Pick<Fault, 'remaining' | 'expiresAt'>, real: Instant): boolean {
  return remaining !== 0 && (expiresAt === undefined || real < expiresAt);
}

/** Members always have the same order, so that equal orders are equal texts. */
export function orderText({ fault, at, when, times, parameters, ttl_seconds, quiet }: FaultOrder): string {
  const { client_id, sp, username, grant_type, scope, header, parameter, nth } = when;
  const condition = { client_id, sp, username, grant_type, scope, header, parameter, nth };
  const sorted = Object.fromEntries(Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1)));
  return JSON.stringify({ fault, at, when: condition, times, parameters: sorted, ttl_seconds, quiet });
}

/** Whether both lists contain the same orders, in any sequence. */
export function haveSameOrders(some: readonly FaultOrder[], others: readonly FaultOrder[]): boolean {
  const texts = (orders: readonly FaultOrder[]) => orders.map(orderText).sort().join();
  return some.length === others.length && texts(some) === texts(others);
}
