// The store stayed locked by somebody else past the operation's deadline of 5 s, or its disk is full, read-only or broken:
// 503 `runtime_store_unavailable` with Retry-After 1 (STO-15), MCP_RUNTIME_STORE_UNAVAILABLE at MCP.
export class RuntimeStoreUnavailableError extends Error {
  constructor(options?: { cause?: unknown }) {
    super('The runtime store is busy or cannot be written to.', options);
  }
}
