// What an edit of the files promises: proved on the result before anything is written.
import type { KeyPath } from '#shared/model/configuration/finding.ts';
import type { LoadedConfiguration } from '../load/load-configuration.ts';

export interface ChangeExpectation {
  /** Whether the loaded result says what the changes asked for. */
  holds(result: LoadedConfiguration): boolean;
  /** What to name when it does not. */
  readonly file: 'settings.yaml' | 'users.yaml';
  readonly path: KeyPath;
}
