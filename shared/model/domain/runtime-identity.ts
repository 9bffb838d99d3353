// Runtime users, clients and service providers: temporary objects of the store (RUN-01 to RUN-32, SPM-23). Users and
// clients can be promoted into the files.
import type { Instant } from '#shared/base/clock.ts';
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import type { UserEntry } from '#shared/model/configuration/user-entry.ts';

/** The kinds that can be promoted. */
export type IdentityKind = 'user' | 'client';
export type RuntimeKind = IdentityKind | 'service_provider';
export type Origin = 'declared' | 'runtime' | 'cimd';

/**
 * free:      an ordinary runtime object
 * claimed:   a promotion is writing it (`owner` names the process)
 * written:   the entry is in the file, but the load failed. The next successful load settles it (RUN-27)
 */
export type PromotionState =
  | { readonly state: 'free' }
  | { readonly state: 'claimed'; readonly owner: string; readonly claim: string }
  | { readonly state: 'written'; readonly claim: string };

interface RuntimeIdentityBase {
  /** Created by the store, never reused. */
  readonly instance_id: string;
  readonly createdAt: Instant;
  readonly promotion: PromotionState;
}

export interface RuntimeUser extends RuntimeIdentityBase {
  readonly kind: 'user';
  readonly name: string;
  readonly entry: UserEntry;
}

/** What a dynamic registration adds to its runtime client. Only the token's hash is stored (DCR-23). */
export interface Registration {
  readonly client_id: string;
  /** Lower-case hexadecimal SHA-256 of the registration access token. */
  readonly accessTokenHash: string;
  readonly issuedAt: Instant;
  readonly grant_types: readonly string[];
  /** As sent. undefined when it was not sent (DCR-13). */
  readonly client_name: string | undefined;
  /** Further metadata as sent, which responses repeat but the entry does not contain (SSO-49). */
  readonly further?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** A page of another site sent it, possibly without the user's knowledge. */
  readonly byForeignPage?: true | undefined;
}

export interface RuntimeClient extends RuntimeIdentityBase {
  readonly kind: 'client';
  readonly name: string;
  readonly entry: ClientEntry;
  /** Present only while its registration exists (RUN-12). */
  readonly registration: Registration | undefined;
}

export interface RuntimeServiceProvider {
  readonly kind: 'service_provider';
  /** Its entity ID. */
  readonly name: string;
  readonly instance_id: string;
  readonly createdAt: Instant;
  /** Includes everything from its metadata, with contents in place of paths. */
  readonly entry: ServiceProviderEntry;
}

export type RuntimeIdentity = RuntimeUser | RuntimeClient;

/**
 * Whether a name still belongs to the same object as at `then`, compared by `instance_id`. A runtime object that was
 * deleted and created again is a different one (RUN-14). One that was promoted or declared in the meantime (undefined)
 * is the same.
 */
export function isSameIdentity(then: string | undefined, now: string | undefined): boolean {
  return then === undefined || now === undefined || then === now;
}

/** The number of deleted objects. `service_providers_deleted` only if there was one. */
export type ResetCounts = {
  readonly users_deleted: number;
  readonly clients_deleted: number;
  readonly service_providers_deleted?: number;
};
