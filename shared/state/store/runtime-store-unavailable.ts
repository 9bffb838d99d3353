// The store stayed locked by another process past the operation's deadline of 5 s, or its disk is full, read-only or
// broken: 503 `runtime_store_unavailable` with Retry-After 1 (STO-15), MCP_RUNTIME_STORE_UNAVAILABLE at MCP.

import type { StoreFailure } from './ports/condition.ts';

export class RuntimeStoreUnavailableError extends Error {
  readonly trouble: StoreFailure;
  /** Whether the store has logged the error itself, so that the request handler need not. */
  readonly isLogged: boolean;

  constructor(options: { cause?: unknown; trouble?: StoreFailure; isLogged?: boolean } = {}) {
    super('The runtime store is busy or not writable.', { cause: options.cause });
    this.trouble = options.trouble ?? 'unusable';
    this.isLogged = options.isLogged ?? false;
  }
}
