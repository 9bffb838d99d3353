// What the authorization endpoint offers to the frontend.
import type { Route } from '#shared/engine/exchange/route.ts';
import { getAuthorize, postAuthorize } from './endpoint.ts';

export const authorizeRoutes: readonly Route[] = [
  {
    path: '/authorize',
    faultyAs: 'authorize',
    audience: 'navigation',
    // Whoever is not led on to the client gets a refusal as the other protocol endpoints answer one.
    overrides: { surface: 'protocol' },
    methods: { GET: getAuthorize, POST: postAuthorize },
    getHasEffects: true,
  },
];
