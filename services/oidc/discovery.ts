// GET /.well-known/openid-configuration and /.well-known/oauth-authorization-server: one document, cached as bytes for
// each snapshot and issuer (DIS-01 to DIS-13).

import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import { alteredDocument, BodiesByIssuer, cachedJson, replyWithCached } from '#shared/engine/exchange/cached-body.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { discoveryDocument } from '#shared/model/oauth-rules/discovery-document.ts';

const documents = new WeakMap<ConfigurationSnapshot, BodiesByIssuer>();

const discovery: Endpoint = async (request, context) => {
  const { snapshot, issuer, baseUrl, outputHooks } = context;
  const make = () => discoveryDocument(snapshot, context);
  if (outputHooks.document !== undefined) {
    return alteredDocument(make(), request, outputHooks.document);
  }
  let ofSnapshot = documents.get(snapshot);
  if (ofSnapshot === undefined) {
    ofSnapshot = new BodiesByIssuer();
    documents.set(snapshot, ofSnapshot);
  }
  const key = `${issuer} ${baseUrl}`;
  const document = ofSnapshot.of(key) ?? ofSnapshot.keep(key, cachedJson(make()));
  return replyWithCached(document, request);
};

export const discoveryRoutes: readonly Route[] = [
  {
    path: '/.well-known/openid-configuration',
    faultyAs: 'discovery',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { GET: discovery },
  },
  {
    path: '/.well-known/oauth-authorization-server',
    faultyAs: 'discovery',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { GET: discovery },
  },
];
