// What operations on runtime users and clients need from their process. A request's context and a worker's services
// both provide it.

import type { Logger } from '#shared/base/logger.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';

export interface RuntimeIdentitiesContext {
  readonly configuration: ActiveConfiguration;
  readonly store: Pick<RuntimeStore, 'identities'>;
  readonly clock: MovableClock;
  readonly log: Logger;
}
