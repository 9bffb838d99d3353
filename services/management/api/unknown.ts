// Any other path under /api: 404. Writes are behind the gate, like every write (RST-16, RST-18).
import { json } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';

const { status, error } = httpRefusals.path_unknown;
const notFound = async () => json(status, { error });

export const unknownApiRoutes: readonly Route[] = [
  { path: '/api', audience: 'api', methods: {} },
  {
    path: '/api/*path',
    audience: 'api',
    methods: { GET: notFound, POST: notFound, PUT: notFound, PATCH: notFound, DELETE: notFound },
  },
];
