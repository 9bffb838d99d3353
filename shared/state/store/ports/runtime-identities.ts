// Runtime users, clients and service providers, registrations and promotions. Operations that must leave exactly one audit event take it
// as an argument and put it into the outbox in the same transaction (AUD-10).

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
  /** Those of these names that there are, in order of creation, asked for at once. */
  findUsers(usernames: readonly string[]): Promise<readonly RuntimeUser[]>;
  findClient(clientId: string): Promise<RuntimeClient | undefined>;
  findServiceProvider(entityId: string): Promise<RuntimeServiceProvider | undefined>;
  /** In order of creation. */
  listUsers(): Promise<readonly RuntimeUser[]>;
  listClients(): Promise<readonly RuntimeClient[]>;
  listServiceProviders(): Promise<readonly RuntimeServiceProvider[]>;
  /** Names alone, in order of creation: what is counted, paged or looked up one by one needs no entries. */
  names(kind: IdentityKind, limit?: number): Promise<readonly string[]>;
  /**
   * So many users in order of creation, the first ones for `after` 0: everybody is gone through piece by piece, so that
   * nobody waits for all of them: a further piece comes in a later turn of the event loop. `next` is what `after` is for the following piece; undefined behind the last.
   */
  usersAfter(after: number, limit: number): Promise<{ readonly users: readonly RuntimeUser[]; readonly next?: number }>;
  clientsAfter(
    after: number,
    limit: number,
  ): Promise<{ readonly clients: readonly RuntimeClient[]; readonly next?: number }>;
  /** The users with this e-mail address, or `<name>@example.org` for one without; two at most, since two are none (SAM-63). */
  findUsersByAddress(address: string): Promise<readonly RuntimeUser[]>;

  /**
   * Of any number of simultaneous calls for one name exactly one makes the object and answers it (RUN-07). With `replaced` a free
   * object of that name goes in the same step, leaving that event; nobody sees a moment without one (API-20).
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
   * Replaces the entry of a free user by what `change` makes of the present one, which no other update can do in between;
   * `refused` when that is undefined. `change` and `event` are pure: they may be asked again. The object keeps its id.
   */
  updateUser(
    username: string,
    change: (entry: UserEntry) => UserEntry | undefined,
    event: (before: UserEntry, after: UserEntry) => AuditEvent,
  ): Promise<RuntimeUser | 'refused' | 'unknown' | 'promotion_in_progress'>;
  /** Removes a free object, its registration included. */
  remove(kind: RuntimeKind, name: string, event: AuditEvent): Promise<Removal>;
  /**
   * Removes every free runtime object; one that waits for a reload (`written`) is kept and not counted (RUN-18).
   * `promotion_in_progress` while one is claimed: ask again. The event is made from the numbers.
   */
  reset(event: (counts: ResetCounts) => AuditEvent): Promise<ResetCounts | 'promotion_in_progress'>;

  /**
   * Creates a client with its registration unless `maxClients` registrations live (DCR-19), or pages of other sites
   * made half of them and this one as well. `interrupted` when a reset
   * happened since `epoch` was read (DCR-21).
   */
  register(
    entry: ClientEntry,
    registration: Registration,
    maxClients: number,
    epoch: number,
    now: Instant,
    event: AuditEvent,
  ): Promise<'registered' | 'limit' | 'limit_of_foreign_pages' | 'exists' | 'interrupted'>;
  /** Grows with every reset; read it before a registration begins. */
  registrationEpoch(): Promise<number>;
  /** The client whose registration has exactly this token hash. */
  findRegistration(clientId: string, accessTokenHash: string): Promise<RuntimeClient | undefined>;
  /** Removes client and registration, if the hash matches. */
  unregister(clientId: string, accessTokenHash: string, event: AuditEvent): Promise<Removal>;

  /**
   * Claims a free object for promotion by this process (the store knows its owner). `promoting` is the
   * `runtime_identity_promoted` event as this request would write it: it is kept with the claim, so that whoever settles
   * the promotion can say which request began it (AUD-30).
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
  /** Whether the claim is still in force: for the last look before the file is written. */
  holdsClaim(claim: string): Promise<boolean>;
  /** claimed → free, nothing written. */
  releaseClaim(claim: string): Promise<void>;
  /**
   * claimed → written: the entry is in the file, the load failed (RUN-27). From now on only a configuration that is
   * accepted after this decides about the object.
   */
  noteWritten(claim: string): Promise<void>;
  /** claimed → gone, with its one `runtime_identity_promoted` event; false when the claim is no longer in force. */
  retirePromoted(claim: string): Promise<boolean>;
  /** Claims of processes that are proved dead, not yet settled (RUN-30, RUN-32). */
  deadClaims(): Promise<readonly { readonly claim: string; readonly identity: RuntimeIdentity }[]>;
  /**
   * Settles one dead claim: `declared` retires the object, `runtime` frees it, with one
   * `runtime_identity_promotion_recovered`; false when another process was faster (RUN-31).
   */
  settleDeadClaim(claim: string, outcome: 'declared' | 'runtime', moment: AuditMoment): Promise<boolean>;
  /**
   * After a successful load: free objects whose name is declared are removed with one
   * `runtime_identity_removed_on_reload` each; `written` ones are promoted, or freed as abandoned when a configuration
   * accepted since no longer declares them. Does nothing when `generation` is not the newest any more: the newer load
   * decides. Answers what happened, for the log.
   */
  reconcile(
    declared: {
      readonly generation: number;
      readonly users: ReadonlySet<string>;
      readonly clients: ReadonlySet<string>;
      /** Left out: none. */
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
