// A session: one account of one browser (section SSO). States: begun → renewed by a login of the same user → ended, or over by
// itself. What a browser presents names all its sessions; the store knows that name by its digest alone.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from './authorization-request.ts';

/** Accounts of one browser, and sessions of a namespace; the one longest unused gives way (SSO-10). */
export const accountsOfBrowserMax = 10;
export const sessionsMax = 10_000;

/** No session is kept longer, whatever the settings say (SSO-K02). */
export const longestSessionSeconds = 43_200 * 60;

/** How a session was logged in to. */
export interface SessionLogin {
  readonly method: AuthenticationMethod;
  /** `amr` was in effect at the login (CLM-26). */
  readonly amr: readonly string[] | undefined;
  /** The value of `login.acr` for the method (SSO-29); undefined: it has none. */
  readonly acr: string | undefined;
  /** Typed for this login alone (PCL-18); absent: none. */
  readonly claims?: OwnClaims | undefined;
}

export interface Session extends SessionLogin {
  readonly sid: string;
  /** A text that the sessions of one browser share, and from which nothing can be made. */
  readonly browser: string;
  readonly username: string;
  readonly authenticatedAt: Instant;
  /** When it last gave an answer. */
  readonly lastUsedAt: Instant;
  /** A keyed mark of the credentials at the login; undefined: they do not matter to it (SSO-08). */
  readonly credentials: string | undefined;
}

/** How long a session lives, by the settings in force (SSO-05). */
export interface SessionLimits {
  readonly lifetimeSeconds: number;
  /** 0: no idle end. */
  readonly idleSeconds: number;
}

/** A client or service provider that a logout concerns besides the browser. */
export type SessionParticipant = ClientParticipant | ServiceProviderParticipant;

/** It redeemed a code of the session. */
interface ClientParticipant {
  readonly kind: 'client';
  readonly client_id: string;
  /** The issuer of the tokens that it got last: what it hears of the end names the same (LGO-12). */
  readonly issuer: string;
}

/** It got an assertion in the session. */
export interface ServiceProviderParticipant {
  readonly kind: 'service_provider';
  readonly entity_id: string;
  /** Our entity ID in the assertion it got last: a logout that no request brings about is told under the same. */
  readonly issuer: string;
  readonly session_index: string;
  /** The NameID of that assertion, as its attributes and text. */
  readonly name_id: {
    readonly value: string;
    readonly format: string | undefined;
    readonly name_qualifier: string | undefined;
    readonly sp_name_qualifier: string | undefined;
  };
  /** Assertions that it got before in the same session, the oldest first. */
  readonly earlier?: readonly Pick<ServiceProviderParticipant, 'session_index' | 'name_id'>[] | undefined;
}

/** How many assertions of a session a service provider is remembered with. */
const assertionsMax = 50;

/** A service provider that got an assertion before and gets another one is known by both (SLO-04). */
export function joinedAnew(before: SessionParticipant | undefined, now: SessionParticipant): SessionParticipant {
  if (now.kind === 'client' || before === undefined || before.kind === 'client') return now;
  const { session_index, name_id, earlier = [] } = before;
  const others = [...earlier, { session_index, name_id }].filter((each) => each.session_index !== now.session_index);
  return others.length === 0 ? now : { ...now, earlier: others.slice(1 - assertionsMax) };
}

/** Every assertion that a service provider got in a session, the latest first. */
export function assertionsOf({ session_index, name_id, earlier = [] }: ServiceProviderParticipant) {
  return [{ session_index, name_id }, ...earlier.toReversed()];
}

/** As much of the settings as decides that. */
interface SessionSettings {
  readonly login: { readonly session_lifetime_minutes: number; readonly session_idle_minutes: number };
}

export function sessionLimits({ login }: SessionSettings): SessionLimits {
  return { lifetimeSeconds: login.session_lifetime_minutes * 60, idleSeconds: login.session_idle_minutes * 60 };
}

/** The moment from which it is over. */
export function endOfSession(
  { authenticatedAt, lastUsedAt }: Pick<Session, 'authenticatedAt' | 'lastUsedAt'>,
  { lifetimeSeconds, idleSeconds }: SessionLimits,
): Instant {
  const end = plusSeconds(authenticatedAt, lifetimeSeconds);
  if (idleSeconds === 0) return end;
  const idle = plusSeconds(lastUsedAt, idleSeconds);
  return idle < end ? idle : end;
}

/** A login later than the clock, which has gone back since, counts as none (TIM-23). */
export function isSessionLive(
  session: Pick<Session, 'authenticatedAt' | 'lastUsedAt'>,
  limits: SessionLimits,
  now: Instant,
): boolean {
  return session.authenticatedAt <= now && !isSessionOver(session, limits, now);
}

/** Its time has passed; a clock that goes back must not revive it (TIM-20). */
export function isSessionOver(
  session: Pick<Session, 'authenticatedAt' | 'lastUsedAt'>,
  limits: SessionLimits,
  now: Instant,
): boolean {
  return now >= endOfSession(session, limits);
}

/** The session that a login of this user renews, among those of the browser (SSO-02). */
export function sessionToRenew<Present extends Pick<Session, 'username' | 'authenticatedAt' | 'lastUsedAt'>>(
  present: readonly Present[],
  username: string,
  limits: SessionLimits,
  now: Instant,
): Present | undefined {
  return present.find((session) => session.username === username && isSessionLive(session, limits, now));
}
