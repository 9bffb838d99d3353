// The boot order of a worker's inner parts: files, store, active configuration, keys. This is the one place that names
// the adapters behind the ports; what it opened is handed on explicitly.

import { hostname } from 'node:os';
import { publishedEntry } from '#shared/audit/audit-entry.ts';
import { systemClock, systemStopwatch } from '#shared/clock.ts';
import type { LoadedConfiguration } from '#shared/configuration/load/load-configuration.ts';
import type { TlsInForce } from '#shared/configuration/model/settings/tls.ts';
import { storeKindOf } from '#shared/configuration/model/store-kinds.ts';
import { openActiveConfiguration } from '#shared/configuration/open-active-configuration.ts';
import {
  type DeclaredConfiguration,
  readDeclaredConfiguration,
} from '#shared/configuration/read-declared-configuration.ts';
import {
  describeClock,
  distanceFromRealTime,
  type MovableClock,
  movableClock,
  standingBy,
} from '#shared/domain/movable-clock.ts';
import { keepEndingAbandonedExams } from '#shared/exams/end-abandoned-exams.ts';
import { declareFaults } from '#shared/faults/declared-faults.ts';
import { keyRingSigner } from '#shared/issuing/signer.ts';
import { openKeyRing } from '#shared/keys/open-key-ring.ts';
import type { KeyPair } from '#shared/keys/rsa-key-pair.ts';
import { type Logger, levelName } from '#shared/logger.ts';
import { settleSessions } from '#shared/login/settle-sessions.ts';
import { keepSendingLogoutTokens } from '#shared/logout/send-due-logout-tokens.ts';
import { systemRandomness } from '#shared/random.ts';
import { reconcileAfterLoad, reconcileSandboxes } from '#shared/runtime-identities/reconcile-after-load.ts';
import { openSandboxes } from '#shared/sandboxes/open-sandboxes.ts';
import { keepSweepingSandboxes } from '#shared/sandboxes/sweep-sandboxes.ts';
import { nameInKey } from '#shared/store/namespace-id.ts';
import { openRuntimeStore } from '#shared/store/open-store.ts';
import { isSharedBetweenProcesses, type StoreLocation } from '#shared/store/store-location.ts';
import { authorityFile } from '#shared/tls/authority-file.ts';
import { openServerTls } from '#shared/tls/open-server-tls.ts';
import { idlePauses, keepInCluster } from './keep-in-cluster.ts';
import type { TcpAddress } from './listen-here.ts';
import type { WorkerStart } from './mailbox.ts';
import { openLogger } from './open-logger.ts';
import type { ProcessServices } from './process-services.ts';
import type { WorkerContext } from './run-worker.ts';
import { startValuesOf } from './start-values.ts';
import { WhatIsOpen } from './what-is-open.ts';

export interface OpenedServices {
  readonly services: ProcessServices;
  /** Where this run listens: the command line wins over the files (CFG-15). */
  readonly address: { readonly host: string; readonly port: number };
  /** The authority to be trusted, where this process speaks TLS and it lies in a file. */
  readonly caFile: string | undefined;
  /** Hooks that are still under way get so long. */
  close(millisecondsLeft?: number): Promise<void>;
}

interface OpeningOptions {
  /**
   * The process works on a copy of the files of its own: it follows no sibling's configuration, nobody follows its, and
   * it settles nothing in the store (the MCP worker, MCP-03). Where machines share the store it is a copy of what they
   * serve, which is in the store (CLU-12, MCP-10), and a save alone is followed (CLU-20).
   */
  readonly ownCopy?: boolean;
  /** The process is a door to the outside: it speaks TLS where the configuration says so. */
  readonly door?: boolean;
}

/** Opens what a worker works with, as a process: its log goes to standard error, its environment is that of the process. */
export async function openProcessServices(
  worker: WorkerContext,
  { ownCopy = false, door = false }: OpeningOptions = {},
): Promise<OpenedServices> {
  const { start } = worker;
  const log = await openLogger(`test-idp ${worker.name}`, start.logLevel ?? 'INFO');
  for (const { level, message } of start.remarks ?? []) log[level](message);
  const { declare, giveUp } = worker;
  const opened = await openServices({ start, log, declare, onOutgrown: giveUp, ownCopy, door, kind: worker.name });
  worker.opened(() => opened.close(0));
  return opened;
}

/** What is the same whoever opens services: a process for itself, or a program that runs an instance within itself. */
interface ServicesOptions extends OpeningOptions {
  readonly start: WorkerStart;
  readonly log: Logger;
  readonly declare?: WorkerContext['declare'];
  /** Nothing of this program can go on with its store; logged where it is left out (CLU-05). */
  readonly onOutgrown?: WorkerContext['giveUp'];
  /** What kind of worker it is, told to other machines. */
  readonly kind?: string;
  /** Where the first key and those of rotations come from; drawn unless whoever opens has some. */
  readonly drawKeyPair?: (() => Promise<KeyPair>) | undefined;
  /** Keys stay in memory, whatever the configuration says of a directory. */
  readonly keysInMemory?: boolean | undefined;
  /** Nobody waits for them any more. */
  readonly givenUp?: AbortSignal | undefined;
}

