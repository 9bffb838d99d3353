// The messages between the process of a test and the stack that it started.
import type { StackFailure } from '#shared/base/start-refusal.ts';
import type { Prepared } from '../start-options.ts';
import type { PemKeys } from '../types.ts';

export interface StackOrder {
  readonly start: Prepared['start'];
  readonly oidcWorkers: number;
  /** 0: any free port. */
  readonly mcpPort: number;
  /** The first signing key pair. undefined: the directory or the configuration already provides one. */
  readonly keys: PemKeys | undefined;
}

export interface StackReady {
  readonly baseUrl: string;
  readonly mcpUrl: string;
}

/** Sent instead of StackReady. */
export interface StackFailed {
  readonly failed: StackFailure;
}
