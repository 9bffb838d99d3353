// GET /.well-known/jwks.json: the active key, then the previous ones that are still kept (DIS-14, DIS-15, KEY-07).
import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import { alteredDocument, type CachedBody, cachedJson, replyWithCached } from '#shared/engine/exchange/cached-body.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { PublicJwk } from '#shared/state/keys/key-ring.ts';

/** The key ring returns a new list only when a key changed, so the list itself is the key of the cache. */
const keySets = new WeakMap<readonly PublicJwk[], CachedBody>();

const jwks: Endpoint = async (request, { keys, outputHooks }) => {
  const publicKeys = await keys.publicKeys();
  if (outputHooks.document !== undefined) return alteredDocument({ keys: publicKeys }, request, outputHooks.document);
  let keySet = keySets.get(publicKeys);
  if (keySet === undefined) {
    keySet = cachedJson({ keys: publicKeys });
    keySets.set(publicKeys, keySet);
  }
  return replyWithCached(keySet, request);
};

export const jwksRoutes: readonly Route[] = [
  {
    path: '/.well-known/jwks.json',
    faultyAs: 'jwks',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { GET: jwks },
  },
];
