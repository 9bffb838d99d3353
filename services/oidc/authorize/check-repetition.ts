// No parameter twice, `resource` excepted (AUT-05, RFC 6749 §3.1). client_id and redirect_uri were judged before.
import type { Parameters } from '#shared/http/parameters.ts';
import { oauthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { authorizeRefusals } from '#shared/refusals/families/authorize.ts';
import { oauthParameterNames } from './oauth-parameters.ts';

export function checkRepetition(query: Parameters): void {
  for (const name of [...oauthParameterNames, 'response_mode', 'prompt']) {
    if (name !== 'resource' && query.values(name).length > 1) {
      throw oauthError(authorizeRefusals.parameter_repeated, { parameter: name });
    }
  }
}
