// No parameter twice, `resource` excepted (AUT-05, RFC 6749 §3.1). client_id and redirect_uri were judged before.
import type { Parameters } from '#shared/http/parameters.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { oauthParameterNames } from './oauth-parameters.ts';

export function checkRepetition(query: Parameters): void {
  for (const name of [...oauthParameterNames, 'response_mode', 'prompt']) {
    if (name !== 'resource' && query.values(name).length > 1) {
      throw new OAuthError('invalid_request', `The parameter ${name} must be sent only once.`);
    }
  }
}
