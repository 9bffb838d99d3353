// GET /.well-known/openid-configuration and /.well-known/oauth-authorization-server: one document, kept as bytes for
// each snapshot and issuer (DIS-01 to DIS-13).
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { alteredDocument, BodiesByIssuer, cachedJson, replyWithCached } from '#shared/http/cached-body.ts';
import type { Endpoint } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { discoveryDocument } from '#shared/protocol/oidc/discovery-document.ts';

const documents = new WeakMap<ConfigurationSnapshot, BodiesByIssuer>();

const discovery: Endpoint = async (request, { snapshot, issuer, path, outputHooks }) => {
  const make = () => discoveryDocument(snapshot, issuer, path(''));
  if (outputHooks.document !== undefined) {
    return alteredDocument(make(), request, outputHooks.document);
  }
  let ofSnapshot = documents.get(snapshot);
  if (ofSnapshot === undefined) {
    ofSnapshot = new BodiesByIssuer();
    documents.set(snapshot, ofSnapshot);
  }
  const document = ofSnapshot.of(issuer) ?? ofSnapshot.keep(issuer, cachedJson(make()));
  return replyWithCached(document, request);
};

export const discoveryRoutes: readonly Route[] = [
  {
    path: '/.well-known/openid-configuration',
    faultyAs: 'discovery',
    surface: 'protocol',
    methods: { GET: discovery },
  },
  {
    path: '/.well-known/oauth-authorization-server',
    faultyAs: 'discovery',
    surface: 'protocol',
    methods: { GET: discovery },
  },
];
