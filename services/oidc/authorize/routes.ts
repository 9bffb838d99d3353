// The routes of the authorization endpoint.
import type { Route } from '#shared/engine/exchange/route.ts';
import { getAuthorize, postAuthorize } from './endpoint.ts';

export const authorizeRoutes: readonly Route[] = [
  {
    path: '/authorize',
    faultyAs: 'authorize',
    audience: 'navigation',
    // A rejection that is not sent to the client has the same form as on other protocol endpoints.
    overrides: { surface: 'protocol' },
    methods: { GET: getAuthorize, POST: postAuthorize },
    getHasEffects: true,
  },
];
