// The parameters of a request to /logout (OIDC Logout §2).

import type { Parameters } from '#shared/base/parameters.ts';
import type { LogoutRequest } from '#shared/model/domain/logout-confirmation.ts';
import type { IdTokenHint } from '../id-token-hint.ts';

/** `hint`: the content of the id_token_hint, if it is valid. */
export function logoutRequestOf(parameters: Parameters, hint: IdTokenHint | undefined): LogoutRequest {
  return {
    clientId: parameters.value('client_id') ?? hint?.clientId,
    hint: hint && { clientId: hint.clientId },
    address: parameters.value('post_logout_redirect_uri'),
    state: parameters.value('state'),
  };
}
