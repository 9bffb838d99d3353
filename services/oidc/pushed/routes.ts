// The routes of the endpoint for pushed authorization requests (RFC 9126).
import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { postPushedRequest } from './push-request.ts';
import { takesPushedRequests } from './take-pushed-request.ts';

export const pushedRequestRoutes: readonly Route[] = [
  {
    path: '/par',
    faultyAs: 'pushed_authorization_request',
    audience: 'protocol',
    overrides: readsNoCookie,
    existsWhile: (snapshot) => takesPushedRequests({ snapshot }),
    methods: { POST: postPushedRequest },
    noStore: true,
  },
];
