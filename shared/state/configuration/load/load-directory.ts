// Loads the files of a directory: reads them, checks them as files, then as texts. A failed load reports whether
// another try with the same files may succeed (STO-20).

import { join } from 'node:path';
import { type ConfigurationFileName, describeFinding, type Finding } from '#shared/model/configuration/finding.ts';
import { ConfigurationRejectedError } from '../active-configuration.ts';
import { configurationFileNames } from './file-names.ts';
import { type LoadResult, loadConfiguration } from './load-configuration.ts';
import type { LoadOptions } from './load-options.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  type FileReading,
  readConfigurationFiles,
  textOf,
} from './read-files.ts';

export interface DirectoryLoad extends LoadResult {
  /** undefined when a file cannot be used as a text. */
  readonly texts: ConfigurationTexts | undefined;
  /** The failure is outside the files' content, so another try may succeed without a change of the files. */
  readonly mayPass: boolean;
}

/** Reads and loads. The caller must hold the directory lock. */
export function loadDirectory(options: LoadOptions): DirectoryLoad {
  return loadFiles(readConfigurationFiles(options.directory), options);
}

export function loadFiles(files: ConfigurationFiles, options: LoadOptions): DirectoryLoad {
  const unusable = [...unusableFile('settings', files.settings), ...unusableFile('users', files.users)];
  if (unusable.length > 0) {
    // The other file is still checked, so that all errors are reported together.
    const result = loadConfiguration(
      { settings: textOf(files.settings) ?? '', users: textOf(files.users) ?? '' },
      options,
    );
    const mayPass = [files.settings, files.users].some((file) => file.state === 'unusable' && !file.ofContent);
    return {
      ...result,
      findings: [...unusable, ...result.findings],
      configuration: undefined,
      texts: undefined,
      mayPass,
    };
  }
  const texts = { settings: textOf(files.settings), users: textOf(files.users) };
  return { ...loadConfiguration(texts, options), texts, mayPass: false };
}

function* unusableFile(which: keyof ConfigurationTexts, file: FileReading): Generator<Finding> {
  if (file.state !== 'unusable') return;
  const { message, line } = file;
  const column = line === undefined ? undefined : 1;
  yield { level: 'error', file: configurationFileNames[which], path: undefined, line, column, message };
}

/** The absolute path of a file; its name where there is no directory. */
export function placeOf(file: ConfigurationFileName, directory: string | undefined): string {
  return directory === undefined ? file : join(directory, file);
}

const toldTogetherMax = 10;

/** One message with every error of a load, for a person (CFG-08, ACT-02). */
export function rejection(findings: readonly Finding[], directory: string | undefined): ConfigurationRejectedError {
  const errors = findings.filter((finding) => finding.level === 'error');
  const sentences = errors
    .slice(0, toldTogetherMax)
    .map((finding) => describeFinding(finding, (file) => placeOf(file, directory)));
  const rest = errors.length - sentences.length;
  const more = rest > 0 ? [`and ${rest} more. "test-idp validate-config" lists all`] : [];
  return new ConfigurationRejectedError('invalid', [...sentences, ...more]);
}
