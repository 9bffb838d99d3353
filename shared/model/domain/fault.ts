// A fault that a tester asked for (section FLT): what goes wrong, where, for whom and how often. What the catalogue makes
// of it is shared/engine/faults; here is the value as it is kept.
import type { Instant } from '#shared/base/clock.ts';

/** The endpoints that can be faulty (FLT-03); every other path never is, so that a fault can always be removed (FLT-24). */
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

/** Every endpoint at which a fault can be set, those of the further faults included (decision 7). */
export const everyFaultEndpoint = [...faultEndpoints, 'saml_slo', 'pushed_authorization_request'] as const;

export type FaultEndpoint = (typeof everyFaultEndpoint)[number];

/** A header or parameter of the request; without `value` its presence is enough. */
export interface NamedValue {
  readonly name: string;
  readonly value?: string | undefined;
}

/** Which requests a fault is for: all that is given must hold (FLT-04 to FLT-07). */
export interface FaultCondition {
  readonly client_id?: string | undefined;
  /** Issuer of the AuthnRequest. */
  readonly sp?: string | undefined;
  readonly username?: string | undefined;
  readonly grant_type?: string | undefined;
  readonly scope?: string | undefined;
  readonly header?: NamedValue | undefined;
  readonly parameter?: NamedValue | undefined;
  /** It fires from this request on, counted among those that match the rest; left out: from the first. */
  readonly nth?: number | undefined;
}

/** What was asked for, with every default filled in. */
export interface FaultOrder {
  readonly fault: string;
  readonly at: readonly FaultEndpoint[];
  readonly when: FaultCondition;
  /** null: without end. */
  readonly times: number | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ttl_seconds: number | null;
  readonly quiet: boolean;
}

type FaultOrigin = 'runtime' | 'declared';

export interface Fault extends FaultOrder {
  readonly id: string;
  readonly origin: FaultOrigin;
  /** How often it may still fire; null: without end. */
  readonly remaining: number | null;
  readonly hits: number;
  /** How often its material was fetched (FLT-23). */
  readonly fetches: number;
  /** Real time, which no tester moves. */
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  /** PEM of a private key outside the key set, for faults that sign with one. */
  readonly unknownKey: string | undefined;
}

/** Kept for each namespace (FLT-14). */
export const faultsKeptMax = 1000;

/** Whether it may still fire at a moment of real time. */
export function isInForce({ remaining, expiresAt }: Pick<Fault, 'remaining' | 'expiresAt'>, real: Instant): boolean {
  return remaining !== 0 && (expiresAt === undefined || real < expiresAt);
}

/** Always with its members in the same order, so that equal orders are equal texts. */
export function orderText({ fault, at, when, times, parameters, ttl_seconds, quiet }: FaultOrder): string {
  const { client_id, sp, username, grant_type, scope, header, parameter, nth } = when;
  const condition = { client_id, sp, username, grant_type, scope, header, parameter, nth };
  const sorted = Object.fromEntries(Object.entries(parameters).sort(([one], [other]) => (one < other ? -1 : 1)));
  return JSON.stringify({ fault, at, when: condition, times, parameters: sorted, ttl_seconds, quiet });
}

/** Whether both are the same faults, in whatever order. */
export function haveSameOrders(some: readonly FaultOrder[], others: readonly FaultOrder[]): boolean {
  const texts = (orders: readonly FaultOrder[]) => orders.map(orderText).sort().join();
  return some.length === others.length && texts(some) === texts(others);
}
