// The jobs that take seconds for large files: reading both texts, and computing the result of a change. They are pure
// functions of plain values, so that run-on-own-thread.ts can run them on another thread.
import type { ConfigurationChange } from '../active-configuration.ts';
import { type LoadResult, loadConfiguration } from '../load/load-configuration.ts';
import { type DirectoryLoad, loadFiles } from '../load/load-directory.ts';
import type { LoadOptions } from '../load/load-options.ts';
import type { ConfigurationFiles, ConfigurationTexts, FileReading } from '../load/read-files.ts';
import { withOwnSettings } from '../write/own-machine-settings.ts';
import { type Proposal, proposeChange } from '../write/propose-change.ts';

export interface ThreadJobs {
  loadFiles(files: ConfigurationFiles, options: LoadOptions): DirectoryLoad;
  loadTexts(texts: ConfigurationTexts, options: LoadOptions): LoadResult;
  proposeChange(
    files: ConfigurationFiles,
    changes: readonly ConfigurationChange[],
    options: LoadOptions & { readonly directory: string },
    instead?: ConfigurationTexts,
  ): Proposal;
  withOwnSettings(
    declared: ConfigurationTexts,
    file: FileReading,
    before: ConfigurationTexts | undefined,
  ): ConfigurationTexts | 'not_kept';
}

export const threadJobs: ThreadJobs = { loadFiles, loadTexts: loadConfiguration, proposeChange, withOwnSettings };
