// Everything that a worker opens at boot and passes on explicitly. There are no module-level singletons.

import type { Stopwatch } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { StartValues } from '#shared/engine/exchange/start-values.ts';
import type { Sandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import type { Cluster, RuntimeStore } from '#shared/state/store/ports/index.ts';
import type { ServerTls } from '#shared/state/tls/open-server-tls.ts';

export interface ProcessServices {
  readonly configuration: ActiveConfiguration;
  readonly store: RuntimeStore;
  readonly audit: AuditLog;
  readonly keys: KeyRing;
  readonly sandboxes: Sandboxes;
  /** Set where machines share the store. */
  readonly cluster?: Cluster | undefined;
  readonly clock: MovableClock;
  /** The clock as set now, for one request. Later moves do not change it. */
  clockOfRequest(): MovableClock;
  readonly stopwatch: Stopwatch;
  readonly random: Randomness;
  readonly log: Logger;
  /** Values that no reload changes (ACT-17). */
  readonly atStart: StartValues;
  /**
   * The address that the front end is bound to since the start, also in a replaced worker. Metadata documents need it
   * (CMD-06).
   */
  readonly boundHost?: string | undefined;
  /** The address of the demonstration, while one runs beside this provider (`start --demo`). */
  readonly demoUrl?: string | undefined;
  /** Set where this process is a front end with TLS. */
  readonly tls?: ServerTls | undefined;
}
