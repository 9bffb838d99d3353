import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { OutputHooks } from '#shared/engine/exchange/output-hooks.ts';
import type { FindsClients, FindsServiceProviders } from '#shared/engine/identities/effective-identities.ts';
import type { Signer } from '#shared/engine/tokens/signer.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';

/** What notifying needs of the namespace in which a session ended. */
export interface LogoutContext {
  readonly snapshot: ConfigurationSnapshot;
  readonly store: Pick<RuntimeStore, 'logoutDeliveries' | 'exchanges' | 'sharedSecrets' | 'recorderSwitch'> &
    FindsClients &
    FindsServiceProviders;
  readonly signer: Signer;
  readonly clock: MovableClock;
  readonly random: Randomness;
  readonly log: Logger;
  /** Changes to logout tokens by a fault of the request that ends the session; left out: the end has no request. */
  readonly outputHooks?: Pick<OutputHooks, 'logoutToken'>;
}

/** The participant as the REST API and the tools show it (SSO-42, LGO-21, SLO-20). */
export type Notified = NotifiedClient | NotifiedServiceProvider;

export interface NotifiedClient {
  readonly client_id: string;
  readonly channel: 'backchannel' | 'frontchannel';
  readonly delivered: boolean;
  readonly http_status: number | null;
}

export interface NotifiedServiceProvider {
  readonly entity_id: string;
  readonly channel: 'soap' | 'frontchannel';
  readonly delivered: boolean;
  readonly http_status: number | null;
  readonly reason: string | null;
}
