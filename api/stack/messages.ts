// What the process of a test and the stack that it started say to each other.
import type { StackFailure } from '#shared/base/start-refusal.ts';
import type { Prepared } from '../start-options.ts';
import type { PemKeys } from '../types.ts';

export interface StackOrder {
  readonly start: Prepared['start'];
  readonly oidcWorkers: number;
  /** 0: a free one. */
  readonly mcpPort: number;
  /** The pair to begin with; undefined: a directory or the configuration has one. */
  readonly keys: PemKeys | undefined;
}

export interface StackReady {
  readonly baseUrl: string;
  readonly mcpUrl: string;
}

/** In place of StackReady. */
export interface StackFailed {
  readonly failed: StackFailure;
}
