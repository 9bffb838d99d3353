// Rejects repeated parameters, except `resource` (AUT-05, RFC 6749 §3.1), and parameters with U+0000. client_id and
// redirect_uri were checked before. Parameters about a session count only while sessions are on. Otherwise they have no
// effect (AUT-26).
import type { Parameters } from '#shared/base/parameters.ts';
import { refuseNul } from '#shared/model/oauth-rules/nul-parameter.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { parametersReadBy, singleParametersOf } from '#shared/model/secrets/known-parameters.ts';

const parameters = parametersReadBy('authorize', 'authorize_options');
const parametersWithSessions = parametersReadBy('authorize', 'authorize_options', 'authorize_sessions');
const singleParameters = singleParametersOf('authorize', 'authorize_options', 'authorize_sessions');

export function checkRepetition(query: Parameters, areSessionsOn: boolean): void {
  const read = areSessionsOn ? parametersWithSessions : parameters;
  for (const name of read) {
    if (singleParameters.has(name) && query.values(name).length > 1) {
      throw oauthError(authorizeRefusals.parameter_repeated, { parameter: name });
    }
  }
  // The login page always shows a login_hint.
  refuseNul(query, new Set([...read, 'login_hint']));
}
