// What an entry stores of the request itself, for people: the status and the parameters. For a parameter that may
// contain a secret, or that is unknown, only the name is stored (AUD-13).
import type { Parameters } from '#shared/base/parameters.ts';
import { auditedParameters as shown } from '#shared/model/secrets/known-parameters.ts';
import { withoutAddressSecrets } from '#shared/model/secrets/what-is-secret.ts';

/** A parameter as sent. null: it was sent, but its value is not stored. */
export type AuditedParameter = readonly [name: string, value: string | null];

export interface AuditedRequest {
  /** The id under which the recorder stores what happened before and after. undefined: the recorder was off. */
  readonly id?: string | undefined;
  /** The HTTP status of the response. A login that is one step of a request has no status. */
  readonly status?: number | undefined;
  /** In the order sent, including repeated ones, as many as fit. */
  readonly parameters: readonly AuditedParameter[];
}

/** Misspelt names match this pattern. A secret in the place of a name hardly ever does. */
const isName = (name: string) => /^[A-Za-z]+(?:[_-][A-Za-z]+)*$/.test(name) && name.length <= 40;

const parametersMax = 30;

export function auditedParameters(query: Parameters, form: Parameters): readonly AuditedParameter[] {
  const sent: AuditedParameter[] = [];
  for (const pairs of [query.pairs, form.pairs]) {
    for (const [name, value] of pairs) {
      if (sent.length === parametersMax) return sent;
      if (shown.has(name)) sent.push([name, withoutAddressSecrets(value)]);
      else if (isName(name)) sent.push([name, null]);
    }
  }
  return sent;
}

/** Details of a rejection: its message and its evidence contain what the request sent. */
export function withoutSecretsOfAddresses(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, maskedWithin(value)]));
}

function maskedWithin(value: unknown): unknown {
  if (typeof value === 'string') return withoutAddressSecrets(value);
  if (Array.isArray(value)) return value.map(maskedWithin);
  return typeof value === 'object' && value !== null ? withoutSecretsOfAddresses({ ...value }) : value;
}
