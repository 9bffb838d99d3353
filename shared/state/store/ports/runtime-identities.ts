// Runtime users, clients and service providers, registrations and promotions. Operations that must leave exactly one
// audit event take it as an argument and put it into the outbox in the same transaction (AUD-10).

import type { Instant } from '#shared/base/clock.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import type { UserEntry } from '#shared/model/configuration/user-entry.ts';
import type { AuditMoment } from '#shared/model/domain/movable-clock.ts';
import type {
  IdentityKind,
  Registration,
  ResetCounts,
  RuntimeClient,
  RuntimeIdentity,
  RuntimeKind,
  RuntimeServiceProvider,
  RuntimeUser,
} from '#shared/model/domain/runtime-identity.ts';

export type Removal = 'removed' | 'unknown' | 'promotion_in_progress';

export interface RuntimeIdentities {
  findUser(username: string): Promise<RuntimeUser | undefined>;
  /** Returns the existing users with these names, in order of creation, in one query. */
  findUsers(usernames: readonly string[]): Promise<readonly RuntimeUser[]>;
  findClient(clientId: string): Promise<RuntimeClient | undefined>;
  findServiceProvider(entityId: string): Promise<RuntimeServiceProvider | undefined>;
  /** In order of creation. */
  listUsers(): Promise<readonly RuntimeUser[]>;
  listClients(): Promise<readonly RuntimeClient[]>;
  listServiceProviders(): Promise<readonly RuntimeServiceProvider[]>;
  /** Returns only the names, in order of creation. Counting, paging and single look-ups need no entries. */
  names(kind: IdentityKind, limit?: number): Promise<readonly string[]>;
  /**
   * Returns up to `limit` users in order of creation, from the first one when `after` is 0. Reading in pieces delays no
   * other request: each further piece comes in a later event-loop turn. `next` is the value of `after` for the next
   * piece. It is undefined after the last piece.
   */
  usersAfter(after: number, limit: number): Promise<{ readonly users: readonly RuntimeUser[]; readonly next?: number }>;
  clientsAfter(
    after: number,
    limit: number,
  ): Promise<{ readonly clients: readonly RuntimeClient[]; readonly next?: number }>;
  /**
   * Returns the users with this e-mail address, or `<name>@example.org` for a user without one. At most two, because
   * two matches count as none (SAM-63).
   */
  findUsersByAddress(address: string): Promise<readonly RuntimeUser[]>;

  /**
   * Of any number of simultaneous calls for one name exactly one creates the object and returns it (RUN-07). With
   * `replaced`, a free object of that name is removed in the same step and that event recorded. At no moment is the
   * name without an object (API-20).
   */
  createUser(
    username: string,
    entry: UserEntry,
    now: Instant,
    event: AuditEvent,
    replaced?: AuditEvent,
  ): Promise<RuntimeUser | 'exists'>;
  createClient(
    entry: ClientEntry,
    now: Instant,
    event: AuditEvent,
    replaced?: AuditEvent,
  ): Promise<RuntimeClient | 'exists'>;
  createServiceProvider(
    entityId: string,
    entry: ServiceProviderEntry,
    now: Instant,
    event: AuditEvent,
    replaced?: AuditEvent,
  ): Promise<RuntimeServiceProvider | 'exists'>;
  /**
   * Replaces the entry of a free user with the result of `change`, atomically with respect to other updates. Returns
   * `refused` when `change` returns undefined. `change` and `event` must be pure, because they may be called again. The
   * object keeps its id.
   */
  updateUser(
    username: string,
    change: (entry: UserEntry) => UserEntry | undefined,
    event: (before: UserEntry, after: UserEntry) => AuditEvent,
  ): Promise<RuntimeUser | 'refused' | 'unknown' | 'promotion_in_progress'>;
  /** Removes a free object and its registration. */
  remove(kind: RuntimeKind, name: string, event: AuditEvent): Promise<Removal>;
  /**
   * Removes every free runtime object. One that waits for a reload (`written`) is kept and not counted (RUN-18).
   * `promotion_in_progress` while one is claimed: the caller tries again. The event is made from the numbers.
   */
  reset(event: (counts: ResetCounts) => AuditEvent): Promise<ResetCounts | 'promotion_in_progress'>;

  /**
   * Creates a client with its registration, unless `maxClients` registrations are live (DCR-19). It also fails when
   * pages of other sites made half of them and this one too. `interrupted`: a reset happened since `epoch` was read
   * (DCR-21).
   */
  register(
    entry: ClientEntry,
    registration: Registration,
    maxClients: number,
    epoch: number,
    now: Instant,
    event: AuditEvent,
  ): Promise<'registered' | 'limit' | 'limit_of_foreign_pages' | 'exists' | 'interrupted'>;
  /** Increases with every reset. Read it before a registration begins. */
  registrationEpoch(): Promise<number>;
  /** Returns the client whose registration has exactly this token hash. */
  findRegistration(clientId: string, accessTokenHash: string): Promise<RuntimeClient | undefined>;
  /** Removes client and registration if the hash matches. */
  unregister(clientId: string, accessTokenHash: string, event: AuditEvent): Promise<Removal>;

  /**
   * Claims a free object for promotion by this process (the store knows its owner). `promoting` is the
   * `runtime_identity_promoted` event as this request would write it. It is stored with the claim, so that the process
   * that settles the promotion can name the request that began it (AUD-30).
   */
  claimPromotion(
    kind: IdentityKind,
    name: string,
    promoting: AuditEvent,
  ): Promise<
    | { readonly outcome: 'claimed'; readonly claim: string; readonly identity: RuntimeIdentity }
    | { readonly outcome: 'unknown' }
    | { readonly outcome: 'promotion_in_progress' }
  >;
  /** Whether the claim is still active. Checked last before the file is written. */
  holdsClaim(claim: string): Promise<boolean>;
  /** claimed → free, nothing written. */
  releaseClaim(claim: string): Promise<void>;
  /**
   * claimed → written: the entry is in the file, but the load failed (RUN-27). From now on only a configuration that is
   * accepted later decides about the object.
   */
  noteWritten(claim: string): Promise<void>;
  /** claimed → deleted, with its one `runtime_identity_promoted` event. False when the claim is no longer active. */
  retirePromoted(claim: string): Promise<boolean>;
  /** Returns unsettled claims of processes that are proved dead (RUN-30, RUN-32). */
  deadClaims(): Promise<readonly { readonly claim: string; readonly identity: RuntimeIdentity }[]>;
  /**
   * Settles one dead claim: `declared` retires the object, `runtime` frees it, with one
   * `runtime_identity_promotion_recovered`. False when another process was faster (RUN-31).
   */
  settleDeadClaim(claim: string, outcome: 'declared' | 'runtime', moment: AuditMoment): Promise<boolean>;
  /**
   * Called after a successful load. Free objects whose name is declared are removed with one
   * `runtime_identity_removed_on_reload` each. `written` ones are promoted, or freed as abandoned when a configuration
   * accepted since no longer declares them. Does nothing when `generation` is no longer the newest, because the newer
   * load decides. Returns what happened, for the log.
   */
  reconcile(
    declared: {
      readonly generation: number;
      readonly users: ReadonlySet<string>;
      readonly clients: ReadonlySet<string>;
      /** Absent: none. */
      readonly serviceProviders?: ReadonlySet<string>;
    },
    moment: AuditMoment,
  ): Promise<readonly ReconciledIdentity[]>;
}

export interface ReconciledIdentity {
  readonly kind: RuntimeKind;
  readonly name: string;
  readonly outcome: 'removed' | 'promoted' | 'abandoned';
}
