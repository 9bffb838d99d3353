// The paths of dynamic registration, which exist only while the feature is on (DCR-01, DCR-28). Who may cache what is
// said here too, since of these answers only those of POST /register and GET /register/<client_id> carry the no-store
// headers (HDR-01).
import { json, noStore, withHeaders } from '#shared/http/reply.ts';
import type { Endpoint } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { deleteRegistration, readRegistration } from './manage.ts';
import { register } from './register.ts';

const existsWhile: Route['existsWhile'] = ({ settings }) => settings.oauth.dynamic_registration.enabled;

export const registrationRoutes: readonly Route[] = [
  {
    path: '/register',
    surface: 'protocol',
    existsWhile,
    methods: { POST: uncached(register) },
    rateBucket: 'register',
  },
  {
    path: '/register/:client_id',
    surface: 'protocol',
    existsWhile,
    methods: { GET: uncached(readRegistration), DELETE: deleteRegistration },
  },
];

/** Answers and refusals alike; what the endpoint does not build (503) is the dispatcher's. */
function uncached(endpoint: Endpoint): Endpoint {
  return async (request, context) => {
    try {
      return withHeaders(await endpoint(request, context), noStore);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return json(error.status, error.body, { ...error.headers, ...noStore });
    }
  };
}
