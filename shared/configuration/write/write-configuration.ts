// The write pipeline (section WRT): read with revision, change the text, prove that the result loads, compare and rename.
import type { DirectoryLock } from '#shared/locking/directory-lock.ts';
import type { Randomness } from '#shared/random.ts';
import type { ConfigurationChange, WriteOptions, WriteOutcome } from '../active-configuration.ts';
import type { Environment } from '../load/placeholders.ts';

export interface WriteContext {
  readonly directory: string;
  readonly environment: Environment;
  readonly random: Randomness;
  /** undefined: the directory cannot be written to. */
  readonly lock: DirectoryLock | undefined;
}

export interface WrittenFile {
  /** Absolute path. */
  readonly path: string;
  readonly kind: 'settings' | 'users';
}

type Written = Extract<WriteOutcome, { outcome: 'written' }>;
export type FilesOutcome =
  | Exclude<WriteOutcome, Written>
  | { readonly outcome: 'written'; readonly revisions: Written['revisions']; readonly files: readonly WrittenFile[] };

export async function writeConfiguration(
  _changes: readonly ConfigurationChange[],
  _options: WriteOptions,
  context: WriteContext,
): Promise<FilesOutcome> {
  return { outcome: 'write_failed', message: `${context.directory} cannot be written to` };
}
