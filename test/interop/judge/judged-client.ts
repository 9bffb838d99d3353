// The judge's view of a client: its description, and how it runs one step.
import type { Protocol } from '#build/judged-clients.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * login: everything from discovery to userinfo, or a SAML login. refresh and introspect: after a login. metadata: a SAML
 * login after the metadata was read again. query: a SAML attribute query.
 */
export type Pace = 'login' | 'refresh' | 'introspect' | 'register' | 'logout' | 'metadata' | 'query';

/** The user that the client considers logged in, its reason for a rejection, or why it never received the response. */
export type Outcome = { readonly user: string } | { readonly refusal: string } | { readonly notMet: string };

export interface OpenedClient {
  readonly version: string;
  /** `anew`: the client must have nothing stored about the identity provider. */
  go(pace: Pace, anew: boolean): Promise<Outcome>;
  close(): Promise<void>;
}

export interface JudgedClient {
  readonly name: string;
  readonly protocol: Protocol;
  /** @throws UnavailableError */
  open(surroundings: Surroundings): Promise<OpenedClient>;
}

/** A tool or package of the client is missing. */
export class UnavailableError extends Error {}
