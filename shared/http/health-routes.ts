// GET /health and GET /api/health: the process answers (RST-01). Looks at neither files nor store (STO-18). Served by the
// door, and by a SAML worker that runs alone (CLI-05).
import { json } from './reply.ts';
import type { Route } from './route.ts';

const health = async () => json(200, { status: 'ok' });

export const healthRoutes: readonly Route[] = ['/health', '/api/health'].map((path) => ({
  path,
  surface: 'api',
  methods: { GET: health },
  standsAlone: true,
}));
