// Any other path under /api: 404, for writes behind the gate like every write (RST-16, RST-18).
import { json } from '#shared/http/reply.ts';
import type { Route } from '#shared/http/route.ts';

const notFound = async () => json(404, { error: 'not_found' });

export const unknownApiRoutes: readonly Route[] = [
  { path: '/api', surface: 'api', methods: {} },
  {
    path: '/api/*path',
    surface: 'api',
    methods: { GET: notFound, POST: notFound, PUT: notFound, PATCH: notFound, DELETE: notFound },
  },
];
