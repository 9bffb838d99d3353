// What a start would report about a configuration directory, without starting anything. No hook and no plugin runs, and
// keys and store are not touched (CLI-11 to CLI-13, HOK-13, MCP-48). All errors are reported together.
import type { Stopwatch } from '#shared/base/clock.ts';
import { describeFinding, type Finding, type FindingLevel } from '#shared/model/configuration/finding.ts';
import { ConfigurationUnavailableError } from './active-configuration.ts';
import { loadDirectory } from './load/load-directory.ts';
import type { LoadOptions } from './load/load-options.ts';
import type { Environment } from './load/placeholders.ts';
import { problemOfDirectory } from './load/read-files.ts';
import { withDirectoryLock } from './observe-directory.ts';

export interface DiagnosedFinding {
  readonly level: FindingLevel;
  /** The whole sentence, beginning with the key's dotted path. */
  readonly message: string;
  /** One of the two files, the absolute path of a file that they name, or null: the directory itself. */
  readonly file: string | null;
  readonly path: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

export type Diagnosis =
  | {
      readonly config_dir: string;
      /** The mode that the files set. */
      readonly config_validation: 'strict' | 'default';
      /** Whether this check was strict. */
      readonly strict: boolean;
      readonly status: 'valid' | 'invalid';
      readonly valid: boolean;
      readonly findings: readonly DiagnosedFinding[];
    }
  /** The directory could not be observed, so nothing was validated (CFG-16). */
  | {
      readonly config_dir: string;
      readonly status: 'unavailable';
      readonly error: string;
      readonly kind: 'configuration_unavailable';
    };

interface DiagnoseOptions {
  /** Absolute path. */
  readonly directory: string;
  readonly environment: Environment;
  readonly problemsOfFault: LoadOptions['problemsOfFault'];
  /** Overrides the files' own mode; undefined: the files decide. */
  readonly strict?: boolean | undefined;
  readonly stopwatch: Stopwatch;
  readonly lockDeadlineMilliseconds?: number;
}

export async function diagnoseDirectory(options: DiagnoseOptions): Promise<Diagnosis> {
  const { directory, environment, problemsOfFault, strict } = options;
  const problem = problemOfDirectory(directory);
  if (problem !== undefined) {
    const finding = { level: 'error', message: problem, file: null, path: null, line: null, column: null } as const;
    return diagnosis(directory, 'default', strict ?? false, [finding]);
  }
  try {
    const load = await withDirectoryLock(directory, options, () =>
      loadDirectory({ directory, environment, problemsOfFault, strictOverride: strict }),
    );
    return diagnosis(directory, load.declaredValidation, load.strict, load.findings.map(diagnosed(load.strict)));
  } catch (error) {
    if (!(error instanceof ConfigurationUnavailableError)) throw error;
    return {
      config_dir: directory,
      status: 'unavailable',
      error: 'The configuration directory cannot be read, so nothing was validated.',
      kind: 'configuration_unavailable',
    };
  }
}

function diagnosis(
  directory: string,
  declared: 'strict' | 'default',
  strict: boolean,
  findings: readonly DiagnosedFinding[],
): Diagnosis {
  const valid = findings.every((finding) => finding.level !== 'error');
  const status = valid ? 'valid' : 'invalid';
  return { config_dir: directory, config_validation: declared, strict, status, valid, findings };
}

/** A finding as `validate-config --json` shows it. */
export function diagnosed(strict: boolean) {
  return (finding: Finding): DiagnosedFinding => ({
    // A start continues without a file, but a strict check reports it as an error (CLI-12).
    level: strict && finding.missingFile === true ? 'error' : finding.level,
    message: describeFinding(withoutFile(finding)),
    file: finding.otherFile ?? finding.file ?? null,
    path: finding.path ?? null,
    line: finding.line ?? null,
    column: finding.column ?? null,
  });
}

function withoutFile({ otherFile: _, ...finding }: Finding): Finding {
  return { ...finding, file: undefined };
}
