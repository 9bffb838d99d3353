// Opens the configuration of a process and keeps it current. It follows what other processes accepted, checks the files
// where the store is shared, and reloads and writes on request. The parts do the work (read-declared-configuration,
// activation, freshness-gate, write-pipeline). This file decides their order (section ACT).

import { type Clock, systemClock } from '#shared/base/clock.ts';
import type { Randomness } from '#shared/base/random.ts';
import { oncePerTick } from '#shared/base/scheduling/once-per-tick.ts';
import { asSentence } from '#shared/base/sentence.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';
import type { ConfigurationStatus } from '#shared/model/domain/cluster.ts';
import { Activation } from './activation.ts';
import {
  type ActivationParticipant,
  type ActiveConfiguration,
  type ConfigurationChange,
  ConfigurationUnavailableError,
  type DeclaredNames,
  type HooksReport,
  type WriteOptions,
  type WriteOutcome,
} from './active-configuration.ts';
import { namesInFiles, namesInForce, namesInNewest } from './declared-names.ts';
import { DeclaringWriter } from './declaring-writer.ts';
import { changingFilesMilliseconds, type Declaring, FilesLoader } from './files-loader.ts';
import { type ConfigurationWriter, FilesWriter } from './files-writer.ts';
import { type FirstConfiguration, type FirstConfigurationOptions, firstConfiguration } from './first-configuration.ts';
import { FreshnessGate, type TakeOver } from './freshness-gate.ts';
import { GenerationFollower } from './generation-follower.ts';
import type { FailureCounts } from './hooks/hook-runner.ts';
import { stageHooks } from './hooks/stage-hooks.ts';
import { withinTime } from './hooks/within-time.ts';
import { baseDirectory } from './load/base-directory.ts';
import { type ConfigurationFiles, contentKeyOf, filesThatDiffer, readConfigurationFiles } from './load/read-files.ts';
import { loadOptions, readAfterHooks } from './read-declared-configuration.ts';
import { ReentrantDirectoryLock } from './reentrant-directory-lock.ts';
import { SerialQueue } from './serial-queue.ts';
import { SettledFiles } from './settled-files.ts';
import { WatchedFiles } from './watched-files.ts';
import type { WriteStepObserver } from './write/write-steps.ts';
import { WritePipeline } from './write-pipeline.ts';

export interface ActiveConfigurationOptions extends FirstConfigurationOptions {
  readonly random: Randomness;
  /** `if_changed`: a reload activates files that changed, but no superseded ones. */
  readonly reloads?: Declaring;
  /** The machine's clock, compared with modification times of files; never the protocol's. */
  readonly machineClock?: Clock;
  /** For tests that end or freeze the process between two steps of a write. */
  readonly onWriteStep?: WriteStepObserver;
}

/** @throws ConfigurationRejectedError, ConfigurationUnavailableError */
export async function openActiveConfiguration(options: ActiveConfigurationOptions): Promise<ActiveConfiguration> {
  const first = await firstConfiguration(options);
  // A failure of on_before_load at this start counts, too.
  const failures: FailureCounts = first.hooks?.failures ?? new Map();
  const { hooks, plugins } = first.snapshot.settings;
  const { directory, log } = options;
  const present = first.hooks?.plugins;
  const ending = new AbortController();
  const ended = ending.signal;
  const staged = { directory: baseDirectory(directory), hooks, plugins, present, failures, log, givenUp: ended };
  const runner = await stageHooks(staged);
  const inForce = { snapshot: first.snapshot, texts: first.texts, hooks: runner };
  const activation = new Activation(inForce, { failures, log, ended });
  return new OpenConfiguration(options, activation, ending, first);
}

class OpenConfiguration implements ActiveConfiguration {
  readonly #options: ActiveConfigurationOptions;
  readonly #activation: Activation;
  readonly #ending: AbortController;
  readonly #gate: FreshnessGate | undefined;
  readonly #listeners: ((snapshot: ConfigurationSnapshot) => Promise<void>)[] = [];
  /** Loads, writes and following run one after the other (ACT-14). */
  readonly #queue: SerialQueue;
  readonly #follower: GenerationFollower | undefined;
  readonly #held: ReentrantDirectoryLock;
  readonly #loader: FilesLoader;
  /** undefined: there are no files. */
  readonly #writes: WritePipeline | undefined;
  #toldBehind: number | undefined;
  /** Created on first use: most processes never need it. */
  #watched: WatchedFiles | undefined;

