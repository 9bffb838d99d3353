// A running SAML single logout (section SLO). The session has ended, and redirects of the browser notify its service
// providers one after the other. A participant: waiting → asked → told | failed. One that cannot be notified fails at
// once.

import { createHash } from 'node:crypto';
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { unspecifiedFormat } from '#shared/protocol/saml/name-formats.ts';
import {
  assertionsOf,
  endOfSession,
  type ServiceProviderParticipant,
  type Session,
  type SessionLimits,
  type SessionParticipant,
} from './session.ts';

/**
 * The maximum duration of a logout. For the same time an ended session is known to its participants (SLO-04, SLO-18).
 */
export const samlLogoutSeconds = 600;

/** The limit of a namespace. Beyond it, or beyond the bytes of this kind, the oldest logout is given up. */
export const samlLogoutsMax = 1000;

/** How many assertions of ended sessions a namespace stores. The oldest are evicted. */
export const endedAssertionsMax = 30_000;

export type SamlNameId = ServiceProviderParticipant['name_id'];

export interface LogoutStep {
  readonly entity_id: string;
  readonly name_id: SamlNameId;
  readonly session_indexes: readonly string[];
  readonly outcome: 'waiting' | 'asked' | 'told' | 'failed';
  /** The ID of the LogoutRequest, once it was sent to the service provider. */
  readonly request_id: string | undefined;
}

/** The service provider that began it. It gets a response once all participants were notified. */
export interface LogoutInitiator {
  readonly entity_id: string;
  readonly request_id: string;
  readonly relay_state: string | undefined;
  readonly binding: 'HTTP-POST' | 'HTTP-Redirect';
  readonly name_id: SamlNameId;
  readonly session_indexes: readonly string[];
}

/** A client of OpenID Connect that took part, as the last page lists it. */
export interface ConcernedClient {
  readonly client_id: string;
  /** framed: the browser loaded its address in a frame, and the result is unknown. */
  readonly outcome: 'told' | 'failed' | 'framed';
}

export interface SamlLogout {
  readonly id: string;
  readonly browser: string;
  readonly username: string;
  readonly begunAt: Instant;
  /** undefined: a user, or a client of OpenID Connect. */
  readonly initiator: LogoutInitiator | undefined;
  /**
   * Where the browser goes at the end if no service provider began it. undefined: to a page that lists the outcomes.
   */
  readonly address: string | undefined;
  /** The address that an application wanted, and why the browser does not go there. */
  readonly unfollowed: { readonly address: string; readonly reason: string } | undefined;
  readonly steps: readonly LogoutStep[];
  /** The clients that the last page lists beside the steps (SLO-21). */
  readonly clients?: readonly ConcernedClient[] | undefined;
  readonly ended: boolean;
}

/** An assertion as its service provider names it in a LogoutRequest. */
export interface GivenAssertion {
  readonly entity_id: string;
  readonly name_id: SamlNameId;
  readonly session_index: string;
}

type WithParticipants = { readonly participants: readonly SessionParticipant[] };

export function assertionsGiven(sessions: readonly WithParticipants[]): readonly GivenAssertion[] {
  return sessions.flatMap(({ participants }) =>
    participants.flatMap((participant) =>
      participant.kind === 'service_provider'
        ? assertionsOf(participant).map((each) => ({ entity_id: participant.entity_id, ...each }))
        : [],
    ),
  );
}

/**
 * The key under which an assertion of an ended session is stored. Its length does not depend on the names (SLO-04,
 * SLO-23).
 */
