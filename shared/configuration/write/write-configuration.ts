// The write pipeline (section WRT): read with revision, change the text, prove that the result loads, compare and
// rename. It runs under the directory lock and changes nothing in this process; hooks and activation come after it.
import { join } from 'node:path';
import type { DirectoryLock } from '#shared/locking/directory-lock.ts';
import type { Randomness } from '#shared/random.ts';
import type { ConfigurationChange, WriteOptions, WriteOutcome } from '../active-configuration.ts';
import { runApart } from '../apart/run-apart.ts';
import type { Environment } from '../load/placeholders.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  configurationFileNames,
  errorCode,
  readConfigurationFiles,
  revisionOf,
  revisionOfNothing,
  withoutVanished,
} from '../load/read-files.ts';
import { type FileReplacement, PartlyReplacedError, prepareFiles } from './replace-files.ts';
import type { WriteStepObserver } from './write-steps.ts';

export interface WriteContext {
  /** Absolute path. */
  readonly directory: string;
  readonly environment: Environment;
  readonly random: Randomness;
  /** What the process has in force: a file that was there and is missing is not written anew (D43). */
  readonly before: ConfigurationTexts;
  /** undefined: the directory cannot be written to (WRT-04). */
  readonly lock: DirectoryLock | undefined;
  /** For tests that end or freeze the process between two steps. */
  readonly onStep?: WriteStepObserver | undefined;
}

export interface WrittenFile {
  /** Absolute path. */
  readonly path: string;
  readonly kind: 'settings' | 'users';
}

type Written = Extract<WriteOutcome, { outcome: 'written' }>;

/** `files` are those that were changed: none when the files said already what was asked for. */
export type FilesOutcome =
  | Exclude<WriteOutcome, Written>
  | { readonly outcome: 'written'; readonly revisions: Written['revisions']; readonly files: readonly WrittenFile[] };

export async function writeConfiguration(
  changes: readonly ConfigurationChange[],
  options: WriteOptions,
  context: WriteContext,
): Promise<FilesOutcome> {
  const { directory, environment, before, lock, onStep } = context;
  if (lock === undefined) return { outcome: 'write_failed', message: `${directory} is not writable` };
  const files = readConfigurationFiles(directory);
  onStep?.('files_read');
  if (!isExpected(files, options.expected)) return { outcome: 'conflict' };

  const proposal = await runApart('proposeChange', withoutVanished(files, before), changes, { directory, environment });
  if (proposal.outcome !== 'proposed') return proposal;
  onStep?.('result_proved');
  return await replaceChanged(files, proposal.before, proposal.after, options.lastLook, context, lock);
}

function isExpected(files: ConfigurationFiles, expected: WriteOptions['expected']): boolean {
  return (['settings', 'users'] as const).every((which) => {
    const revision = expected?.[which];
    const file = files[which];
    return revision === undefined || revision === (file.state === 'read' ? file.revision : revisionOfNothing);
  });
}

async function replaceChanged(
  files: ConfigurationFiles,
  before: ConfigurationTexts,
  after: ConfigurationTexts,
  lastLook: WriteOptions['lastLook'],
  { directory, random, onStep }: WriteContext,
  lock: DirectoryLock,
): Promise<FilesOutcome> {
  const changed = (['settings', 'users'] as const).filter((which) => before[which] !== after[which]);
  const replacements: FileReplacement[] = changed.map((which) => ({
    path: join(directory, configurationFileNames[which]),
    text: after[which] ?? '',
    base: files[which],
  }));
  const revisions = { settings: revisionOf(after.settings ?? ''), users: revisionOf(after.users ?? '') };
  const written = replacements.map(({ path }, index) => ({ path, kind: changed[index] ?? 'settings' }));
  try {
    const prepared = await prepareFiles(directory, replacements, random, () => lock.stillHeld(), onStep);
    try {
      if (lastLook !== undefined && !(await lastLook())) return { outcome: 'refused' };
      onStep?.('last_look_taken');
      if (!prepared.replace()) return { outcome: 'conflict' };
    } finally {
      prepared.discard();
    }
  } catch (error) {
    const reason = `${directory} could not be written to (${errorCode(error) ?? 'unknown error'})`;
    return { outcome: 'write_failed', message: error instanceof PartlyReplacedError ? error.message : reason };
  }
  return { outcome: 'written', revisions, files: written };
}
