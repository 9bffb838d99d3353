// No OAuth parameter holds U+0000 (RFC 6749 appendix A). HTML forms and PostgreSQL's columns would return another text, so
// such a parameter is rejected by its name, on every store.
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { storedParameters } from '#shared/model/secrets/known-parameters.ts';
import { oauthError } from '../refusals/oauth-error.ts';

interface SentParameters {
  readonly pairs: readonly (readonly [name: string, value: string])[];
}

/**
 * Left to itself it looks at what the store keeps and what names a user or client. Codes, tokens and secrets are only compared,
 * and match nothing then.
 * @throws OAuthError invalid_request when one of `names` holds U+0000
 */
export function refuseNul({ pairs }: SentParameters, names = storedParameters): void {
  const found = pairs.find(([name, value]) => value.includes('\0') && names.has(name));
  if (found !== undefined) throw oauthError(authorizeRefusals.parameter_with_nul, { parameter: found[0] });
}
