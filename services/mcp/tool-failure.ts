/** A handler that cannot do what it was asked: `{success: false, error, kind?}` (MCP-17). Never repeats an argument. */
export class ToolFailure extends Error {
  readonly kind: string | undefined;
  constructor(message: string, options: { readonly kind?: string; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.kind = options.kind;
  }
}
