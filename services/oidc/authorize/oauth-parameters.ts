// The ten parameters that make a query an OAuth request, and the comparison of two requests as they were sent (AUT-03,
// AUT-04, AUT-34).
import type { Parameters } from '#shared/base/parameters.ts';
import { parametersReadBy } from '#shared/model/secrets/known-parameters.ts';

const oauthParameterNames = parametersReadBy('authorize');

type Pairs = readonly (readonly [name: string, value: string])[];

/** Whether one of the ten is present, even without a value. */
export function isOAuthRequest(parameters: Parameters): boolean {
  return oauthParameterNames.some((name) => parameters.has(name));
}

/** The ten as sent. Those without a value count as not sent. */
export function oauthParametersOf(parameters: Parameters): Pairs {
  return oauthParameterNames.flatMap((name) => parameters.values(name).map((value) => [name, value] as const));
}

/** The parameters of the ten that a body contained, for the audit: they are never read from a body (AUT-33, AUD-16). */
export function oauthFieldNames(form: Parameters): readonly string[] {
  return oauthParameterNames.filter((name) => form.has(name));
}

/** Both lists come from `oauthParametersOf`, so that only the order of repeated values can differ. */
export function isSameOAuthRequest(left: Pairs, right: Pairs): boolean {
  return (
    left.length === right.length &&
    left.every(([name, value], index) => name === right[index]?.[0] && value === right[index]?.[1])
  );
}
