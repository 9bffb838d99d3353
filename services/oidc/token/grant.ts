// The interface of a grant for the token endpoint. A grant receives an authenticated client and returns the subject of
// the tokens. It never sees `exp` or `extra`, and never issues tokens or responds. So it cannot skip the steps that all
// grants share (TOK-02).

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { RequestFacts } from '#shared/engine/faults/fault-row.ts';
import type { EffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { ClientAuthorization, UserAuthorization } from '#shared/engine/tokens/authorization.ts';
import type { GrantType } from '#shared/model/oauth-rules/grants.ts';
import { tokenRefusals } from '#shared/model/refusals/families/token.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';

/** A token request whose client is authenticated and whose shared parameters are checked. */
export interface GrantRequest extends Pick<EffectiveClient, 'client' | 'origin'> {
  /** The instance id of a runtime client. */
  readonly instanceId: string | undefined;
  /** The thumbprint of the key in a DPoP proof. undefined: no proof was sent. */
  readonly provenKey: string | undefined;
  readonly form: Parameters;
}

export type Granted = (
  | { readonly subject: 'client'; readonly authorization: ClientAuthorization }
  | { readonly subject: 'user'; readonly authorization: UserAuthorization }
) & {
  /** Unknown scopes that were dropped (UNK-02). */
  readonly ignored: readonly string[];
};

/** As if this scope had not been granted, for later refreshes too. */
export function withoutScope(granted: Granted, name: string): Granted {
  const narrowed = (scope: readonly string[]) => scope.filter((each) => each !== name);
  if (granted.subject === 'client') {
    const { authorization } = granted;
    return { ...granted, authorization: { ...authorization, scope: narrowed(authorization.scope) } };
  }
  const { authorization } = granted;
  const { scope, refresh } = authorization;
  const narrow = { scope: narrowed(scope), refresh: refresh && { ...refresh, scope: narrowed(refresh.scope) } };
  return { ...granted, authorization: { ...authorization, ...narrow } };
}

export interface Grant {
  readonly type: GrantType;
  /**
   * Reads and checks everything first. The only atomic claim of a code or token in the store comes last, so that a
   * rejected request consumes nothing (GRT-06, GRT-27, REF-08).
   * @throws OAuthError
   */
  authorize(request: GrantRequest, context: ProtocolContext): Promise<Granted>;
  /**
   * The user and client of a request, for the conditions of faults. Changes nothing. undefined: the request names
   * neither.
   */
  readFacts?(form: Parameters, context: ProtocolContext): Promise<RequestFacts>;
}

/** @throws OAuthError invalid_request naming the first parameter that is missing. */
export function requiredParameter(form: Parameters, name: string): string {
  const value = form.value(name);
  if (value === undefined) {
    throw oauthError(tokenRefusals.grant_parameter_missing, { parameter: name });
  }
  return value;
}
