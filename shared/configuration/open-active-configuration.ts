// Opens the configuration of a process and keeps it in force: following what siblings accepted, looking at the files
// where the store is shared, reloading and writing on request. The parts do the work (read-declared-configuration,
// activation, freshness-gate, write/); this file decides their order (section ACT).
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Clock, type Monotonic, systemClock } from '#shared/clock.ts';
import type { DirectoryLock } from '#shared/locking/directory-lock.ts';
import { onceATurn } from '#shared/once-a-turn.ts';
import type { Randomness } from '#shared/random.ts';
import type { ConfigurationGenerations } from '#shared/store/ports/index.ts';
import { Activation } from './activation.ts';
import {
  ActivationError,
  type ActivationParticipant,
  type ActiveConfiguration,
  type ConfigurationChange,
  ConfigurationRejectedError,
  ConfigurationUnavailableError,
  type DeclaredNames,
  type HooksReport,
  type WriteOptions,
  type WriteOutcome,
} from './active-configuration.ts';
import type { ConfigurationSnapshot } from './configuration-snapshot.ts';
import { FreshnessGate, type TakeOver } from './freshness-gate.ts';
import type { FailureCounts, HookRunner } from './hooks/hook-runner.ts';
import { stageHooks } from './hooks/stage-hooks.ts';
import { loadConfiguration } from './load/load-configuration.ts';
import { loadFiles, rejection } from './load/load-directory.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  contentKey,
  readConfigurationFiles,
} from './load/read-files.ts';
import { withDirectoryLock } from './observe-directory.ts';
import {
  type DeclaredConfiguration,
  type DeclaredConfigurationOptions,
  loadOptions,
  logFindings,
  readAfterHooks,
  readDeclaredConfiguration,
} from './read-declared-configuration.ts';
import { Turns } from './turns.ts';
import { writeConfiguration } from './write/write-configuration.ts';

export { type DeclaredConfiguration, readDeclaredConfiguration } from './read-declared-configuration.ts';

export interface ActiveConfigurationOptions extends DeclaredConfigurationOptions {
  /** Where siblings are followed; undefined: this process follows nobody (the MCP worker's own copy, MCP-03). */
  readonly generations: ConfigurationGenerations | undefined;
  /** Whoever must agree before a configuration is activated; more can join later. */
  readonly participants?: readonly ActivationParticipant[];
  /** `runtime.store: sqlite`: every operation looks at the files first (STO-18). */
  readonly sharedStore: boolean;
  /** The files as read before. Without it a replacement takes what its siblings accepted, and else reads the files. */
  readonly declared?: DeclaredConfiguration | undefined;
  readonly random: Randomness;
  /** The machine's clock, compared with modification times of files; never the protocol's. */
  readonly machineClock?: Clock;
}

/** @throws ConfigurationRejectedError, ConfigurationUnavailableError */
export async function openActiveConfiguration(options: ActiveConfigurationOptions): Promise<ActiveConfiguration> {
  const failures: FailureCounts = new Map();
  const first = await firstConfiguration(options);
  const { hooks, plugins } = first.snapshot.settings;
  const { directory, log } = options;
  const present = first.hooks?.plugins;
  const runner = await stageHooks({ directory, hooks, plugins, present, failures, log });
  const inForce = { snapshot: first.snapshot, texts: first.texts, hooks: runner };
  if (first.texts !== options.declared?.texts) {
    // Whoever was opened for the files has to come along to what the siblings agreed on.
    const steps = await Promise.all((options.participants ?? []).map((each) => each.prepare(first.snapshot)));
    for (const step of steps) step();
  }
  return new OpenConfiguration(options, new Activation(inForce, options.participants ?? [], failures, log));
}

interface First {
  readonly snapshot: ConfigurationSnapshot;
  readonly texts: ConfigurationTexts;
  readonly hooks: HookRunner | undefined;
}

