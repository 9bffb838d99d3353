// No parameter twice, `resource` excepted (AUT-05, RFC 6749 §3.1), and none with U+0000. client_id and redirect_uri were judged before. What only asks about a
// session counts while sessions are on, and else changes nothing (AUT-26).
import type { Parameters } from '#shared/base/parameters.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { oauthParameterNames } from './oauth-parameters.ts';

const askingOfSessions = ['max_age', 'id_token_hint', 'acr_values', 'login_hint'] as const;

export function checkRepetition(query: Parameters, areSessionsOn: boolean): void {
  const read = [...oauthParameterNames, 'response_mode', 'prompt', ...(areSessionsOn ? askingOfSessions : [])];
  for (const name of read) {
    if (name !== 'resource' && query.values(name).length > 1) {
      throw oauthError(authorizeRefusals.parameter_repeated, { parameter: name });
    }
  }
  // The login page shows a login_hint in any case.
  refuseNul(query, new Set([...read, 'login_hint']));
}
