// The work of a worker apart from requests: it settles the store with each load of the configuration, and runs the
// periodic chores.
import type { Clock } from '#shared/base/clock.ts';
import { keepEndingAbandonedExams } from '#shared/engine/exams/end-abandoned-exams.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { declareFaults } from '#shared/engine/faults/declared-faults.ts';
import { endAllInvalidSessions } from '#shared/engine/login/end-invalid-sessions.ts';
import { keepSendingNotifications } from '#shared/engine/logout/send-due-notifications.ts';
import { keyRingSigner } from '#shared/engine/tokens/signer.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { reconcileAfterLoad, reconcileSandboxes } from '#shared/process/upkeep/reconcile-after-load.ts';
import { nameInKey } from '#shared/state/store/namespace-id.ts';

/** Brings the store in line with a configuration that became active. */
export async function settleAfterLoad(snapshot: ConfigurationSnapshot, services: ProcessServices): Promise<void> {
  await reconcileAfterLoad(snapshot, services);
  await endAllInvalidSessions({ ...services, snapshot, clock: services.clockOfRequest() });
  await declareFaults(snapshot.settings.faults, services, snapshot.generation);
  await reconcileSandboxes(snapshot, services);
}

/** Runs the chores of every namespace. Returns the functions that stop them. */
export function runUpkeep(
  services: ProcessServices,
  realClock: Clock,
  pauseMilliseconds: number | undefined,
): readonly (() => Promise<void>)[] {
  const { store, log, stopwatch, random, sandboxes } = services;
  /** undefined: the namespace was deleted. */
  const contextOf = async (namespace: string) => {
    const name = nameInKey(namespace);
    const found = name === undefined ? services : await sandboxes.find(name);
    if (found === undefined) return undefined;
    const snapshot = await found.configuration.refreshed();
    const signer = keyRingSigner(found.keys);
    return { stopwatch, random, ...found, snapshot, signer, clock: found.clockOfRequest() };
  };
  const kept = { store, realClock, log, contextOf, pauseMilliseconds };
  return [keepSendingNotifications(kept), keepEndingAbandonedExams(kept)];
}
