// Changes the files of a directory where no other machine declares. They are written under the directory's lock
// (WRT-06). Files that another directory of the same store superseded are not changed (CLU-15). Its counterpart is
// declaring-writer.ts.
import type { Activation } from './activation.ts';
import type { ConfigurationChange, WriteOptions } from './active-configuration.ts';
import type { ReentrantDirectoryLock } from './reentrant-directory-lock.ts';
import { type FilesOutcome, type WriteContext, writeConfiguration } from './write/write-configuration.ts';

/** Makes a permanent change of the files, in the caller's turn of the queue. */
export interface ConfigurationWriter {
  /** @throws ConfigurationUnavailableError without the lock */
  write(changes: readonly ConfigurationChange[], options: WriteOptions): Promise<FilesOutcome>;
  areFilesWritable(): boolean;
}

interface FilesWriterOptions extends Omit<WriteContext, 'before' | 'lock'> {
  readonly activation: Pick<Activation, 'inForce'>;
  readonly held: ReentrantDirectoryLock;
  /** The content of the files was superseded. */
  isBehind(): boolean;
}

export class FilesWriter implements ConfigurationWriter {
  readonly #options: FilesWriterOptions;

  constructor(options: FilesWriterOptions) {
    this.#options = options;
  }

  async write(changes: readonly ConfigurationChange[], options: WriteOptions): Promise<FilesOutcome> {
    const { activation, held, isBehind, ...context } = this.#options;
    // A form or promotion shows and checks the active configuration. These files would restore what it superseded.
    if (isBehind()) return { outcome: 'conflict' };
    return await held.locked((lock) => {
      context.onStep?.('lock_acquired');
      const { texts: before } = activation.inForce;
      return writeConfiguration(changes, options, { ...context, before, lock });
    });
  }

  /** Always true here, because the write itself reports it. */
  areFilesWritable(): boolean {
    return true;
  }
}
