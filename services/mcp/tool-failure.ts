import type { ToolRefusalRow } from '#shared/model/refusals/families/mcp-tools.ts';
import { type Found, type Refusal, type Refused, RefusedError, refused } from '#shared/model/refusals/refusal.ts';

/** A handler cannot fulfil its call: `{success: false, error, kind?}` (MCP-17). Never repeats an argument. */
export class ToolFailure extends RefusedError {
  readonly kind: string | undefined;
  constructor({ kind }: { readonly kind?: string | undefined }, happened: Refused) {
    super(happened);
    this.kind = kind;
  }
}

/** Returns the failure of a row, for the caller to throw. */
export function toolFailure<Row extends ToolRefusalRow & Refusal>(row: Row, ...found: Found<Row>): ToolFailure {
  return new ToolFailure(row, refused(row, ...found));
}