export function markOfName({ entity_id, name_id }: Omit<GivenAssertion, 'session_index'>): string {
  const { value, format = unspecifiedFormat, name_qualifier = null, sp_name_qualifier = entity_id } = name_id;
  const parts = [entity_id, value, format, name_qualifier, sp_name_qualifier];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The marks of all names that `isSameName` treats as this one. Either name may omit a qualifier of this server. */
export function marksOfSameName({ entity_id, name_id }: Omit<GivenAssertion, 'session_index'>, ours: string): string[] {
  const { name_qualifier = ours } = name_id;
  const qualifiers = name_qualifier === ours ? [ours, undefined] : [name_qualifier];
  return qualifiers.map((each) => markOfName({ entity_id, name_id: { ...name_id, name_qualifier: each } }));
}

/** With these limits, a session that expired counts for as long as its participants know it (SLO-04). */
export function limitsOfMemory({ lifetimeSeconds, idleSeconds }: SessionLimits): SessionLimits {
  return {
    lifetimeSeconds: lifetimeSeconds + samlLogoutSeconds,
    idleSeconds: idleSeconds === 0 ? 0 : idleSeconds + samlLogoutSeconds,
  };
}

/** Until when the participants know an expired session (SLO-04). */
export function endOfMemory(session: Pick<Session, 'authenticatedAt' | 'lastUsedAt'>, limits: SessionLimits): Instant {
  return endOfSession(session, limitsOfMemory(limits));
}

/** All participants except the initiator, in the order of their first assertion. */
export function logoutSteps(ended: readonly WithParticipants[], initiator?: string): readonly LogoutStep[] {
  return ended.flatMap(({ participants }) =>
    participants.flatMap((participant): LogoutStep[] => {
      if (participant.kind !== 'service_provider' || participant.entity_id === initiator) return [];
      const { entity_id, name_id } = participant;
      const session_indexes = assertionsOf(participant)
        .map(({ session_index }) => session_index)
        .toReversed();
      return [{ entity_id, name_id, session_indexes, outcome: 'waiting', request_id: undefined }];
    }),
  );
}

export function isLogoutLive({ begunAt }: Pick<SamlLogout, 'begunAt'>, now: Instant): boolean {
  return begunAt <= now && now < plusSeconds(begunAt, samlLogoutSeconds);
}

/** The logout after the next waiting service provider gets a request with this ID. undefined: none waits. */
export function withNextRequest(logout: SamlLogout, requestId: string): SamlLogout | undefined {
  const index = logout.steps.findIndex(({ outcome }) => outcome === 'waiting');
  if (index === -1 || logout.ended) return undefined;
  return withStep(logout, index, { outcome: 'asked', request_id: requestId });
}

/** The participant that got this request has responded or cannot. undefined: no participant waits on it now. */
export function settledStep(logout: SamlLogout, requestId: string, outcome: 'told' | 'failed'): SamlLogout | undefined {
  const index = requestedStepIndex(logout, requestId);
  return index === -1 ? undefined : withStep(logout, index, { outcome });
}

/** The browser returned without a response, so the participant that got the request has failed (SLO-18). */
export function withoutAnswer(logout: SamlLogout): SamlLogout {
  return {
    ...logout,
    steps: logout.steps.map((step) => (step.outcome === 'asked' ? { ...step, outcome: 'failed' as const } : step)),
  };
}

/** Once. undefined when it has ended, or a participant is still to be notified. */
export function endedLogout(logout: SamlLogout): SamlLogout | undefined {
  const isOpen = logout.steps.some(({ outcome }) => outcome === 'waiting' || outcome === 'asked');
  return logout.ended || isOpen ? undefined : { ...logout, ended: true };
}

export function requestedStepIndex({ steps }: SamlLogout, requestId: string): number {
  return steps.findIndex((step) => step.request_id === requestId && step.outcome === 'asked');
}

function withStep(logout: SamlLogout, index: number, changes: Partial<LogoutStep>): SamlLogout {
  return { ...logout, steps: logout.steps.map((step, at) => (at === index ? { ...step, ...changes } : step)) };
}

/** Whether two identifiers name the same user. Absent parts have their default meaning (SLO-09; SAML core §8.3.7). */
export function isSameName(
  one: SamlNameId,
  other: SamlNameId,
  { ours, serviceProvider }: { readonly ours: string; readonly serviceProvider: string },
): boolean {
  return (
    one.value === other.value &&
    (one.format ?? unspecifiedFormat) === (other.format ?? unspecifiedFormat) &&
    (one.name_qualifier ?? ours) === (other.name_qualifier ?? ours) &&
    (one.sp_name_qualifier ?? serviceProvider) === (other.sp_name_qualifier ?? serviceProvider)
  );
}
