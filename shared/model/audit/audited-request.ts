// What an entry keeps of the request itself, for people: the status answered, and the parameters sent. Of a parameter that
// may carry a secret, or that nobody here knows, the name alone is kept (AUD-13).
import type { Parameters } from '#shared/base/parameters.ts';
import { auditedParameters as shown } from '#shared/model/secrets/known-parameters.ts';
import { withoutAddressSecrets } from '#shared/model/secrets/what-is-secret.ts';

/** A parameter as it was sent; null: it was there, and its value is nobody's affair. */
export type AuditedParameter = readonly [name: string, value: string | null];

export interface AuditedRequest {
  /** The id by which the recorder tells what came before and after; undefined: it was off. */
  readonly id?: string | undefined;
  /** The HTTP status answered; a login that is one step of a request has none of its own. */
  readonly status?: number | undefined;
  /** In the order sent, doubled ones included, as many as there is room for. */
  readonly parameters: readonly AuditedParameter[];
}

/** What a person misspelt looks like this; a secret in the place of a name hardly ever does. */
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

/** Details of a refusal: what was sent stands in its sentence and its evidence. */
export function withoutSecretsOfAddresses(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, maskedWithin(value)]));
}

function maskedWithin(value: unknown): unknown {
  if (typeof value === 'string') return withoutAddressSecrets(value);
  if (Array.isArray(value)) return value.map(maskedWithin);
  return typeof value === 'object' && value !== null ? withoutSecretsOfAddresses({ ...value }) : value;
}
