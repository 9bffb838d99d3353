// The paths of dynamic registration, which exist only while the feature is on: then other methods answer 405, else
// everything answers 404 (DCR-01, DCR-28). Who may cache what is said here too, since of these answers only those of
// POST /register and GET /register/<client_id> carry the no-store headers (HDR-01).
import { json, noStore, type Reply, withHeaders } from '#shared/http/reply.ts';
import type { Endpoint } from '#shared/http/request.ts';
import type { HttpMethod, Route } from '#shared/http/route.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { deleteRegistration, readRegistration } from './manage.ts';
import { register } from './register.ts';

type Methods = Partial<Record<HttpMethod, Endpoint>>;

const methodNames: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const registrationRoutes: readonly Route[] = [
  {
    path: '/register',
    surface: 'protocol',
    methods: whileEnabled({ POST: uncached(register) }),
    rateBucket: 'register',
  },
  {
    path: '/register/:client_id',
    surface: 'protocol',
    methods: whileEnabled({ GET: uncached(readRegistration), DELETE: deleteRegistration }),
  },
];

function whileEnabled(served: Methods): Methods {
  const allow = [...Object.keys(served), ...(served.GET === undefined ? [] : ['HEAD']), 'OPTIONS'].join(', ');
  const guarded: Methods = {};
  for (const name of methodNames) {
    const endpoint = served[name] ?? notAllowed(allow);
    guarded[name] = async (request, context) =>
      context.snapshot.settings.oauth.dynamic_registration.enabled
        ? endpoint(request, context)
        : json(404, { error: 'not_found' });
  }
  return guarded;
}

function notAllowed(allow: string): Endpoint {
  return async ({ method }): Promise<Reply> =>
    json(
      405,
      { error: 'method_not_allowed', error_description: `${method} is not served here; allowed: ${allow}.` },
      { Allow: allow },
    );
}

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
