// A change of the files of a directory that nobody declares elsewhere: they are written under its lock (WRT-06), and those
// that another directory of the same store superseded are left alone (CLU-15). Its counterpart is declaring-writer.ts.
import type { Activation } from './activation.ts';
import type { ConfigurationChange, WriteOptions } from './active-configuration.ts';
import type { ReentrantDirectoryLock } from './reentrant-directory-lock.ts';
import { type FilesOutcome, type WriteContext, writeConfiguration } from './write/write-configuration.ts';

/** Makes a change of the files last, in the turn of whoever asks. */
export interface ConfigurationWriter {
  /** @throws ConfigurationUnavailableError without the lock */
  write(changes: readonly ConfigurationChange[], options: WriteOptions): Promise<FilesOutcome>;
  areFilesWritable(): boolean;
}

interface FilesWriterOptions extends Omit<WriteContext, 'before' | 'lock'> {
  readonly activation: Pick<Activation, 'inForce'>;
  readonly held: ReentrantDirectoryLock;
  /** What the files say was superseded. */
  isBehind(): boolean;
}

export class FilesWriter implements ConfigurationWriter {
  readonly #options: FilesWriterOptions;

  constructor(options: FilesWriterOptions) {
    this.#options = options;
  }

  async write(changes: readonly ConfigurationChange[], options: WriteOptions): Promise<FilesOutcome> {
    const { activation, held, isBehind, ...context } = this.#options;
    // What a form or promotion shows and proves is what is in force; these files would bring back what it superseded.
    if (isBehind()) return { outcome: 'conflict' };
    return await held.locked((lock) => {
      context.onStep?.('lock_acquired');
      const { texts: before } = activation.inForce;
      return writeConfiguration(changes, options, { ...context, before, lock });
    });
  }

  /** Always true here: the write itself finds out. */
  areFilesWritable(): boolean {
    return true;
  }
}
