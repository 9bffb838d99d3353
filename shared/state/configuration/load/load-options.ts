// What decides beside the texts of the files when they are loaded.

import type { ProblemsOfFault } from '#shared/model/configuration/fault-entry.ts';
import type { TlsInForce } from '#shared/model/configuration/settings/tls.ts';
import type { SecurityProfile } from '#shared/model/configuration/settings.ts';
import type { Environment } from './placeholders.ts';

export interface LoadOptions {
  /** Absolute path of the configuration directory; undefined: the embedded configuration (PKG-13). */
  readonly directory: string | undefined;
  /** Without a directory: the texts that stand in for the embedded configuration (API-03). */
  readonly given?: { readonly settings: string; readonly users: string } | undefined;
  /** Where keys are kept whatever the settings say, as an absolute path; without a directory undefined: in memory. */
  readonly keysDirectory?: string | undefined;
  readonly environment: Environment;
  /** Judges entries of `faults`, whose catalogue lies above the loader. */
  readonly problemsOfFault: ProblemsOfFault;
  /** `--strict-config`, `--strict`: decides instead of the file. */
  readonly strictOverride?: boolean | undefined;
  /** `--profile`. */
  readonly profileOverride?: SecurityProfile | undefined;
  /** `--tls`, or what a running process began with, decides instead of `server.tls` (TLS-01). */
  readonly tlsInForce?: TlsInForce | undefined;
}
