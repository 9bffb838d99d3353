// The `claims` parameter. Unreadable parts are ignored with a warning, and the request continues (AUT-27, AUT-28).

import type { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { noRequestedClaims, type RequestedClaims } from '#shared/model/domain/authorization-request.ts';
import { parseClaimsRequest } from '#shared/model/oauth-rules/claims-request.ts';

export function requestedClaims(query: Parameters, clientId: string, context: ProtocolContext): RequestedClaims {
  const text = query.value('claims');
  if (text === undefined) return noRequestedClaims;
  const read = parseClaimsRequest(text);
  if (read?.unusable.length === 0) return read.claims;
  const who = context.snapshot.settings.logging.verbose_logging ? { client_id: clientId } : {};
  context.log.warn(
    { ...who, requestId: context.requestId },
    read === undefined
      ? 'ignored the claims parameter: it must be a JSON object with the objects id_token and userinfo'
      : `ignored ${read.unusable.length} members of the claims parameter: they must be null or an object`,
  );
  return read?.claims ?? noRequestedClaims;
}
