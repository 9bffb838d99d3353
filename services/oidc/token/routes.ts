import type { Route } from '#shared/engine/exchange/route.ts';
import { tokenEndpoint } from './endpoint.ts';

export const tokenRoutes: readonly Route[] = [
  {
    path: '/token',
    faultyAs: 'token',
    audience: 'protocol',
    methods: { POST: tokenEndpoint },
    noStore: true,
    rateBucket: 'token',
  },
];
