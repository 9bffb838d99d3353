// RFC 6749 §3.2: a parameter must not be sent more than once. One without a value counts as not sent. Unknown
// parameters are ignored, repeated or not (D33).
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '../refusals/oauth-error.ts';

interface SentParameters {
  readonly pairs: readonly (readonly [name: string, value: string])[];
}

/** @throws OAuthError invalid_request when one of `names` was sent twice. */
export function refuseDoubledParameters(parameters: SentParameters, names: ReadonlySet<string>): void {
  const { pairs } = parameters;
  for (let index = 1; index < pairs.length; index += 1) {
    const [name, value] = pairs[index] ?? [];
    if (name === undefined || value === '' || !names.has(name)) continue;
    for (let before = 0; before < index; before += 1) {
      if (pairs[before]?.[0] === name && pairs[before]?.[1] !== '') {
        throw oauthError(authorizeRefusals.parameter_repeated, { parameter: name });
      }
    }
  }
}
