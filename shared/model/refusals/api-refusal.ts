// A rejection by the REST API: status, message, and `kind` where a program may need to distinguish it.
import { docs } from './references.ts';
import { declareRefusals, type RefusalRow } from './refusal.ts';

export interface ApiRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly kind?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where its responses are documented. */
export const inRestApi = { standard: docs('errors.md#rest-api') } as const;

export function declareApiRefusals<const Table extends Readonly<Record<string, ApiRefusalRow>>>(table: Table) {
  return declareRefusals<ApiRefusalRow, Table>(table);
}
