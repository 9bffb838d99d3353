// The boot order of a worker's inner parts: files, store, active configuration, keys. It passes on explicitly what it opened.

import { hostname } from 'node:os';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { type Logger, levelName } from '#shared/base/logger.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { stopTogether } from '#shared/base/scheduling/poll-every.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import { startValuesOf } from '#shared/engine/exchange/start-values.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { fingerprintsOf } from '#shared/engine/recorder/fingerprints.ts';
import { openSandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';
import { keepSweepingSandboxes } from '#shared/engine/sandboxes/sweep-sandboxes.ts';
import { publishedEntry } from '#shared/model/audit/audit-entry.ts';
import {
  clockAt,
  describeClock,
  distanceFromRealTime,
  type MovableClock,
  movableClock,
} from '#shared/model/domain/movable-clock.ts';
import { isSharedBetweenProcesses } from '#shared/model/runtime-store/store-location.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import { openActiveConfiguration } from '#shared/state/configuration/open-active-configuration.ts';
import type { AcceptedLoad } from '#shared/state/configuration/read-declared-configuration.ts';
import type { DrawKeyPair } from '#shared/state/keys/key-pair.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import { openKeyRing } from '#shared/state/keys/open-key-ring.ts';
import { nameInKey } from '#shared/state/store/namespace-id.ts';
import { openRuntimeStore } from '#shared/state/store/open-store.ts';
import type { OpenedStore } from '#shared/state/store/opened-store.ts';
import { authorityFile } from '#shared/state/tls/authority-file.ts';
import { openServerTls, type ServerTls } from '#shared/state/tls/open-server-tls.ts';
import { runUpkeep, settleAfterLoad } from '../upkeep/upkeep.ts';
import { issuerElsewhere } from './issuer-elsewhere.ts';
import { idlePauses, keepInCluster } from './keep-in-cluster.ts';
import type { WorkerStart } from './mailbox.ts';
import { openLogger } from './open-logger.ts';
import { OpenResources } from './open-resources.ts';
import { addressOf, placeOfStore, tlsOf } from './place-of-store.ts';
import type { WorkerContext } from './run-worker.ts';

export interface OpenedServices {
  readonly services: ProcessServices;
  /** Where this run listens: the command line overrides the files (CFG-15). */
  readonly address: { readonly host: string; readonly port: number };
  /** The certificate authority to trust, when this process speaks TLS and the authority is in a file. */
  readonly caFile: string | undefined;
  /** Running hooks get `millisecondsLeft`. */
  close(millisecondsLeft?: number): Promise<void>;
}

interface OpeningOptions {
  /**
   * The process works on its own copy of the files (the MCP worker, MCP-03). It follows no other process's
   * configuration, no other process follows its configuration, and it settles nothing in the store. Where machines
   * share the store, it is a copy of what they serve, which is in the store (CLU-12, MCP-10), and only a save is
   * followed (CLU-20).
   */
  readonly ownCopy?: boolean;
  /** The process has a public socket: it speaks TLS where the configuration enables it. */
  readonly servesPublicPort?: boolean;
}

/** Opens the services of a worker process: its log goes to standard error, its environment is that of the process. */
export async function openProcessServices(
  worker: WorkerContext,
  { ownCopy = false, servesPublicPort = false }: OpeningOptions = {},
): Promise<OpenedServices> {
  const { start } = worker;
  const log = await openLogger(`test-idp ${worker.name}`, start.logLevel ?? 'INFO');
  for (const { level, message } of start.remarks ?? []) log[level](message);
  const { declare, giveUp } = worker;
  const opened = await openServices({
    start,
    log,
    declare,
    onOutgrown: giveUp,
    ownCopy,
    servesPublicPort,
    kind: worker.name,
  });
  worker.opened(() => opened.close(0));
  return opened;
}

/** Options shared by both callers: a worker process, and a program that runs an instance in its own process. */
interface ServicesOptions extends OpeningOptions {
  readonly start: WorkerStart;
  readonly log: Logger;
  readonly declare?: WorkerContext['declare'];
  /** Called when no process of this program can go on with its store. Logged when it is undefined (CLU-05). */
  readonly onOutgrown?: WorkerContext['giveUp'];
  /** The kind of worker, reported to other machines. */
  readonly kind?: string;
  /** The source of the first key and of rotated keys. undefined: keys are generated. */
  readonly drawKeyPair?: DrawKeyPair | undefined;
  /** Keys stay in memory, even if the configuration names a directory. */
  readonly keysInMemory?: boolean | undefined;
  /** A configuration that the caller has already loaded, when no file can have changed since. */
  readonly loaded?: AcceptedLoad | undefined;
  /** Aborted when the caller no longer waits for these services. */
  readonly givenUp?: AbortSignal | undefined;
}

export async function openServices(opening: ServicesOptions): Promise<OpenedServices> {
  const { start, log } = opening;
  const requested = {
    ...machineOf(log),
    directory: start.configDirectory,
    keysDirectory: start.keysDirectory,
    profileOverride: start.profile,
    strictOverride: start.strict,
    given: start.given,
    // A configuration that is passed as values reads nothing else (API-04).
    environment: start.given === undefined ? process.env : {},
    problemsOfFault,
    loaded: opening.loaded,
    runBeforeLoadHook: start.runBeforeLoadHook,
    // A process that receives the location of the store starts later than the first worker, or replaces one: the
    // findings are already reported.
    reportedBySibling: start.reportedBySibling === true || start.store !== undefined,
    tlsInForce: start.tls,
    givenUp: opening.givenUp,
  };
  const { declared, location } = await placeOfStore(opening, requested);
  // The protocol of the port is fixed for the life of the process, even if the files change later.
  const options = { ...requested, declared, tlsInForce: start.tls ?? (declared && tlsOf(declared.configuration)) };
  const opened = await openRuntimeStore(location, {
    ...machineOf(log),
    configurationDirectory: start.configDirectory,
    mustExist: start.store !== undefined,
    onOutgrown: opening.onOutgrown,
    givenUp: opening.givenUp,
  });
  const open = new OpenResources();
  open.add(() => opened.close());
  try {
    return await openOnStore(opening, options, opened, open);
  } catch (error) {
    // The error that stopped the start is more useful than a failed close.
    await open.close(0).catch((failure: unknown) => log.debug({ err: failure }, 'resources could not be closed'));
    throw error;
  }
}

const machineOf = (log: Logger) => ({ stopwatch: systemStopwatch, random: systemRandomness, log });

type ConfigurationOptions = Omit<
  Parameters<typeof openActiveConfiguration>[0],
  'generations' | 'acceptedBefore' | 'sharedStore'
>;

/** Opens everything that uses the store. Registers each resource with `open` as soon as it exists. */
async function openOnStore(
  opening: ServicesOptions,
  options: ConfigurationOptions,
  opened: OpenedStore,
  open: OpenResources,
): Promise<OpenedServices> {
  const { start, log, ownCopy = false, servesPublicPort = false, kind = 'program' } = opening;
  const machine = machineOf(log);
  const { store, audit, realClock = systemClock } = opened;
  const clock = movableClock(() => store.clock.state(), realClock);
  if (start.store === undefined) await beginStart(opened, clock, opening);
  const configuration = await openConfiguration(opening, options, opened, open);
  const asOfStart = options.declared?.configuration ?? configuration.inForce();
  if (start.logLevel === undefined) log.level = levelName(asOfStart.settings.logging.level);
  const keys = await openKeys(opening, configuration, opened);
  publishAudit(opened, configuration);
  const sandboxes = openSandboxes({ opened, configuration, keys, clock, realClock, ...machine });
  const address = addressOf(start, asOfStart);
  const isReported = options.reportedBySibling === true || ownCopy;
  const elsewhere = isReported ? undefined : issuerElsewhere(asOfStart.settings, address);
  if (elsewhere !== undefined) log.warn(elsewhere);
  const { auto_login_user: everyLogin } = asOfStart.settings.login;
  if (everyLogin !== undefined && !isReported) {
    log.warn(`Every login is ${JSON.stringify(everyLogin)} (login.auto_login_user).`);
  }
  const tls = servesPublicPort
    ? await openTls(address.host, configuration, { ...machine, clock: realClock }, open)
    : undefined;
  const stays = { configuration, ownCopy, kind, stack: start.stack, startedAt: realClock.now(), log };
  const inCluster = opened.cluster && keepInCluster({ ...stays, cluster: opened.cluster });
  open.add(() => inCluster?.stop());
  const services: ProcessServices = {
    ...machine,
    cluster: inCluster?.cluster,
    ...{ configuration, store, audit, keys, sandboxes, clock },
    clockOfRequest: () => clockAt(store.clock.state(), realClock),
    atStart: start.atStart ?? startValuesOf(asOfStart),
    boundHost: address.host,
    demoUrl: start.demo?.url,
    tls,
  };
  if (!ownCopy) {
    configuration.onActivated((snapshot) => settleAfterLoad(snapshot, services));
    // A start is also a successful load: the files may now declare objects that the store still holds (RUN-21).
    await settleAfterLoad(configuration.inForce(), services);
  }
  await inCluster?.begin();
  opening.givenUp?.throwIfAborted();
  const pauses = opened.cluster && idlePauses(start.stack?.workers ?? 1);
  const looking = [
    keepSweepingSandboxes(sandboxes, log, pauses?.sweep),
    ...(ownCopy ? [] : runUpkeep(services, realClock, pauses?.chores)),
    ...(inCluster === undefined ? [] : [() => inCluster.stop()]),
  ];
  open.add(() => stopTogether(looking));
  return {
    services,
    address,
    caFile: tls === undefined ? undefined : authorityFile(configuration.inForce()),
    close: (millisecondsLeft) => open.close(millisecondsLeft),
  };
}

/** Done once per start: by the first worker of a stack, or by the process that runs alone. */
async function beginStart({ store }: OpenedStore, clock: MovableClock, { start, log, ownCopy }: ServicesOptions) {
  warnOfMovedClock(clock, log);
  // A new run of an instance: the records of the previous one are deleted (API-26).
  if (start.tokenMark !== undefined) await store.exchanges.noteReset();
  // Manual switches end with the stack they were set in (REC-07).
  if (ownCopy === true) return;
  await store.recorderSwitch.set(undefined);
  // Otherwise the first recorded request would generate it, and wait for the process that holds the store at that
  // moment (STO-16).
  await fingerprintsOf(store.sharedSecrets, systemRandomness);
}

async function openConfiguration(
  { start, ownCopy = false }: ServicesOptions,
  options: ConfigurationOptions,
  { store: { generations }, location, cluster }: OpenedStore,
  open: OpenResources,
): Promise<ActiveConfiguration> {
  const configuration = await openActiveConfiguration({
    ...options,
    ...{ generations, acceptedBefore: generations, sharedStore: isSharedBetweenProcesses(location) },
    ...(ownCopy && (cluster ? { sharedStore: false, reloads: 'if_changed' } : { generations: undefined })),
    machine: cluster && hostname(),
    // Applies once, to the start it was typed for: a replacement must not bring back what was superseded since.
    declareAnyway: start.declare === true && start.store === undefined,
  });
  open.add((millisecondsLeft) => configuration.close(millisecondsLeft));
  return configuration;
}

async function openKeys(
  { start, log, drawKeyPair, keysInMemory }: ServicesOptions,
  configuration: ActiveConfiguration,
  { signingKeys, store, realClock: clock = systemClock }: OpenedStore,
): Promise<KeyRing> {
  const keys = await openKeyRing(configuration.inForce(), {
    ...{ ...machineOf(log), clock, drawKeyPair, keysInMemory, signingKeys, tokenMark: start.tokenMark },
    secrets: signingKeys && store.sharedSecrets,
  });
  configuration.join(keys);
  return keys;
}

function publishAudit(opened: OpenedStore, configuration: ActiveConfiguration): void {
  opened.onAuditRecorded((recorded, namespace) => {
    const entry = publishedEntry(recorded);
    const sandbox = nameInKey(namespace);
    configuration.publishAuditEvent(sandbox === undefined ? { ...entry } : { ...entry, sandbox });
  });
}

async function openTls(
  host: string,
  configuration: ActiveConfiguration,
  machine: Omit<Parameters<typeof openServerTls>[2], 'settingsInForce'>,
  open: OpenResources,
): Promise<ServerTls | undefined> {
  const tls = await openServerTls(configuration.inForce(), host, {
    ...machine,
    settingsInForce: () => configuration.inForce().settings,
  });
  if (tls === undefined) return undefined;
  open.add(() => tls.close());
  configuration.join(tls);
  configuration.onActivated((snapshot) => tls.renew(snapshot.settings));
  return tls;
}

/** A store outlives its processes. Without the warning, a forgotten moved clock would be confusing (TIM-11). */
function warnOfMovedClock({ state, real }: MovableClock, log: Logger): void {
  const { now, offset_seconds, frozen, moved } = describeClock(state, real());
  if (!moved) return;
  const distance = distanceFromRealTime(offset_seconds);
  const says = frozen ? `is frozen at ${now}` : `is at ${now}`;
  log.warn(
    { clock: now, offset_seconds, frozen },
    `the clock of this store ${says}, ${distance}. DELETE /api/clock returns it to real time`,
  );
}
