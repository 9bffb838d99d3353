import type { AuthorizationCodes, AuthorizationTransactions } from './authorization.ts';
import type { ConfigurationGenerations } from './configuration-generations.ts';
import type { ClockOffset, RateCounters, SharedSecrets, VerifiedAuthnRequests } from './coordination.ts';
import type { DeviceGrants } from './device-grants.ts';
import type { MetadataDocuments } from './metadata-documents.ts';
import type { RuntimeIdentities } from './runtime-identities.ts';
import type { PendingSecondFactors } from './second-factors.ts';
import type { TokenState } from './token-state.ts';

/** All ports of one namespace. */
export interface RuntimeStore {
  readonly transactions: AuthorizationTransactions;
  readonly codes: AuthorizationCodes;
  readonly deviceGrants: DeviceGrants;
  readonly secondFactors: PendingSecondFactors;
  readonly tokenState: TokenState;
  readonly metadataDocuments: MetadataDocuments;
  readonly identities: RuntimeIdentities;
  readonly generations: ConfigurationGenerations;
  readonly rateCounters: RateCounters;
  readonly sharedSecrets: SharedSecrets;
  readonly verifiedAuthnRequests: VerifiedAuthnRequests;
  readonly clockOffset: ClockOffset;
}

/** Where runtime state lives: decided at process start (STO-01). */
export type StoreLocation =
  /** Alone with `runtime.store: memory`: nobody else opens it. */
  | { readonly kind: 'memory' }
  /** The private directory of a stack with `runtime.store: memory`; shared by its workers, gone with it (SUP-13). */
  | { readonly kind: 'stack'; readonly directory: string }
  /** `runtime.store: sqlite`: the file the configuration names, as an absolute path. */
  | { readonly kind: 'sqlite'; readonly path: string };
