// The claims of a token, verified or not, for the conditions of faults (FLT-05).
import { decodeToken } from '#shared/engine/tokens/verify-token.ts';
import { parseScope } from '#shared/model/oauth-rules/scope.ts';
import type { RequestFacts } from './fault-row.ts';

export function ofToken(token: string | undefined): RequestFacts {
  const claims = token === undefined ? undefined : decodeToken(token)?.payload;
  if (claims === undefined) return {};
  const { sub, scope } = claims;
  const client_id = text(claims.client_id) ?? text(claims.azp) ?? text(claims.aud);
  return {
    client_id,
    username: sub === client_id ? undefined : text(sub),
    scope: typeof scope === 'string' ? parseScope(scope) : undefined,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
