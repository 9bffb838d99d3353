// The options of a load, except the texts of the files.

import type { ProblemsOfFault } from '#shared/model/configuration/fault-entry.ts';
import type { TlsInForce } from '#shared/model/configuration/settings/tls.ts';
import type { SecurityProfile } from '#shared/model/configuration/settings.ts';
import type { Environment } from './placeholders.ts';

export interface LoadOptions {
  /** Absolute path of the configuration directory; undefined: the embedded configuration (PKG-13). */
  readonly directory: string | undefined;
  /** Without a directory: the texts that replace the embedded configuration (API-03). */
  readonly given?: { readonly settings: string; readonly users: string } | undefined;
  /**
   * Where keys are stored whatever the settings contain, as an absolute path; without a directory undefined: in memory.
   */
  readonly keysDirectory?: string | undefined;
  readonly environment: Environment;
  /** Checks entries of `faults`, whose catalogue is in a layer above the loader. */
  readonly problemsOfFault: ProblemsOfFault;
  /** `--strict-config`, `--strict`: overrides the file. */
  readonly strictOverride?: boolean | undefined;
  /** `--profile`. */
  readonly profileOverride?: SecurityProfile | undefined;
  /** `--tls`, or its value at the start of a running process, overrides `server.tls` (TLS-01). */
  readonly tlsInForce?: TlsInForce | undefined;
}
