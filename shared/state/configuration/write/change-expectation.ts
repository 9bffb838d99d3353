// The expected result of an edit, proved before anything is written.
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import type { LoadedConfiguration } from '../load/load-configuration.ts';

export interface ChangeExpectation {
  /** Whether the loaded result contains the requested changes. */
  holds(result: LoadedConfiguration): boolean;
  /** The file to name when it does not. */
  readonly file: 'settings.yaml' | 'users.yaml';
  readonly path: KeyPath;
}
