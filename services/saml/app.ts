// The one list of what the SAML frontend serves. Under a supervisor the door relays /saml here; alone it also answers
// health, the authority's certificate and the static files of its pages (CLI-05).
import { authorityRoutes } from '#shared/engine/exchange/authority-route.ts';
import { healthRoutes } from '#shared/engine/exchange/health-routes.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { staticRoutes } from '#shared/web/pages/static-routes.ts';
import { attributeQuery } from './attribute-query.ts';
import { certificate } from './certificate.ts';
import { singleLogout } from './logout/endpoint.ts';
import { metadata } from './metadata.ts';
import { sso } from './sso/endpoint.ts';
import { idpInitiated } from './sso/idp-initiated.tsx';

const samlRoutes: readonly Route[] = [
  { path: '/saml', surface: 'protocol', methods: {} },
  { path: '/saml/metadata', faultyAs: 'saml_metadata', surface: 'protocol', methods: { GET: metadata } },
  { path: '/saml/cert.pem', surface: 'protocol', methods: { GET: certificate } },
  {
    path: '/saml/sso',
    faultyAs: 'saml_sso',
    surface: 'page',
    methods: { GET: sso, POST: sso },
    getHasEffects: true,
    navigated: true,
  },
  {
    path: '/saml/idp-initiated',
    faultyAs: 'saml_sso',
    surface: 'page',
    methods: { GET: idpInitiated, POST: idpInitiated },
    getHasEffects: true,
    navigated: true,
    existsWhile: ({ settings }) => settings.saml.idp_initiated,
  },
  {
    path: '/saml/slo',
    faultyAs: 'saml_slo',
    surface: 'page',
    methods: { GET: singleLogout, POST: singleLogout },
    getHasEffects: true,
    navigated: true,
    existsWhile: ({ settings }) => settings.saml.single_logout,
  },
  {
    path: '/saml/attribute-query',
    faultyAs: 'saml_attribute_query',
    surface: 'protocol',
    methods: { POST: attributeQuery },
    seesRefusedBody: true,
  },
];

export const samlFrontendRoutes: readonly Route[] = [
  ...samlRoutes,
  ...healthRoutes,
  ...authorityRoutes,
  ...staticRoutes,
];
