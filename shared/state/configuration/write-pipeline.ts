// A write from its start to the active configuration: the writer under its lock, the hooks for the saved files, the one
// local activation. The caller ensures that only one write runs at a time.
import type { Activation } from './activation.ts';
import {
  type ConfigurationChange,
  ConfigurationRejectedError,
  ConfigurationUnavailableError,
  type WriteOptions,
  type WriteOutcome,
} from './active-configuration.ts';
import type { FilesLoader } from './files-loader.ts';
import type { ConfigurationWriter } from './files-writer.ts';
import type { FreshnessGate } from './freshness-gate.ts';
import type { FilesWritten } from './write/write-configuration.ts';
import type { WriteStepObserver } from './write/write-steps.ts';

interface WritePipelineParts {
  readonly activation: Activation;
  readonly writer: ConfigurationWriter;
  readonly loader: FilesLoader;
  readonly gate: FreshnessGate | undefined;
  readonly onActivated: () => Promise<void>;
  readonly onStep: WriteStepObserver | undefined;
}

export class WritePipeline {
  readonly #parts: WritePipelineParts;

  constructor(parts: WritePipelineParts) {
    this.#parts = parts;
  }

  areFilesWritable(): boolean {
    return this.#parts.writer.areFilesWritable();
  }

  async write(changes: readonly ConfigurationChange[], options: WriteOptions): Promise<WriteOutcome> {
    const { activation, writer, onStep } = this.#parts;
    const { hooks } = activation.inForce;
    const written = await writer.write(changes, options).catch(lockNotHad);
    if (written.outcome !== 'written') return written;
    onStep?.('lock_released');
    const hookFailures: string[] = [];
    for (const { path, kind } of written.files) hookFailures.push(...(await hooks.configSaved(path, kind)));
    onStep?.('hooks_run');
    const activationError = await this.#activated(written);
    onStep?.('activated');
    return {
      outcome: 'written',
      revisions: written.revisions,
      ...(written.activation === 'declared' ? { declared: true } : {}),
      ...(hooks.strict && hookFailures.length > 0 ? { hookError: hookFailures.join('; ') } : {}),
      ...(activationError === undefined ? {} : { activationError }),
    };
  }

  /** The one local activation after a write. A failure leaves files and running configuration unchanged (WRT-16). */
  async #activated({ activation }: FilesWritten): Promise<string | undefined> {
    if (activation === 'pending') return await this.#activateWritten();
    if (activation === 'declared') {
      await this.#parts.onActivated();
      return undefined;
    }
    this.#parts.gate?.noteFailure(activation.content, true);
    return activation.error.message;
  }

  async #activateWritten(): Promise<string | undefined> {
    try {
      const failed = await this.#parts.loader.loadAsItStands('always');
      if (failed === undefined || 'behind' in failed) return undefined;
      this.#parts.gate?.noteFailure(failed.content, failed.mayPass);
      return failed.error.message;
    } catch (error) {
      if (error instanceof ConfigurationUnavailableError) return error.message;
      throw error;
    }
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