export async function openServices(opening: ServicesOptions): Promise<OpenedServices> {
  const { start, log, ownCopy = false, door = false, kind = 'program', drawKeyPair, keysInMemory } = opening;
  const machine = { stopwatch: systemStopwatch, random: systemRandomness, log };
  const asked = {
    ...machine,
    directory: start.configDirectory,
    keysDirectory: start.keysDirectory,
    profileOverride: start.profile,
    strictOverride: start.strict,
    given: start.given,
    // What was given as values reads nothing else (API-04).
    environment: start.given === undefined ? process.env : {},
    runBeforeLoadHook: start.runBeforeLoadHook,
    tlsInForce: start.tls,
    givenUp: opening.givenUp,
  };
  const { declared, location } = await placeOfStore(opening, asked);
  // What the port speaks is settled for the life of the process, whatever the files say later.
  const options = { ...asked, tlsInForce: start.tls ?? (declared && tlsOf(declared.configuration)) };
  const opened = await openRuntimeStore(location, {
    ...machine,
    configurationDirectory: start.configDirectory,
    mustExist: start.store !== undefined,
    onOutgrown: opening.onOutgrown,
    givenUp: opening.givenUp,
  });
  const open = new WhatIsOpen();
  open.add(() => opened.close());
  try {
    const { realClock = systemClock } = opened;
    const clock = movableClock(() => opened.store.clock.state(), realClock);
    // Said once a start: by the first worker of a stack, or by the one that runs alone.
    if (start.store === undefined) warnOfMovedClock(clock, log);
    // What was switched by hand ends with the stack that it was said to (REC-07).
    if (start.store === undefined && !ownCopy) await opened.store.recorderSwitch.set(undefined);
    const { generations } = opened.store;
    const configuration = await openActiveConfiguration({
      ...options,
      declared,
      ...{ generations, acceptedBefore: generations, sharedStore: isSharedBetweenProcesses(location) },
      ...(ownCopy && (opened.cluster ? { sharedStore: false, reloads: 'if_changed' } : { generations: undefined })),
      machine: opened.cluster && hostname(),
      // Asked for once, by whoever typed it: a replacement must not bring back what was superseded since.
      declareAnyway: start.declare === true && start.store === undefined,
    });
    open.add((millisecondsLeft) => configuration.close(millisecondsLeft));
    const asOfStart = declared?.configuration ?? configuration.peek();
    if (start.logLevel === undefined) log.level = levelName(asOfStart.settings.logging.level);
    const keys = await openKeyRing(configuration.peek(), {
      ...{ ...machine, clock: realClock, drawKeyPair, keysInMemory },
      signingKeys: opened.signingKeys,
      secrets: opened.signingKeys && opened.store.sharedSecrets,
    });
    configuration.join(keys);
    opened.onAuditRecorded((recorded, namespace) => {
      const entry = publishedEntry(recorded);
      const sandbox = nameInKey(namespace);
      configuration.publishAuditEvent(sandbox === undefined ? { ...entry } : { ...entry, sandbox });
    });
    const sandboxes = openSandboxes({ opened, configuration, keys, clock, realClock, ...machine });
    const { store, audit } = opened;
    const address = addressOf(start, configuration.peek());
    const tls = door
      ? await openServerTls(configuration.peek(), address.host, {
          ...{ ...machine, clock: realClock },
          settingsInForce: () => configuration.peek().settings,
        })
      : undefined;
    if (tls !== undefined) {
      open.add(() => tls.close());
      configuration.join(tls);
      configuration.onActivated((snapshot) => tls.renew(snapshot.settings));
    }
    const clockOfRequest = () => standingBy(store.clock.state(), realClock);
    const stays = { configuration, ownCopy, kind, stack: start.stack, begun: realClock.now(), log };
    const inCluster = opened.cluster && keepInCluster({ ...stays, cluster: opened.cluster });
    open.add(() => inCluster?.stop());
    const services: ProcessServices = {
      ...machine,
      cluster: inCluster?.cluster,
      ...{ configuration, store, audit, keys, sandboxes, clock, clockOfRequest },
      atStart: start.atStart ?? startValuesOf(asOfStart),
      boundHost: address.host,
      demoUrl: start.demo?.url,
      tls,
    };
    if (!ownCopy) {
      configuration.onActivated(async (snapshot) => {
        await reconcileAfterLoad(snapshot, services);
        await settleSessions({ ...services, snapshot, clock: clockOfRequest() });
        await declareFaults(snapshot.settings.faults, services, snapshot.generation);
        await reconcileSandboxes(snapshot, services);
      });
      // A start is a successful load as well: what the store outlived may be declared by now (RUN-21).
      await reconcileAfterLoad(configuration.peek(), services);
      await settleSessions({ ...services, snapshot: configuration.peek(), clock: clockOfRequest() });
      const { settings: started, generation } = configuration.peek();
      await declareFaults(started.faults, services, generation);
      await reconcileSandboxes(configuration.peek(), services);
    }
    await inCluster?.begin();
    opening.givenUp?.throwIfAborted();
    const pauses = opened.cluster && idlePauses(start.stack?.workers ?? 1);
    open.add(keepSweepingSandboxes(sandboxes, log, pauses?.sweep));
    /** For what is done in a namespace when no request asks for it; undefined: it is gone. */
    const contextOf = async (namespace: string) => {
      const name = nameInKey(namespace);
      const found = name === undefined ? services : await sandboxes.find(name);
      if (found === undefined) return undefined;
      const snapshot = await found.configuration.current();
      return { ...machine, ...found, snapshot, signer: keyRingSigner(found.keys), clock: found.clockOfRequest() };
    };
    const kept = { store, realClock, log, contextOf, pauseMilliseconds: pauses?.chores };
    if (!ownCopy) {
      open.add(keepSendingLogoutTokens(kept));
      open.add(keepEndingAbandonedExams(kept));
    }
    return {
      services,
      address,
      caFile: tls === undefined ? undefined : authorityFile(configuration.peek()),
      close: (millisecondsLeft) => open.close(millisecondsLeft),
    };
  } catch (error) {
    // Why nothing is opened says more than that its end failed, too.
    await open.close(0).catch((failure: unknown) => log.debug({ err: failure }, 'what was opened could not be closed'));
    throw error;
  }
}

