import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { LogoutDelivery } from '#shared/model/domain/logout-delivery.ts';
import type { Session, SessionLimits, SessionLogin, SessionParticipant } from '#shared/model/domain/session.ts';

/** A login that begins a session or renews the one that its user has in that browser. */
export interface LogIn extends SessionLogin {
  /** The name that the browser presents from now on, and the one it presented so far: digests of the cookie's value. */
  readonly cookie: string;
  readonly formerCookie: string | undefined;
  readonly browser: string;
  /** What the session is called if it is a new one. */
  readonly sid: string;
  readonly username: string;
  readonly authenticatedAt: Instant;
  readonly credentials: string | undefined;
  readonly limits: SessionLimits;
  /** Put in with a session that begins, and not with one that is renewed. */
  event(sid: string): AuditEvent;
}

/** A session as its browser has it. */
export interface Account extends Session {
  /** The client that was asked about has got a code of it. */
  readonly usedByClient: boolean;
}

export interface SessionWithParticipants extends Session {
  readonly participants: readonly SessionParticipant[];
}

/** Whether a session has somebody who takes part; `full`: there is no room to note it. */
export type Joined = 'joined' | 'full' | 'session_over';

/** What goes along with the end of a session. */
export interface LogoutTelling {
  /** The deliveries that tell of the end, and until when (by real time) whoever ends the session has them for itself. */
  deliveries(session: SessionWithParticipants): readonly LogoutDelivery[];
  readonly until: Instant;
  /** The refresh families named after the session (`familyOfSession`) are revoked, remembered until then at least (LGO-20). */
  readonly revokesFamiliesUntil?: Instant | undefined;
}

/** Every member given has to fit. */
export interface SessionFilter {
  readonly sid?: string | undefined;
  readonly cookie?: string | undefined;
  readonly username?: string | undefined;
  /** A client that takes part. */
  readonly client_id?: string | undefined;
  /** A service provider that takes part. */
  readonly entity_id?: string | undefined;
  /** Those too that were over by themselves before a login of their browser: only who took part knows them (SLO-04). */
  readonly overToo?: true;
}

export interface Sessions {
  /**
   * A login completed. All live sessions of `formerCookie` are named by `cookie` from now on, and by the former one no more
   * (SSO-04). Beyond the bounds the session longest unused gives way (SSO-10).
   */
  logIn(login: LogIn, now: Instant): Promise<Session>;
  /** The live sessions of a browser: first those that the client used, then the others, each the one used last first. */
  accounts(
    cookie: string,
    clientId: string | undefined,
    limits: SessionLimits,
    now: Instant,
  ): Promise<readonly Account[]>;
  /** It gave an answer. False: it has ended meanwhile. */
  use(sid: string, now: Instant): Promise<boolean>;
  /** It gave an answer to somebody who takes part in it from now on, or did already and is known anew. False: it has ended. */
  join(sid: string, participant: SessionParticipant, now: Instant): Promise<boolean>;
  /** The live sessions that fit, the newest login first. */
  list(filter: SessionFilter, limits: SessionLimits, now: Instant): Promise<readonly SessionWithParticipants[]>;
  /**
   * Ends the live sessions that fit and answers each of them, with whoever took part, to exactly one caller, however many
   * processes end it. The events are in the audit when it answers (AUD-09). What clients are to be told is kept with the
   * same commit, taken up by the caller, and so is the revocation of its refresh families.
   */
  end(
    filter: SessionFilter,
    limits: SessionLimits,
    now: Instant,
    event: (session: Session) => AuditEvent,
    telling?: LogoutTelling,
  ): Promise<readonly SessionWithParticipants[]>;
}
