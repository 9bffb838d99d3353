// A session: one account of one browser (section SSO). States: begun → renewed by a login of the same user → ended or
// expired. A browser presents one name for all its sessions, and the store has only the digest of that name.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { AuthenticationMethod } from './authorization-request.ts';

/**
 * Limits for one browser's accounts and a namespace's sessions. The one that is unused for the longest time is evicted
 * (SSO-10).
 */
export const accountsOfBrowserMax = 10;
export const sessionsMax = 10_000;

/** The longest lifetime that settings can give a session (SSO-K02). */
export const longestSessionSeconds = 43_200 * 60;

/** The login of a session. */
export interface SessionLogin {
  readonly method: AuthenticationMethod;
  /** `amr` was in effect at the login (CLM-26). */
  readonly amr: readonly string[] | undefined;
  /** The value of `login.acr` for the method (SSO-29). undefined: it has none. */
  readonly acr: string | undefined;
  /** Typed for this login only (PCL-18). Absent: none. */
  readonly claims?: OwnClaims | undefined;
}

export interface Session extends SessionLogin {
  readonly sid: string;
  /** A value that the sessions of one browser share. It reveals nothing. */
  readonly browser: string;
  readonly username: string;
  readonly authenticatedAt: Instant;
  /** When it last satisfied a request. */
  readonly lastUsedAt: Instant;
  /** A keyed mark of the credentials at the login. undefined: changed credentials do not end it (SSO-08). */
  readonly credentials: string | undefined;
}

/** The lifetime of sessions by the active settings (SSO-05). */
export interface SessionLimits {
  readonly lifetimeSeconds: number;
  /** 0: no idle timeout. */
  readonly idleSeconds: number;
}

/** A client or service provider that a logout must notify in addition to ending the browser's session. */
export type SessionParticipant = ClientParticipant | ServiceProviderParticipant;

/** It redeemed a code of the session. */
interface ClientParticipant {
  readonly kind: 'client';
  readonly client_id: string;
  /** The issuer of its latest tokens. The logout notification names the same issuer (LGO-12). */
  readonly issuer: string;
}

/** It got an assertion in the session. */
export interface ServiceProviderParticipant {
  readonly kind: 'service_provider';
  readonly entity_id: string;
  /** This server's entity ID in its latest assertion. A logout that no request started names the same one. */
  readonly issuer: string;
  readonly session_index: string;
  /** The NameID of that assertion, as its attributes and text. */
  readonly name_id: {
    readonly value: string;
    readonly format: string | undefined;
    readonly name_qualifier: string | undefined;
    readonly sp_name_qualifier: string | undefined;
  };
  /** Its earlier assertions in the same session, oldest first. */
  readonly earlier?: readonly Pick<ServiceProviderParticipant, 'session_index' | 'name_id'>[] | undefined;
}

/** How many assertions of a session are stored for a service provider. */
const assertionsMax = 50;

/** A service provider that gets another assertion is stored with both (SLO-04). */
export function joinedAgain(before: SessionParticipant | undefined, now: SessionParticipant): SessionParticipant {
  if (now.kind === 'client' || before === undefined || before.kind === 'client') return now;
  const { session_index, name_id, earlier = [] } = before;
  const others = [...earlier, { session_index, name_id }].filter((each) => each.session_index !== now.session_index);
  return others.length === 0 ? now : { ...now, earlier: others.slice(1 - assertionsMax) };
}

/** Every assertion of a service provider in a session, latest first. */
export function assertionsOf({ session_index, name_id, earlier = [] }: ServiceProviderParticipant) {
  return [{ session_index, name_id }, ...earlier.toReversed()];
}

/** The settings that define the limits. */
interface SessionSettings {
  readonly login: { readonly session_lifetime_minutes: number; readonly session_idle_minutes: number };
}

export function sessionLimits({ login }: SessionSettings): SessionLimits {
  return { lifetimeSeconds: login.session_lifetime_minutes * 60, idleSeconds: login.session_idle_minutes * 60 };
}

/** The time at which it expires. */
export function endOfSession(
  { authenticatedAt, lastUsedAt }: Pick<Session, 'authenticatedAt' | 'lastUsedAt'>,
  { lifetimeSeconds, idleSeconds }: SessionLimits,
): Instant {
  const end = plusSeconds(authenticatedAt, lifetimeSeconds);
  if (idleSeconds === 0) return end;
  const idle = plusSeconds(lastUsedAt, idleSeconds);
  return idle < end ? idle : end;
}

/** A login later than the current time (the clock was moved back) does not count (TIM-23). */
export function isSessionLive(
  session: Pick<Session, 'authenticatedAt' | 'lastUsedAt'>,
  limits: SessionLimits,
  now: Instant,
): boolean {
  return session.authenticatedAt <= now && !isSessionOver(session, limits, now);
}

/** Expired. Moving the clock back must not revive it (TIM-20). */
export function isSessionOver(
  session: Pick<Session, 'authenticatedAt' | 'lastUsedAt'>,
  limits: SessionLimits,
  now: Instant,
): boolean {
  return now >= endOfSession(session, limits);
}

/** Of the browser's sessions, the one that a login of this user renews (SSO-02). */
export function sessionToRenew<Present extends Pick<Session, 'username' | 'authenticatedAt' | 'lastUsedAt'>>(
  present: readonly Present[],
  username: string,
  limits: SessionLimits,
  now: Instant,
): Present | undefined {
  return present.find((session) => session.username === username && isSessionLive(session, limits, now));
}
