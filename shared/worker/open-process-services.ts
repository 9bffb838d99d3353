// The boot order of a worker's inner parts: files, store, keys, active configuration. This is the one place that names
// the adapters behind the ports; what it opened is handed on explicitly.
import { reconcileAfterLoad } from '#shared/administration/reconcile-after-load.ts';
import { offsetClock, systemClock, systemStopwatch } from '#shared/clock.ts';
import type { LoadedConfiguration } from '#shared/configuration/load/load-configuration.ts';
import { openActiveConfiguration } from '#shared/configuration/open-active-configuration.ts';
import { readDeclaredConfiguration } from '#shared/configuration/read-declared-configuration.ts';
import { openKeyRing } from '#shared/keys/open-key-ring.ts';
import { levelName } from '#shared/logger.ts';
import { systemRandomness } from '#shared/random.ts';
import { openRuntimeStore } from '#shared/store/open-store.ts';
import type { StoreLocation } from '#shared/store/ports/index.ts';
import type { WorkerStart } from './mailbox.ts';
import { openLogger } from './open-logger.ts';
import type { ProcessServices } from './process-services.ts';
import type { WorkerContext } from './run-worker.ts';

export interface OpenedServices {
  readonly services: ProcessServices;
  /** Where the door of this run is: the command line wins over the files (CFG-15). */
  readonly address: { readonly host: string; readonly port: number };
  close(): Promise<void>;
}

export async function openProcessServices(worker: WorkerContext): Promise<OpenedServices> {
  const { start } = worker;
  const log = await openLogger(`test-idp ${worker.name}`, start.logLevel ?? 'INFO');
  const machine = { stopwatch: systemStopwatch, random: systemRandomness, log };
  const options = {
    ...machine,
    directory: start.configDirectory,
    profileOverride: start.profile,
    strictOverride: start.strict,
    environment: process.env,
  };
  const declared = await readDeclaredConfiguration({ ...options, runBeforeLoadHook: start.runBeforeLoadHook });
  const { settings } = declared.configuration;
  if (start.logLevel === undefined) log.level = levelName(settings.logging.level);
  const address = { host: start.host ?? settings.server.host, port: start.port ?? settings.server.port };
  const location = start.store ?? storeLocation(declared.configuration, start);
  worker.declare({ ...address, store: location, logLevel: settings.logging.level });

  const opened = await openRuntimeStore(location, { ...machine, configurationDirectory: start.configDirectory });
  try {
    const clock = offsetClock(() => opened.store.clockOffset.milliseconds());
    const keys = await openKeyRing({ ...declared.configuration, generation: 0 }, { ...machine, clock: systemClock });
    const configuration = await openActiveConfiguration({
      ...options,
      declared,
      generations: opened.store.generations,
      participants: [keys],
      sharedStore: location.kind === 'sqlite',
    });
    opened.onAuditRecorded((entry) => configuration.publishAuditEvent({ ...entry }));
    const services: ProcessServices = {
      ...machine,
      configuration,
      store: opened.store,
      audit: opened.audit,
      keys,
      clock,
    };
    configuration.onActivated((snapshot) => reconcileAfterLoad(snapshot, services));
    return {
      services,
      address,
      async close() {
        await configuration.close();
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** With `runtime.store: memory` a stack shares one store in its private directory; alone nobody else opens it (SUP-13). */
function storeLocation({ paths }: LoadedConfiguration, { stack }: WorkerStart): StoreLocation {
  if (paths.runtimeStore !== undefined) return { kind: 'sqlite', path: paths.runtimeStore };
  return stack === undefined ? { kind: 'memory' } : { kind: 'stack', directory: stack.directory };
}
