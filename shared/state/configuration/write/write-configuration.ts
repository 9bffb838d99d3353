// The write pipeline (section WRT): read with revision, change the text, prove that the result loads, compare and
// rename. It runs under the directory lock and changes nothing in this process. Hooks and activation follow.

import { join } from 'node:path';
import { errorCode } from '#shared/base/error-text.ts';
import type { DirectoryLock } from '#shared/base/locking/directory-lock.ts';
import type { Randomness } from '#shared/base/random.ts';
import type {
  ConfigurationChange,
  ConfigurationRejectedError,
  WriteOptions,
  WriteOutcome,
} from '../active-configuration.ts';
import { withDefaultTexts } from '../load/built-in-defaults.ts';
import { configurationFileNames } from '../load/file-names.ts';
import type { LoadOptions } from '../load/load-options.ts';
import type { Environment } from '../load/placeholders.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  type FileReading,
  keepingVanished,
  readConfigurationFiles,
  revisionOf,
  revisionOfNothing,
} from '../load/read-files.ts';
import { runOnOwnThread } from '../own-thread/run-on-own-thread.ts';
import { type FileReplacement, PartlyReplacedError, prepareFiles } from './replace-files.ts';
import type { WriteStepObserver } from './write-steps.ts';

export interface WriteContext {
  /** Absolute path. */
  readonly directory: string;
  readonly environment: Environment;
  readonly problemsOfFault: LoadOptions['problemsOfFault'];
  readonly random: Randomness;
  /** The active texts of the process: a file that existed before and is missing is not created again (D43). */
  readonly before: ConfigurationTexts;
  /** undefined: the directory cannot be written to (WRT-04). */
  readonly lock: DirectoryLock | undefined;
  /** For tests that end or freeze the process between two steps. */
  readonly onStep?: WriteStepObserver | undefined;
}

interface WrittenFile {
  /** Absolute path. */
  readonly path: string;
  readonly kind: 'settings' | 'users';
}

type Written = Extract<WriteOutcome, { outcome: 'written' }>;

/** `files`: the changed files, none when they already had the requested content. */
export interface FilesWritten {
  readonly outcome: 'written';
  readonly revisions: Written['revisions'];
  readonly files: readonly WrittenFile[];
  /** Whether the written content is active, which may still have to be tried. */
  readonly activation:
    | 'pending'
    | 'declared'
    | { readonly content: string; readonly error: ConfigurationRejectedError };
}

export type FilesOutcome = Exclude<WriteOutcome, Written> | FilesWritten;

export async function writeConfiguration(
  changes: readonly ConfigurationChange[],
  options: WriteOptions,
  context: WriteContext,
): Promise<FilesOutcome> {
  const { directory, environment, problemsOfFault, before, lock, onStep } = context;
  if (lock === undefined) return { outcome: 'write_failed', message: `${directory} is not writable` };
  const files = readConfigurationFiles(directory);
  onStep?.('files_read');
  if (!isExpected(files, options.expected)) return { outcome: 'conflict' };

  // A file that cannot be read as text cannot be kept as a backup (WRT-14).
  const mayReplaceAll = options.whole === true && ![files.settings, files.users].some(isUnusable);
  const present = keepingVanished(files, before);
  const load = { directory, environment, problemsOfFault };
  const proposal = await runOnOwnThread('proposeChange', present, changes, load, mayReplaceAll ? before : undefined);
  if (proposal.outcome !== 'proposed') return proposal;
  onStep?.('result_proved');
  const after = options.whole === true ? withDefaultTexts(proposal.after) : proposal.after;
  return await replaceChanged(files, proposal.before, after, options.lastLook, context, lock);
}

function isUnusable({ state }: FileReading): boolean {
  return state === 'unusable';
}

export function isExpected(files: ConfigurationFiles, expected: WriteOptions['expected']): boolean {
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
  const { replacements, written } = replacementsOf(files, before, after, directory);
  try {
    const prepared = await prepareFiles(directory, replacements, random, () => lock.stillHeld(), { onStep });
    try {
      if (lastLook !== undefined && !(await lastLook())) return { outcome: 'refused' };
      onStep?.('last_look_taken');
      if (!prepared.replace()) return { outcome: 'conflict' };
    } finally {
      prepared.discard();
    }
  } catch (error) {
    const message = error instanceof PartlyReplacedError ? error.message : notWritten(directory, error);
    return { outcome: 'write_failed', message };
  }
  return { outcome: 'written', revisions: revisionsOf(after), files: written, activation: 'pending' };
}

/** The files whose content has to change, and which of the two they are. */
export function replacementsOf(
  files: ConfigurationFiles,
  before: ConfigurationTexts,
  after: ConfigurationTexts,
  directory: string,
): { readonly replacements: readonly FileReplacement[]; readonly written: readonly WrittenFile[] } {
  const changed = (['settings', 'users'] as const).filter((which) => before[which] !== after[which]);
  const pathOf = (which: WrittenFile['kind']) => join(directory, configurationFileNames[which]);
  return {
    replacements: changed.map((which) => ({ path: pathOf(which), text: after[which] ?? '', base: files[which] })),
    written: changed.map((kind) => ({ path: pathOf(kind), kind })),
  };
}

export function revisionsOf({ settings = '', users = '' }: ConfigurationTexts): Written['revisions'] {
  return { settings: revisionOf(settings), users: revisionOf(users) };
}

export function notWritten(directory: string, error: unknown): string {
  return `${directory} cannot be written (${errorCode(error) ?? 'unknown error'})`;
}
