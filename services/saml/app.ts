// The stages of a request to this front end, from its first byte to its response, and the only list of served routes.
// Under a supervisor the OIDC worker relays /saml here. Alone it also serves health, the authority's certificate and
// the static files of its pages (CLI-05).

import { Router } from 'express';
import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import { authorityRoutes } from '#shared/engine/exchange/authority-route.ts';
import { healthRoutes } from '#shared/engine/exchange/health-routes.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { staticRoutes } from '#shared/web/pages/static-routes.ts';
import { area } from '#shared/web/pipeline/area.ts';
import { boundBody } from '#shared/web/pipeline/bound-body.ts';
import { boundRate } from '#shared/web/pipeline/bound-rate.ts';
import { chooseEndpoint, existsNow } from '#shared/web/pipeline/choose-endpoint.ts';
import { crossOriginHeaders } from '#shared/web/pipeline/cross-origin.ts';
import { applyFaults, callEndpoint } from '#shared/web/pipeline/endpoint.ts';
import { findNamespace, matchInside } from '#shared/web/pipeline/find-namespace.ts';
import { refuseForeignHost } from '#shared/web/pipeline/own-host.ts';
import { refuseUnknownSandbox, unknownPath } from '#shared/web/pipeline/page-for-browser.ts';
import { readRequest, record } from '#shared/web/pipeline/read-request.ts';
import { answerError } from '#shared/web/pipeline/refusal-of.ts';
import { refuseSeveralAuthorizations, refuseSeveralHosts } from '#shared/web/pipeline/single-headers.ts';
import { routeStage, stage } from '#shared/web/pipeline/stage.ts';
import { attributeQuery } from './attribute-query.ts';
import { certificate } from './certificate.ts';
import { singleLogout } from './logout/endpoint.ts';
import { metadata } from './metadata.ts';
import { sso } from './sso/endpoint.ts';
import { idpInitiated } from './sso/idp-initiated.tsx';

const samlRoutes: readonly Route[] = [
  { path: '/saml', audience: 'protocol', methods: {} },
  {
    path: '/saml/metadata',
    faultyAs: 'saml_metadata',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { GET: metadata },
  },
  { path: '/saml/cert.pem', audience: 'protocol', overrides: readsNoCookie, methods: { GET: certificate } },
  {
    path: '/saml/sso',
    faultyAs: 'saml_sso',
    audience: 'navigation',
    methods: { GET: sso, POST: sso },
    getHasEffects: true,
  },
  {
    path: '/saml/idp-initiated',
    faultyAs: 'saml_sso',
    audience: 'navigation',
    methods: { GET: idpInitiated, POST: idpInitiated },
    getHasEffects: true,
    existsWhile: ({ settings }) => settings.saml.idp_initiated,
  },
  {
    path: '/saml/slo',
    faultyAs: 'saml_slo',
    audience: 'navigation',
    methods: { GET: singleLogout, POST: singleLogout },
    getHasEffects: true,
    existsWhile: ({ settings }) => settings.saml.single_logout,
  },
  {
    path: '/saml/attribute-query',
    faultyAs: 'saml_attribute_query',
    audience: 'protocol',
    methods: { POST: attributeQuery },
    seesRefusedBody: true,
  },
];

const healthAndAssets: readonly Route[] = [...healthRoutes, ...authorityRoutes, ...staticRoutes];

export const samlFrontendRoutes: readonly Route[] = [...samlRoutes, ...healthAndAssets];

/** Each stage responds to the request or lets it continue. answer.ts has the steps for every response. */
export function samlApp(): Router {
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
  app.use(matchInside);
  app.use(area(samlRoutes, onRoute));
  app.use(area(healthAndAssets, onRoute));
  app.use(stage(unknownPath));
  app.use(answerError);
  return app;
}
