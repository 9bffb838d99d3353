// The write pipeline (section WRT): read with revision, change the text, prove that the result loads, compare and
// rename. It runs under the directory lock and changes nothing in this process; hooks and activation come after it.
import { join } from 'node:path';
import type { DirectoryLock } from '#shared/locking/directory-lock.ts';
import type { Randomness } from '#shared/random.ts';
import type { ConfigurationChange, WriteOptions, WriteOutcome } from '../active-configuration.ts';
import { dotted } from '../finding.ts';
import { loadConfiguration } from '../load/load-configuration.ts';
import { loadFiles, rejection } from '../load/load-directory.ts';
import type { Environment } from '../load/placeholders.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  configurationFileNames,
  errorCode,
  readConfigurationFiles,
  revisionOf,
  revisionOfNothing,
} from '../load/read-files.ts';
import { applyChanges } from './apply-changes.ts';
import { type FileReplacement, PartlyReplacedError, prepareFiles } from './replace-files.ts';
import type { WriteStepObserver } from './write-steps.ts';

export interface WriteContext {
  /** Absolute path. */
  readonly directory: string;
  readonly environment: Environment;
  readonly random: Randomness;
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
  const { directory, environment, lock, onStep } = context;
  if (lock === undefined) return { outcome: 'write_failed', message: `${directory} is not writable` };
  const files = readConfigurationFiles(directory);
  onStep?.('files_read');
  if (!isExpected(files, options.expected)) return { outcome: 'conflict' };

  // The documents' own word counts: neither --profile nor --strict-config reaches a file (WRT-08, ACT-18).
  const load = { directory, environment };
  const present = loadFiles(files, load);
  if (present.configuration === undefined || present.texts === undefined) {
    return { outcome: 'unloadable', message: rejection(present.findings, directory).message };
  }
  const applied = applyChanges(present.texts, present.configuration, changes, environment);
  if (applied.outcome !== 'applied') return applied;
  const result = loadConfiguration(applied.texts, load);
  if (result.configuration === undefined) {
    return { outcome: 'unloadable', message: rejection(result.findings, directory).message };
  }
  const { configuration } = result;
  const broken = applied.expectations.find((expectation) => !expectation.holds(configuration));
  if (broken !== undefined) {
    const place = `${join(directory, broken.file)} ${dotted(broken.path)}`;
    return { outcome: 'unloadable', message: `${place} cannot be written so that it reads back the same` };
  }
  onStep?.('result_proved');
  return await replaceChanged(files, present.texts, applied.texts, options.lastLook, context, lock);
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
