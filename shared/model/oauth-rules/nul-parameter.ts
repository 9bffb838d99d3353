// No OAuth parameter may contain U+0000 (RFC 6749 appendix A). HTML forms and PostgreSQL's columns would return a
// different text. So every store rejects such a parameter and names it.
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { storedParameters } from '#shared/model/secrets/known-parameters.ts';
import { oauthError } from '../refusals/oauth-error.ts';

interface SentParameters {
  readonly pairs: readonly (readonly [name: string, value: string])[];
}

/**
 * By default it checks parameters that the store keeps or that name a user or client. Codes, tokens and secrets are
 * only compared, and then match nothing.
 * @throws OAuthError invalid_request when one of `names` holds U+0000
 */
export function refuseNul({ pairs }: SentParameters, names = storedParameters): void {
  const found = pairs.find(([name, value]) => value.includes('\0') && names.has(name));
  if (found !== undefined) throw oauthError(authorizeRefusals.parameter_with_nul, { parameter: found[0] });
}
