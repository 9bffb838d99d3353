import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { tokenEndpoint } from './endpoint.ts';

export const tokenRoutes: readonly Route[] = [
  {
    path: '/token',
    faultyAs: 'token',
    audience: 'protocol',
    overrides: readsNoCookie,
    methods: { POST: tokenEndpoint },
    noStore: true,
    rateBucket: 'token',
  },
];
