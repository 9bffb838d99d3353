// The configuration in the files, before anything is opened: it contains host, port and store. The process that runs
// on_before_load for a start does so here, before the files are read (HOK-02, HOK-04).
import type { Logger } from '#shared/base/logger.ts';
import { describeFinding, type Finding } from '#shared/model/configuration/finding.ts';
import type { TlsInForce } from '#shared/model/configuration/settings/tls.ts';
import type { SecurityProfile } from '#shared/model/configuration/settings.ts';
import type { ConfiguredPlugins } from './hooks/configured-plugins.ts';
import type { FailureCounts, HookRunner } from './hooks/hook-runner.ts';
import type { PluginSet } from './hooks/load-plugins.ts';
import { hooksBeforeLoad, runBeforeLoad } from './hooks/run-before-load.ts';
import { baseDirectory } from './load/base-directory.ts';
import type { LoadedConfiguration } from './load/load-configuration.ts';
import { loadFiles, placeOf, rejection } from './load/load-directory.ts';
import type { LoadOptions } from './load/load-options.ts';
import type { Environment } from './load/placeholders.ts';
import { type ConfigurationTexts, readConfigurationFiles, textOf } from './load/read-files.ts';
import { type DirectoryDependencies, withDirectoryLock } from './observe-directory.ts';

export interface DeclaredConfigurationOptions extends DirectoryDependencies {
  /** Absolute path; undefined: the embedded configuration (PKG-13). */
  readonly directory: string | undefined;
  readonly given?: LoadOptions['given'];
  /** Where keys are stored, regardless of the settings. */
  readonly keysDirectory?: string | undefined;
  /** `--profile`. */
  readonly profileOverride?: SecurityProfile | undefined;
  /** `--tls`, or the value at the start of this process. */
  readonly tlsInForce?: TlsInForce | undefined;
  /** `--strict-config`. */
  readonly strictOverride?: boolean | undefined;
  /** Run on_before_load before the files are read: one process of a stack does. */
  readonly runBeforeLoadHook?: boolean;
  /**
   * Another process of the stack read these files first and logged its findings, so this one logs them at level debug.
   */
  readonly reportedBySibling?: boolean;
  /** Aborted when the caller no longer waits for the load: a running hook is ended, and the reason thrown. */
  readonly givenUp?: AbortSignal | undefined;
  readonly environment: Environment;
  readonly problemsOfFault: LoadOptions['problemsOfFault'];
  /**
   * What this process already loaded with the same options, where no file can have changed since. It is not loaded
   * again.
   */
  readonly loaded?: AcceptedLoad | undefined;
  readonly log: Logger;
}

/** A load without errors. */
export interface AcceptedLoad {
  readonly configuration: LoadedConfiguration;
  readonly texts: ConfigurationTexts;
  readonly findings: readonly Finding[];
}

/** The content of the files, ready to be activated. */
export interface DeclaredConfiguration {
  /** It has no generation, because it is not active yet. */
  readonly configuration: LoadedConfiguration;
  readonly texts: ConfigurationTexts;
  /** The hooks that ran before the files were read, when there were any. */
  readonly hooks: HookRunner | undefined;
}

/**
 * Loads and validates without activating anything. Warnings go to the log, once for a whole stack (CFG-31).
 * @throws ConfigurationRejectedError with every error in one message, ConfigurationUnavailableError without the lock.
 */
export async function readDeclaredConfiguration(options: DeclaredConfigurationOptions): Promise<DeclaredConfiguration> {
  const { loaded } = options;
  if (loaded !== undefined) return declaredBy(loaded, undefined, options);
  const { hooks, files } = await readAfterHooks(options, { present: undefined, failures: new Map() });
  const { configuration, texts, findings } = loadFiles(files, loadOptions(options));
  if (configuration === undefined || texts === undefined) throw rejection(findings, options.directory);
  return declaredBy({ configuration, texts, findings }, hooks, options);
}

function declaredBy(
  { configuration, texts, findings }: AcceptedLoad,
  hooks: HookRunner | undefined,
  options: DeclaredConfigurationOptions,
): DeclaredConfiguration {
  logFindings(findings, options);
  return { configuration, texts, hooks };
}

/** Both files in one observation, after on_before_load if requested and declared. */
export async function readAfterHooks(
  options: Omit<DeclaredConfigurationOptions, 'problemsOfFault'>,
  known: {
    readonly present: PluginSet | undefined;
    readonly failures: FailureCounts;
    readonly configured?: ConfiguredPlugins;
  },
) {
  const { directory, environment, log, givenUp } = options;
  const observe = () => withDirectoryLock(directory, options, () => readConfigurationFiles(directory));
  const files = await observe();
  const declared =
    options.runBeforeLoadHook === true ? hooksBeforeLoad(textOf(files.settings), environment) : undefined;
  if (declared === undefined) return { hooks: undefined, files };
  const hooks = await runBeforeLoad(declared, { directory: baseDirectory(directory), log, givenUp, ...known });
  return { hooks, files: await observe() };
}

export function loadOptions(options: Pick<DeclaredConfigurationOptions, keyof LoadOptions>): LoadOptions {
  const { directory, given, keysDirectory, environment, problemsOfFault, profileOverride, tlsInForce } = options;
  // `--strict-config` makes a run strict. Without it the file decides (CFG-29).
  return {
    directory,
    given,
    keysDirectory,
    environment,
    problemsOfFault,
    profileOverride,
    tlsInForce,
    strictOverride: options.strictOverride === true ? true : undefined,
  };
}

/** Findings that do not stop a load are logged as warnings, deprecated keys too (CFG-31). */
export function logFindings(
  findings: readonly Finding[],
  { directory, log, reportedBySibling }: Pick<DeclaredConfigurationOptions, 'directory' | 'log' | 'reportedBySibling'>,
): void {
  const level = reportedBySibling === true ? 'debug' : 'warn';
  for (const finding of findings) {
    if (finding.level !== 'error') log[level](describeFinding(finding, (file) => placeOf(file, directory)));
  }
}
