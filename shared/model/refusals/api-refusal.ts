// A refusal of the REST API: status, `kind` where a program may want to decide, sentence.
import { docs } from './references.ts';
import { declareRefusals, type RefusalRow } from './refusal.ts';

export interface ApiRefusalRow<Facts = never> extends RefusalRow<Facts> {
  readonly status: number;
  readonly kind?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where what it answers is written. */
export const inRestApi = { standard: docs('errors.md#rest-api') } as const;

export function declareApiRefusals<const Table extends Readonly<Record<string, ApiRefusalRow>>>(table: Table) {
  return declareRefusals<ApiRefusalRow, Table>(table);
}