/** A store outlives its processes, and whoever forgot that its clock was moved would wonder (TIM-11). */
function warnOfMovedClock({ state, real }: MovableClock, log: Logger): void {
  const { now, offset_seconds, frozen, moved } = describeClock(state, real());
  if (!moved) return;
  const distance = distanceFromRealTime(offset_seconds);
  const says = frozen ? `stands at ${now}` : `says ${now}`;
  log.warn(
    { clock: now, offset_seconds, frozen },
    `the clock of this store ${says}, ${distance}: DELETE /api/clock returns it`,
  );
}

/**
 * The first worker of a stack reads where the store is from the files and tells the supervisor; a replacement is told by
 * the supervisor, and takes its configuration from the store, not from files edited since (SUP-06).
 */
async function placeOfStore(
  { start, declare }: Pick<ServicesOptions, 'start' | 'declare'>,
  options: Parameters<typeof readDeclaredConfiguration>[0] & { readonly log: Logger },
): Promise<{ declared: DeclaredConfiguration | undefined; location: StoreLocation }> {
  if (start.store !== undefined) return { declared: undefined, location: start.store };
  const declared = await readDeclaredConfiguration(options);
  const { configuration } = declared;
  const { logging } = configuration.settings;
  const location = storeLocation(configuration, start);
  const tls = tlsOf(configuration);
  const caFile = tls === 'off' ? undefined : authorityFile(configuration);
  declare?.({
    ...addressOf(start, configuration),
    ...{ store: location, tls, caFile, logLevel: logging.level, atStart: startValuesOf(configuration) },
  });
  return { declared, location };
}

/** The command line wins over the file, and both over the default of the place (IMG-04). */
function addressOf(
  { host, port, defaultHost }: Pick<WorkerStart, 'host' | 'port' | 'defaultHost'>,
  { settings: { server }, declaredHost }: LoadedConfiguration,
): TcpAddress {
  return { host: host ?? declaredHost ?? defaultHost ?? server.host, port: port ?? server.port };
}

function tlsOf({ settings, paths }: LoadedConfiguration): TlsInForce {
  return paths.tlsFiles ?? (settings.server.tls === undefined ? 'off' : 'auto');
}

/** With `runtime.store: memory` a stack shares one store in its private directory; alone nobody else opens it (SUP-13). */
function storeLocation(
  { paths, settings: { runtime } }: LoadedConfiguration,
  { stack, configDirectory = '' }: WorkerStart,
): StoreLocation {
  if (storeKindOf(runtime).place === 'url' && runtime.url !== undefined) {
    const { url, schema, pool_size: poolSize } = runtime;
    return { kind: 'postgres', url, schema, poolSize, directory: configDirectory };
  }
  if (paths.runtimeStore !== undefined) return { kind: 'sqlite', path: paths.runtimeStore };
  return stack === undefined ? { kind: 'memory' } : { kind: 'stack', directory: stack.directory };
}
