// The one list of what this frontend serves. OAuth 2.0, OpenID Connect, the REST API and the web UI answer here; what
// lies under /saml belongs to the SAML frontend (see saml-relay.ts).
import { managementRoutes } from '#services/management/routes.ts';
import { authorityRoutes } from '#shared/engine/exchange/authority-route.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { staticRoutes } from '#shared/web/pages/static-routes.ts';
import { authorizeRoutes } from './authorize/routes.ts';
import { deviceRoutes } from './device/routes.ts';
import { discoveryRoutes } from './discovery.ts';
import { introspectRoutes } from './introspect.ts';
import { jwksRoutes } from './jwks.ts';
import { loginRoutes } from './login.ts';
import { logoutRoutes } from './logout/routes.ts';
import { openApiRoutes } from './openapi.ts';
import { pushedRequestRoutes } from './pushed/routes.ts';
import { registrationRoutes } from './registration/routes.ts';
import { revokeRoutes } from './revoke.ts';
import { tokenRoutes } from './token/routes.ts';
import { userinfoRoutes } from './userinfo.ts';

/** Nothing answers at these addresses themselves; what is unknown below them is no page (HDR-19). */
const areas: readonly Route[] = [
  { path: '/.well-known', surface: 'protocol', methods: {} },
  { path: '/saml', surface: 'protocol', methods: {} },
];

export const oidcRoutes: readonly Route[] = [
  ...areas,
  ...discoveryRoutes,
  ...jwksRoutes,
  ...authorizeRoutes,
  ...pushedRequestRoutes,
  ...tokenRoutes,
  ...userinfoRoutes,
  ...introspectRoutes,
  ...revokeRoutes,
  ...deviceRoutes,
  ...loginRoutes,
  ...logoutRoutes,
  ...registrationRoutes,
  ...openApiRoutes(() => oidcRoutes),
  ...managementRoutes,
  ...authorityRoutes,
  ...staticRoutes,
];
