import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { LogoutDelivery } from '#shared/model/domain/logout-delivery.ts';
import type { Session, SessionLimits, SessionLogin, SessionParticipant } from '#shared/model/domain/session.ts';

/** A login that begins a session, or renews the user's session in that browser. */
export interface LogIn extends SessionLogin {
  /** The name that the browser presents from now on, and its previous one: digests of the cookie's value. */
  readonly cookie: string;
  readonly formerCookie: string | undefined;
  readonly browser: string;
  /** The id of the session if it is new. */
  readonly sid: string;
  readonly username: string;
  readonly authenticatedAt: Instant;
  readonly credentials: string | undefined;
  readonly limits: SessionLimits;
  /** Makes the event that is recorded when a session begins, not when one is renewed. */
  event(sid: string): AuditEvent;
}

/** A session as its browser sees it. */
export interface Account extends Session {
  /** Whether the client in question has got a code of this session. */
  readonly usedByClient: boolean;
}

export interface SessionWithParticipants extends Session {
  readonly participants: readonly SessionParticipant[];
}

/** Whether the participant was stored. `full`: there is no space to store it. */
export type Joined = 'joined' | 'full' | 'session_over';

/** What is stored together with the end of a session. */
export interface LogoutTelling {
  /**
   * The deliveries that report the end. Until `until` (real time) they are claimed by the process that ends the
   * session.
   */
  deliveries(session: SessionWithParticipants): readonly LogoutDelivery[];
  readonly until: Instant;
  /**
   * The refresh families named after the session (`familyOfSession`) are revoked. The revocation is stored at least
   * until then (LGO-20).
   */
  readonly revokesFamiliesUntil?: Instant | undefined;
}

/** Every given member has to match. */
export interface SessionFilter {
  readonly sid?: string | undefined;
  readonly cookie?: string | undefined;
  readonly username?: string | undefined;
  /** A participating client. */
  readonly client_id?: string | undefined;
  /** A participating service provider. */
  readonly entity_id?: string | undefined;
  /**
   * Includes sessions that had expired before a login of their browser. Their participants can still name them in a
   * LogoutRequest (SLO-04).
   */
  readonly includeEnded?: true;
}

export interface Sessions {
  /**
   * Stores a completed login. From now on `cookie` names all live sessions of `formerCookie`, and `formerCookie` names
   * none (SSO-04). Beyond the bounds the least recently used session is evicted (SSO-10).
   */
  logIn(login: LogIn, now: Instant): Promise<Session>;
  /**
   * Returns the live sessions of a browser: first those that the client used, then the rest, each group most recently
   * used first.
   */
  accounts(
    cookie: string,
    clientId: string | undefined,
    limits: SessionLimits,
    now: Instant,
  ): Promise<readonly Account[]>;
  /** Records that the session was used for a response. False: it has ended. */
  use(sid: string, now: Instant): Promise<boolean>;
  /** Records a use together with a new participant, or updates an existing one. False: the session has ended. */
  join(sid: string, participant: SessionParticipant, now: Instant): Promise<boolean>;
  /** Returns the live matching sessions, newest login first. */
  list(filter: SessionFilter, limits: SessionLimits, now: Instant): Promise<readonly SessionWithParticipants[]>;
  /**
   * Ends the live matching sessions. Returns each of them with its participants to exactly one caller, however many
   * processes end it. The events are in the audit when it returns (AUD-09). The same commit stores the deliveries to
   * participants, claimed by the caller, and the revocation of its refresh families.
   */
  end(
    filter: SessionFilter,
    limits: SessionLimits,
    now: Instant,
    event: (session: Session) => AuditEvent,
    telling?: LogoutTelling,
  ): Promise<readonly SessionWithParticipants[]>;
}
