// What the judge knows of a client: what it is, and how it goes through a pace.
import type { Protocol } from '#build/judged-clients.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * login: everything from discovery to userinfo, or a SAML login. refresh and introspect: a login first. metadata: a SAML login
 * after the metadata was read anew. query: a SAML attribute query.
 */
export type Pace = 'login' | 'refresh' | 'introspect' | 'register' | 'logout' | 'metadata' | 'query';

/** Whom the client takes for logged in, what it refused with, or why it never met the answer. */
export type Outcome = { readonly user: string } | { readonly refusal: string } | { readonly notMet: string };

export interface OpenedClient {
  readonly version: string;
  /** `anew`: nothing may be remembered of the identity provider. */
  go(pace: Pace, anew: boolean): Promise<Outcome>;
  close(): Promise<void>;
}

export interface JudgedClient {
  readonly name: string;
  readonly protocol: Protocol;
  /** @throws UnavailableError */
  open(surroundings: Surroundings): Promise<OpenedClient>;
}

/** A tool or package that the client needs is not at hand. */
export class UnavailableError extends Error {}