/** What this process begins with: the files, or what its siblings have agreed on already (SUP-06). */
async function firstConfiguration(options: ActiveConfigurationOptions): Promise<First> {
  const { generations, log } = options;
  let declared = options.declared;
  if (declared === undefined) {
    const accepted = options.sharedStore ? undefined : await acceptedConfiguration(options);
    if (accepted !== undefined) return accepted;
    try {
      declared = await readDeclaredConfiguration(options);
    } catch (error) {
      const fallback = error instanceof ConfigurationRejectedError ? await acceptedConfiguration(options) : undefined;
      if (fallback === undefined) throw error;
      log.warn(`${error instanceof Error ? error.message : ''}; the configuration accepted before stays in use`);
      return fallback;
    }
  }
  const first = (generation: number): First => ({ ...declared, snapshot: { ...declared.configuration, generation } });
  if (generations === undefined) return first(1);
  if (options.sharedStore) return await acceptAsItStands(options, generations, declared);
  const { texts } = declared;
  const accepted = await generations.acceptFirst(texts.settings, texts.users);
  const agreed = accepted.settingsText === texts.settings && accepted.usersText === texts.users;
  if (agreed) return first(accepted.generation);
  return (await acceptedConfiguration(options)) ?? first(0);
}

/** The newest configuration that a sibling accepted, or undefined when there is none that loads here. */
async function acceptedConfiguration(options: ActiveConfigurationOptions): Promise<First | undefined> {
  const newest = (await options.generations?.newest()) ?? 0;
  const accepted = newest === 0 ? undefined : await options.generations?.read(newest);
  if (accepted === undefined) return undefined;
  const texts = { settings: accepted.settingsText, users: accepted.usersText };
  const { configuration } = loadConfiguration(texts, loadOptions(options));
  if (configuration === undefined) return undefined;
  return { snapshot: { ...configuration, generation: accepted.generation }, texts, hooks: undefined };
}

/** The files become the newest generation; read again when they changed since, so that an old text never wins. */
async function acceptAsItStands(
  options: ActiveConfigurationOptions,
  generations: ConfigurationGenerations,
  declared: DeclaredConfiguration,
): Promise<First> {
  const { directory } = options;
  return await withDirectoryLock(directory, options, async () => {
    const files = readConfigurationFiles(directory);
    let { configuration, texts } = declared;
    if (contentKey(files) !== contentKeyInForce({ snapshot: configuration, texts })) {
      const load = loadFiles(files, loadOptions(options));
      if (load.configuration === undefined || load.texts === undefined) throw rejection(load.findings, directory);
      ({ configuration, texts } = load);
    }
    const generation = await generations.accept(texts.settings, texts.users);
    return { snapshot: { ...configuration, generation }, texts, hooks: declared.hooks };
  });
}

/** A load that ended without a new configuration, told apart for the gate (STO-20). */
interface FailedLoad {
  readonly error: ConfigurationRejectedError;
  readonly content: string;
  readonly mayPass: boolean;
}

const attemptsMax = 5;
const retryMilliseconds = 5_000;

class OpenConfiguration implements ActiveConfiguration {
  readonly #options: ActiveConfigurationOptions;
  readonly #activation: Activation;
  readonly #gate: FreshnessGate | undefined;
  readonly #listeners: ((snapshot: ConfigurationSnapshot) => Promise<void>)[] = [];
  /** Loads, writes and following happen one after the other (ACT-14). */
  readonly #turns = new Turns();
  readonly #held = new AsyncLocalStorage<DirectoryLock | 'read-only'>();
  #following: Promise<void> | undefined;
  #notFollowed: { readonly generation: number; readonly at: Monotonic } | undefined;

  constructor(options: ActiveConfigurationOptions, activation: Activation) {
    this.#options = options;
    this.#activation = activation;
    const { directory, stopwatch, machineClock = systemClock } = options;
    this.#gate = options.sharedStore
      ? new FreshnessGate({
          directory,
          stopwatch,
          machineClock,
          active: () => contentKeyInForce(this.#activation.inForce),
          takeOver: () => this.#takeOver(),
        })
      : undefined;
  }

  peek(): ConfigurationSnapshot {
    return this.#activation.inForce.snapshot;
  }

  current(): Promise<ConfigurationSnapshot> {
    return this.#gate === undefined ? this.#lookOnceATurn() : this.#look();
  }

  /** Without files to look at, requests that arrive together ask the store once. */
  readonly #lookOnceATurn = onceATurn(() => this.#look());

  async #look(): Promise<ConfigurationSnapshot> {
    await this.#gate?.look();
    await this.#follow();
    return this.peek();
  }