  constructor(
    options: ActiveConfigurationOptions,
    activation: Activation,
    ending: AbortController,
    { toldBehind, content }: Pick<FirstConfiguration, 'toldBehind' | 'content'>,
  ) {
    if (toldBehind === true) this.#toldBehind = activation.inForce.snapshot.generation;
    this.#queue = new SerialQueue(options.stopwatch, () => activation.settlePlugins());
    this.#options = { ...options, lockWaits: this.#queue };
    this.#activation = activation;
    this.#ending = ending;
    const { directory, generations, stopwatch, machineClock = systemClock, log } = options;
    const parts = { activation, load: loadOptions(options), stopwatch, log, onActivated: () => this.#tellListeners() };
    this.#held = new ReentrantDirectoryLock(directory, this.#options);
    const settled = new SettledFiles(content);
    this.#loader = new FilesLoader({ ...parts, held: this.#held, generations, machine: options.machine, settled });
    this.#follower =
      generations === undefined
        ? undefined
        : new GenerationFollower({ ...parts, generations, own: options, queue: this.#queue });
    this.#gate =
      options.sharedStore && directory !== undefined
        ? new FreshnessGate({
            directory,
            stopwatch,
            machineClock,
            active: () => contentKeyOf(activation.inForce.texts),
            takeOver: () => this.#takeOver(),
            settled,
            onAgreed: () => this.#queue.run(() => this.#loader.noteAgreed()),
            onBehind: () => this.#tellBehind(),
          })
        : undefined;
    const writer = this.#makeWriter();
    const { onWriteStep: onStep } = options;
    this.#writes = writer && new WritePipeline({ ...parts, writer, loader: this.#loader, gate: this.#gate, onStep });
  }

  /** Machines with files of their own that share the store declare their writes. */
  #makeWriter(): ConfigurationWriter | undefined {
    const { directory, generations, machine, random, log, onWriteStep: onStep } = this.#options;
    const { environment, problemsOfFault } = this.#options;
    if (directory === undefined) return undefined;
    const parts = { activation: this.#activation, held: this.#held, directory, random, onStep };
    if (machine === undefined || generations === undefined) {
      return new FilesWriter({ ...parts, environment, problemsOfFault, isBehind: () => this.isBehind() });
    }
    const load = loadOptions(this.#options);
    return new DeclaringWriter({ ...parts, loader: this.#loader, generations, machine, own: this.#options, load, log });
  }

  inForce(): ConfigurationSnapshot {
    return this.#activation.inForce.snapshot;
  }

  async refreshed(): Promise<ConfigurationSnapshot> {
    this.#refuseInside('refreshed');
    return await (this.#gate === undefined ? this.#lookOnceATurn() : this.#look());
  }

  /** Without files to check, simultaneous requests query the store once. */
  readonly #lookOnceATurn = oncePerTick(() => this.#look());

  async #look(): Promise<ConfigurationSnapshot> {
    await this.#gate?.check();
    await this.#follower?.follow();
    return this.inForce();
  }

  async reload(): Promise<ConfigurationSnapshot> {
    this.#refuseInside('reload');
    return await this.#queue.run(async () => {
      const { inForce, failures, configured } = this.#activation;
      const { hooks, files } = await readAfterHooks(
        { ...this.#options, runBeforeLoadHook: true, givenUp: this.#ending.signal },
        { present: inForce.hooks.plugins, failures, configured },
      );
      const { reloads: declaring = 'always' } = this.#options;
      const failed = await this.#loader.load(files, { declaring, plugins: hooks?.plugins });
      if (failed !== undefined && 'error' in failed) throw failed.error;
      if (failed !== undefined) await this.#follower?.takeAccepted();
      return this.inForce();
    });
  }

  async write(changes: readonly ConfigurationChange[], options: WriteOptions = {}): Promise<WriteOutcome> {
    this.#refuseInside('write');
    const writes = this.#writes;
    if (writes === undefined) return { outcome: 'no_configuration_directory' };
    return await this.#queue.run(() => writes.write(changes, options));
  }

  areFilesWritable(): boolean {
    return this.#writes?.areFilesWritable() ?? true;
  }

  async declaredNames(): Promise<DeclaredNames> {
    const { directory, machine, generations } = this.#options;
    const parts = { activation: this.#activation, load: loadOptions(this.#options) };
    if (machine !== undefined && generations !== undefined) return await namesInNewest(generations, parts);
    const files = await this.#held.locked(() => this.#filesNow(directory));
    // Superseded files declare nothing (CLU-15).
    return this.isBehind() ? namesInForce(parts) : await namesInFiles(files, parts);
  }

  changedOnDisk(): readonly ConfigurationFileName[] {
    const { texts } = this.#activation.inForce;
    const { directory } = this.#options;
    if (directory === undefined) return [];
    return filesThatDiffer(this.#filesNow(directory), texts);
  }

  /** Read again only where the file's stat shows a possible change (STO-19). */
  #filesNow(directory: string | undefined): ConfigurationFiles {
    if (directory === undefined) return readConfigurationFiles(directory);
    this.#watched ??= new WatchedFiles(directory, this.#options.machineClock ?? systemClock);
    return this.#watched.read();
  }

  isBehind(): boolean {
    return this.#gate?.isBehind() ?? false;
  }

  standing(): ConfigurationStatus {
    const { generation: inForce } = this.inForce();
    return { inForce, behind: this.changedOnDisk().length > 0, failed: this.#follower?.failed };
  }

  async whileLocked<Result>(decide: () => Promise<Result>): Promise<Result> {
    this.#refuseInside('whileLocked');
    const { stopwatch } = this.#options;
    const start = stopwatch.read();
    for (;;) {
      await this.#gate?.check();
      const result = await this.#held.locked(async () => {
        // Files that changed between the check and the lock are activated first: outside the lock, as in any load.
        if (this.#gate?.isStale() === true) return undefined;
        return { decided: await decide() };
      });
      if (result !== undefined) return result.decided;
      if (stopwatch.since(start) >= changingFilesMilliseconds) {
        throw new ConfigurationUnavailableError('freshness_in_progress');
      }
    }
  }

  join(participant: ActivationParticipant): void {
    this.#activation.participants.push(participant);
  }

  onActivated(listener: (snapshot: ConfigurationSnapshot) => Promise<void>): void {
    this.#listeners.push(listener);
  }

  hooksReport(): HooksReport {
    return this.#activation.inForce.hooks.report();
  }

  publishAuditEvent(entry: Readonly<Record<string, unknown>>): void {
    this.#activation.inForce.hooks.publishAuditEvent(entry);
  }

  async close(withinMilliseconds?: number): Promise<void> {
    const settled = this.#activation.settled();
    if (withinMilliseconds === undefined) await settled;
    else {
      await withinTime(settled, withinMilliseconds).catch(() => {
        this.#options.log.warn(
          'the process ends before the hook has received all audit events, because the hook is too slow',
        );
      });
    }
    // The process may outlive this instance, but no hook command may outlive its configuration.
    this.#ending.abort();
  }

  /** One warning for each generation (CLU-16). */
  #tellBehind(): void {
    const { generation } = this.inForce();
    if (this.#toldBehind === generation) return;
    this.#toldBehind = generation;
    const files = this.changedOnDisk().join(' and ');
    const { directory, log } = this.#options;
    log.warn(
      `Another directory on the same store has superseded ${files} in ${directory}. Its generation ${generation} stays active. To activate these files instead, change or reload them.`,
    );
  }

  /** For the gate: activates the files as they are. */
  async #takeOver(): Promise<TakeOver> {
    return await this.#queue.run(async () => {
      const failed = await this.#loader.loadAsItStands('if_changed');
      if (failed === undefined) return { outcome: 'taken' };
      if ('behind' in failed) {
        await this.#follower?.goByOwnFile();
        return { outcome: 'behind', content: failed.content };
      }
      this.#options.log.warn(`${asSentence(failed.error.message)} The previous configuration stays active.`);
      return { outcome: 'failed', content: failed.content, mayPass: failed.mayPass };
    });
  }

  async #tellListeners(): Promise<void> {
    const snapshot = this.inForce();
    for (const listener of this.#listeners) {
      try {
        await listener(snapshot);
      } catch (error) {
        this.#options.log.error({ err: error }, 'A listener for configuration changes failed');
      }
    }
  }

  /**
   * Throws at once for a call that would wait for the work it is made from. Such a call is an error of this program,
   * not of its user.
   */
  #refuseInside(operation: string): void {
    if (this.#queue.isRunningCaller) throw new Error(`${operation} must not be called from within a load or a write.`);
    if (this.#held.isHeldByCaller)
      throw new Error(`${operation} must not be called while this call holds the directory lock.`);
  }
}
