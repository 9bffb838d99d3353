// The `claims` parameter; one that cannot be read is ignored with a warning and the request goes on (AUT-27, AUT-28).
import { noRequestedClaims, type RequestedClaims } from '#shared/domain/authorization-request.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { parseClaimsRequest } from '#shared/protocol/oidc/claims-request.ts';

export function requestedClaims(query: Parameters, clientId: string, context: RequestContext): RequestedClaims {
  const text = query.value('claims');
  if (text === undefined) return noRequestedClaims;
  const claims = parseClaimsRequest(text);
  if (claims !== undefined) return claims;
  const who = context.snapshot.settings.logging.verbose_logging ? { client_id: clientId } : {};
  context.log.warn(
    { ...who, requestId: context.requestId },
    'the claims parameter is no JSON object of id_token and userinfo objects and is ignored',
  );
  return noRequestedClaims;
}
