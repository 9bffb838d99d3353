// The stages of a request to this front end, from its first byte to its response, and the only list of served routes.
// OAuth 2.0, OpenID Connect, the REST API and the web UI are served here. Paths under /saml belong to the SAML front
// end (see saml-relay.ts).
import { Router } from 'express';
import { managementRoutes } from '#services/management/routes.ts';
import { authorityRoutes } from '#shared/engine/exchange/authority-route.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { staticRoutes } from '#shared/web/pages/static-routes.ts';
import { area } from '#shared/web/pipeline/area.ts';
import { boundBody } from '#shared/web/pipeline/bound-body.ts';
import { boundRate } from '#shared/web/pipeline/bound-rate.ts';
import { chooseEndpoint, existsNow } from '#shared/web/pipeline/choose-endpoint.ts';
import { crossOriginHeaders } from '#shared/web/pipeline/cross-origin.ts';
import { applyFaults, callEndpoint } from '#shared/web/pipeline/endpoint.ts';
import { findNamespace, matchInside, relay } from '#shared/web/pipeline/find-namespace.ts';
import { refuseForeignHost } from '#shared/web/pipeline/own-host.ts';
import { refuseUnknownSandbox, unknownPath } from '#shared/web/pipeline/page-for-browser.ts';
import { readRequest, record } from '#shared/web/pipeline/read-request.ts';
import { answerError } from '#shared/web/pipeline/refusal-of.ts';
import { refuseSeveralAuthorizations, refuseSeveralHosts } from '#shared/web/pipeline/single-headers.ts';
import { routeStage, stage } from '#shared/web/pipeline/stage.ts';
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

/** These addresses serve nothing themselves. Unknown paths below them get no page (HDR-19). */
const unservedRoutes: readonly Route[] = [
  { path: '/.well-known', audience: 'protocol', methods: {} },
  { path: '/saml', audience: 'protocol', methods: {} },
];

const protocolRoutes: readonly Route[] = [
  ...unservedRoutes,
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
];

/** The routes of the REST API and the web UI. */
const managementAndAssets: readonly Route[] = [...managementRoutes, ...authorityRoutes, ...staticRoutes];

/**
 * The areas in the order in which they are searched for a path: the protocol endpoints first, since they are the
 * busiest.
 */
export const oidcAreas: readonly (readonly Route[])[] = [protocolRoutes, managementAndAssets];

export const oidcRoutes: readonly Route[] = oidcAreas.flat();

/** Each stage responds to the request or lets it continue. answer.ts has the steps for every response. */
export function oidcApp(areas = oidcAreas): Router {
  const onRoute = Router();
  onRoute.use(routeStage(crossOriginHeaders));
  onRoute.use(routeStage(refuseUnknownSandbox));
  onRoute.use(routeStage(record));
  onRoute.use(routeStage(existsNow));
  onRoute.use(routeStage(refuseForeignHost));
  onRoute.use(routeStage(refuseSeveralAuthorizations));
  onRoute.use(routeStage(chooseEndpoint));
  onRoute.use(routeStage(boundRate));
  onRoute.use(routeStage(boundBody));
  onRoute.use(routeStage(readRequest));
  onRoute.use(routeStage(applyFaults));
  onRoute.use(routeStage(callEndpoint));
  onRoute.use(answerError);

  const app = Router();
  app.use(stage(refuseSeveralHosts));
  app.use(stage(crossOriginHeaders));
  app.use(stage(findNamespace));
  app.use(relay);
  app.use(matchInside);
  for (const routes of areas) app.use(area(routes, onRoute));
  app.use(stage(unknownPath));
  app.use(answerError);
  return app;
}