  reload(): Promise<ConfigurationSnapshot> {
    return this.#turns.take(async () => {
      const { hooks, files } = await this.#readForReload();
      const failed = await this.#load(files, hooks);
      if (failed !== undefined) throw failed.error;
      return this.peek();
    });
  }

  async write(changes: readonly ConfigurationChange[], options: WriteOptions = {}): Promise<WriteOutcome> {
    return await this.#turns.take(async () => {
      const { directory, environment, random } = this.#options;
      const written = await this.#locked((lock) =>
        writeConfiguration(changes, options, { directory, environment, random, lock }),
      ).catch(lockNotHad);
      if (written.outcome !== 'written') return written;
      const hookFailures: string[] = [];
      const { hooks } = this.#activation.inForce;
      for (const { path, kind } of written.files) hookFailures.push(...(await hooks.configSaved(path, kind)));
      const activationError = await this.#activateWritten();
      return {
        outcome: 'written',
        revisions: written.revisions,
        ...(hooks.strict && hookFailures.length > 0 ? { hookError: hookFailures.join('; ') } : {}),
        ...(activationError === undefined ? {} : { activationError }),
      };
    });
  }

  async declaredOnDisk(): Promise<DeclaredNames> {
    const { directory } = this.#options;
    const files = await this.#locked(() => readConfigurationFiles(directory));
    if (contentKey(files) === contentKeyInForce(this.#activation.inForce)) {
      return { ...namesOf(this.peek()), inForce: true };
    }
    const { configuration, findings, mayPass } = loadFiles(files, loadOptions(this.#options));
    if (configuration !== undefined) return { ...namesOf(configuration), inForce: false };
    const rejected = rejection(findings, directory);
    throw mayPass ? new ActivationError(rejected.message) : rejected;
  }

  async whileLocked<Result>(decide: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#gate?.look();
      const result = await this.#locked(async () => {
        // Files that changed between the look and the lock are taken over first: outside the lock, as any load.
        if (this.#gate?.isStale() === true && attempt < attemptsMax) return undefined;
        return { decided: await decide() };
      });
      if (result !== undefined) return result.decided;
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

  async close(): Promise<void> {
    await this.#activation.inForce.hooks.settled();
  }

  /** A sibling accepted a newer configuration: take it over before this operation reads anything (ACT-12). */
  async #follow(): Promise<void> {
    const newest = (await this.#options.generations?.newest()) ?? 0;
    if (newest <= this.peek().generation || this.#isGivenUp(newest)) return;
    this.#following ??= this.#turns
      .take(() => this.#takeAccepted())
      .finally(() => {
        this.#following = undefined;
      });
    await this.#following;
  }

  #isGivenUp(generation: number): boolean {
    if (this.#notFollowed?.generation !== generation) return false;
    return this.#options.stopwatch.since(this.#notFollowed.at) < retryMilliseconds;
  }

  async #takeAccepted(): Promise<void> {
    const { generations, log, stopwatch } = this.#options;
    const newest = (await generations?.newest()) ?? 0;
    if (newest <= this.peek().generation) return;
    const accepted = await generations?.read(newest);
    if (accepted === undefined) return;
    const texts = { settings: accepted.settingsText, users: accepted.usersText };
    const { texts: present } = this.#activation.inForce;
    if (texts.settings === present.settings && texts.users === present.users) {
      this.#activation.renumber(newest);
      return;
    }
    try {
      const { configuration, findings } = loadConfiguration(texts, loadOptions(this.#options));
      if (configuration === undefined) throw rejection(findings, this.#options.directory);
      const staged = await this.#activation.stage(configuration, texts);
      staged.commit(newest);
    } catch (error) {
      if (!(error instanceof ConfigurationRejectedError)) throw error;
      this.#notFollowed = { generation: newest, at: stopwatch.read() };
      log.warn(`A configuration that another process accepted cannot be used here: ${error.message}`);
      return;
    }
    await this.#tellListeners();
  }

  async #readForReload() {
    const { hooks } = this.#activation.inForce;
    return await readAfterHooks(
      { ...this.#options, runBeforeLoadHook: true },
      { present: hooks.plugins, failures: this.#activation.failures },
    );
  }

  /** For the gate: the files as they stand, into force. */
  async #takeOver(): Promise<TakeOver> {
    return await this.#turns.take(async () => {
      const failed = await this.#loadAsItStands();
      if (failed === undefined) return { outcome: 'taken' };
      this.#options.log.warn(`${failed.error.message}; the configuration in use stays`);
      return { outcome: 'failed', content: failed.content, mayPass: failed.mayPass };
    });
  }

  /** The one local activation after a write; a failure leaves files and running configuration as they are (WRT-16). */
  async #activateWritten(): Promise<string | undefined> {
    try {
      const failed = await this.#loadAsItStands();
      if (failed === undefined) return undefined;
      this.#gate?.noteFailure(failed.content, failed.mayPass);
      return failed.error.message;
    } catch (error) {
      if (error instanceof ConfigurationUnavailableError) return error.message;
      throw error;
    }
  }

  async #loadAsItStands(): Promise<FailedLoad | undefined> {
    const { directory } = this.#options;
    let files: ConfigurationFiles;
    try {
      files = await this.#locked(() => readConfigurationFiles(directory));
    } catch (error) {
      if (!(error instanceof ConfigurationRejectedError)) throw error;
      return { error, content: contentKey(readConfigurationFiles(directory)), mayPass: true };
    }
    return await this.#load(files);
  }

  /** Load, stage, accept, commit. Answers why not, with everything left as it was. */
  async #load(files: ConfigurationFiles, hooks?: Awaited<ReturnType<typeof readAfterHooks>>['hooks']) {
    const { directory, log } = this.#options;
    let observed = files;
    for (let attempt = 1; ; attempt += 1) {
      const load = loadFiles(observed, loadOptions(this.#options));
      const content = contentKey(observed);
      const { configuration, texts } = load;
      if (configuration === undefined || texts === undefined) {
        return { error: rejection(load.findings, directory), content, mayPass: load.mayPass };
      }
      try {
        const staged = await this.#activation.stage(configuration, texts, hooks?.plugins);
        const accepted = await this.#accept(texts, content);
        if (typeof accepted === 'number') {
          staged.commit(accepted);
          logFindings(load.findings, log);
          await this.#tellListeners();
          return undefined;
        }
        if (attempt === attemptsMax) throw new ConfigurationUnavailableError('freshness_in_progress');
        observed = accepted;
      } catch (error) {
        if (!(error instanceof ConfigurationRejectedError)) throw error;
        return { error, content, mayPass: true };
      }
    }
  }

  /**
   * Makes the texts the newest generation if the files still say so; else answers what they say now. Under the lock,
   * so that of two processes the one that read later also accepts later.
   */
  async #accept(texts: ConfigurationTexts, content: string): Promise<number | ConfigurationFiles> {
    const { directory, generations } = this.#options;
    if (generations === undefined) return this.peek().generation + 1;
    return await this.#locked(async () => {
      const now = readConfigurationFiles(directory);
      if (contentKey(now) !== content) return now;
      return await generations.accept(texts.settings, texts.users);
    });
  }

  async #tellListeners(): Promise<void> {
    const snapshot = this.peek();
    for (const listener of this.#listeners) {
      try {
        await listener(snapshot);
      } catch (error) {
        this.#options.log.error({ err: error }, 'What follows a change of configuration failed');
      }
    }
  }

  /** Holds the directory lock around `work`; within `whileLocked` it is held already. */
  async #locked<Result>(work: (lock: DirectoryLock | undefined) => Result | Promise<Result>): Promise<Result> {
    const held = this.#held.getStore();
    if (held !== undefined) return await work(held === 'read-only' ? undefined : held);
    return await withDirectoryLock(this.#options.directory, this.#options, (lock) =>
      this.#held.run(lock ?? 'read-only', () => work(lock)),
    );
  }
}

function lockNotHad(
  error: unknown,
): WriteOutcome & { readonly outcome: 'lock_timeout' | 'lock_unsupported' | 'write_failed' } {
  if (error instanceof ConfigurationUnavailableError) {
    return { outcome: error.kind === 'lock_unsupported' ? 'lock_unsupported' : 'lock_timeout' };
  }
  if (error instanceof ConfigurationRejectedError) return { outcome: 'write_failed', message: error.message };
  throw error;
}

function contentKeyInForce({
  snapshot,
  texts,
}: {
  readonly snapshot: Pick<ConfigurationSnapshot, 'revisions'>;
  readonly texts: ConfigurationTexts;
}): string {
  const { settings, users } = snapshot.revisions;
  return `${texts.settings === undefined ? '-' : settings}/${texts.users === undefined ? '-' : users}`;
}

function namesOf(configuration: Pick<ConfigurationSnapshot, 'users' | 'clients'>) {
  return { users: new Set(configuration.users.keys()), clients: new Set(configuration.clients.keys()) };
}
