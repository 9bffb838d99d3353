import type { AuthorizationCodes } from './authorization-codes.ts';
import type { AuthorizationTransactions } from './authorization-transactions.ts';
import type { NamespaceClock } from './clock.ts';
import type { StoreCondition } from './condition.ts';
import type { ConfigurationGenerations } from './configuration-generations.ts';
import type { Consents } from './consents.ts';
import type { DeliveredResponses, RateCounters, SharedSecrets, VerifiedAuthnRequests } from './coordination.ts';
import type { DeviceGrants } from './device-grants.ts';
import type { Exams } from './exams.ts';
import type { Exchanges } from './exchanges.ts';
import type { Faults } from './faults.ts';
import type { LogoutConfirmations } from './logout-confirmations.ts';
import type { LogoutDeliveries } from './logout-deliveries.ts';
import type { MetadataDocuments } from './metadata-documents.ts';
import type { PushedRequests } from './pushed-requests.ts';
import type { RecorderSwitch } from './recorder-switch.ts';
import type { RuntimeIdentities } from './runtime-identities.ts';
import type { SamlLogouts } from './saml-logouts.ts';
import type { PendingSecondFactors } from './second-factors.ts';
import type { Sessions } from './sessions.ts';
import type { TokenState } from './token-state.ts';
import type { TypedClaims } from './typed-claims.ts';

/** All ports of one namespace. */
export interface RuntimeStore {
  readonly transactions: AuthorizationTransactions;
  readonly codes: AuthorizationCodes;
  readonly pushedRequests: PushedRequests;
  readonly deviceGrants: DeviceGrants;
  readonly secondFactors: PendingSecondFactors;
  readonly sessions: Sessions;
  readonly consents: Consents;
  readonly logoutConfirmations: LogoutConfirmations;
  readonly logoutDeliveries: LogoutDeliveries;
  readonly samlLogouts: SamlLogouts;
  readonly tokenState: TokenState;
  readonly typedClaims: TypedClaims;
  readonly metadataDocuments: MetadataDocuments;
  readonly identities: RuntimeIdentities;
  readonly generations: ConfigurationGenerations;
  readonly rateCounters: RateCounters;
  readonly sharedSecrets: SharedSecrets;
  readonly verifiedAuthnRequests: VerifiedAuthnRequests;
  readonly deliveredResponses: DeliveredResponses;
  readonly clock: NamespaceClock;
  readonly faults: Faults;
  readonly exams: Exams;
  readonly exchanges: Exchanges;
  readonly recorderSwitch: RecorderSwitch;
  /** The condition of the whole store, identical from every namespace. */
  readonly condition: StoreCondition;
}
