import type { Route } from '#shared/engine/exchange/route.ts';
import { tokenEndpoint } from './endpoint.ts';

export const tokenRoutes: readonly Route[] = [
  {
    path: '/token',
    faultyAs: 'token',
    surface: 'protocol',
    methods: { POST: tokenEndpoint },
    noStore: true,
    rateBucket: 'token',
  },
];
