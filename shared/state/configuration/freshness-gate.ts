// With the shared store every operation checks the files first (STO-18 to STO-22). The check costs two stats
// (watched-files). The caller reads changed files, once for all concurrent requests.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock, Monotonic, Stopwatch } from '#shared/base/clock.ts';
import { ConfigurationUnavailableError } from './active-configuration.ts';
import { contentKey } from './load/read-files.ts';
import type { SettledFiles } from './settled-files.ts';
import { type StatFile, WatchedFiles } from './watched-files.ts';

const retryMilliseconds = 5_000;
const waitForOthersMilliseconds = 500;

export type TakeOver =
  | { readonly outcome: 'taken' }
  /** `content` was superseded by the active configuration. It is ignored until the files change (CLU-15). */
  | { readonly outcome: 'behind'; readonly content: string }
  /** `content` is the content read; `mayPass`: a later try with the same content may succeed (STO-20). */
  | { readonly outcome: 'failed'; readonly content: string; readonly mayPass: boolean };

interface FreshnessGateOptions {
  readonly directory: string;
  /** The content key of the active configuration. */
  readonly active: () => string;
  /** Reads, loads and activates the files. A failure that concerns the files is an outcome, not an exception. */
  readonly takeOver: () => Promise<TakeOver>;
  /** What the store knows of the files; without it every content counts as known. */
  readonly settled?: Pick<SettledFiles, 'isSettled'>;
  /** The files became equal to the active configuration, which this process got from another. */
  readonly onAgreed?: () => Promise<void>;
  /** A check found the files behind the active configuration. */
  readonly onBehind?: () => void;
  readonly stopwatch: Stopwatch;
  /** The machine's clock, to be compared with modification times. */
  readonly machineClock: Clock;
  /** How a file is checked. Tests use it to make changes that leave no trace in the stat. */
  readonly lookAt?: StatFile;
}

export class FreshnessGate {
  readonly #options: FreshnessGateOptions;
  readonly #files: WatchedFiles;
  #underway: Promise<void> | undefined;
  #behind: string | undefined;
  #failed: { readonly content: string; readonly mayPass: boolean; readonly at: Monotonic } | undefined;

  constructor(options: FreshnessGateOptions) {
    this.#options = options;
    this.#files = new WatchedFiles(options.directory, options.machineClock, options.lookAt);
  }

  /**
   * Resolves when the files' current content is active, or is known not to load.
   * @throws ConfigurationUnavailableError
   */
  async check(): Promise<void> {
    if (this.#underway !== undefined) return await this.#joinOther(this.#underway);
    const work = this.#isDue() ? () => this.#take() : this.#agreement();
    if (work === undefined) return;
    this.#underway = work().finally(() => {
      this.#underway = undefined;
    });
    await this.#underway;
  }

  /** The files' content is neither active nor known not to load. */
  isStale(): boolean {
    return this.#isDue();
  }

  /** The files' content was superseded by the active configuration (CLU-16). */
  isBehind(): boolean {
    return !this.#isDue() && this.#behind !== undefined;
  }

  /** Notes a content that failed to load outside this gate. */
  noteFailure(content: string, mayPass: boolean): void {
    this.#failed = { content, mayPass, at: this.#options.stopwatch.read() };
  }

  #isDue(): boolean {
    const content = contentKey(this.#files.read());
    if (content === this.#options.active()) {
      this.#failed = undefined;
      this.#behind = undefined;
      return false;
    }
    if (content === this.#behind) {
      this.#options.onBehind?.();
      return false;
    }
    if (this.#failed?.content !== content) return true;
    return this.#failed.mayPass && this.#options.stopwatch.since(this.#failed.at) >= retryMilliseconds;
  }

  #agreement(): (() => Promise<void>) | undefined {
    const { settled, onAgreed, active } = this.#options;
    const content = contentKey(this.#files.read());
    return settled === undefined || content !== active() || settled.isSettled(content) ? undefined : onAgreed;
  }

  async #take(): Promise<void> {
    const result = await this.#options.takeOver();
    if (result.outcome === 'failed') return this.noteFailure(result.content, result.mayPass);
    this.#failed = undefined;
    this.#behind = result.outcome === 'behind' ? result.content : undefined;
    if (result.outcome === 'behind') this.#options.onBehind?.();
  }

  /** Another check is running. This one uses its result, if that arrives in time (STO-22). */
  async #joinOther(underway: Promise<void>): Promise<void> {
    const timer = new AbortController();
    const late = pause(waitForOthersMilliseconds, undefined, { signal: timer.signal }).then(() => {
      throw new ConfigurationUnavailableError('freshness_in_progress');
    });
    try {
      await Promise.race([underway, late]);
    } finally {
      late.catch(() => {});
      timer.abort();
    }
  }
}
